// How often the nodes of a graph are read.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/graph.hpp>

namespace kroton::rewrite {

/// How many live nodes read each node; a result or the value of an update is read by two more, so
/// that it never counts as read by one node alone.
constexpr list<int> count_of_readers(graph const& g) {
  list<int> readers(g.size(), 0);
  list<bool> const live = g.live();
  for (int id = 0; id < g.size(); ++id) {
    if (!live[id]) continue;
    for (int i : g.inputs(id)) ++readers[i];
  }
  for (int id : g.results()) readers[id] += 2;
  for (update const& u : g.updates()) readers[u.value] += 2;
  for (auto const& c : g.constraints()) readers[c.left] += 2, readers[c.right] += 2;
  return readers;
}

}  // namespace kroton::rewrite
