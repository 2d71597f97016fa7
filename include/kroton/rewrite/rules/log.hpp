// Logarithms of products fall apart where the logarithm of a factor has a form that neither
// overflows nor underflows.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/rewrite/engine/trial.hpp>
#include <kroton/rewrite/rules/reduction.hpp>
#include <kroton/rewrite/rules/signs.hpp>
#include <kroton/rewrite/rules/stable.hpp>

namespace kroton::rewrite::rules {

/// Whether shift + c * x is 0 or more for all real numbers below x.
constexpr bool has_logarithm(graph const& g, double shift, double c, int id, int depth = 6) {
  op_info const* const op = g[id].op;
  if (g.is_literal(id)) return shift + c * g.literal_value(id) >= 0;
  if (depth == 0 || g[id].input_count == 0) return false;
  if (is_selection(g, id) || is_op<op::alloc>(op) || is_op<op::cast>(op))
    return has_logarithm(g, shift, c, g.input_of(id, 0), depth - 1);
  if (is_op<op::minimum>(op) || is_op<op::maximum>(op)) {
    for (int i : g.inputs(id))
      if (!has_logarithm(g, shift, c, i, depth - 1)) return false;
    return true;
  }
  if (is_op<op::sigmoid>(op) || is_op<op::softmax>(op)) return shift >= 0 && shift + c >= 0;
  if (is_op<op::tanh>(op)) return shift >= c && shift >= -c;
  return shift >= 0 && c > 0 && is_positive(g, id, depth);
}

/// log(q * sigmoid(x)^2) is log(q) + 2 * log(sigmoid(x)).
constexpr int log_of_stable_factor(rewriter& r, int id) {
  graph& g = r.g;
  int const x = g.input_of(id, 0);
  if (!g.is<op::mul>(x) || !is_float(g.type(id).element)) return -1;
  list<int> terms, rest;
  for (int f : r.inputs(x)) {
    factor const p = split_power(g, f);
    bool fires = false;
    int const log = g.is_literal(f) || !is_positive(g, p.base)
                        ? -1
                        : tried(r, identity<op::log>(), list<int>{p.base}, fires);
    if (fires) terms.push_back(times(r, p.power.value(), log));
    else rest.push_back(f);
  }
  if (terms.empty()) return -1;
  if (!rest.empty())
    terms.push_back(
        r.make<op::log>({rest.size() == 1 ? rest[0] : r.make(identity<op::mul>(), rest)}));
  return terms.size() == 1 ? terms[0] : r.make(identity<op::add>(), terms);
}
/// The logarithm of the smaller or the larger of two, or of what is converted between
/// floating-point types, is that of the logarithms, where one of them has such a form; also of a
/// multiple under log1p. Where the larger logarithm is taken, there must be none of a negative
/// number, which would hide the other: log(maximum(1 - exp(x), 1e-6)) stays.
constexpr int log_behind(rewriter& r, int id) {
  graph& g = r.g;
  op_info const* const log = g[id].op;
  summand const t = split_coefficient(r, g.input_of(id, 0));
  double const c = t.times.value();
  bool const smaller = g.is<op::minimum>(t.node), larger = g.is<op::maximum>(t.node),
             converts = g.is<op::cast>(t.node);
  if ((!smaller && !larger && !converts) || !is_float(g.type(id).element) ||
      (is_op<op::log>(log) && c != 1))
    return -1;
  list<int> parts = r.inputs(t.node);
  bool const takes_larger = !converts && smaller != (c > 0);
  for (int part : parts)
    if (takes_larger && !has_logarithm(g, is_op<op::log>(log) ? 0 : 1, c, part)) return -1;
  bool any = false;
  for (int& part : parts) {
    if (!is_float(g.type(part).element)) return -1;
    bool fires = false;
    part = tried(r, log, list<int>{times(r, c, part)}, fires);
    any = any || fires;
  }
  if (!any) return -1;
  if (converts) return r.cast(parts[0], g.type(id).element);
  return r.make(takes_larger ? identity<op::maximum>() : identity<op::minimum>(), parts);
}
/// log2(x) and log10(x) by the natural logarithm, where that has such a form.
constexpr int log_by_natural_one(rewriter& r, int id) {
  graph& g = r.g;
  if (!is_float(g.type(id).element)) return -1;
  bool fires = false;
  int const log = tried(r, identity<op::log>(), list<int>{g.input_of(id, 0)}, fires);
  double const scale = g.is<op::log2>(id) ? std::numbers::log2e : std::numbers::log10e;
  return fires ? times(r, scale, log) : -1;
}


/// The logarithm of a product along axes is the sum of the logarithms of the factors that have no
/// sign; what may have one stays in a product.
constexpr int log_of_product(rewriter& r, int id) {
  graph& g = r.g;
  int const x = g.input_of(id, 0);
  if (!g.is<op::prod>(x) || keeps_axes(g, x) || !is_float(g.type(id).element)) return -1;
  int const source = g.input_of(x, 0);
  list<int> factors, positive, rest;
  if (g.is<op::mul>(source)) factors = r.inputs(source);
  else factors.push_back(source);
  for (int f : factors) (is_nonnegative(g, f) ? positive : rest).push_back(f);
  if (positive.empty() || (positive.size() == 1 && g.is_literal(positive[0]))) return -1;
  auto product = [&](list<int> const& of) {
    return of.size() == 1 ? of[0] : r.make(identity<op::mul>(), of);
  };
  long long const axes = g.attribute(x, 0);
  int const own = r.conform(r.make<op::log>({product(positive)}), source);
  int const sum = reduced(r, identity<op::sum>(), own, axes);
  if (rest.empty()) return sum;
  int const other = reduced(r, identity<op::prod>(), r.conform(product(rest), source), axes);
  return r.make<op::add>({sum, r.make<op::log>({other})});
}

}  // namespace kroton::rewrite::rules
