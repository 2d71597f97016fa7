// Copies a graph into another one.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/graph.hpp>

namespace kroton::core {

/// Records the nodes of an inner graph in g, with `arguments` for its parameters, and returns its
/// results.
constexpr list<int> splice(graph& g, graph const& inner, int const* arguments) {
  if (!inner.error().empty()) g.fail(inner.error());
  g.share_bodies(inner);
  list<int> at(inner.size(), -1), results;
  for (int p = 0; p < inner.parameters().size(); ++p) at[inner.parameters()[p]] = arguments[p];
  for (int id = 0; id < inner.size(); ++id) {
    if (at[id] >= 0) continue;
    if (inner.is_literal(id)) {
      at[id] = g.literal_of_bits(inner.literal_bits(id), inner.type(id).element);
    } else if (inner.is<op::cast>(id)) {
      at[id] = g.cast(at[inner.input_of(id, 0)], inner.type(id).element);
    } else {
      list<int> operands;
      for (int in : inner.inputs(id)) operands.push_back(at[in]);
      if (inner[id].op->is_serial) operands.pop_back();  // it follows those of g
      at[id] = g.apply(inner[id].op, operands, inner.attributes(id));
    }
  }
  for (int id : inner.results()) results.push_back(at[id]);
  return results;
}

}  // namespace kroton::core
