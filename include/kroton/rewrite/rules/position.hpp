// Rules of positions: what keeps the order of elements does not move their extrema.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/along_axes/positions.hpp>
#include <kroton/ops/along_axes/softmax.hpp>
#include <kroton/rewrite/engine/rewriter.hpp>

namespace kroton::rewrite::rules {

/// argmax(f(x)) is argmax(x) for an increasing f that is not a step, and for a softmax along the
/// same axis.
constexpr int position_of_increasing(rewriter& r, int id) {
  graph& g = r.g;
  int const f = g.input_of(id, 0);
  op_info const* const op = g[f].op;
  if (!is_float(g.type(f).element)) return -1;
  bool const along_axis = (is_op<op::softmax>(op) || is_op<op::log_softmax>(op)) &&
                          g.attribute(f, 0) == 1ll << g.attribute(id, 0);
  // Steps, such as round, make elements equal that were not.
  bool const increasing = op->elementwise && g[f].input_count == 1 && op->has(law::increasing) &&
                          !op->has(law::idempotent);
  if (!along_axis && !increasing) return -1;
  int const inputs[] = {g.input_of(f, 0)};
  long long const attributes[] = {g.attribute(id, 0)};
  return r.make(g[id].op, inputs, attributes);
}

/// Whether m is the extremum of x along an axis, in its place there.
constexpr bool is_extremum_in_place(graph const& g, int m, int x, int axis) {
  int const rank = g.type(x).rank;
  if (g.is<op::dimshuffle>(m)) {
    int const lacking = rank - g[m].attribute_count;
    for (int d = lacking; d < rank; ++d) {
      long long const from = d < axis ? d : d == axis ? -1 : d - 1;
      if (g.attribute(m, d - lacking) != from) return false;
    }
    if (lacking > (axis == 0 ? 1 : 0)) return false;
    m = g.input_of(m, 0);
  } else if (axis != 0) {
    return false;
  }
  return (g.is<op::max>(m) || g.is<op::min>(m)) && g.input_of(m, 0) == x &&
         g.attribute(m, 0) == 1ll << axis && g.attribute(m, 1) == 0;
}
/// argmax(eq(x, max(x))) is argmax(x), and argmax(eq(x, min(x))) is argmin(x), along the same axis.
/// Of a NaN it gives the place, where as written it gives 0.
constexpr int position_of_equal(rewriter& r, int id) {
  graph& g = r.g;
  int equal = g.input_of(id, 0);
  if (g.is<op::cast>(equal)) equal = g.input_of(equal, 0);
  if (!g.is<op::eq>(equal)) return -1;
  int const axis = static_cast<int>(g.attribute(id, 0));
  for (int k = 0; k < 2; ++k) {
    int const x = g.input_of(equal, k);
    int m = g.input_of(equal, 1 - k);
    if (g.type(x).rank != g.type(equal).rank || !is_extremum_in_place(g, m, x, axis)) continue;
    if (g.is<op::dimshuffle>(m)) m = g.input_of(m, 0);
    op_info const* const position =
        g.is<op::max>(m) ? core::identity<op::argmax>() : core::identity<op::argmin>();
    int const inputs[] = {x};
    long long const attributes[] = {axis};
    return r.make(position, inputs, attributes);
  }
  return -1;
}

}  // namespace kroton::rewrite::rules
