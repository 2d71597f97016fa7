// Elements that are those of an operand elsewhere.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/rewrite/scalars/replacement.hpp>

namespace kroton::rewrite {

/// One element for each index of a node, in order: `at(index)` of operand `k`.
template <class At>
constexpr void move_elements(scalar_replacement& r, int id, int k, list<int>& elements, At at) {
  small_array const& from = r.operand(id, k);
  for_each_index(r.extents(id),
                 [&](list<int> const& index) { elements.push_back(from.at(at(index))); });
}

}  // namespace kroton::rewrite
