// Expressions multiplied out: sums of products of powers, in which terms that cancel can be seen.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/rewrite/form/products.hpp>

namespace kroton::rewrite {

/// A product of powers of nodes, in the order of their numbers, with a coefficient.
struct monomial {
  struct power {
    int node;
    double exponent;
  };
  double times = 0;
  double scale = 0;  // the sum of magnitudes that the coefficient was rounded from
  list<power> powers;

  constexpr bool is_like(monomial const& other) const {
    if (powers.size() != other.powers.size()) return false;
    for (int i = 0; i < powers.size(); ++i)
      if (powers[i].node != other.powers[i].node || powers[i].exponent != other.powers[i].exponent)
        return false;
    return true;
  }
  /// Whether the coefficient is this value except for rounding in arithmetic of type `e`.
  constexpr bool is_about(double value, element e) const {
    double const unit = e == element::float32 ? std::numeric_limits<float>::epsilon()
                                              : std::numeric_limits<double>::epsilon();
    return magnitude(times - value) <= 4 * unit * scale;
  }
};

/// A node of a graph in normal form, multiplied out: products of sums and whole powers of sums
/// become sums of monomials. What is no sum, product or power of numbers stays a factor as it is.
class expansion {
 public:
  constexpr expansion() = default;
  constexpr explicit expansion(graph const& g, int depth = 0) : g_(&g), depth_(depth) {}

  /// Replaces what is there; false where the expression is too long or too deep, or a coefficient
  /// too large or too small.
  constexpr bool expand(int id) {
    terms_.clear();
    if (g_->is_literal(id)) {
      double const value = g_->literal_value(id);
      return is_bounded(magnitude(value)) && add({value, magnitude(value), {}});
    }
    if (depth_ == most_depth) return false;
    if (g_->is<op::add>(id)) return expand_sum(id);
    if (g_->is<op::mul>(id)) return expand_product(id);
    if (is_power(*g_, id)) return expand_power(id);
    return add_power(id, 1);
  }
  /// Those that cancelled, too, with a coefficient of 0.
  constexpr list<monomial> const& terms() const { return terms_; }
  /// Of the term with the same powers the number, or -1.
  constexpr int find_like(monomial const& term) const {
    for (int i = 0; i < terms_.size(); ++i)
      if (terms_[i].is_like(term)) return i;
    return -1;
  }
  /// The largest power of a node in any term, 0 where it is in none.
  constexpr double highest_power(int node) const {
    double highest = 0;
    for (monomial const& m : terms_)
      for (monomial::power const& p : m.powers)
        if (p.node == node && magnitude(p.exponent) > highest) highest = magnitude(p.exponent);
    return highest;
  }

 private:
  static constexpr int most_terms = 32, most_powers = 12, most_depth = 16;
  // In all: like terms may be many more than those that are left.
  static constexpr int most_additions = 1000;

  // Within the range of floats, and of squares.
  static constexpr bool is_bounded(double scale) {
    return scale == 0 || (scale > 1e-18 && scale < 1e18);
  }

  constexpr bool add(monomial const& term) {
    if (int const i = find_like(term); i >= 0) {
      terms_[i].times += term.times;
      terms_[i].scale += term.scale;
    } else {
      terms_.push_back(term);
    }
    return terms_.size() <= most_terms && ++additions_ <= most_additions;
  }
  constexpr bool add_power(int node, double exponent) {
    list<monomial::power> powers;
    powers.push_back({node, exponent});
    return add({1, 1, powers});
  }
  constexpr bool expand_operand(expansion& operand, int id) {
    bool const done = operand.expand(id);
    additions_ += operand.additions_;
    return done;
  }
  constexpr bool expand_sum(int id) {
    for (int term : g_->inputs(id)) {
      expansion e(*g_, depth_ + 1);
      if (!expand_operand(e, term)) return false;
      for (monomial const& m : e.terms_)
        if (!add(m)) return false;
    }
    return true;
  }
  constexpr bool expand_product(int id) {
    add({1, 1, {}});
    for (int factor : g_->inputs(id)) {
      expansion e(*g_, depth_ + 1);
      if (!expand_operand(e, factor) || !multiply(e)) return false;
    }
    return true;
  }
  constexpr bool expand_power(int id) {
    factor const f = split_power(*g_, id);
    double const power = f.power.value();
    bool const opens = is_whole(power) && magnitude(power) <= 4 &&
                       (g_->is<op::mul>(f.base) || (g_->is<op::add>(f.base) && power > 0));
    if (!opens) return magnitude(power) < 1e9 ? add_power(f.base, power) : add_power(id, 1);
    expansion base(*g_, depth_ + 1);
    if (!expand_operand(base, f.base)) return false;
    if (power < 0 && !base.invert()) return add_power(f.base, power);
    add({1, 1, {}});
    for (int i = 0; i < magnitude(power); ++i)
      if (!multiply(base)) return false;
    return true;
  }
  constexpr bool invert() {
    if (terms_.size() != 1 || terms_[0].times == 0) return false;
    monomial& m = terms_[0];
    m.times = 1 / m.times;
    m.scale = magnitude(m.times);
    for (monomial::power& p : m.powers) p.exponent = -p.exponent;
    return true;
  }
  constexpr bool multiply(expansion const& by) {
    list<monomial> terms;
    terms.swap(terms_);
    for (monomial const& a : terms)
      for (monomial const& b : by.terms_) {
        monomial const m{a.times * b.times, a.scale * b.scale, merged(a.powers, b.powers)};
        if (!is_bounded(m.scale) || m.powers.size() > most_powers || !add(m)) return false;
      }
    return true;
  }
  static constexpr list<monomial::power> merged(list<monomial::power> const& a,
                                                list<monomial::power> const& b) {
    list<monomial::power> result;
    int i = 0, j = 0;
    while (i < a.size() || j < b.size()) {
      if (j == b.size() || (i < a.size() && a[i].node < b[j].node)) {
        result.push_back(a[i++]);
      } else if (i == a.size() || b[j].node < a[i].node) {
        result.push_back(b[j++]);
      } else {
        double const sum = a[i].exponent + b[j].exponent;
        if (sum != 0) result.push_back({a[i].node, sum});
        ++i, ++j;
      }
    }
    return result;
  }

  graph const* g_ = nullptr;
  int depth_ = 0, additions_ = 0;
  list<monomial> terms_;
};

/// A sum of monomials as a node.
constexpr int sum_of(rewriter& r, list<monomial> const& terms, element e) {
  list<int> sum;
  for (monomial const& m : terms) {
    list<int> factors;
    if (m.times != 1 || m.powers.empty()) factors.push_back(r.literal(m.times, e));
    for (monomial::power const& p : m.powers)
      factors.push_back(p.exponent == 1
                            ? p.node
                            : r.make<op::pow>({p.node, r.literal(number_of(e, p.exponent))}));
    sum.push_back(factors.size() == 1 ? factors[0] : r.make(identity<op::mul>(), factors));
  }
  if (sum.empty()) return r.literal(0, e);
  return sum.size() == 1 ? sum[0] : r.make(identity<op::add>(), sum);
}

/// Whether a + b is a number once it is multiplied out, and which.
constexpr bool adds_to_number(rewriter& r, int a, int b, double& number) {
  expansion e(r.g);
  if (!e.expand(r.g.apply<op::add>({a, b}))) return false;
  bool found = false;
  for (monomial const& m : e.terms()) {
    if (m.times == 0) continue;
    if (!m.powers.empty()) return false;
    number = m.times;
    found = true;
  }
  return found;
}

}  // namespace kroton::rewrite
