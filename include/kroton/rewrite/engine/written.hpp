// How nodes were written, taken over into a copy of their graph.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/graph.hpp>

namespace kroton::rewrite {

/// The nodes that are needed, and those that written forms of them consist of. (A written form
/// stands before the node.)
constexpr list<bool> with_written(graph const& g, list<bool> needed) {
  if (!g.has_written()) return needed;
  for (int id = g.size() - 1; id >= 0; --id) {
    if (!needed[id]) continue;
    for (int i : g.inputs(id)) needed[i] = true;
    if (int const as = g.written(id); as >= 0) needed[as] = true;
  }
  return needed;
}

/// Notes in a copy how its nodes were written; `image` maps nodes to the copy's, or is -1. What a
/// pass has put in the place of a node (`replaced`) is computed as the pass says.
constexpr void copy_written(graph const& from, graph& to, list<int> const& image,
                            list<bool> const& replaced = {}) {
  if (!from.has_written()) return;
  for (int id = 0; id < from.size(); ++id) {
    int const as = from.written(id), there = image[id];
    if (as < 0 || there < 0 || image[as] < 0 || image[as] >= there) continue;
    if (replaced.empty() || !replaced[id]) to.note_written(there, image[as]);
  }
}

}  // namespace kroton::rewrite
