// A graph copied except for some of its nodes: what passes outside the books have in common.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/graph.hpp>

namespace kroton::rewrite {

/// Copies what a graph needs, operands before results. `make(to, id, image)` records in the copy
/// what stands for a node, where image[k] stands for node k before it, or gives -1 for a node that
/// stays as it is.
template <class Make>
constexpr graph rebuilt(graph const& from, Make make) {
  graph to;
  to.reserve_for(from.size());
  to.share_bodies(from);
  list<bool> const live = from.live();
  list<int> image(from.size(), -1), inputs;
  for (int id : from.parameters())
    image[id] = to.input(from.type(id), static_cast<int>(from.attribute(id, 0)));
  for (int id = 0; id < from.size(); ++id) {
    if (!live[id] || image[id] >= 0) continue;
    int made = make(to, id, image);
    if (made < 0) {
      inputs.clear();
      for (int i : from.inputs(id)) inputs.push_back(image[i]);
      made = to.add(from[id].op, from.type(id), inputs, from.attributes(id));
    }
    image[id] = made;
  }
  to.adopt(from, image);
  return to;
}

}  // namespace kroton::rewrite
