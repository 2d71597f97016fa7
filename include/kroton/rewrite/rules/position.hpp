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

}  // namespace kroton::rewrite::rules
