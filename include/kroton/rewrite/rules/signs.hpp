// What is known of the sign of a node; signs and magnitudes of products.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/along_axes/softmax.hpp>
#include <kroton/ops/elementwise/roots.hpp>
#include <kroton/ops/elementwise/special.hpp>
#include <kroton/ops/elementwise/trigonometric.hpp>
#include <kroton/rewrite/form/laws.hpp>
#include <kroton/rewrite/form/multiple.hpp>
#include <kroton/rewrite/rules/selections.hpp>

namespace kroton::rewrite::rules {

/// What a sum over no elements, which is 0, counts as.
enum class empty_sum : bool { positive, zero };

constexpr bool is_positive(graph const& g, int id, int depth = 6,
                           empty_sum empty = empty_sum::positive);

/// Whether a node is 0 or more for all real numbers below it.
constexpr bool is_nonnegative(graph const& g, int id, int depth = 6) {
  op_info const* const op = g[id].op;
  if (g.is_literal(id)) return g.literal_value(id) >= 0;
  if (depth == 0 || g[id].input_count == 0) return false;
  if (is_op<op::abs>(op) || is_op<op::sqr>(op) || is_op<op::sqrt>(op) || is_op<op::hypot>(op) ||
      is_op<op::hypot3>(op))
    return true;
  if (is_power(g, id)) {
    double const power = g.literal_value(g.input_of(id, 1));
    if (is_even(power) || !is_whole(power)) return true;
  }
  if (is_selection(g, id) || is_op<op::alloc>(op) || is_op<op::sum>(op) || is_op<op::pow>(op) ||
      is_op<op::prod>(op))
    return is_nonnegative(g, g.input_of(id, 0), depth - 1);
  if (!is_op<op::add>(op) && !is_op<op::mul>(op)) return is_positive(g, id, depth);
  for (int i : g.inputs(id))
    if (!is_nonnegative(g, i, depth - 1)) return false;
  return true;
}
/// Whether a node is positive for all real numbers below it: log(a * b) is log(a) + log(b) then,
/// whatever b is, and also where a is 0 as an empty sum.
constexpr bool is_positive(graph const& g, int id, int depth, empty_sum empty) {
  op_info const* const op = g[id].op;
  if (g.is_literal(id)) return g.literal_value(id) > 0;
  if (depth == 0 || g[id].input_count == 0) return false;
  if (is_op<op::exp>(op) || is_op<op::sigmoid>(op) || is_op<op::softmax>(op) ||
      is_op<op::erfc>(op) || is_op<op::cosh>(op))
    return true;
  if (is_op<op::sum>(op) && empty == empty_sum::zero) return false;
  if (is_selection(g, id) || is_op<op::alloc>(op) || is_op<op::sum>(op) || is_op<op::pow>(op) ||
      is_op<op::prod>(op))
    return is_positive(g, g.input_of(id, 0), depth - 1, empty);
  bool const sum = is_op<op::add>(op);
  if (!sum && !is_op<op::mul>(op)) return false;
  bool any = false;  // one term above 0 is enough where none is below
  for (int i : g.inputs(id)) {
    bool const positive = is_positive(g, i, depth - 1, empty);
    any = any || positive;
    if (!positive && !(sum && is_nonnegative(g, i, depth - 1))) return false;
  }
  return any;
}

/// abs(x * y) is abs(x) * abs(y), so that each may cancel.
constexpr int abs_of_product(rewriter& r, int id) {
  graph& g = r.g;
  int const x = g.input_of(id, 0);
  element const e = g.type(id).element;
  if (!is_float(e)) return -1;
  if (is_power(g, x)) {
    factor const f = split_power(g, x);
    if (is_even(f.power.value())) return x;
    if (!is_whole(f.power.value())) return x;
    int const base = r.make<op::abs>({f.base});
    return r.make<op::pow>({base, g.input_of(x, 1)});
  }
  if (is_positive(g, x)) return x;
  if (!g.is<op::mul>(x)) return -1;
  list<int> factors = r.inputs(x);
  for (int& f : factors)
    f = g.is_literal(f) ? r.literal(magnitude(g.literal_value(f)), e) : r.make<op::abs>({f});
  return r.make(identity<op::mul>(), factors);
}

/// The sign of a product is the product of the signs, so that each may cancel, of the factors that
/// have one, and each instead of its odd powers: sgn(2 * x / y) is sgn(x) * sgn(y).
constexpr int sgn_of_product(rewriter& r, int id) {
  graph& g = r.g;
  element const e = g.type(id).element;
  if (!is_float(e)) return -1;
  summand const t = split_multiple(r, g.input_of(id, 0));
  int const x = t.node;
  list<int> factors, kept;
  if (t.times.negative()) kept.push_back(r.literal(-1, e));
  if (g.is<op::mul>(x)) factors = r.inputs(x);
  else factors.push_back(x);
  bool changed = x != g.input_of(id, 0) || factors.size() > 1;
  for (int f : factors) {
    factor p = split_power(g, f);
    double const power = p.power.value();
    // An even power is 0 or a sign that has no part in this.
    if (is_positive(g, p.base, 6, empty_sum::zero) || (is_even(power) && power < 0)) {
      changed = true;
      continue;
    }
    if (power < 0) p.power = number_of(e, -power);
    if (is_whole(power) && !is_even(power)) p.power = number_of(e, 1);
    changed = changed || p.power.value() != power;
    kept.push_back(r.settle(power_of(r, p)));
  }
  if (!changed) return -1;
  for (int& f : kept)
    if (!g.is_literal(f)) f = r.make<op::sgn>({f});
  if (kept.empty()) return r.literal(1, e);
  return kept.size() == 1 ? kept[0] : r.make(identity<op::mul>(), kept);
}

}  // namespace kroton::rewrite::rules
