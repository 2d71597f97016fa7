// What only derivatives need is taken out before rewriting begins.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/after.hpp>
#include <kroton/rewrite/engine/rebuild.hpp>

namespace kroton::rewrite {

/// The graph without the ops that are for derivatives alone, whose results are their operands, and
/// without waiting for constants, for which forward mode asks.
constexpr graph without_annotations(graph const& g) {
  bool has_some = false;
  for (int id = 0; id < g.size(); ++id)
    has_some = has_some || g[id].op->is_for_derivatives || g.is<op::after>(id);
  if (!has_some) return g;
  list<bool> depends(g.size());
  for (int id : g.parameters()) depends[id] = true;
  for (int id = 0; id < g.size(); ++id)
    for (int in : g.inputs(id)) depends[id] = depends[id] || depends[in];
  return rebuilt(g, [&](graph&, int id, list<int> const& image) {
    int const of = g.is<op::item>(id) ? g.input_of(id, 0) : id;
    if (g[of].op->is_for_derivatives) {
      int const output = of == id ? 0 : static_cast<int>(g.attribute(id, 0));
      return image[g.input_of(of, output)];
    }
    if (!g.is<op::after>(id)) return -1;
    bool waits = false;
    for (int k = 1; k < g[id].input_count; ++k) waits = waits || depends[g.input_of(id, k)];
    return waits ? -1 : image[g.input_of(id, 0)];
  });
}

}  // namespace kroton::rewrite
