// Rules that save accuracy or range and that a pair of expressions cannot say: they look at
// coefficients or at many operands.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/along_axes/softmax.hpp>
#include <kroton/ops/elementwise/special.hpp>
#include <kroton/ops/elementwise/trigonometric.hpp>
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
/// Where a sum has a literal among its terms, or -1.
constexpr int place_of_literal(graph const& g, list<int> const& terms) {
  for (int i = 0; i < terms.size(); ++i)
    if (g.is_literal(terms[i])) return i;
  return -1;
}
/// Looks among the terms of a sum for two that are one: `form(s, t)` gives that, or -1, for each s
/// with `is_first(s)` and any other t.
template <class First, class Form>
constexpr int with_pair_of_terms(rewriter& r, int id, First is_first, Form form) {
  constexpr int most_terms = 16;
  if (!is_float(r.g.type(id).element) || r.g[id].input_count > most_terms) return -1;
  list<int> terms = r.inputs(id);
  for (int i = 0; i < terms.size(); ++i) {
    summand const s = term_of(r, terms[i]);
    if (s.node < 0 || !is_first(s)) continue;
    for (int j = 0; j < terms.size(); ++j) {
      int const made = j == i ? -1 : form(s, term_of(r, terms[j]));
      if (made < 0) continue;
      terms[i] = made;
      terms.erase(j);
      return terms.size() == 1 ? terms[0] : r.make(identity<op::add>(), terms);
    }
  }
  return -1;
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
  int const constant = place_of_literal(g, terms);
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

}  // namespace kroton::rewrite::rules
