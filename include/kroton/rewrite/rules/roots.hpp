// Sums of a number and a root that is next to it in size: u + sqrt(u^2 + t) without the digits that
// cancel, as in quadratic formulas, and the logarithms that are inverse hyperbolic functions.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/rewrite/form/expansion.hpp>
#include <kroton/rewrite/rules/factor_pairs.hpp>
#include <kroton/rewrite/rules/signs.hpp>

namespace kroton::rewrite::rules {

/// What c^2 * v is more than u^2 where u^2 is one of its terms: the others, as they are.
constexpr int other_terms(rewriter& r, double c, int v, int square) {
  summand const s = term_of(r, square);
  list<int> terms = r.inputs(v);
  if (s.node < 0 || terms.size() < 2) return -1;
  for (int i = 0; i < terms.size(); ++i) {
    summand const t = term_of(r, terms[i]);
    if (t.node != s.node || c * c * t.times.value() != s.times.value()) continue;
    terms.erase(i);
    int const rest = terms.size() == 1 ? terms[0] : r.make(identity<op::add>(), terms);
    return r.closed(r.operand(times(r, c * c, rest)));
  }
  return -1;
}
/// What c^2 * v is more than u^2 where one monomial is left once both are multiplied out: more of
/// them could lose digits that v as it is written has. -1 elsewhere.
constexpr int excess_over_square(rewriter& r, double c, int v, int u) {
  element const e = r.g.type(v).element;
  int const square = r.make<op::sqr>({u});
  if (int const rest = other_terms(r, c, v, square); rest >= 0) return rest;
  expansion of_v(r.g), of_square(r.g);
  if (!of_v.expand(v) || !of_square.expand(square)) return -1;
  list<monomial> difference = of_v.terms(), rest;
  for (monomial& m : difference) m.times *= c * c;
  for (monomial const& m : of_square.terms()) {
    if (m.times == 0) continue;
    int const i = of_v.find_like(m);
    if (i < 0) return -1;
    difference[i].times -= m.times;
  }
  for (monomial const& m : difference)
    if (m.times != 0) rest.push_back(m);
  return rest.size() == 1 ? r.closed(r.sealed(sum_of(r, rest, e))) : -1;
}

/// abs(u), of a product as a whole: its factors would be paired in another order.
constexpr int whole_magnitude(rewriter& r, int u) {
  graph const& g = r.g;
  bool const is_product = g.is<op::mul>(u) && (g[u].input_count > 2 || !has_coefficient(g, u));
  return r.make<op::abs>({is_product ? r.make<op::whole>({u}) : u});
}
/// The u of that, except for its sign.
constexpr int of_magnitude(rewriter& r, int id) {
  graph& g = r.g;
  if (g.is<op::abs>(id)) {
    int const u = g.input_of(id, 0);
    return g.is<op::whole>(u) ? g.input_of(u, 0) : u;
  }
  summand const t = term_of(r, id);
  bool const is_multiple = t.node >= 0 && g.is<op::abs>(t.node);
  return is_multiple ? times(r, t.times.value(), g.input_of(t.node, 0)) : id;
}

/// u + c * sqrt(v) with v = (u^2 + t) / c^2: the sum of the magnitudes, w, where the signs agree,
/// else t / w.
constexpr int root_next_to(rewriter& r, int u, double c, int root) {
  graph& g = r.g;
  int const t = excess_over_square(r, c, split_power(g, root).base, u);
  if (t < 0) return -1;
  int const same_sign = c < 0 ? r.negative(u) : u;
  if (is_nonnegative(g, same_sign)) return -1;
  int const w = r.make<op::add>({whole_magnitude(r, same_sign), times(r, magnitude(c), root)});
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

/// A root and all other terms of a sum.
constexpr int sum_with_root(rewriter& r, int id) {
  constexpr int most_terms = 4;
  graph& g = r.g;
  if (!is_float(g.type(id).element) || g[id].input_count > most_terms) return -1;
  list<int> const terms = r.inputs(id);
  for (int i = 0; i < terms.size(); ++i) {
    summand const root = term_of(r, terms[i]);
    if (!is_root_of_sum(g, root)) continue;
    list<int> rest = terms;
    rest.erase(i);
    int const u = rest.size() == 1 ? rest[0] : r.make(identity<op::add>(), rest);
    if (int const form = root_next_to(r, u, root.times.value(), root.node); form >= 0) return form;
  }
  return -1;
}

/// Whether a node is where(c, w, t / w), as sum_with_root makes it.
constexpr bool is_root_or_quotient(graph const& g, int id) {
  if (!g.is<op::where>(id) || !g.is<op::mul>(g.input_of(id, 2))) return false;
  for (int k : g.inputs(g.input_of(id, 2)))
    if (factor const f = split_power(g, k); f.base == g.input_of(id, 1) && f.power.is(-1))
      return true;
  return false;
}
/// where(c, w, t / w) * k, as a quadratic formula has it, is where(c, w*k, t*k / w) where k cancels
/// a factor of t. Other factors stay outside.
constexpr int choice_times_factors(rewriter& r, int id) {
  graph& g = r.g;
  return with_pair_of_factors(
      r, id,
      [&](factor const& f) {
        return f.power.is(1) && g.type(f.base) == g.type(id) && is_root_or_quotient(g, f.base);
      },
      [&](list<factor>& factors, int i, int j) {
        int const choice = factors[i].base;
        bool cancels = false;
        for (int k : g.inputs(g.input_of(choice, 2))) {
          factor const f = split_power(g, k);
          cancels = cancels || (f.base == factors[j].base && !g.is_literal(f.base) &&
                                f.power.value() == -factors[j].power.value());
        }
        if (!cancels) return false;
        int const scale = r.make<op::pow>({factors[j].base, r.literal(factors[j].power)});
        auto const scaled = [&](int side) {
          return r.make<op::mul>({g.input_of(choice, side), scale});
        };
        factors[i].base = r.make<op::where>({g.input_of(choice, 0), scaled(1), scaled(2)});
        factors.erase(j);
        return true;
      });
}

/// sqrt(c * x^2) is sqrt(c) * abs(x) for a literal c and one square: several would be paired in
/// another order.
constexpr int root_of_square_of(rewriter& r, int id) {
  graph& g = r.g;
  element const e = g.type(id).element;
  if (!is_float(e) || !is_power(g, id)) return -1;
  double const p = g.literal_value(g.input_of(id, 1));
  summand const t = term_of(r, g.input_of(id, 0));
  if (magnitude(p) != 0.5 || t.node < 0 || !is_power(g, t.node)) return -1;
  factor const f = split_power(g, t.node);
  double const c = t.times.value(), root = math::sqrt(c);
  if (!f.power.is(2) || !(c > 0) || c == 1) return -1;
  int const x = r.make<op::abs>({f.base});
  if (p > 0) return times(r, root, x);
  return r.make<op::div>({r.literal(root / c, e), x});
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
      u = of_magnitude(r, u);
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

/// log((c + x) / (c - x)) is 2 * atanh(x / c), for powers of two.
constexpr int inverse_tanh(rewriter& r, int id) {
  graph& g = r.g;
  element const e = g.type(id).element;
  int const product = g.input_of(id, 0);
  if (!is_float(e) || !g.is<op::mul>(product) || g[product].input_count > 3) return -1;
  list<factor> factors = factors_of(r, product);
  bool const negative = g.is_literal(factors[0].base, -1);  // the divisor is written x - c
  if (negative) factors.erase(0);
  if (factors.size() != 2) return -1;
  for (int i = 0; i < 2; ++i) {
    int const p = factors[i].base, q = factors[1 - i].base;
    if (!factors[i].power.is(1) || !factors[1 - i].power.is(-1)) continue;
    if (!g.is<op::add>(p) || !g.is<op::add>(q)) continue;
    list<int> const terms = r.inputs(p);
    int const constant = place_of_literal(g, terms);
    double both = 0;
    if (constant < 0 || !adds_to_number(r, p, negative ? r.negative(q) : q, both)) continue;
    double const c = g.literal_value(terms[constant]);
    // c - x is exact where x is near c, and 1 - x / c is not, unless x / c is.
    if (both != 2 * c || !is_power_of_two(magnitude(c))) continue;
    int const x = r.make<op::sub>({p, r.literal(c, e)});
    return times(r, 2, r.make<op::atanh>({times(r, 1 / c, x)}));
  }
  return -1;
}

}  // namespace kroton::rewrite::rules
