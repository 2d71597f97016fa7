// A factor goes into a sum where it cancels something there: (a/x + b) * x is a + b*x.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/rewrite/form/products.hpp>

namespace kroton::rewrite::rules {

/// Whether a term has the base, or any for base -1, to a negative power.
constexpr bool divides(graph const& g, int term, int base = -1) {
  auto is_divisor = [&](int id) {
    return is_power(g, id) && (base < 0 || g.input_of(id, 0) == base) &&
           g.literal_value(g.input_of(id, 1)) < 0;
  };
  if (!g.is<op::mul>(term)) return is_divisor(term);
  for (int i : g.inputs(term))
    if (is_divisor(i)) return true;
  return false;
}
constexpr bool has_divisor(graph const& g, int sum) {
  for (int t : g.inputs(sum))
    if (divides(g, t)) return true;
  return false;
}

/// What is saved by multiplying every term of a sum by the bases, of which each cancels somewhere:
/// a product costs 1, a quotient 1.5.
constexpr double savings(graph const& g, int sum, list<int> const& bases) {
  double saved = bases.size();
  for (int t : g.inputs(sum))
    for (int b : bases) saved += divides(g, t, b) ? 1.5 : -1;
  return saved;
}

/// Only where the cost does not rise; (a + b) * x stays. All factors that cancel go in at once, so
/// that what one of them leaves does not fall apart before the next. It runs after all other rules
/// of products, which could no longer see their patterns.
constexpr int distributed_factor(rewriter& r, int id) {
  graph& g = r.g;
  element const e = g.type(id).element;
  if (!is_float(e)) return -1;
  bool any = false;
  for (int f : g.inputs(id)) any = any || (g.is<op::add>(f) && has_divisor(g, f));
  if (!any) return -1;
  list<int> const factors = r.inputs(id);
  for (int s = 0; s < factors.size(); ++s) {
    if (!g.is<op::add>(factors[s]) || !has_divisor(g, factors[s])) continue;
    list<int> bases, outer, rest;
    for (int f = 0; f < factors.size(); ++f) {
      if (f == s) continue;
      factor const x = split_power(g, factors[f]);
      bool cancels = false;
      if (!g.is_literal(x.base) && x.power.value() > 0)
        for (int t : g.inputs(factors[s])) cancels = cancels || divides(g, t, x.base);
      if (cancels) bases.push_back(x.base);
      (cancels ? outer : rest).push_back(factors[f]);
    }
    // When all together do not pay, one may.
    while (!bases.empty() && savings(g, factors[s], bases) < 0) {
      rest.push_back(outer.back());
      outer.pop_back();
      bases.pop_back();
    }
    if (bases.empty()) continue;
    sum_of_terms sum(r, e);
    for (int t : r.inputs(factors[s])) {
      list<int> product = outer;
      product.push_back(t);
      sum.add(r.make(identity<op::mul>(), product), number_of(e, 1));
    }
    rest.push_back(r.closed(r.sealed(sum.build())));
    return rest.size() == 1 ? rest[0] : r.make(identity<op::mul>(), rest);
  }
  return -1;
}

}  // namespace kroton::rewrite::rules
