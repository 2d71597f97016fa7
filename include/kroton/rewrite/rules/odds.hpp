// Odds, p / (1 - p), and their logarithms.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/rewrite/form/expansion.hpp>
#include <kroton/rewrite/rules/factor_pairs.hpp>

namespace kroton::rewrite::rules {

/// sigmoid(x) / sigmoid(-x) is exp(x). (Not with other factors: where one of them is 0 or goes down
/// as fast, as in gradients of a cross-entropy, an exponential that overflows makes NaN of it.)
constexpr int odds(rewriter& r, int id) {
  graph& g = r.g;
  if (g[id].input_count != 2) return -1;
  return with_pair_of_factors(
      r, id, [&](factor const& f) { return g.is<op::sigmoid>(f.base); },
      [&](list<factor>& factors, int i, int j) {
        double const power = factors[i].power.value();
        if (!is_factor<op::sigmoid>(g, factors[j], -power)) return false;
        int const x = g.input_of(factors[i].base, 0);
        if (r.negative(x) != g.input_of(factors[j].base, 0)) return false;
        factors[i] = {r.make<op::exp>({times(r, power, x)}), exponent(g.type(id).element, 1)};
        factors.erase(j);
        return true;
      });
}

/// What a sum of logarithms is the logarithm of, as a quotient.
class quotient_of_logarithms {
 public:
  constexpr quotient_of_logarithms(rewriter& r, element e) : r_(r), e_(e) {}

  /// Takes c * t; whether t is a logarithm.
  constexpr bool add(int t, coefficient c) {
    graph& g = r_.g;
    op_info const* const op = g[t].op;
    bool const log = is_op<op::log>(op);
    if (!log && !is_op<op::log1p>(op) && !is_op<op::log1mexp>(op)) {
      exponents_.push_back(times(r_, c.value(), t));
      return false;
    }
    int const x = g.input_of(t, 0), one = r_.literal(1, e_);
    if (is_op<op::log1mexp>(op)) multiply({r_.make<op::sub>({one, r_.make<op::exp>({x})}), c});
    else if (!log) multiply({r_.make<op::add>({one, x}), c});
    else if (!g.is<op::mul>(x)) multiply(split_power(g, x), c);
    else
      for (int f : r_.inputs(x)) multiply(split_power(g, f), c);
    return true;
  }
  /// Whether a power has got too large.
  constexpr bool has_failed() const { return has_failed_; }
  constexpr int above() {
    if (exponents_.empty()) return product(above_);
    list<int> factors = above_;
    factors.push_back(r_.make<op::exp>({sum(exponents_)}));
    return product(factors);
  }
  constexpr int below() { return product(below_); }

 private:
  constexpr void multiply(factor f, coefficient c) {
    coefficient power = f.power;
    if (!rewrite::multiply(power, c)) has_failed_ = true;
    else multiply({f.base, power});
  }
  constexpr void multiply(factor f) {
    bool const divides = f.power.negative();
    if (divides) f.power = number_of(e_, -f.power.value());
    (divides ? below_ : above_).push_back(r_.settle(power_of(r_, f)));
  }
  constexpr int product(list<int> const& factors) {
    if (factors.empty()) return r_.literal(1, e_);
    return factors.size() == 1 ? factors[0] : r_.make(identity<op::mul>(), factors);
  }
  constexpr int sum(list<int> const& terms) {
    return terms.size() == 1 ? terms[0] : r_.make(identity<op::add>(), terms);
  }

  rewriter& r_;
  element e_;
  bool has_failed_ = false;
  list<int> above_, below_, exponents_;
};

constexpr int count_of_terms(graph const& g, int id) {
  return g.is<op::add>(id) ? g[id].input_count : 1;
}
/// sigmoid(log(p / q)) is p / (p + q), where terms of p and q cancel: sigmoid(log(x / (1 - x))) is
/// x. Also of logarithms that are written one by one.
constexpr int logit(rewriter& r, int id) {
  graph& g = r.g;
  int const x = g.input_of(id, 0);
  element const e = g.type(id).element;
  if (!is_float(e)) return -1;
  quotient_of_logarithms odds(r, e);
  bool any = false;
  if (!g.is<op::add>(x)) {
    summand const t = term_of(r, x);
    any = t.node >= 0 && odds.add(t.node, t.times);
  } else {
    for (int i : r.inputs(x)) {
      summand const t = term_of(r, i);
      if (t.node < 0) return -1;
      any = odds.add(t.node, t.times) || any;
    }
  }
  if (!any || odds.has_failed()) return -1;
  int const p = odds.above(), q = odds.below();
  if (double number = 0; adds_to_number(r, p, q, number))
    return number == 0 ? -1 : times(r, 1 / number, p);
  int const both = r.make<op::add>({p, q});
  if (count_of_terms(g, p) + count_of_terms(g, q) - count_of_terms(g, both) < 2) return -1;
  return r.make<op::div>({p, both});
}

}  // namespace kroton::rewrite::rules
