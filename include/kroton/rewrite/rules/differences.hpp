// Differences of one function at two arguments that have a term in common: f(x + e) - f(x) without
// the digits that cancel (Hamming, Numerical Methods for Scientists and Engineers, chapter 3).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/rewrite/rules/power_differences.hpp>

namespace kroton::rewrite::rules {

/// f(u) - f(v) for d = u - v; -1 for other functions. Unless d is a number, only sines, cosines and
/// tangents: the other forms may be 0/0 or inf/inf where the difference as written is not.
constexpr int difference(rewriter& r, int f, argument const& u, argument const& v, int d) {
  graph& g = r.g;
  op_info const* const op = g[f].op;
  int const a = u.value(r), b = v.value(r);
  auto const of = [&]<class Op>(Op, int x) { return r.make<Op>({x}); };
  bool const periodic = is_op<op::sin>(op) || is_op<op::cos>(op) || is_op<op::tan>(op);
  if (!periodic && !g.is_literal(d)) return -1;
  if (is_op<op::log>(op) || is_op<op::log1p>(op)) {
    if (!is_short(g, d)) return -1;
    // Towards -1, log1p would lose what the difference of logarithms keeps.
    if (g.literal_value(d) > 0) return of(op::log1p{}, r.make<op::div>({d, b}));
    return r.negative(of(op::log1p{}, r.make<op::div>({times(r, -1, d), a})));
  }
  if (is_op<op::sin>(op) || is_op<op::cos>(op)) {
    int const middle = r.make<op::add>({b, times(r, 0.5, d)});
    int const half = of_half<op::sin>(r, d);
    if (is_op<op::sin>(op)) return times(r, 2, r.make<op::mul>({half, of(op::cos{}, middle)}));
    return times(r, -2, r.make<op::mul>({half, of(op::sin{}, middle)}));
  }
  if (is_op<op::tan>(op))
    return r.make<op::div>(
        {of(op::sin{}, d), r.make<op::mul>({of(op::cos{}, a), of(op::cos{}, b)})});
  if (is_op<op::atan>(op)) {
    int const one = r.literal(1, g.type(f).element);
    return r.make<op::atan2>({d, r.make<op::add>({one, r.make<op::mul>({a, b})})});
  }
  auto const over_cubes = [&](int x, int y) {
    int const mixed = r.make<op::add>({of(op::sqr{}, x), r.make<op::mul>({x, y})});
    return r.make<op::div>({d, r.make<op::add>({mixed, of(op::sqr{}, y)})});
  };
  if (is_op<op::cbrt>(op)) return over_cubes(of(op::cbrt{}, a), of(op::cbrt{}, b));
  if (has_symbolic_exponent(g, f)) return difference_of_powers(r, f, a, b, d);
  if (!is_power(g, f)) return -1;
  double const p = split_power(g, f).power.value();
  if (p == -1) return r.negative(r.make<op::div>({r.make<op::div>({d, a}), b}));
  if (p == 0.5 || p == -0.5) {
    int const x = of(op::sqrt{}, a), y = of(op::sqrt{}, b);
    int const quotient = r.make<op::div>({d, r.make<op::add>({x, y})});
    if (p == 0.5) return quotient;
    return r.negative(r.make<op::div>({r.make<op::div>({quotient, x}), y}));
  }
  if (p == 1. / 3)
    return over_cubes(r.make<op::pow>({a, g.input_of(f, 1)}),
                      r.make<op::pow>({b, g.input_of(f, 1)}));
  return -1;
}

/// Functions of whose differences something is known.
constexpr bool has_difference(graph const& g, int f, bool powers) {
  op_info const* const op = g[f].op;
  if (has_symbolic_exponent(g, f)) return powers;
  if (powers) return false;
  return is_op<op::pow>(op) || is_op<op::log>(op) || is_op<op::log1p>(op) || is_op<op::sin>(op) ||
         is_op<op::cos>(op) || is_op<op::tan>(op) || is_op<op::atan>(op) || is_op<op::cbrt>(op);
}
constexpr bool are_alike(graph const& g, int f, int h) {
  auto const is_log = [&](int id) { return g.is<op::log>(id) || g.is<op::log1p>(id); };
  if (g.type(f) != g.type(h)) return false;
  if (is_log(f) && is_log(h)) return true;
  if (*g[f].op != *g[h].op) return false;
  return !g.is<op::pow>(f) || g.input_of(f, 1) == g.input_of(h, 1);
}

/// k*f(u) - k*f(v) among the terms of a sum, for powers with symbolic exponents, or all other f.
constexpr int difference_among(rewriter& r, int id, bool powers) {
  graph& g = r.g;
  return with_pair_of_terms(
      r, id, [&](summand const& s) { return has_difference(g, s.node, powers); },
      [&](summand const& s, summand const& t) {
        if (t.node < 0 || t.times.value() != -s.times.value() || !are_alike(g, s.node, t.node))
          return -1;
        argument const u = argument_of(g, s.node), v = argument_of(g, t.node);
        int const d = cancelled(r, u, v), form = d < 0 ? -1 : difference(r, s.node, u, v, d);
        return form < 0 ? -1 : times(r, s.times.value(), form);
      });
}

constexpr int difference_of_alike(rewriter& r, int id) { return difference_among(r, id, false); }
constexpr int difference_of_like_powers(rewriter& r, int id) {
  return difference_among(r, id, true);
}

}  // namespace kroton::rewrite::rules
