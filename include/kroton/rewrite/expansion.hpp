// Expressions multiplied out: sums of products of powers, in which terms that cancel can be seen.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/rewrite/products.hpp>

namespace kroton::core {

/// A product of powers of nodes, in the order of their numbers, with a coefficient.
struct monomial {
  struct power {
    int node;
    double exponent;

    constexpr bool operator==(power const&) const = default;
  };
  double times = 0;
  double size = 0;  // of all that was added to the coefficient: what its rounding is measured by
  list<power> powers;

  constexpr bool is_like(monomial const& other) const {
    if (powers.size() != other.powers.size()) return false;
    for (int i = 0; i < powers.size(); ++i)
      if (!(powers[i] == other.powers[i])) return false;
    return true;
  }
  /// Whether the coefficient is this value but for rounding in arithmetic of type `e`.
  constexpr bool is_about(double value, element e) const {
    double const unit = e == element::float32 ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon();
    return magnitude(times - value) <= 16 * unit * size;
  }
};

/// A node of a graph in normal form, multiplied out: products of sums and whole powers of sums become sums of monomials. What is no
/// sum, product or power of numbers stays a factor as it is.
class expansion {
 public:
  constexpr expansion() = default;
  constexpr explicit expansion(graph const& g) : g_(&g) {}

  /// Replaces what is there; false where the expression is too long, or a coefficient too large.
  constexpr bool expand(int id) {
    terms_.clear();
    if (g_->is_literal(id)) {
      double const value = g_->literal_value(id);
      return is_finite(value) && magnitude(value) < most && add({value, magnitude(value), {}});
    }
    if (g_->is<op::add>(id)) return expand_sum(id);
    if (g_->is<op::mul>(id)) return expand_product(id);
    if (is_power(*g_, id)) return expand_power(id);
    return add_power(id, 1);
  }
  /// Of the term with the same powers the number, or -1.
  constexpr int find_like(monomial const& term) const {
    for (int i = 0; i < terms_.size(); ++i)
      if (terms_[i].is_like(term)) return i;
    return -1;
  }
  constexpr list<monomial> const& terms() const { return terms_; }
  constexpr bool mentions(int node) const {
    for (monomial const& m : terms_)
      for (monomial::power const& p : m.powers)
        if (p.node == node) return true;
    return false;
  }

 private:
  static constexpr int most_terms = 32, most_powers = 12;
  static constexpr double most = 1e60;  // whose square and its multiples are numbers

  constexpr bool add(monomial const& term) {
    if (int const i = find_like(term); i >= 0) {
      terms_[i].times += term.times;
      terms_[i].size += term.size;
    } else {
      terms_.push_back(term);
    }
    return terms_.size() <= most_terms;
  }
  constexpr bool add_power(int node, double exponent) {
    list<monomial::power> powers;
    powers.push_back({node, exponent});
    return add({1, 1, powers});
  }
  constexpr bool expand_sum(int id) {
    for (int term : g_->inputs(id)) {
      expansion e(*g_);
      if (!e.expand(term)) return false;
      for (monomial const& m : e.terms_)
        if (!add(m)) return false;
    }
    return true;
  }
  constexpr bool expand_product(int id) {
    expansion product(*g_);
    product.add({1, 1, {}});
    for (int factor : g_->inputs(id)) {
      expansion e(*g_);
      if (!e.expand(factor) || !product.multiply(e)) return false;
    }
    terms_.swap(product.terms_);
    return true;
  }
  constexpr bool expand_power(int id) {
    factor const f = split_power(*g_, id);
    double const power = f.power.value();
    bool const is_sum = g_->is<op::add>(f.base), is_product = g_->is<op::mul>(f.base);
    if (!is_whole(power) || (is_sum && (power < 0 || power > 4)) || (is_product && magnitude(power) > 4)) return add_power(f.base, power);
    if (!is_sum && !is_product) return add_power(f.base, power);
    expansion base(*g_), product(*g_);
    if (!base.expand(f.base)) return false;
    if (power < 0 && !base.invert()) return add_power(f.base, power);
    product.add({1, 1, {}});
    for (int i = 0; i < magnitude(power); ++i)
      if (!product.multiply(base)) return false;
    terms_.swap(product.terms_);
    return true;
  }
  constexpr bool invert() {
    if (terms_.size() != 1 || magnitude(terms_[0].times) < 1 / most) return false;
    monomial& m = terms_[0];
    m.times = 1 / m.times;
    m.size = magnitude(m.times);
    for (monomial::power& p : m.powers) p.exponent = -p.exponent;
    return true;
  }
  constexpr bool multiply(expansion const& by) {
    expansion product(*g_);
    for (monomial const& a : terms_)
      for (monomial const& b : by.terms_) {
        monomial m{a.times * b.times, a.size * b.size, merged(a.powers, b.powers)};
        if (m.size > most || m.powers.size() > most_powers || !product.add(m)) return false;
      }
    terms_.swap(product.terms_);
    return true;
  }
  static constexpr list<monomial::power> merged(list<monomial::power> const& a, list<monomial::power> const& b) {
    list<monomial::power> result;
    int i = 0, j = 0;
    while (i < a.size() || j < b.size()) {
      if (j == b.size() || (i < a.size() && a[i].node < b[j].node)) result.push_back(a[i++]);
      else if (i == a.size() || b[j].node < a[i].node) result.push_back(b[j++]);
      else {
        if (double const sum = a[i].exponent + b[j].exponent; sum != 0) result.push_back({a[i].node, sum});
        ++i, ++j;
      }
    }
    return result;
  }

  graph const* g_ = nullptr;
  list<monomial> terms_;
};

}  // namespace kroton::core
