// A part of a graph as a graph of its own.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/graph.hpp>

namespace kroton::calculus {

/// What leads from some leaves, which become the parameters, to some results. Everything that the
/// results need and that is not a leaf must not be a parameter of `from`.
constexpr graph part_of(graph const& from, list<int> const& leaves, list<int> const& results) {
  graph part;
  part.share_bodies(from);
  list<bool> needed(from.size());
  list<int> image(from.size(), -1), inputs;
  for (int id : leaves) image[id] = part.input(from.type(id), part.parameters().size());
  for (int id : results) needed[id] = true;
  for (int id = from.size() - 1; id >= 0; --id)
    if (needed[id] && image[id] < 0)
      for (int in : from.inputs(id)) needed[in] = true;
  for (int id = 0; id < from.size(); ++id) {
    if (!needed[id] || image[id] >= 0) continue;
    inputs.clear();
    for (int in : from.inputs(id)) inputs.push_back(image[in]);
    image[id] = part.add(from[id].op, from.type(id), inputs, from.attributes(id));
  }
  for (int id : results) part.results().push_back(image[id]);
  return part;
}

}  // namespace kroton::calculus
