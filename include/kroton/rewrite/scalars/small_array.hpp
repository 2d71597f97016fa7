// Arrays as the nodes that are their elements.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/graph.hpp>

#include <bit>
#include <cstdint>

namespace kroton::rewrite {

/// An array with a node for each of its elements, in row-major order. Axes that are `whole` are not
/// taken apart: they have one element here, which has these axes, in order.
struct small_array {
  list<int> extents{}, elements{};
  std::uint32_t whole = 0;  // as bits

  constexpr bool is_whole(int d) const { return (whole >> d & 1u) != 0; }
  constexpr int whole_axes() const { return std::popcount(whole); }
  /// Where an axis is among those of the elements.
  constexpr int axis_in_element(int d) const { return std::popcount(whole & ((1u << d) - 1)); }

  constexpr int rank() const { return extents.size(); }
  constexpr int count() const {
    int n = 1;
    for (int e : extents) n *= e;
    return n;
  }
  /// The element at an index, in which the axes of the array are the last ones; it is repeated
  /// along axes where it has one element.
  constexpr int at(list<int> const& index) const {
    int flat = 0;
    for (int d = 0, lead = index.size() - rank(); d < rank(); ++d)
      flat = flat * extents[d] + (extents[d] == 1 ? 0 : index[lead + d]);
    return elements[flat];
  }
};

/// Where the element at an index stands.
constexpr int flat_index(list<int> const& extents, list<int> const& index) {
  int flat = 0;
  for (int d = 0; d < extents.size(); ++d) flat = flat * extents[d] + index[d];
  return flat;
}
/// Calls `visit` with each index within some extents, in row-major order.
template <class Visit>
constexpr void for_each_index(list<int> const& extents, Visit visit) {
  list<int> index(extents.size(), 0);
  for (int e : extents)
    if (e <= 0) return;
  for (int d = 0; d >= 0;) {
    visit(static_cast<list<int> const&>(index));
    for (d = extents.size() - 1; d >= 0 && ++index[d] == extents[d]; --d) index[d] = 0;
  }
}

}  // namespace kroton::rewrite
