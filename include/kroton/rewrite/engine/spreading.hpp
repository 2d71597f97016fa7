// Nodes that are their operand, spread as broadcasting would.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/shapes/allocation.hpp>
#include <kroton/ops/shapes/shape.hpp>

namespace kroton::rewrite {

/// How many axes a dimshuffle adds in front.
constexpr int leading_axes(graph const& g, int id) {
  int count = 0;
  if (is_op<op::dimshuffle>(g[id].op))
    while (count < g[id].attribute_count && g.attribute(id, count) < 0) ++count;
  return count;
}
/// Whether a dimshuffle adds axes in front and does nothing else.
constexpr bool only_adds_axes(graph const& g, int id) {
  int const added = leading_axes(g, id);
  if (added == 0 || g[id].attribute_count - added != g.type(g.input_of(id, 0)).rank) return false;
  for (int d = added; d < g[id].attribute_count; ++d)
    if (g.attribute(id, d) != d - added) return false;
  return true;
}
/// Whether a node is its operand, spread as broadcasting would. Such nodes stand outside of
/// elementwise ops.
constexpr bool only_spreads(graph const& g, int id) {
  return is_op<op::alloc>(g[id].op) || only_adds_axes(g, id);
}

}  // namespace kroton::rewrite
