// Sums of exponentials as written, whose terms overflow or vanish together: they are computed
// relative to the largest of them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/rewrite/rules/factor_pairs.hpp>

namespace kroton::rewrite::rules {

/// A sum with terms k * exp(x), of any factor k, and numbers, whose exponent is 0.
struct exponential_sum {
  list<int> factors, exponents;  // of each term; a factor -1 is a one
  int exponentials = 0;
  bool has_variable_factor = false;

  constexpr bool empty() const { return exponents.empty(); }
};

/// Whether an exponent is relative to the largest already.
constexpr bool is_relative(graph const& g, int exponent) {
  if (g.is<op::maximum>(exponent)) return true;
  if (!g.is<op::add>(exponent) && !g.is<op::mul>(exponent)) return false;
  for (int i : g.inputs(exponent)) {
    if (g.is<op::maximum>(i)) return true;
    for (int k : g.inputs(i))
      if (g.is<op::mul>(i) && g.is<op::maximum>(k)) return true;
  }
  return false;
}
/// Takes the terms of a node apart; false where it is not a sum of exponentials, or is relative to
/// its largest term.
constexpr bool collect_exponentials(rewriter& r, int id, exponential_sum& sum) {
  graph& g = r.g;
  if (!g.is<op::add>(id)) return false;
  element const e = g.type(id).element;
  for (int term : r.inputs(id)) {
    list<int> rest;
    int exponent = -1;
    if (g.is<op::exp>(term)) exponent = g.input_of(term, 0);
    if (g.is_literal(term)) exponent = r.literal(0, e), rest.push_back(term);
    if (g.is<op::mul>(term))
      for (int f : r.inputs(term)) {
        if (g.is<op::exp>(f) && exponent < 0) exponent = g.input_of(f, 0);
        else rest.push_back(f);
      }
    if (exponent < 0 || is_relative(g, exponent)) return false;
    if (!g.is_literal(term)) ++sum.exponentials;
    for (int f : rest) sum.has_variable_factor = sum.has_variable_factor || !g.is_literal(f);
    sum.factors.push_back(rest.empty()       ? -1
                          : rest.size() == 1 ? rest[0]
                                             : r.make(identity<op::mul>(), rest));
    sum.exponents.push_back(exponent);
  }
  return sum.exponentials > 0;
}
/// The sum that a node is, or an empty one. (One return: g++ 12 destroys what several give twice in
/// a constant evaluation.)
constexpr exponential_sum exponential_sum_of(rewriter& r, int id) {
  exponential_sum sum;
  if (!collect_exponentials(r, id, sum)) sum.exponents.clear();
  return sum;
}
/// The largest exponent, or the finite number next to it: infinite exponents stay infinite relative
/// to it.
constexpr int largest_exponent(rewriter& r, exponential_sum const& sum) {
  int result = sum.exponents[0];
  for (int i = 1; i < sum.exponents.size(); ++i)
    result = r.make<op::maximum>({result, sum.exponents[i]});
  element const e = r.g.type(result).element;
  double const most = e == element::float32 ? std::numeric_limits<float>::max()
                                            : std::numeric_limits<double>::max();
  return r.make<op::maximum>(
      {r.make<op::minimum>({result, r.literal(most, e)}), r.literal(-most, e)});
}
/// The sum divided by exp(m).
constexpr int relative_sum(rewriter& r, exponential_sum const& sum, int m) {
  list<int> terms;
  for (int i = 0; i < sum.exponents.size(); ++i) {
    int const exponential = r.make<op::exp>({r.make<op::sub>({sum.exponents[i], m})});
    terms.push_back(sum.factors[i] < 0 ? exponential
                                       : r.make<op::mul>({sum.factors[i], exponential}));
  }
  return r.make(identity<op::add>(), terms);
}

/// log(k * exp(a) + l * exp(b) + ...) is m + log(k * exp(a - m) + l * exp(b - m) + ...) for the
/// largest exponent m. (Where the factors are positive numbers, it is a logaddexp.)
constexpr int log_of_scaled_exponentials(rewriter& r, int id) {
  exponential_sum const sum = exponential_sum_of(r, r.g.input_of(id, 0));
  if (sum.empty() || !sum.has_variable_factor || (sum.exponentials < 2 && sum.exponents.size() > 1))
    return -1;
  int const m = largest_exponent(r, sum);
  return r.make<op::add>({m, r.make<op::log>({relative_sum(r, sum, m)})});
}

/// exp(u) / (exp(a) + exp(b) + ...)^n, as gradients of the logarithm of such a sum are, is exp(u -
/// n*m) / (exp(a - m) + ...)^n; sums of exponentials above the line are taken relative to m, too.
constexpr int exponentials_over_sum(rewriter& r, int id) {
  graph& g = r.g;
  element const e = g.type(id).element;
  if (!is_float(e)) return -1;
  list<factor> factors = factors_of(r, id);
  for (int j = 0; j < factors.size(); ++j) {
    double const n = -factors[j].power.value();
    if (!(n > 0) || !is_whole(n)) continue;
    exponential_sum const below = exponential_sum_of(r, factors[j].base);
    if (below.empty() || below.exponents.size() < 2) continue;
    int exponential = -1;
    double open = n;
    list<int> sums;
    for (int i = 0; i < factors.size(); ++i) {
      double const p = factors[i].power.value();
      if (i == j || p < 1 || !is_whole(p)) continue;
      if (g.is<op::exp>(factors[i].base) && factors[i].power.is(1)) exponential = i;
      if (p <= open && !exponential_sum_of(r, factors[i].base).empty())
        sums.push_back(i), open -= p;
    }
    if (exponential < 0 && sums.empty()) continue;
    int const m = largest_exponent(r, below);
    factors[j].base = relative_sum(r, below, m);
    for (int i : sums) factors[i].base = relative_sum(r, exponential_sum_of(r, factors[i].base), m);
    int const shift = times(r, -open, m), zero = r.literal(0, e);
    int const u = exponential < 0 ? zero : g.input_of(factors[exponential].base, 0);
    factor const rest{open == 0 ? factors[exponential < 0 ? j : exponential].base
                                : r.make<op::exp>({r.make<op::add>({u, shift})}),
                      number_of(e, 1)};
    if (open > 0 && exponential >= 0) factors[exponential] = rest;
    if (open > 0 && exponential < 0) factors.push_back(rest);
    return product_of(r, factors, e);
  }
  return -1;
}

/// Whether a term is divided by a sum of exponentials.
constexpr bool divides_by_exponentials(rewriter& r, int term) {
  graph& g = r.g;
  auto is_divisor = [&](int f) {
    factor const x = split_power(g, f);
    return x.power.negative() && is_whole(x.power.value()) &&
           exponential_sum_of(r, x.base).exponents.size() > 1;
  };
  if (!g.is<op::mul>(term)) return is_divisor(term);
  for (int f : r.inputs(term))
    if (is_divisor(f)) return true;
  return false;
}
/// exp(u) * (x / (exp(a) + exp(b)) + y), as second derivatives are: the exponential goes where it
/// belongs.
constexpr int exponential_into_sum(rewriter& r, int id) {
  graph& g = r.g;
  if (!is_float(g.type(id).element)) return -1;
  list<int> factors = r.inputs(id);
  int exponential = -1, sum = -1;
  for (int i = 0; i < factors.size(); ++i) {
    if (g.is<op::exp>(factors[i])) exponential = i;
    if (!g.is<op::add>(factors[i]) || sum >= 0) continue;
    for (int t : r.inputs(factors[i]))
      if (divides_by_exponentials(r, t)) sum = i;
  }
  if (exponential < 0 || sum < 0) return -1;
  list<int> terms = r.inputs(factors[sum]);
  for (int& t : terms) t = r.make<op::mul>({factors[exponential], t});
  factors[sum] = r.make(identity<op::add>(), terms);
  factors.erase(exponential);
  return factors.size() == 1 ? factors[0] : r.make(identity<op::mul>(), factors);
}

}  // namespace kroton::rewrite::rules
