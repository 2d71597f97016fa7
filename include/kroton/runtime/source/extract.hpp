// Parts of graphs: the nodes that some outputs need, with opaque nodes replaced by their graphs.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/function/opaque.hpp>
#include <kroton/runtime/make.hpp>

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

/// What some nodes need.
inline void add_operands(kroton::graph const& from, core::list<bool>& needed) {
  for (int id = from.size() - 1; id >= 0; --id)
    if (needed[id])
      for (int i : from.inputs(id)) needed[i] = true;
}

/// The conditions of nodes that are needed, in their order; the extents that they ask for are
/// needed, too. Other expressions have conditions of their own in the graph.
inline core::list<core::extent_constraint> conditions_of(kroton::graph const& from,
                                                         core::list<bool>& needed) {
  core::list<core::extent_constraint> kept;
  for (auto const& c : from.constraints())
    if (c.node >= 0 && needed[c.node]) kept.push_back(c);
  for (auto const& c : kept) needed[c.left] = needed[c.right] = true;
  add_operands(from, needed);
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
  add_operands(from, needed);
  auto const conditions = conditions_of(from, needed);
  for (int id = 0; id < from.size(); ++id)
    if (needed[id] && from.is<op::input>(id) && image[id] < 0) {
      std::string const name(from.name(id));
      throw value_error((name.empty() ? "an input that the outputs need"
                                      : "the input " + name + ", which the outputs need,") +
                        std::string(" is not among the function's inputs"));
    }
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
