// Reductions of bools as their number: loops add fast, and have no batches that reduce masks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/reduction.hpp>

namespace kroton::core {

/// The number of bools that hold over some axes.
constexpr int count_of(graph& to, int bools, items<long long> reduction) {
  int const numbers[] = {to.cast(bools, element::int64)};
  return to.apply(identity<op::sum>(), numbers, reduction);
}

/// Whether a bool is computed from integers and bools alone: its loop has no batches of floating-point numbers.
constexpr bool is_made_of_integers(graph const& g, int id) {
  if (!g[id].op->elementwise) return false;
  for (int i : g.inputs(id))
    if (!is_integer(g.type(i).element) && (!is_bool(g.type(i).element) || !is_made_of_integers(g, i))) return false;
  return true;
}

/// What asks for the number of bools instead of a reduction of x: any, all, and the sum of bools as floating-point numbers, as
/// in the mean of what was guessed right; -1 for every other one.
constexpr int counted(graph& to, op_info const* op, int x, items<long long> reduction) {
  if (reduction[0] == 0) return -1;
  auto const none = [&] { return to.literal(0, element::int64); };
  if (is_op<op::any>(op)) return to.apply<op::neq>({count_of(to, x, reduction), none()});
  if (is_op<op::all>(op)) return to.apply<op::eq>({count_of(to, to.apply<op::bit_not>({x}), reduction), none()});
  if (!is_op<op::sum>(op) || !to.is<op::cast>(x) || !is_float(to.type(x).element)) return -1;
  int const bools = to.input_of(x, 0);
  if (!is_bool(to.type(bools).element) || !is_made_of_integers(to, bools)) return -1;
  return to.cast(count_of(to, bools, reduction), to.type(x).element);
}

}  // namespace kroton::core
