// What a graph takes over from another: nodes, bodies, and what is listed apart from them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/nodes.hpp>

namespace kroton {

constexpr long long graph::intern(core::body const& added) {
  for (core::body const& known : bodies_)
    if (known.address() == added.address()) {
      if (!(known == added)) fail("kt: two different bodies have the same address");
      return added.address();
    }
  if (!added->error().empty()) fail(added->error());
  if (added->is_serial()) fail(core::no_serial_inside);
  if (added->has_disconnected()) note_disconnected();
  bodies_.push_back(added);
  return added.address();
}

constexpr void graph::share_bodies(graph const& from) {
  for (core::body const& b : from.bodies_) intern(b);
}

constexpr void graph::copy_nodes(graph const& from, core::list<int>& image) {
  share_bodies(from);
  core::list<int> inputs;
  for (int id = 0; id < from.size(); ++id) {
    inputs.clear();
    for (int in : from.inputs(id)) inputs.push_back(image[in]);
    image.push_back(add(from[id].op, from.type(id), inputs, from.attributes(id)));
  }
}

constexpr void graph::adopt(graph const& from, core::list<int> const& image) {
  for (int id : from.outputs_) outputs_.push_back(image[id]);
  for (core::update const& u : from.updates_) updates_.push_back({u.parameter, image[u.value]});
  for (core::extent_constraint const& c : from.constraints_)
    constraints_.push_back(
        {image[c.left], image[c.right], c.op, c.kind, c.node < 0 ? -1 : image[c.node]});
  for (core::name_entry const& n : from.names_)
    if (image[n.node] >= 0) names_.push_back({image[n.node], n.name});
  share_bodies(from);
  fail(from.error());
}

}  // namespace kroton
