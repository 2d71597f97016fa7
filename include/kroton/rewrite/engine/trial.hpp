// Forms that are tried before they are taken: whether an application to other operands comes to
// more than that.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/rewrite/engine/rewriter.hpp>

namespace kroton::rewrite {

/// How many terms or factors a node contributes to a sum or a product of others. Literals are one
/// with that of the result.
constexpr int count_of_operands(graph const& g, op_info const* op, int id) {
  if (g.is_literal(id)) return 0;
  if (!(*g[id].op == *op)) return 1;
  int count = 0;
  for (int i : g.inputs(id)) count += g.is_literal(i) ? 0 : 1;
  return count;
}
/// Makes an application, and says whether a rule that stabilizes or cancels has seen something in
/// it, or terms or factors have cancelled.
constexpr int tried(rewriter& r, op_info const* op, list<int> const& operands, bool& fires) {
  int const raw = r.g.apply(op, operands), form = r.settle(raw);
  fires = r.was_stabilized(raw);
  if (fires || !(is_op<op::add>(op) || is_op<op::mul>(op)) || !r.real()) return form;
  int written = 0;
  for (int i : operands) written += count_of_operands(r.g, op, i);
  // Like terms that merge to a multiple are one less, and have cancelled nothing.
  fires = count_of_operands(r.g, op, form) < (is_op<op::add>(op) ? written - 1 : written);
  return form;
}

}  // namespace kroton::rewrite
