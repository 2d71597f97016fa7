// Sums of fractions whose leading terms cancel once they have a common denominator:
// 1 / (x + 1) - 2 / x + 1 / (x - 1) is 2 / (x * (x + 1) * (x - 1)).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/rewrite/form/expansion.hpp>
#include <kroton/rewrite/rules/stable.hpp>

namespace kroton::rewrite::rules {

/// The terms of a sum over one denominator.
class common_fraction {
 public:
  constexpr explicit common_fraction(rewriter& r) : r_(r) {}

  /// Whether the terms have denominators for which cancellation can be seen.
  constexpr bool add(int id) {
    graph const& g = r_.g;
    fraction term{{}, {}};
    auto const take = [&](int i) {
      if (bases_.size() > most_divisors) return;
      factor const f = split_power(g, i);
      bool const below = f.power.is(-1);
      if (below) term.below.push_back(f.base);
      else term.above.push_back(i);
      if (below && !lists_node(bases_, f.base)) bases_.push_back(f.base);
    };
    if (g.is<op::mul>(id))
      for (int i : g.inputs(id)) take(i);
    else take(id);
    terms_.push_back(term);
    return bases_.size() <= most_divisors;
  }
  /// The fraction, if terms of what stands above the line, multiplied out, cancel; else -1. What
  /// is left has to be in some numerator as written: 1 - 1 / (1 + x^2) is 1 for large x, but
  /// x^2 / (1 + x^2) is inf / inf.
  constexpr int result() {
    graph const& g = r_.g;
    bool any_sum = false;
    for (int base : bases_) any_sum = any_sum || g.is<op::add>(base);
    if (!any_sum || !may_cancel()) return -1;
    list<monomial> above, written;
    element const e = g.type(bases_[0]).element;
    int longest = 1;
    for (fraction const& t : terms_) {
      list<int> factors, bare;
      for (int factor : t.above) {
        factors.push_back(factor);
        if (!g.is_literal(factor)) bare.push_back(factor);
        if (int const d = difficulty(factor); d > longest) longest = d;
      }
      for (int base : bases_)
        if (!lists_node(t.below, base)) factors.push_back(base);
      if (!add_product(written, bare, e) || !add_product(above, factors, e)) return -1;
    }
    list<monomial> rest;
    double growth = 1;
    for (monomial const& m : above) {
      if (m.times == 0) continue;
      bool known = m.powers.empty();
      for (monomial const& other : written) {
        if (!other.is_like(m) || other.times == 0) continue;
        known = true;
        if (double const by = magnitude(m.times / other.times); by > growth) growth = by;
      }
      if (!known) return -1;
      rest.push_back(m);
    }
    // A numerator that is a sum may have digits that its terms lose.
    if (rest.size() > 1 && longest > 1 && (longest > 2 || rest.size() > 2)) return -1;
    if (rest.size() > terms_.size() || rest.size() == above.size()) return -1;
    return over_divisors(rest, growth, e);
  }

 private:
  static constexpr int most_divisors = 4;
  struct fraction {
    list<int> above, below;
  };
  static constexpr bool lists_node(list<int> const& nodes, int id) {
    for (int i : nodes)
      if (i == id) return true;
    return false;
  }
  /// 1 if a factor is not a sum, 2 if it is a number plus another term, 3 for any other sum.
  constexpr int difficulty(int factor) const {
    graph const& g = r_.g;
    if (is_power(g, factor)) factor = g.input_of(factor, 0);
    if (!g.is<op::add>(factor)) return 1;
    bool has_number = false;
    for (int i : g.inputs(factor)) has_number = has_number || g.is_literal(i);
    return g[factor].input_count == 2 && has_number ? 2 : 3;
  }
  /// The sum over all divisors, one after the other. What makes it larger than the numerators were
  /// comes last, so that nothing overflows before.
  constexpr int over_divisors(list<monomial>& sum, double growth, element e) {
    double scale = 1;
    while (scale < growth && scale < 1e30) scale *= 2;
    for (monomial& m : sum) m.times /= scale;
    int result = sum_of(r_, sum, e);
    for (int base : bases_) result = r_.make<op::div>({result, base});
    return scale == 1 ? result : times(r_, scale, r_.make<op::whole>({result}));
  }
  /// Whether all that a lone divisor consists of is above it, too: what a term without it becomes
  /// cannot cancel otherwise. (A cheap answer for nearly all sums.)
  constexpr bool may_cancel() const {
    constexpr int most_visits = 24;
    if (bases_.size() > 1) return true;
    list<int> above, below;
    int visits = most_visits;
    for (fraction const& t : terms_)
      if (!t.below.empty())
        for (int factor : t.above)
          if (!add_parts(above, factor, visits)) return false;
    if (!add_parts(below, bases_[0], visits)) return false;
    for (int part : below)
      if (!lists_node(above, part)) return false;
    return true;
  }
  /// Adds what a polynomial consists of; false where that takes too long.
  constexpr bool add_parts(list<int>& parts, int id, int& visits) const {
    graph const& g = r_.g;
    if (g.is_literal(id)) return true;
    if (--visits < 0) return false;
    if (is_power(g, id)) return add_parts(parts, g.input_of(id, 0), visits);
    if (!g.is<op::add>(id) && !g.is<op::mul>(id)) {
      if (!lists_node(parts, id)) parts.push_back(id);
      return true;
    }
    for (int i : g.inputs(id))
      if (!add_parts(parts, i, visits)) return false;
    return true;
  }
  /// Adds a product, multiplied out, to a sum; false where it is too long.
  constexpr bool add_product(list<monomial>& sum, list<int> const& factors, element e) {
    expansion expanded(r_.g);
    int const product = factors.empty() ? r_.literal(1, e)
                        : factors.size() == 1
                            ? factors[0]
                            : r_.g.apply(identity<op::mul>(), factors.data(), factors.size());
    if (!expanded.expand(product)) return false;
    for (monomial const& m : expanded.terms())
      if (m.times != 0) add_to(sum, m);
    return true;
  }
  static constexpr void add_to(list<monomial>& sum, monomial const& m) {
    for (monomial& other : sum)
      if (other.is_like(m)) {
        other.times += m.times;
        other.scale += m.scale;
        return;
      }
    sum.push_back(m);
  }

  rewriter& r_;
  list<int> bases_;
  list<fraction> terms_;
};

/// A sum with two to four terms, of which one at least is a fraction.
constexpr int common_denominator(rewriter& r, int id) {
  constexpr int most_terms = 4;
  graph& g = r.g;
  if (!is_float(g.type(id).element) || g[id].input_count > most_terms) return -1;
  bool any = false;
  for (int i : g.inputs(id)) {
    if (g.is<op::mul>(i)) {
      for (int k : g.inputs(i)) any = any || split_power(g, k).power.is(-1);
    } else {
      any = any || split_power(g, i).power.is(-1);
    }
  }
  if (!any) return -1;
  common_fraction sum(r);
  for (int i : r.inputs(id))
    if (!sum.add(i)) return -1;
  return sum.result();
}

}  // namespace kroton::rewrite::rules
