// Differences of powers, of squares and of x log x, in which the leading parts cancel.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/rewrite/rules/arguments.hpp>

namespace kroton::rewrite::rules {

/// Differences of arguments that are divided by the smaller of them: no quotient overflows then.
constexpr bool is_short(graph const& g, int d) { return magnitude(g.literal_value(d)) <= 16; }
constexpr bool has_symbolic_exponent(graph const& g, int f) {
  return g.is<op::pow>(f) && !g.is_literal(g.input_of(f, 1));
}
/// a^p - b^p for a number d = a - b, from the larger of the two: where the powers differ by more
/// than a factor of 1.6 they are subtracted as they are.
constexpr int difference_of_powers(rewriter& r, int f, int a, int b, int d) {
  graph& g = r.g;
  element const e = g.type(f).element;
  if (!is_short(g, d)) return -1;
  bool const first = g.literal_value(d) > 0;
  int const p = g.input_of(f, 1), larger = first ? a : b, smaller = first ? b : a;
  int const ratio = r.make<op::log1p>({r.make<op::div>({times(r, first ? 1 : -1, d), smaller})});
  int const t = r.negative(r.make<op::mul>({p, ratio}));  // log((smaller / larger)^p)
  int const is_near = r.make<op::lt>({t, r.literal(0.5, e)});
  int const power = r.make<op::pow>({larger, p});
  // With this exponent the difference is none that the rule would find again.
  int const far = r.make<op::where>({is_near, r.literal(0, e), p});
  int const near = r.make<op::mul>({power, r.make<op::expm1>({t})});
  int const result =
      r.make<op::where>({is_near, near, r.make<op::sub>({r.make<op::pow>({smaller, far}), power})});
  return times(r, first ? -1 : 1, result);
}

/// Whether a sum is 1 + a.
constexpr bool has_one(rewriter& r, int id) {
  if (!r.g.is<op::add>(id)) return false;
  list<int> const terms = r.inputs(id);
  int const one = place_of_literal(r.g, terms);
  return one >= 0 && r.g.is_literal(terms[one], 1);
}
/// k * (1 + a)^b - k, by expm1 where it is small; else as it is. Of numbers only: both sides of the
/// choice together take more than twice the time of the power.
constexpr int power_minus_one(rewriter& r, int id) {
  graph& g = r.g;
  element const e = g.type(id).element;
  if (g.type(id).rank > 0) return -1;
  return with_pair_of_terms(
      r, id,
      [&](summand const& s) {
        return has_symbolic_exponent(g, s.node) && has_one(r, g.input_of(s.node, 0));
      },
      [&](summand const& s, summand const& t) {
        double const k = s.times.value();
        if (t.node >= 0 || t.times.value() != -k) return -1;
        int const base = g.input_of(s.node, 0), p = g.input_of(s.node, 1);
        int const log = r.make<op::mul>({p, r.make<op::log>({base})});
        int const is_near = r.make<op::lt>({r.make<op::abs>({log}), r.literal(0.5, e)});
        // With this base the difference is none that the rule would find again.
        int const far = r.make<op::where>({is_near, r.literal(1, e), base});
        int const difference = r.make<op::sub>({r.make<op::pow>({far, p}), r.literal(1, e)});
        return times(r, k, r.make<op::where>({is_near, r.make<op::expm1>({log}), difference}));
      });
}

/// The node whose square a term is, or -1.
constexpr int root_of_square(rewriter& r, summand const& t) {
  if (t.node < 0) {
    double const root = exact_root(magnitude(t.times.value()));
    return root > 0 ? r.literal(root, t.times.of) : -1;
  }
  list<int> factors;
  if (r.g.is<op::mul>(t.node)) factors = r.inputs(t.node);
  else factors.push_back(t.node);
  for (int i : factors)
    if (!is_even(split_power(r.g, i).power.value())) return -1;
  for (int& i : factors) {
    factor const f = split_power(r.g, i);
    i = r.make<op::pow>({f.base, r.literal(number_of(t.times.of, f.power.value() / 2))});
  }
  return factors.size() == 1 ? factors[0] : r.make(identity<op::mul>(), factors);
}
/// Whether a term of one sum cancels one of the other in their difference, or in their sum.
constexpr bool has_cancelling_terms(rewriter& r, int a, int b) {
  constexpr int most_pairs = 256;
  list<summand> const left = argument{a}.terms(r), right = argument{b}.terms(r);
  if (left.size() * right.size() > most_pairs) return false;
  for (summand const& s : left)
    for (summand const& t : right)
      if (s.node == t.node && magnitude(s.times.value()) == magnitude(t.times.value())) return true;
  return false;
}
/// k * a^2 - k * b^2 is k * (a - b) * (a + b) where terms of a and b cancel.
constexpr int difference_of_squares(rewriter& r, int id) {
  graph& g = r.g;
  return with_pair_of_terms(
      r, id,
      [&](summand const& s) {
        factor const f = split_power(g, s.node);
        return f.power.is(2) && g.is<op::add>(f.base);
      },
      [&](summand const& s, summand const& t) {
        double const k = s.times.value();
        // A literal is a square of either factor.
        bool const opposite =
            t.node >= 0 ? t.times.value() == -k : magnitude(k) == 1 && t.times.value() * k < 0;
        int const a = split_power(g, s.node).base, b = opposite ? root_of_square(r, t) : -1;
        if (b < 0 || !has_cancelling_terms(r, a, b)) return -1;
        int const difference = r.make<op::sub>({a, b}), sum = r.make<op::add>({a, b});
        return times(r, k, r.make<op::mul>({difference, sum}));
      });
}

/// The x of x * log(x), or -1.
constexpr int of_x_log_x(rewriter& r, int id) {
  graph& g = r.g;
  if (!g.is<op::mul>(id)) return -1;
  for (int log : g.inputs(id)) {
    if (!g.is<op::log>(log) && !g.is<op::log1p>(log)) continue;
    if (g.is<op::log1p>(log) && g[id].input_count != 2) continue;  // of a sum
    int const x = r.closed(r.operand(argument_of(g, log).value(r)));
    list<int> rest, factors;
    for (int i : g.inputs(id))
      if (i != log) rest.push_back(i);
    if (g.is<op::mul>(x)) factors = r.inputs(x);
    else factors.push_back(x);
    bool equal = rest.size() == factors.size();
    for (int i = 0; equal && i < rest.size(); ++i) equal = rest[i] == factors[i];
    if (equal) return x;
  }
  return -1;
}
/// k * a * log(a) - k * b * log(b) among the terms of a sum, for a number d = a - b:
/// k * d * log(a) + k * b * log1p(d / b).
constexpr int difference_of_x_log_x(rewriter& r, int id) {
  graph& g = r.g;
  return with_pair_of_terms(
      r, id, [&](summand const& s) { return of_x_log_x(r, s.node) >= 0; },
      [&](summand const& s, summand const& t) {
        double const k = s.times.value();
        if (t.node < 0 || t.times.value() != -k) return -1;
        int const a = of_x_log_x(r, s.node), b = of_x_log_x(r, t.node);
        int const d = b < 0 ? -1 : cancelled(r, {a}, {b});
        if (d < 0 || !g.is_literal(d) || !(g.literal_value(d) > 0) || !is_short(g, d)) return -1;
        int const ratio = r.make<op::log1p>({r.make<op::div>({d, b})});
        int const first = r.make<op::mul>({d, r.make<op::log>({a})});
        return r.make<op::add>({times(r, k, first), times(r, k, r.make<op::mul>({b, ratio}))});
      });
}

}  // namespace kroton::rewrite::rules
