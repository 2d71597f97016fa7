// Two factors of a product that together are one function.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/rewrite/rules/stable.hpp>

namespace kroton::rewrite::rules {

constexpr list<factor> factors_of(rewriter& r, int id) {
  list<factor> factors;
  for (int i : r.g.inputs(id)) factors.push_back(split_power(r.g, i));
  return factors;
}
constexpr int product_of(rewriter& r, list<factor> const& factors, element e) {
  list<int> inputs;
  for (auto const& f : factors)
    if (!f.power.is(0))
      inputs.push_back(f.power.is(1) ? f.base : r.make<op::pow>({f.base, r.literal(f.power)}));
  if (inputs.empty()) return r.literal(1, e);
  return inputs.size() == 1 ? inputs[0] : r.make(identity<op::mul>(), inputs);
}
/// Looks among the factors of a product for two that belong together: `replaces(factors, i, j)`
/// puts others in their place for an i with `is_first(factors[i])` and any other j.
template <class First, class Replaces>
constexpr int with_pair_of_factors(rewriter& r, int id, First is_first, Replaces replaces) {
  element const e = r.g.type(id).element;
  if (!is_float(e)) return -1;
  list<factor> factors = factors_of(r, id);
  int pairs = 4096;  // at most
  for (int i = 0; i < factors.size(); ++i) {
    if (!is_first(factors[i])) continue;
    for (int j = 0; j < factors.size() && --pairs >= 0; ++j)
      if (j != i && replaces(factors, i, j)) return product_of(r, factors, e);
  }
  return -1;
}
/// Whether a factor is f(x)^p, for that p.
template <class Op>
constexpr bool is_factor(graph const& g, factor const& f, double p) {
  return g.is<Op>(f.base) && f.power.is(p);
}

/// exp(k*x) * sigmoid(-x)^n is sigmoid(x)^k * sigmoid(-x)^(n-k) for whole 1 <= k <= n, and exp(x) *
/// sigmoid(-2*x) is 1 / (2 * cosh(x)).
constexpr int exp_times_sigmoid(rewriter& r, int id) {
  graph& g = r.g;
  element const e = g.type(id).element;
  return with_pair_of_factors(
      r, id, [&](factor const& f) { return is_factor<op::exp>(g, f, 1); },
      [&](list<factor>& factors, int i, int j) {
        double const n = factors[j].power.value();
        if (!g.is<op::sigmoid>(factors[j].base) || !is_whole(n) || n < 1) return false;
        int const w = g.input_of(factors[j].base, 0), v = g.input_of(factors[i].base, 0);
        summand const a = split_coefficient(r, v), b = split_coefficient(r, w);
        double k = a.node == b.node ? -a.times.value() / b.times.value() : 0;
        if (k == 0 && r.negative(w) == v) k = 1;
        if (k == 0.5 && n == 1) {
          factors[i] = {r.make<op::cosh>({v}), number_of(e, -1)};
          factors[j] = {r.literal(0.5, e), number_of(e, 1)};
          return true;
        }
        if (!is_whole(k) || k < 1 || k > n) return false;
        factors[i] = {r.make<op::sigmoid>({r.negative(w)}), number_of(e, k)};
        factors[j].power = number_of(e, n - k);
        return true;
      });
}

/// exp(-u * u) / erfc(u) is 1 / erfcx(u), and exp(u * u) * erfc(u) is erfcx(u), with any other
/// factors.
constexpr int exp_times_erfc(rewriter& r, int id) {
  graph& g = r.g;
  return with_pair_of_factors(
      r, id, [&](factor const& f) { return g.is<op::exp>(f.base); },
      [&](list<factor>& factors, int i, int j) {
        factor const& f = factors[j];
        if (!is_factor<op::erfc>(g, f, 1) && !is_factor<op::erfc>(g, f, -1)) return false;
        int const u = g.input_of(f.base, 0);
        int const square = times(r, f.power.value(), r.make<op::sqr>({u}));
        if (square != g.input_of(factors[i].base, 0)) return false;
        factors[j].base = r.make<op::erfcx>({u});
        factors.erase(i);
        return true;
      });
}

/// sin(x)^p / sin(2*x) is sin(x)^(p-1) / (2 * cos(x)), also of higher powers: what is left of
/// (1 - cos(2*x)) / sin(2*x).
constexpr int sine_over_double(rewriter& r, int id) {
  graph& g = r.g;
  element const e = g.type(id).element;
  return with_pair_of_factors(
      r, id, [&](factor const& f) { return is_factor<op::sin>(g, f, -1); },
      [&](list<factor>& factors, int i, int j) {
        double const p = factors[j].power.value();
        if (!g.is<op::sin>(factors[j].base) || !(p >= 1) || !is_whole(p)) return false;
        int const x = g.input_of(factors[j].base, 0), twice = r.closed(r.operand(times(r, 2, x)));
        if (g.input_of(factors[i].base, 0) != twice) return false;
        factors[i].base = r.make<op::cos>({x});
        factors[j].power = number_of(e, p - 1);
        factors.push_back({r.literal(0.5, e), number_of(e, 1)});
        return true;
      });
}

/// Of tan(x) and sin(x), one over the other.
constexpr int tangent_over_sine(rewriter& r, int id) {
  graph& g = r.g;
  return with_pair_of_factors(
      r, id,
      [&](factor const& f) { return is_factor<op::tan>(g, f, 1) || is_factor<op::tan>(g, f, -1); },
      [&](list<factor>& factors, int i, int j) {
        double const p = factors[i].power.value();
        int const x = g.input_of(factors[i].base, 0);
        if (!is_factor<op::sin>(g, factors[j], -p) || g.input_of(factors[j].base, 0) != x)
          return false;
        factors[i] = {r.make<op::cos>({x}), number_of(g.type(id).element, -p)};
        factors.erase(j);
        return true;
      });
}

/// log(x) / log(10) is log10(x), and log(x) / log(2) is log2(x).
constexpr int log_of_base(rewriter& r, int id) {
  graph& g = r.g;
  return with_pair_of_factors(
      r, id,
      [&](factor const& f) {
        if (!is_factor<op::log>(g, f, -1)) return false;
        int const base = g.input_of(f.base, 0);
        return g.is_literal(base, 10) || g.is_literal(base, 2);
      },
      [&](list<factor>& factors, int i, int j) {
        if (!is_factor<op::log>(g, factors[j], 1)) return false;
        bool const ten = g.is_literal(g.input_of(factors[i].base, 0), 10);
        int const x[] = {g.input_of(factors[j].base, 0)};
        factors[j].base = r.make(ten ? identity<op::log10>() : identity<op::log2>(), x);
        factors.erase(i);
        return true;
      });
}

/// sinh(x)^p / cosh(x)^q is a power of tanh(x), and what is left.
constexpr int tanh_of_powers(rewriter& r, int id) {
  graph& g = r.g;
  element const e = g.type(id).element;
  return with_pair_of_factors(
      r, id,
      [&](factor const& f) {
        return g.is<op::sinh>(f.base) && f.power.value() > 0 && is_whole(f.power.value());
      },
      [&](list<factor>& factors, int i, int j) {
        double const p = factors[i].power.value(), q = -factors[j].power.value();
        int const x = g.input_of(factors[i].base, 0);
        if (!g.is<op::cosh>(factors[j].base) || g.input_of(factors[j].base, 0) != x || !(q > 0) ||
            !is_whole(q))
          return false;
        double const common = p < q ? p : q;
        factors[i].power = number_of(e, p - common);
        factors[j].power = number_of(e, common - q);
        factors.push_back({r.make<op::tanh>({x}), number_of(e, common)});
        return true;
      });
}

}  // namespace kroton::rewrite::rules
