// Logarithms of products fall apart where the logarithm of a factor has a form that neither
// overflows nor underflows.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/rewrite/engine/trial.hpp>
#include <kroton/rewrite/rules/selections.hpp>
#include <kroton/rewrite/rules/stable.hpp>

namespace kroton::core::rules {

/// Whether a node is positive for all real numbers below it: log(a * b) is log(a) + log(b) then,
/// whatever b is.
constexpr bool is_positive(graph const& g, int id, int depth = 6) {
  op_info const* const op = g[id].op;
  if (g.is_literal(id)) return g.literal_value(id) > 0;
  if (depth == 0 || g[id].input_count == 0) return false;
  if (is_op<op::exp>(op) || is_op<op::sigmoid>(op) || is_op<op::softmax>(op) ||
      is_op<op::erfc>(op) || is_op<op::cosh>(op))
    return true;
  if (is_selection(g, id) || is_op<op::alloc>(op) || is_op<op::sum>(op) || is_op<op::pow>(op))
    return is_positive(g, g.input_of(id, 0), depth - 1);
  if (!is_op<op::add>(op) && !is_op<op::mul>(op)) return false;
  for (int i : g.inputs(id))
    if (!is_positive(g, i, depth - 1)) return false;
  return true;
}

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

}  // namespace kroton::core::rules
