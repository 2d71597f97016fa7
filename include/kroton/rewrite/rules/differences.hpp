// Differences of one function at two arguments that have a term in common: f(x + e) - f(x) without
// the digits that cancel (Hamming, Numerical Methods for Scientists and Engineers, chapter 3).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/rewrite/rules/stable.hpp>

namespace kroton::rewrite::rules {

/// An argument of a function: a node, and a number that is added to it.
struct argument {
  int node;
  double plus = 0;

  constexpr list<summand> terms(rewriter& r) const {
    list<summand> all;
    double constant = plus;
    if (r.g.is<op::add>(node)) {
      for (int i : r.inputs(node)) {
        summand const t = term_of(r, i);
        if (t.node < 0 && t.times.foldable()) constant += t.times.value();
        else all.push_back(t);
      }
    } else {
      all.push_back(term_of(r, node));
    }
    if (constant != 0) all.push_back({-1, number_of(r.g.type(node).element, constant)});
    return all;
  }
  constexpr int value(rewriter& r) const {
    if (plus == 0) return node;
    return r.make<op::add>({r.literal(plus, r.g.type(node).element), node});
  }
};

/// u - v where terms of both cancel and all others stay as they are; else -1.
constexpr int cancelled(rewriter& r, argument const& u, argument const& v) {
  list<summand> left = u.terms(r), right = v.terms(r);
  for (auto const* terms : {&left, &right})
    for (summand const& t : *terms)
      if (!t.times.foldable()) return -1;
  bool any = false;
  for (int i = left.size() - 1; i >= 0; --i)
    for (int j = right.size() - 1; j >= 0; --j) {
      if (left[i].node != right[j].node) continue;
      bool const equal = left[i].times.value() == right[j].times.value();
      if (left[i].node >= 0 && !equal) return -1;
      if (!equal) continue;
      any = any || left[i].node >= 0;
      left.erase(i);
      right.erase(j);
      break;
    }
  if (!any || left.empty() + right.empty() == 2) return -1;
  element const e = r.g.type(u.node).element;
  sum_of_terms sum(r, e);
  auto const add = [&](summand const& t, double sign) {
    coefficient const c = number_of(e, sign * t.times.value());
    if (t.node < 0) sum.add(r.literal(c), number_of(e, 1));
    else sum.add(t.node, c);
  };
  for (summand const& t : left) add(t, 1);
  for (summand const& t : right) add(t, -1);
  return r.closed(r.sealed(sum.build()));
}

constexpr bool has_symbolic_exponent(graph const& g, int f) {
  return g.is<op::pow>(f) && !g.is_literal(g.input_of(f, 1));
}
/// a^p - b^p for a number d = a - b, from the larger of the two: where the powers differ by more
/// than a factor of 1.6 they are subtracted as they are.
constexpr int difference_of_powers(rewriter& r, int f, int a, int b, int d) {
  graph& g = r.g;
  element const e = g.type(f).element;
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

/// Where a sum has a literal among its terms, or -1.
constexpr int place_of_literal(graph const& g, list<int> const& terms) {
  for (int i = 0; i < terms.size(); ++i)
    if (g.is_literal(terms[i])) return i;
  return -1;
}
/// k * (1 + a)^b - k, by expm1 where it is small; else as it is. Of numbers only: both sides of the
/// choice together take more than twice the time of the power.
constexpr int power_minus_one(rewriter& r, int id) {
  constexpr int most_terms = 8;
  graph& g = r.g;
  element const e = g.type(id).element;
  list<int> terms = r.inputs(id);
  int const constant = place_of_literal(g, terms);
  if (!is_float(e) || g.type(id).rank > 0 || terms.size() > most_terms || constant < 0) return -1;
  for (int i = 0; i < terms.size(); ++i) {
    summand const s = term_of(r, terms[i]);
    double const k = s.times.value();
    if (s.node < 0 || k != -g.literal_value(terms[constant]) || !has_symbolic_exponent(g, s.node))
      continue;
    int const base = g.input_of(s.node, 0), p = g.input_of(s.node, 1);
    if (!g.is<op::add>(base)) continue;
    list<int> const summands = r.inputs(base);
    int const one = place_of_literal(g, summands);
    if (one < 0 || !g.is_literal(summands[one], 1)) continue;
    int const t = r.make<op::mul>({p, r.make<op::log>({base})});
    int const is_near = r.make<op::lt>({r.make<op::abs>({t}), r.literal(0.5, e)});
    // With this base the difference is none that the rule would find again.
    int const far = r.make<op::where>({is_near, r.literal(1, e), base});
    int const difference = r.make<op::sub>({r.make<op::pow>({far, p}), r.literal(1, e)});
    terms[i] = times(r, k, r.make<op::where>({is_near, r.make<op::expm1>({t}), difference}));
    terms.erase(constant);
    return terms.size() == 1 ? terms[0] : r.make(identity<op::add>(), terms);
  }
  return -1;
}

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
  if (p == 1. / 3) {
    int const x = r.make<op::pow>({a, g.input_of(f, 1)}),
              y = r.make<op::pow>({b, g.input_of(f, 1)});
    int const mixed = r.make<op::add>({of(op::sqr{}, x), r.make<op::mul>({x, y})});
    return r.make<op::div>({d, r.make<op::add>({mixed, of(op::sqr{}, y)})});
  }
  return -1;
}

/// Where f is a function of one operand, the operand of log1p with its 1.
constexpr argument argument_of(graph const& g, int f) {
  return {g.input_of(f, 0), g.is<op::log1p>(f) ? 1. : 0.};
}
/// Functions of whose differences something is known.
constexpr bool has_difference(graph const& g, int f, bool powers) {
  op_info const* const op = g[f].op;
  if (powers || has_symbolic_exponent(g, f)) return powers && has_symbolic_exponent(g, f);
  return is_op<op::pow>(op) || is_op<op::log>(op) || is_op<op::log1p>(op) || is_op<op::sin>(op) ||
         is_op<op::cos>(op) || is_op<op::tan>(op) || is_op<op::atan>(op);
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
  constexpr int most_terms = 16;
  graph& g = r.g;
  if (!is_float(g.type(id).element) || g[id].input_count > most_terms) return -1;
  list<int> terms = r.inputs(id);
  for (int i = 0; i < terms.size(); ++i) {
    summand const s = term_of(r, terms[i]);
    if (s.node < 0 || !has_difference(g, s.node, powers)) continue;
    for (int j = i + 1; j < terms.size(); ++j) {
      summand const t = term_of(r, terms[j]);
      if (t.node < 0 || t.times.value() != -s.times.value() || !are_alike(g, s.node, t.node))
        continue;
      argument const u = argument_of(g, s.node), v = argument_of(g, t.node);
      int const d = cancelled(r, u, v), form = d < 0 ? -1 : difference(r, s.node, u, v, d);
      if (form < 0) continue;
      terms[i] = times(r, s.times.value(), form);
      terms.erase(j);
      return terms.size() == 1 ? terms[0] : r.make(identity<op::add>(), terms);
    }
  }
  return -1;
}

constexpr int difference_of_alike(rewriter& r, int id) { return difference_among(r, id, false); }
constexpr int difference_of_like_powers(rewriter& r, int id) {
  return difference_among(r, id, true);
}

/// The node whose square a term is, or -1.
constexpr int root_of_square(rewriter& r, summand const& t) {
  if (t.node >= 0)
    return is_power(r.g, t.node) && split_power(r.g, t.node).power.is(2) ? r.g.input_of(t.node, 0)
                                                                         : -1;
  double const square = magnitude(t.times.value());
  if (!t.times.foldable() || !(square > 0 && square < 1e30)) return -1;
  double const root = math::sqrt(square);
  return root * root == square ? r.literal(root, t.times.of) : -1;
}
/// Whether a term of one sum cancels one of the other in their difference, or in their sum.
constexpr bool has_cancelling_terms(rewriter& r, int a, int b) {
  list<summand> const left = argument{a}.terms(r), right = argument{b}.terms(r);
  for (summand const& s : left)
    for (summand const& t : right)
      if (s.node == t.node && magnitude(s.times.value()) == magnitude(t.times.value())) return true;
  return false;
}
/// k * a^2 - k * b^2 is k * (a - b) * (a + b) where terms of a and b cancel.
constexpr int difference_of_squares(rewriter& r, int id) {
  constexpr int most_terms = 8;
  graph& g = r.g;
  if (!is_float(g.type(id).element) || g[id].input_count > most_terms) return -1;
  list<int> terms = r.inputs(id);
  for (int i = 0; i < terms.size(); ++i) {
    summand const s = term_of(r, terms[i]);
    int const a = s.node < 0 ? -1 : root_of_square(r, s);
    if (a < 0 || !g.is<op::add>(a)) continue;
    double const k = s.times.value();
    for (int j = 0; j < terms.size(); ++j) {
      summand const t = term_of(r, terms[j]);
      // A literal is a square of either factor.
      if (j == i || (t.node >= 0 && t.times.value() != -k)) continue;
      if (t.node < 0 && (magnitude(k) != 1 || t.times.value() * k > 0)) continue;
      int const b = root_of_square(r, t);
      if (b < 0 || !has_cancelling_terms(r, a, b)) continue;
      int const difference = r.make<op::sub>({a, b}), sum = r.make<op::add>({a, b});
      terms[i] = times(r, k, r.make<op::mul>({difference, sum}));
      terms.erase(j);
      return terms.size() == 1 ? terms[0] : r.make(identity<op::add>(), terms);
    }
  }
  return -1;
}

/// The x of x * log(x), or -1.
constexpr int of_x_log_x(rewriter& r, int id) {
  graph& g = r.g;
  if (!g.is<op::mul>(id) || g[id].input_count != 2) return -1;
  for (int i = 0; i < 2; ++i) {
    int const log = g.input_of(id, i), x = g.input_of(id, 1 - i);
    if (g.is<op::log>(log) && g.input_of(log, 0) == x) return x;
    if (!g.is<op::log1p>(log) || !g.is<op::add>(x)) continue;
    if (r.closed(r.operand(argument_of(g, log).value(r))) == x) return x;
  }
  return -1;
}
/// k * a * log(a) - k * b * log(b) among the terms of a sum, for a number d = a - b:
/// k * (d * log(a) + b * log1p(d / b)).
constexpr int difference_of_x_log_x(rewriter& r, int id) {
  constexpr int most_terms = 8;
  graph& g = r.g;
  element const e = g.type(id).element;
  if (!is_float(e) || g[id].input_count > most_terms) return -1;
  list<int> terms = r.inputs(id);
  for (int i = 0; i < terms.size(); ++i) {
    summand const s = term_of(r, terms[i]);
    int const a = s.node < 0 ? -1 : of_x_log_x(r, s.node);
    if (a < 0) continue;
    for (int j = 0; j < terms.size(); ++j) {
      summand const t = term_of(r, terms[j]);
      if (j == i || t.node < 0 || t.times.value() != -s.times.value()) continue;
      int const b = of_x_log_x(r, t.node);
      int const d = b < 0 ? -1 : cancelled(r, {a}, {b});
      if (d < 0 || !g.is_literal(d) || !(g.literal_value(d) > 0)) continue;
      int const logs = r.make<op::mul>({b, r.make<op::log1p>({r.make<op::div>({d, b})})});
      int const rest = r.make<op::mul>({d, r.make<op::log>({a})});
      terms[i] = times(r, s.times.value(), rest);
      terms[j] = times(r, s.times.value(), logs);
      return r.make(identity<op::add>(), terms);
    }
  }
  return -1;
}

}  // namespace kroton::rewrite::rules
