// Elements of arrays by their numbers in row-major order: strides, parts, axes that broadcast.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/array.hpp>
#include <kroton/cpu/op/sparsity/index_sets.hpp>

#include <array>
#include <cstddef>
#include <vector>

namespace kroton::cpu::sparsity {

using shape = std::vector<count>;

inline count elements_of(shape const& extents) {
  count n = 1;
  for (count e : extents) n *= e;
  return n;
}
/// The distances of neighbors along each axis.
inline shape strides_of(shape const& extents) {
  shape strides(extents.size());
  count next = 1;
  for (std::size_t d = extents.size(); d-- > 0; next *= extents[d]) strides[d] = next;
  return strides;
}
/// Those of an array that broadcasts to more axes or larger extents, from the right.
inline shape broadcast_strides(shape const& own, shape const& to) {
  shape const strides = strides_of(own);
  shape all(to.size());
  for (std::size_t d = 0; d < own.size(); ++d) {
    std::size_t const at = d + to.size() - own.size();
    all[at] = own[d] == 1 && to[at] != 1 ? 0 : strides[d];
  }
  return all;
}

/// Where an index of some extents leads in an array: to the first element and so far along each
/// axis.
struct strided_part {
  count first = 0;
  shape strides{};
};

/// Calls visit(a, b) with the elements of two parts that belong to each index of the extents, in
/// row-major order.
template <class Visit>
void for_each_pair(shape const& extents, strided_part const& a, strided_part const& b,
                   Visit const& visit) {
  if (elements_of(extents) == 0) return;
  shape index(extents.size());
  count i = a.first, j = b.first;
  for (;;) {
    visit(i, j);
    std::size_t d = extents.size();
    for (;;) {
      if (d-- == 0) return;
      i += a.strides[d];
      j += b.strides[d];
      if (++index[d] < extents[d]) break;
      i -= a.strides[d] * extents[d];
      j -= b.strides[d] * extents[d];
      index[d] = 0;
    }
  }
}

/// An integer tensor that a program reads, in row-major order.
inline std::vector<count> integers_of(core::array_ref const& x) {
  shape extents(x.extents, x.extents + x.rank);
  std::vector<count> all;
  all.reserve(as_size(elements_of(extents)));
  strided_part const part{0, shape(x.strides, x.strides + x.rank)};
  for_each_pair(extents, part, part, [&](count at, count) {
    all.push_back(x.bytes == 4
                      ? static_cast<count>(reinterpret_cast<std::int32_t const*>(x.data)[at])
                      : static_cast<count>(reinterpret_cast<std::int64_t const*>(x.data)[at]));
  });
  return all;
}

}  // namespace kroton::cpu::sparsity
