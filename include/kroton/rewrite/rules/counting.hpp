// Reductions of bools as their number: loops add fast, and have no batches that reduce masks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/along_axes/reduction.hpp>

namespace kroton::rewrite {

/// In what loops count bools: in the type of the lanes that they are computed in, where they are
/// compared floating-point numbers, else in int64.
constexpr element counting_type(graph const& g, int bools, int depth = 8) {
  element found = element::int64;
  if (!g[bools].op->elementwise || depth == 0) return found;
  for (int i : g.inputs(bools)) {
    element const e = g.type(i).element;
    element const counted = is_float(e) ? e : is_bool(e) ? counting_type(g, i, depth - 1) : found;
    if (is_float(counted) && found != element::float64) found = counted;
  }
  return found;
}
constexpr int count_of(graph& to, int bools, element e, items<long long> reduction) {
  int const numbers[] = {to.cast(bools, e)};
  return to.apply(identity<op::sum>(), numbers, reduction);
}

/// What asks for the number of bools instead of a reduction of x: any, all, and sums of bools as
/// other numbers than loops count in, as in the mean of what was guessed right; -1 for every other
/// one.
constexpr int counted(graph& to, op_info const* op, int x, items<long long> reduction) {
  if (reduction[0] == 0) return -1;
  bool const any = is_op<op::any>(op), all = is_op<op::all>(op);
  if (any || all) {
    int const asked = any ? x : to.apply<op::bit_not>({x});
    element const e = counting_type(to, asked);
    int const none = to.literal(0, e), count = count_of(to, asked, e, reduction);
    return any ? to.apply<op::neq>({count, none}) : to.apply<op::eq>({count, none});
  }
  if (!is_op<op::sum>(op) || !to.is<op::cast>(x)) return -1;
  int const bools = to.input_of(x, 0);
  element const wanted = to.type(x).element;
  if (!is_bool(to.type(bools).element) || is_complex(wanted)) return -1;
  element const e = counting_type(to, bools);
  // A sum of float32 is not a count of more than 2^24.
  if (e == wanted || e == element::float32) return -1;
  return to.cast(count_of(to, bools, e, reduction), wanted);
}

}  // namespace kroton::rewrite
