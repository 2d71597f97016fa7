// A graph copied except for some of its nodes: what passes outside the books have in common.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/rewrite/engine/written.hpp>

namespace kroton::rewrite {

/// Copies what a graph needs, operands before results. `make(to, id, image)` records in the copy
/// what stands for a node, where image[k] stands for node k before it, or gives -1 for a node that
/// stays as it is.
template <class Make>
constexpr graph rebuilt(graph const& from, Make make) {
  graph to;
  to.reserve_for(from.size());
  to.share_bodies(from);
  list<bool> const live = from.live(), kept = with_written(from, live);
  list<int> image(from.size(), -1), inputs;
  list<bool> replaced = list<bool>(from.size());
  for (int id : from.parameters())
    image[id] = to.input(from.type(id), static_cast<int>(from.attribute(id, 0)));
  for (int id = 0; id < from.size(); ++id) {
    if (!kept[id] || image[id] >= 0) continue;
    int made = live[id] ? make(to, id, image) : -1;
    replaced[id] = made >= 0;
    if (made < 0) {
      inputs.clear();
      for (int i : from.inputs(id)) inputs.push_back(image[i]);
      made = to.add(from[id].op, from.type(id), inputs, from.attributes(id));
    }
    image[id] = made;
  }
  to.adopt(from, image);
  copy_written(from, to, image, replaced);
  return to;
}

/// Copies a graph with other nodes of it in the place of some: instead[k] is what node k becomes,
/// or -1. The graph as it is where a node would be needed for one that is needed for it.
constexpr graph substituted(graph const& from, list<int> const& instead) {
  graph to;
  to.reserve_for(from.size());
  to.share_bodies(from);
  list<int> image(from.size(), -1), open, inputs;
  list<bool> begun = list<bool>(from.size());
  bool circular = false;
  auto meant = [&](int id) {
    while (id < instead.size() && instead[id] >= 0) id = instead[id];
    return id;
  };
  for (int id : from.parameters())
    image[id] = to.input(from.type(id), static_cast<int>(from.attribute(id, 0)));
  list<bool> const live = from.live(), kept = with_written(from, live);
  // Written forms of what is replaced may read what is not there any more.
  auto copy_if_possible = [&](int id) {
    inputs.clear();
    for (int i : from.inputs(id)) {
      if (image[i] < 0) return;
      inputs.push_back(image[i]);
    }
    image[id] = to.add(from[id].op, from.type(id), inputs, from.attributes(id));
  };
  for (int id = 0; id < from.size() && !circular; ++id) {
    if (kept[id] && !live[id] && image[id] < 0) copy_if_possible(id);
    if (!live[id]) continue;
    open.push_back(meant(id));
    while (!open.empty() && !circular) {
      int const top = open.back(), pending = open.size();
      for (int i : from.inputs(top))
        if (int const needed = meant(i); image[top] < 0 && image[needed] < 0) {
          circular = circular || begun[needed];
          open.push_back(needed);
        }
      begun[top] = true;
      if (open.size() > pending) continue;
      open.pop_back();
      if (image[top] >= 0) continue;
      inputs.clear();
      for (int i : from.inputs(top)) inputs.push_back(image[meant(i)]);
      image[top] = to.add(from[top].op, from.type(top), inputs, from.attributes(top));
    }
    image[id] = image[meant(id)];
  }
  if (circular) return from;
  to.adopt(from, image);
  if (from.has_written()) {
    list<bool> replaced = list<bool>(from.size());
    for (int id = 0; id < from.size(); ++id) replaced[id] = meant(id) != id;
    copy_written(from, to, image, replaced);
  }
  return to;
}

}  // namespace kroton::rewrite
