// Arrays of few elements as the nodes that are their elements.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/graph.hpp>

namespace kroton::rewrite {

/// An array each of whose elements is a scalar node, in row-major order.
struct small_array {
  list<int> extents{}, elements{};

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

/// Calls `visit` with each index within some extents, in row-major order.
template <class Visit>
constexpr void for_each_index(list<int> const& extents, Visit visit) {
  list<int> index(extents.size(), 0);
  for (int d = 0; d >= 0;) {
    visit(static_cast<list<int> const&>(index));
    for (d = extents.size() - 1; d >= 0 && ++index[d] == extents[d]; --d) index[d] = 0;
  }
}

}  // namespace kroton::rewrite
