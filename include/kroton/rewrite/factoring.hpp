// What all terms of a sum have in common goes in front of it: a*b + a*c is a*(b + c).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/rewrite/products.hpp>

namespace kroton::core {

/// Whether a term is a product with the base, or a power of it, among its factors.
constexpr bool has_factor(graph const& g, int term, int base) {
  auto is_base = [&](int id) { return id == base || (is_power(g, id) && g.input_of(id, 0) == base); };
  if (!g.is<op::mul>(term)) return is_base(term);
  for (int i : g.inputs(term))
    if (is_base(i)) return true;
  return false;
}
/// A quick look: a term that is a single factor is the only one that all terms can share.
constexpr bool may_share_factor(graph const& g, int sum) {
  for (int t : g.inputs(sum)) {
    if (g.is_literal(t)) return false;
    if (g.is<op::mul>(t)) continue;
    int const base = is_power(g, t) ? g.input_of(t, 0) : t;
    for (int other : g.inputs(sum))
      if (!has_factor(g, other, base)) return false;
    return true;
  }
  return true;
}

/// A sum with the factor that all its terms share in front; the sum itself when they share none.
constexpr int factored(rewriter& r, int sum) {
  graph& g = r.g;
  element const e = g.type(sum).element;
  if (!may_share_factor(g, sum)) return sum;
  list<int> const terms = r.inputs(sum);
  list<factor> common;
  for (int t = 0; t < terms.size(); ++t) {
    if (g.is_literal(terms[t])) return sum;
    list<int> parts;
    if (g.is<op::mul>(terms[t])) parts = r.inputs(terms[t]);
    else parts.push_back(terms[t]);
    // Products of matrices stay bare, so that alpha * A * B + beta * C is seen as one.
    for (int p : parts)
      if (g.is<op::dot>(p)) return sum;
    if (t == 0) {
      for (int p : parts)
        if (!g.is_literal(p)) common.push_back(split_power(g, p));
      continue;
    }
    for (int c = common.size() - 1; c >= 0; --c) {
      double shared = 0;
      for (int p : parts) {
        factor const f = split_power(g, p);
        if (f.base == common[c].base) shared = f.power.value();
      }
      double const before = common[c].power.value();
      if (shared * before <= 0) common.erase(c);
      else if (magnitude(shared) < magnitude(before)) common[c].power = number_of(e, shared);
    }
    if (common.empty()) return sum;
  }
  r.log("common_factor");
  sum_of_terms inner(r, e);
  for (int t : terms) {
    product_of_factors rest(r, e);
    rest.multiply(t);
    for (auto const& c : common) rest.multiply(c.base, number_of(e, -c.power.value()));
    inner.add(r.sealed(rest.build()), number_of(e, 1));
  }
  product_of_factors product(r, e);
  product.multiply(r.sealed(inner.build()));
  for (auto const& c : common) product.multiply(c.base, c.power);
  return r.sealed(product.build());
}

}  // namespace kroton::core
