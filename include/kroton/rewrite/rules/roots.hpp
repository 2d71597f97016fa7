// Sums of a number and a root that is next to it in size: u + sqrt(u^2 + t) without the digits that
// cancel, as in quadratic formulas, and the logarithms that are inverse hyperbolic functions.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/rewrite/form/expansion.hpp>
#include <kroton/rewrite/rules/signs.hpp>
#include <kroton/rewrite/rules/stable.hpp>

namespace kroton::rewrite::rules {

/// A sum of monomials as a node.
constexpr int sum_of(rewriter& r, list<monomial> const& terms, element e) {
  list<int> sum;
  for (monomial const& m : terms) {
    list<int> factors;
    if (m.times != 1 || m.powers.empty()) factors.push_back(r.literal(m.times, e));
    for (monomial::power const& p : m.powers)
      factors.push_back(p.exponent == 1
                            ? p.node
                            : r.make<op::pow>({p.node, r.literal(number_of(e, p.exponent))}));
    sum.push_back(factors.size() == 1 ? factors[0] : r.make(identity<op::mul>(), factors));
  }
  if (sum.empty()) return r.literal(0, e);
  return sum.size() == 1 ? sum[0] : r.make(identity<op::add>(), sum);
}

/// What c^2 * v is more than u^2, where every term of u^2, multiplied out, is among those of
/// c^2 * v but for its coefficient, and one at least cancels; -1 elsewhere, and where nothing or
/// too much is left.
constexpr int excess_over_square(rewriter& r, double c, int v, int u) {
  constexpr int most_terms = 3;
  element const e = r.g.type(v).element;
  expansion of_v(r.g), of_square(r.g);
  int const square = r.make<op::sqr>({u});
  if (!of_v.expand(v) || !of_square.expand(square)) return -1;
  list<monomial> difference = of_v.terms(), rest;
  for (monomial& m : difference) m.times *= c * c;
  bool any = false;
  for (monomial const& m : of_square.terms()) {
    if (m.times == 0) continue;
    int const i = of_v.find_like(m);
    if (i < 0) return -1;
    difference[i].times -= m.times;
    any = any || difference[i].times == 0;
  }
  for (monomial const& m : difference)
    if (m.times != 0) rest.push_back(m);
  if (!any || rest.empty() || rest.size() > most_terms) return -1;
  return r.closed(r.sealed(sum_of(r, rest, e)));
}

/// u + c * sqrt(v) with v = (u^2 + t) / c^2: the sum of the magnitudes, w, where the signs agree,
/// else t / w.
constexpr int root_next_to(rewriter& r, int u, double c, int root) {
  graph& g = r.g;
  int const t = excess_over_square(r, c, split_power(g, root).base, u);
  if (t < 0) return -1;
  int const same_sign = c < 0 ? r.negative(u) : u;
  if (is_nonnegative(g, same_sign)) return -1;
  int const w = r.make<op::add>({r.make<op::abs>({same_sign}), times(r, magnitude(c), root)});
  int const small = r.make<op::div>({t, w});
  // Otherwise w may be 0.
  bool const opposite = is_nonnegative(g, r.negative(same_sign)) && g.is_literal(t);
  if (opposite) return times(r, c < 0 ? -1 : 1, small);
  int const zero = r.literal(0, g.type(u).element);
  return times(r, c < 0 ? -1 : 1, r.make<op::where>({r.make<op::ge>({same_sign, zero}), w, small}));
}

/// Where a term is a literal times a root of a sum.
constexpr bool is_root_of_sum(graph const& g, summand const& t) {
  return t.node >= 0 && is_power(g, t.node) && split_power(g, t.node).power.is(0.5) &&
         g.is<op::add>(g.input_of(t.node, 0)) && t.times.foldable();
}

/// A root and what stands next to it, all other terms or one of them.
constexpr int sum_with_root(rewriter& r, int id) {
  constexpr int most_terms = 4;
  graph& g = r.g;
  if (!is_float(g.type(id).element) || g[id].input_count > most_terms) return -1;
  list<int> const terms = r.inputs(id);
  for (int i = 0; i < terms.size(); ++i) {
    summand const root = term_of(r, terms[i]);
    if (!is_root_of_sum(g, root)) continue;
    double const c = root.times.value();
    list<int> rest = terms;
    rest.erase(i);
    int const all = rest.size() == 1 ? rest[0] : r.make(identity<op::add>(), rest);
    if (int const form = root_next_to(r, all, c, root.node); form >= 0) return form;
    for (int k = 0; k < rest.size() && rest.size() > 1; ++k) {
      int const form = root_next_to(r, rest[k], c, root.node);
      if (form < 0) continue;
      rest[k] = form;
      return r.make(identity<op::add>(), rest);
    }
  }
  return -1;
}

/// where(c, a, b) * k, as a quadratic formula has it, is where(c, a*k, b*k) where b*k has fewer
/// factors than b and k together.
constexpr int choice_times_factors(rewriter& r, int id) {
  graph& g = r.g;
  element const e = g.type(id).element;
  if (!is_float(e)) return -1;
  list<factor> const factors = factors_of(r, id);
  for (int i = 0; i < factors.size(); ++i) {
    int const choice = factors[i].base;
    if (!g.is<op::where>(choice) || !factors[i].power.is(1) || g.type(choice) != g.type(id))
      continue;
    auto const cancels = [&](int side) {
      if (!g.is<op::mul>(side)) return false;
      for (int k : g.inputs(side))
        for (int j = 0; j < factors.size(); ++j)
          if (factor const f = split_power(g, k); j != i && !g.is_literal(f.base) &&
                                                  f.base == factors[j].base &&
                                                  f.power.value() == -factors[j].power.value())
            return true;
      return false;
    };
    if (!cancels(g.input_of(choice, 1)) && !cancels(g.input_of(choice, 2))) continue;
    list<factor> rest = factors;
    rest.erase(i);
    int const scale = product_of(r, rest, e);
    return r.make<op::where>({g.input_of(choice, 0),
                              r.make<op::mul>({g.input_of(choice, 1), scale}),
                              r.make<op::mul>({g.input_of(choice, 2), scale})});
  }
  return -1;
}

/// sqrt(c * x^2) is sqrt(c) * abs(x), as are other powers by a half, where what stays under the
/// root has no sign.
constexpr int root_of_squares(rewriter& r, int id) {
  graph& g = r.g;
  element const e = g.type(id).element;
  if (!is_float(e) || !is_power(g, id) || !g.is<op::mul>(g.input_of(id, 0))) return -1;
  double const p = g.literal_value(g.input_of(id, 1));
  if (magnitude(p) != 0.5) return -1;
  list<int> outside, inside;
  bool any = false, divides = false;
  for (factor const& f : factors_of(r, g.input_of(id, 0))) {
    double const q = f.power.value();
    if (g.is_literal(f.base) && g.literal_value(f.base) > 0) {
      inside.push_back(f.base);
    } else if (is_even(q)) {
      any = true;
      divides = divides || q < 0;
      outside.push_back(
          r.make<op::pow>({r.make<op::abs>({f.base}), r.literal(number_of(e, q * p))}));
    } else {
      int const whole = r.make<op::pow>({f.base, r.literal(f.power)});
      if (!is_nonnegative(g, whole)) return -1;
      inside.push_back(whole);
    }
  }
  if (!any) return -1;
  if (!inside.empty()) {
    bool const is_number = inside.size() == 1 && g.is_literal(inside[0]);
    if (divides && !is_number) return -1;  // the quotient under the root may be closer to 1
    int const rest = inside.size() == 1 ? inside[0] : r.make(identity<op::mul>(), inside);
    double const c = is_number ? g.literal_value(rest) : 1, root = math::sqrt(c);
    outside.push_back(is_number ? r.literal(p < 0 ? root / c : root, e)
                                : r.make<op::pow>({rest, g.input_of(id, 1)}));
  }
  return outside.size() == 1 ? outside[0] : r.make(identity<op::mul>(), outside);
}

/// x * y for abs(x) * abs(y).
constexpr int without_magnitudes(rewriter& r, int id) {
  graph& g = r.g;
  if (g.is<op::abs>(id)) return g.input_of(id, 0);
  if (!g.is<op::mul>(id)) return id;
  list<int> factors = r.inputs(id);
  for (int& f : factors)
    if (g.is<op::abs>(f)) f = g.input_of(f, 0);
  return r.make(identity<op::mul>(), factors);
}
/// log(u + sqrt(u^2 + 1)) is asinh(u), and log(u + sqrt(u^2 - 1)) is acosh(u): also where the sum
/// has become a choice by the sign of u.
constexpr int inverse_hyperbolic(rewriter& r, int id) {
  graph& g = r.g;
  int const x = g.input_of(id, 0);
  int const sum = g.is<op::where>(x) ? g.input_of(x, 1) : x;
  if (!is_float(g.type(id).element) || !g.is<op::add>(sum) || g[sum].input_count != 2) return -1;
  for (int i = 0; i < 2; ++i) {
    int const root = g.input_of(sum, i);
    int u = g.input_of(sum, 1 - i);
    if (!is_root_of_sum(g, {root, number_of(g.type(id).element, 1)})) continue;
    if (sum != x) {
      u = without_magnitudes(r, u);
      if (root_next_to(r, u, 1, root) != x) u = r.negative(u);
      if (root_next_to(r, u, 1, root) != x) continue;
    }
    int const t = excess_over_square(r, 1, g.input_of(root, 0), u);
    if (t < 0 || !g.is_literal(t)) continue;
    if (g.is_literal(t, 1)) return r.make<op::asinh>({u});
    if (g.is_literal(t, -1)) return r.make<op::acosh>({u});
  }
  return -1;
}

/// log((c + x) / (c - x)) is 2 * atanh(x / c).
constexpr int inverse_tanh(rewriter& r, int id) {
  graph& g = r.g;
  element const e = g.type(id).element;
  int const product = g.input_of(id, 0);
  if (!is_float(e) || !g.is<op::mul>(product) || g[product].input_count != 2) return -1;
  for (int i = 0; i < 2; ++i) {
    int const p = g.input_of(product, i);
    factor const q = split_power(g, g.input_of(product, 1 - i));
    if (!q.power.is(-1) || !g.is<op::add>(p) || !g.is<op::add>(q.base)) continue;
    int const first = g.input_of(p, 0);
    double both = 0;
    if (!g.is_literal(first) || !adds_to_number(r, p, q.base, both)) continue;
    double const c = g.literal_value(first);
    if (both != 2 * c || c == 0) continue;
    int const x = r.make<op::sub>({p, r.literal(c, e)});
    return times(r, 2, r.make<op::atanh>({times(r, 1 / c, x)}));
  }
  return -1;
}

}  // namespace kroton::rewrite::rules
