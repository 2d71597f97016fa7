// Parts of graphs: the nodes that some outputs need, with opaque nodes replaced by their graphs.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/function/opaque.hpp>
#include <kroton/runtime/make.hpp>

#include <algorithm>
#include <string>

namespace kroton::runtime {

/// Copies the needed nodes, in order, from one graph to another; opaque ones are replaced by their
/// graphs.
inline void copy_nodes(kroton::graph const& from, kroton::graph& to, core::list<bool> const& needed,
                       core::list<int>& image) {
  to.share_bodies(from);
  core::list<int> operands;
  for (int id = 0; id < from.size(); ++id) {
    if (!needed[id] || image[id] >= 0) continue;
    operands.clear();
    for (int i : from.inputs(id)) operands.push_back(image[i]);
    if (from[id].op->inner != nullptr)
      image[id] = core::splice(to, opened(from[id].op->inner()), operands.data())[0];
    else image[id] = to.add(from[id].op, from.type(id), operands, from.attributes(id));
  }
}

KROTON_RUNTIME_INLINE kroton::graph opened(kroton::graph const& from) {
  kroton::graph to;
  core::list<int> image(from.size(), -1);
  for (int id : from.parameters()) image[id] = to.input(from.type(id), to.parameters().size());
  copy_nodes(from, to, from.live(), image);
  to.adopt(from, image);
  return to;
}

/// The conditions on what some outputs need, arrays and numbers, in their order; the extents that
/// they ask for are needed, too. Other expressions have conditions of their own in the graph: one
/// that an op requires concerns those that need a later node of that op, where it is that of nodes.
inline core::list<core::extent_constraint> conditions_on(kroton::graph const& from,
                                                         core::list<bool>& needed) {
  core::list<bool> known = needed;
  for (int id = 0; id < from.size(); ++id) {
    if (known[id] || from.type(id).rank > 0) continue;
    known[id] = from.is_literal(id) || from.inputs(id).size() > 0;
    for (int i : from.inputs(id)) known[id] = known[id] && known[i];
  }
  auto const requires_it = [&](core::extent_constraint const& c) {
    bool has_nodes = false;
    for (int id = std::max(c.left, c.right); id < from.size(); ++id) {
      if (from[id].op != c.op) continue;
      if (needed[id]) return true;
      has_nodes = true;
    }
    return !has_nodes;
  };
  auto const& all = from.constraints();
  core::list<core::extent_constraint> kept;
  for (int k = 0; k < all.size();) {
    int const first = k;
    bool concerns = true;
    // A number of elements, and its factors.
    do {
      concerns = concerns && known[all[k].left] && known[all[k].right] && requires_it(all[k]);
      ++k;
    } while (k < all.size() &&
             (all[k].kind == core::condition::extent || all[k].kind == core::condition::factor));
    for (int c = first; concerns && c < k; ++c) {
      kept.push_back(all[c]);
      needed[all[c].left] = needed[all[c].right] = true;
    }
  }
  for (int id = from.size() - 1; id >= 0; --id)
    if (needed[id])
      for (int i : from.inputs(id)) needed[i] = true;
  return kept;
}

KROTON_RUNTIME_INLINE kroton::graph extract(kroton::graph const& from, core::items<int> inputs,
                                            core::items<int> outputs) {
  kroton::graph to;
  core::list<int> image(from.size(), -1);
  for (int id : inputs) {
    if (!from.is<op::input>(id))
      throw value_error((from.is_literal(id)
                             ? "a constant"
                             : "a computed value (" + std::string(from[id].op->name) + ")") +
                        std::string(" was passed as an input of a function"));
    if (image[id] >= 0)
      throw value_error("the input " + std::string(from.name(id)) + " was passed twice");
    image[id] = to.input(from.type(id), to.parameters().size());
  }
  core::list<bool> needed(from.size());
  for (int id : outputs) needed[id] = true;
  for (int id = from.size() - 1; id >= 0; --id) {
    if (!needed[id]) continue;
    if (from.is<op::input>(id) && image[id] < 0) {
      std::string const name(from.name(id));
      throw value_error((name.empty() ? "an input that the outputs need"
                                      : "the input " + name + ", which the outputs need,") +
                        std::string(" is not among the function's inputs"));
    }
    for (int i : from.inputs(id)) needed[i] = true;
  }
  auto const conditions = conditions_on(from, needed);
  copy_nodes(from, to, needed, image);
  for (auto const& c : conditions)
    to.constraints().push_back({image[c.left], image[c.right], c.op, c.kind});
  for (int id : outputs) to.results().push_back(image[id]);
  for (auto const& n : from.names())
    if (image[n.node] >= 0) to.names().push_back({image[n.node], n.name});
  to.fail(from.error());
  return to;
}

}  // namespace kroton::runtime
