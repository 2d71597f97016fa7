// Rules that save accuracy or range and that a pair of expressions cannot say: they look at
// coefficients or at many operands.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/special.hpp>
#include <kroton/ops/stable_ops.hpp>
#include <kroton/ops/trigonometric.hpp>
#include <kroton/rewrite/rules/views.hpp>

namespace kroton::rewrite::rules {

/// The coefficient and the rest of a term; a literal is its own coefficient with no rest (-1).
constexpr summand term_of(rewriter& r, int id) {
  if (r.g.is_literal(id)) return {-1, {r.g.type(id).element, r.g.literal_bits(id)}};
  return split_coefficient(r, id);
}
constexpr int times(rewriter& r, double c, int id) {
  if (c == -1) return r.negative(id);
  return c == 1 ? id : r.make<op::mul>({r.literal(c, r.g.type(id).element), id});
}
/// f(x / 2).
template <class Op>
constexpr int of_half(rewriter& r, int x) {
  return r.make<Op>({times(r, 0.5, x)});
}

/// What c + k * f is, for a constant and one term that cancel near some point: 1 - sigmoid(x) is
/// sigmoid(-x). -1 for none.
constexpr int complement(rewriter& r, double c, double k, int f) {
  graph& g = r.g;
  op_info const* op = g[f].op;
  bool const opposite = c == -k;
  if (g[f].input_count == 0) return -1;
  int const x = g.input_of(f, 0);
  if (is_op<op::sigmoid>(op) && opposite) return times(r, c, r.make<op::sigmoid>({r.negative(x)}));
  if (is_op<op::sigmoid>(op) && c == -k / 2) return times(r, k / 2, of_half<op::tanh>(r, x));
  if (is_op<op::tanh>(op) && (opposite || c == k))
    return times(r, 2 * c, r.make<op::sigmoid>({times(r, 2 * k / c, x)}));
  if (is_op<op::erf>(op) && opposite) return times(r, c, r.make<op::erfc>({x}));
  if (is_op<op::erf>(op) && c == k) return times(r, c, r.make<op::erfc>({r.negative(x)}));
  if (is_op<op::erfc>(op) && opposite) return times(r, c, r.make<op::erf>({x}));
  if (is_op<op::exp>(op) && opposite) return times(r, k, r.make<op::expm1>({x}));
  if (is_op<op::expm1>(op) && c == k) return times(r, k, r.make<op::exp>({x}));
  if (is_op<op::cos>(op) && opposite)
    return times(r, 2 * c, r.make<op::sqr>({of_half<op::sin>(r, x)}));
  if (is_op<op::cosh>(op) && opposite)
    return times(r, 2 * k, r.make<op::sqr>({of_half<op::sinh>(r, x)}));
  if (is_op<op::pow>(op) && opposite && g.is<op::tanh>(x) && g.is_literal(g.input_of(f, 1), 2)) {
    int const cosh = r.make<op::cosh>({g.input_of(x, 0)});
    return times(r, c, r.make<op::pow>({cosh, r.literal(-2, g.type(f).element)}));
  }
  return -1;
}

/// 1 - sigmoid(x) is sigmoid(-x), exp(x) - 1 is expm1(x), 1 - tanh(x)^2 is cosh(x)^-2, ... whatever
/// their common factor.
constexpr int complement_of_term(rewriter& r, int id) {
  graph& g = r.g;
  list<int> terms = r.inputs(id);
  element const e = g.type(id).element;
  if (!is_float(e)) return -1;
  int constant = -1;
  for (int i = 0; i < terms.size(); ++i)
    if (g.is_literal(terms[i])) constant = i;
  if (constant < 0) return -1;
  double const c = g.literal_value(terms[constant]);
  for (int i = 0; i < terms.size(); ++i) {
    if (i == constant) continue;
    bool const minus = g.is<op::neg>(terms[i]);
    summand const t =
        minus ? summand{g.input_of(terms[i], 0), number_of(e, -1)} : term_of(r, terms[i]);
    if (t.node < 0) continue;
    int const form = complement(r, c, t.times.value(), t.node);
    if (form < 0) continue;
    terms[i] = form;
    terms.erase(constant);
    return terms.size() == 1 ? terms[0] : r.make(identity<op::add>(), terms);
  }
  return -1;
}

/// k * exp(x) - k * exp(-x) is 2k * sinh(x); with a plus it is 2k * cosh(x).
constexpr int hyperbolic(rewriter& r, int id) {
  graph& g = r.g;
  list<int> terms = r.inputs(id);
  for (int i = 0; i < terms.size(); ++i) {
    summand const a = term_of(r, terms[i]);
    if (a.node < 0 || !g.is<op::exp>(a.node)) continue;
    for (int j = i + 1; j < terms.size(); ++j) {
      summand const b = term_of(r, terms[j]);
      if (b.node < 0 || !g.is<op::exp>(b.node) ||
          magnitude(a.times.value()) != magnitude(b.times.value()))
        continue;
      if (r.negative(g.input_of(a.node, 0)) != g.input_of(b.node, 0)) continue;
      bool const sum = a.times.value() == b.times.value();
      int const x[] = {g.input_of(a.node, 0)};
      int const f = r.make(sum ? identity<op::cosh>() : identity<op::sinh>(), x);
      terms[i] = times(r, 2 * a.times.value(), f);
      terms.erase(j);
      return terms.size() == 1 ? terms[0] : r.make(identity<op::add>(), terms);
    }
  }
  return -1;
}

/// log(2 * exp(a) + exp(b) + 3) by logaddexp of a + log(2), b and log(3); also under log1p.
constexpr int log_of_exponentials(rewriter& r, int id) {
  graph& g = r.g;
  int const sum = g.input_of(id, 0);
  element const e = g.type(id).element;
  if (!g.is<op::add>(sum)) return -1;
  list<int> exponents;
  if (g.is<op::log1p>(id)) exponents.push_back(r.literal(0, e));
  for (int i : r.inputs(sum)) {
    summand const t = term_of(r, i);
    if (!(t.times.value() > 0) || (t.node >= 0 && !g.is<op::exp>(t.node))) return -1;
    int const log = t.times.is(1) ? r.literal(0, e) : r.make<op::log>({r.literal(t.times)});
    if (t.node < 0) exponents.push_back(log);
    else
      exponents.push_back(t.times.is(1) ? g.input_of(t.node, 0)
                                        : r.make<op::add>({g.input_of(t.node, 0), log}));
  }
  int result = exponents[0];
  for (int i = 1; i < exponents.size(); ++i) result = r.make<op::logaddexp>({result, exponents[i]});
  return result;
}

// ---- products -----------------------------------------------------------------------------------

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

/// exp(k*x) * sigmoid(-x)^n is sigmoid(x)^k * sigmoid(-x)^(n-k) for whole 1 <= k <= n, and exp(x) *
/// sigmoid(-2*x) is 1 / (2 * cosh(x)).
constexpr int exp_times_sigmoid(rewriter& r, int id) {
  graph& g = r.g;
  element const e = g.type(id).element;
  if (!is_float(e)) return -1;
  list<factor> factors = factors_of(r, id);
  for (int i = 0; i < factors.size(); ++i) {
    if (!g.is<op::exp>(factors[i].base) || !factors[i].power.is(1)) continue;
    for (int j = 0; j < factors.size(); ++j) {
      double const n = factors[j].power.value();
      if (!g.is<op::sigmoid>(factors[j].base) || !is_whole(n) || n < 1) continue;
      int const w = g.input_of(factors[j].base, 0), v = g.input_of(factors[i].base, 0);
      summand const a = split_coefficient(r, v), b = split_coefficient(r, w);
      double k = a.node == b.node ? -a.times.value() / b.times.value() : 0;
      if (k == 0 && r.negative(w) == v) k = 1;
      if (k == 0.5 && n == 1) {
        factors[i] = {r.make<op::cosh>({v}), number_of(e, -1)};
        factors[j] = {r.literal(0.5, e), number_of(e, 1)};
        return product_of(r, factors, e);
      }
      if (!is_whole(k) || k < 1 || k > n) continue;
      factors[i] = {r.make<op::sigmoid>({r.negative(w)}), number_of(e, k)};
      factors[j].power = number_of(e, n - k);
      return product_of(r, factors, e);
    }
  }
  return -1;
}

/// exp(-u * u) / erfc(u) is 1 / erfcx(u), and exp(u * u) * erfc(u) is erfcx(u), with any other
/// factors.
constexpr int exp_times_erfc(rewriter& r, int id) {
  graph& g = r.g;
  element const e = g.type(id).element;
  if (!is_float(e)) return -1;
  list<factor> factors = factors_of(r, id);
  for (int i = 0; i < factors.size(); ++i) {
    if (!g.is<op::exp>(factors[i].base)) continue;
    for (int j = 0; j < factors.size(); ++j) {
      if (!g.is<op::erfc>(factors[j].base) || (!factors[j].power.is(1) && !factors[j].power.is(-1)))
        continue;
      int const u = g.input_of(factors[j].base, 0);
      int const square = times(r, factors[j].power.value(), r.make<op::sqr>({u}));
      if (square != g.input_of(factors[i].base, 0)) continue;
      factors[j].base = r.make<op::erfcx>({u});
      factors.erase(i);
      return product_of(r, factors, e);
    }
  }
  return -1;
}

/// Up to which number of factors pairs are looked for.
inline constexpr int most_factors = 16;

/// sin(x)^p / sin(2*x) is sin(x)^(p-1) / (2 * cos(x)), also of higher powers: what is left of
/// (1 - cos(2*x)) / sin(2*x).
constexpr int sine_over_double(rewriter& r, int id) {
  graph& g = r.g;
  element const e = g.type(id).element;
  if (!is_float(e) || g[id].input_count > most_factors) return -1;
  list<factor> factors = factors_of(r, id);
  for (int i = 0; i < factors.size(); ++i) {
    double const p = factors[i].power.value();
    if (!g.is<op::sin>(factors[i].base) || !(p >= 1) || !is_whole(p)) continue;
    int const x = g.input_of(factors[i].base, 0);
    for (int j = 0; j < factors.size(); ++j) {
      if (!g.is<op::sin>(factors[j].base) || !factors[j].power.is(-1)) continue;
      if (r.closed(r.operand(times(r, 2, x))) != g.input_of(factors[j].base, 0)) continue;
      factors[j].base = r.make<op::cos>({x});
      factors[i].power = number_of(e, p - 1);
      factors.push_back({r.literal(0.5, e), number_of(e, 1)});
      return product_of(r, factors, e);
    }
  }
  return -1;
}

/// Of tan(x) and sin(x), one over the other.
constexpr int tangent_over_sine(rewriter& r, int id) {
  graph& g = r.g;
  element const e = g.type(id).element;
  if (!is_float(e) || g[id].input_count > most_factors) return -1;
  list<factor> factors = factors_of(r, id);
  for (int i = 0; i < factors.size(); ++i) {
    double const p = factors[i].power.value();
    if (!g.is<op::tan>(factors[i].base) || magnitude(p) != 1) continue;
    int const x = g.input_of(factors[i].base, 0);
    for (int j = 0; j < factors.size(); ++j) {
      if (!g.is<op::sin>(factors[j].base) || g.input_of(factors[j].base, 0) != x ||
          factors[j].power.value() != -p)
        continue;
      factors[i] = {r.make<op::cos>({x}), number_of(e, -p)};
      factors.erase(j);
      return product_of(r, factors, e);
    }
  }
  return -1;
}

/// log(x) / log(10) is log10(x), and log(x) / log(2) is log2(x).
constexpr int log_of_base(rewriter& r, int id) {
  graph& g = r.g;
  element const e = g.type(id).element;
  if (!is_float(e) || g[id].input_count > most_factors) return -1;
  list<factor> factors = factors_of(r, id);
  for (int j = 0; j < factors.size(); ++j) {
    int const base = factors[j].base;
    if (!g.is<op::log>(base) || !factors[j].power.is(-1)) continue;
    bool const ten = g.is_literal(g.input_of(base, 0), 10);
    if (!ten && !g.is_literal(g.input_of(base, 0), 2)) continue;
    for (factor& f : factors) {
      if (!g.is<op::log>(f.base) || !f.power.is(1)) continue;
      int const x[] = {g.input_of(f.base, 0)};
      f.base = r.make(ten ? identity<op::log10>() : identity<op::log2>(), x);
      factors.erase(j);
      return product_of(r, factors, e);
    }
  }
  return -1;
}

/// sinh(x)^p / cosh(x)^q is a power of tanh(x), and what is left.
constexpr int tanh_of_powers(rewriter& r, int id) {
  graph& g = r.g;
  element const e = g.type(id).element;
  list<factor> factors = factors_of(r, id);
  for (int i = 0; i < factors.size(); ++i) {
    double const p = factors[i].power.value();
    if (!g.is<op::sinh>(factors[i].base) || !(p > 0) || !is_whole(p)) continue;
    int const x = g.input_of(factors[i].base, 0);
    for (int j = 0; j < factors.size(); ++j) {
      double const q = -factors[j].power.value();
      if (!g.is<op::cosh>(factors[j].base) || g.input_of(factors[j].base, 0) != x || !(q > 0) ||
          !is_whole(q))
        continue;
      double const common = p < q ? p : q;
      factors[i].power = number_of(e, p - common);
      factors[j].power = number_of(e, common - q);
      factors.push_back({r.make<op::tanh>({x}), number_of(e, common)});
      return product_of(r, factors, e);
    }
  }
  return -1;
}

}  // namespace kroton::rewrite::rules
