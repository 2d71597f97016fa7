// Sums as products: what all terms have in common goes in front, a*b + a*c is a*(b + c); a^2 +
// 2*a*b + b^2 is (a + b)^2.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/rewrite/form/products.hpp>

namespace kroton::rewrite {

/// Whether a term is a product with the base, or a power of it, among its factors.
constexpr bool has_factor(graph const& g, int term, int base) {
  auto is_base = [&](int id) {
    return id == base || (is_power(g, id) && g.input_of(id, 0) == base);
  };
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

/// A term of a sum as coefficient times a square of `base`; where it is none, the base is -1.
struct squared_term {
  int base;
  coefficient times;
};
constexpr squared_term split_square(rewriter& r, int term) {
  summand const s = split_coefficient(r, term);
  factor const f = split_power(r.g, s.node);
  return {f.power.is(2) ? f.base : -1, s.times};
}
/// The sum c*x^2 + c*y^2 + 2*c*x*y + rest with a square of x + y, or of x - y, in place of the
/// three terms; the sum itself where there are none.
constexpr int with_binomial(rewriter& r, int sum) {
  graph& g = r.g;
  element const e = g.type(sum).element;
  list<int> const terms = r.inputs(sum);
  if (!is_float(e) || terms.size() < 3 || !r.does<"binomials">()) return sum;
  // Without a mixed term there is none, and squares are many in lengths.
  bool has_mixed = false;
  for (int t = 0; t < terms.size() && !has_mixed; ++t)
    has_mixed = g.is<op::mul>(terms[t]) &&
                g[terms[t]].input_count == (has_coefficient(g, terms[t]) ? 3 : 2);
  if (!has_mixed) return sum;
  for (int i = 0; i < terms.size(); ++i) {
    squared_term const x = split_square(r, terms[i]);
    if (x.base < 0) continue;
    for (int j = i + 1; j < terms.size(); ++j) {
      squared_term const y = split_square(r, terms[j]);
      if (y.base < 0 || !x.times.is(y.times.value())) continue;
      for (int k = 0; k < terms.size(); ++k) {
        if (k == i || k == j) continue;
        summand const mixed = split_coefficient(r, terms[k]);
        if (!g.is<op::mul>(mixed.node) || g[mixed.node].input_count != 2) continue;
        int const a = g.input_of(mixed.node, 0), b = g.input_of(mixed.node, 1);
        double const ratio = mixed.times.value() / x.times.value();
        if (!((a == x.base && b == y.base) || (a == y.base && b == x.base)) ||
            magnitude(ratio) != 2)
          continue;
        r.log("binomials");
        sum_of_terms inner(r, e), outer(r, e);
        inner.add(x.base, number_of(e, 1));
        inner.add(y.base, number_of(e, ratio / 2));
        product_of_factors square(r, e);
        square.multiply(r.sealed(inner.build()), number_of(e, 2));
        outer.add(r.sealed(square.build()), x.times);
        for (int t = 0; t < terms.size(); ++t)
          if (t != i && t != j && t != k) outer.add(terms[t], number_of(e, 1));
        return r.sealed(outer.build());
      }
    }
  }
  return sum;
}

/// A sum with a binomial in place of its square's terms, or with the factor that all its terms
/// share in front; the sum itself where there is neither.
constexpr int factored(rewriter& r, int sum) {
  if (int const form = with_binomial(r, sum); form != sum) return form;
  graph& g = r.g;
  element const e = g.type(sum).element;
  if (!r.does<"common_factor">() || !may_share_factor(g, sum)) return sum;
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
      // Once each: the powers of one base may be too high to be one.
      for (int p : parts) {
        factor const f = split_power(g, p);
        bool known = g.is_literal(p);
        for (factor const& c : common) known = known || c.base == f.base;
        if (!known) common.push_back(f);
      }
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
      else if (magnitude(shared) < magnitude(before)) common[c].power = exponent(e, shared);
    }
    if (common.empty()) return sum;
  }
  r.log("common_factor");
  int const fuel = r.fuel();
  // What is left of a product is a product that nobody wrote.
  bool regroups = common.size() > 1;
  sum_of_terms inner(r, e);
  for (int t : terms) {
    product_of_factors rest(r, e);
    rest.multiply(t);
    for (auto const& c : common) rest.multiply(c.base, exponent(e, -c.power.value()));
    int const left = r.sealed(rest.build());
    regroups = regroups ||
               (g.is<op::mul>(left) && g[left].input_count > (has_coefficient(g, left) ? 2 : 1));
    inner.add(left, number_of(e, 1));
  }
  product_of_factors product(r, e);
  product.multiply(r.sealed(inner.build()));
  for (auto const& c : common) product.multiply(c.base, c.power);
  int const form = r.sealed(product.build());
  if (regroups) r.note_sum(form, sum, fuel);
  return form;
}

}  // namespace kroton::rewrite
