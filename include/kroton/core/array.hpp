// Arrays as kernels see them: an address, extents and strides.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/list.hpp>
#include <kroton/core/type.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

namespace kroton::core {

/// A strided array of any element type. Extents and strides count elements, not bytes.
struct array_ref {
  std::byte* data = nullptr;
  int rank = 0;
  int bytes = 1;  // of one element
  std::ptrdiff_t extents[max_rank]{};
  std::ptrdiff_t strides[max_rank]{};

  std::ptrdiff_t size() const {
    std::ptrdiff_t n = 1;
    for (int d = 0; d < rank; ++d) n *= extents[d];
    return n;
  }
  /// Row-major and contiguous; strides of extents 1 do not matter.
  bool contiguous() const {
    std::ptrdiff_t expected = 1;
    for (int d = rank - 1; d >= 0; --d) {
      if (extents[d] != 1 && strides[d] != expected) return size() == 0;
      expected *= extents[d];
    }
    return true;
  }
  void make_contiguous_strides() {
    std::ptrdiff_t stride = 1;
    for (int d = rank - 1; d >= 0; --d) {
      strides[d] = stride;
      stride *= extents[d];
    }
  }
};

/// A computed extent. Where addresses have 32 bits, the largest stands for all that no array has.
constexpr std::ptrdiff_t as_extent(std::int64_t n) {
  using limits = std::numeric_limits<std::ptrdiff_t>;
  if constexpr (sizeof(std::ptrdiff_t) < sizeof(n))
    return static_cast<std::ptrdiff_t>(n > limits::max()   ? limits::max()
                                       : n < limits::min() ? limits::min()
                                                           : n);
  else return static_cast<std::ptrdiff_t>(n);
}

/// An array broadcast to the extents of another one, aligned on the right. Strides are 0 along axes
/// that it lacks or that have extent 1.
inline array_ref spread(array_ref const& a, array_ref const& over) {
  array_ref result = over;
  result.data = a.data;
  for (int d = 0; d < over.rank; ++d) {
    int const own = d - (over.rank - a.rank);
    result.strides[d] = own < 0 || a.extents[own] == 1 ? 0 : a.strides[own];
  }
  return result;
}

/// The arguments of an op's own kernel: operands, which may have any strides; results, which are
/// contiguous and overlap no operand, except the one that the op declares it overwrites; and static
/// attributes. A result that nothing reads has no data.
struct invocation {
  array_ref const* operands;
  array_ref const* results;
  items<long long> attributes;

  array_ref const& operand(int k) const { return operands[k]; }
  array_ref const& result(int k = 0) const { return results[k]; }
  long long attribute(int i) const { return attributes.first[i]; }
};

/// Calls visit(offset...) with the element offsets of every row along the last axis, in row-major
/// order.
template <class Visit>
void for_each_row(array_ref const& to, array_ref const& from, Visit visit) {
  std::ptrdiff_t index[max_rank]{};
  if (to.size() == 0) return;
  for (;;) {
    std::ptrdiff_t a = 0, b = 0;
    for (int d = 0; d + 1 < to.rank; ++d) {
      a += index[d] * to.strides[d];
      b += index[d] * from.strides[d];
    }
    visit(a, b);
    int d = to.rank - 2;
    for (; d >= 0; --d) {
      if (++index[d] < to.extents[d]) break;
      index[d] = 0;
    }
    if (d < 0) return;
  }
}

/// Calls f with the number of bytes of an element as a constant.
template <class F>
void with_bytes(int bytes, F f) {
  switch (bytes) {
    case 1: return f(std::integral_constant<int, 1>{});
    case 2: return f(std::integral_constant<int, 2>{});
    case 4: return f(std::integral_constant<int, 4>{});
    case 8: return f(std::integral_constant<int, 8>{});
    default: return f(std::integral_constant<int, 16>{});
  }
}

/// Makes elements from their positions in row-major order: `count` of them from `first` on.
using element_maker = void (*)(std::uint64_t const* from, std::byte* to, std::ptrdiff_t first,
                               std::ptrdiff_t count);

/// Elements of a vector, or rows of a tensor, that are read where indices say: the array of these,
/// and where elements are. Or an array whose elements are made, not read: `index` is then where
/// they would lie.
struct indirect_array {
  // Of int64; negative ones count from the end, and all were checked. Of rows, the axes of a row
  // follow, with its strides.
  array_ref index;
  std::byte* data = nullptr;
  std::ptrdiff_t step = 0, extent = 0;  // from element to element or from row to row, in bytes; and
                                        // how many there are
  int bytes = 0;                        // of an element; 0 if there is no such array
  element_maker make = nullptr;
  std::uint64_t from[2]{};  // what they are made from
  int behind = 0;           // the axes of a row

  /// The element or the row that an index selects.
  std::byte const* at(std::int64_t i) const { return data + (i < 0 ? i + extent : i) * step; }
};

/// What indices select along the first axis of an array.
inline indirect_array selected(array_ref const& base, array_ref const& index) {
  indirect_array all{.index = index,
                     .data = base.data,
                     .step = base.strides[0] * base.bytes,
                     .extent = base.extents[0],
                     .bytes = base.bytes,
                     .behind = base.rank - 1};
  for (int d = 1; d < base.rank; ++d) {
    all.index.extents[all.index.rank] = base.extents[d];
    all.index.strides[all.index.rank++] = base.strides[d];
  }
  return all;
}

}  // namespace kroton::core
