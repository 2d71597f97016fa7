// Divisors that several quotients have among theirs: their reciprocals are computed once.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/trigonometric.hpp>
#include <kroton/rewrite/form/products.hpp>
#include <kroton/rewrite/passes/reciprocals.hpp>

namespace kroton::rewrite {

/// Replaces divisors of a graph in normal form that three quotients and more have among theirs by
/// their reciprocals: the quotients are products with them, as in reciprocal_pass. a/b, c/(b*d),
/// e/d, b/d take two divisions.
class shared_reciprocals {
 public:
  constexpr explicit shared_reciprocals(graph from) : from_(std::move(from)) {}

  constexpr graph run() {
    if (!divides()) return std::move(from_);
    collect();
    if (!choose()) return std::move(from_);
    int next = 0;
    return rebuilt(from_, [&](graph& to, int id, list<int> const& image) {
      bool const is_quotient = next < quotients_.size() && quotients_[next].node == id;
      return is_quotient && quotients_[next++].covered ? as_product(to, id, image) : -1;
    });
  }

 private:
  static constexpr int enough = 3;
  struct quotient {
    int node, first, count;  // its divisors
    std::uint64_t below;     // equal for equal denominators
    bool covered;
  };
  /// A divisor, or its square root, as a number.
  static constexpr int divisor(int base, bool root) { return 2 * base + (root ? 1 : 0); }

  /// Whether there is any negative power: most graphs say so soon.
  constexpr bool divides() const {
    for (int id = 0; id < from_.size(); ++id)
      if (from_[id].op->key == key_constant<op::pow> && split_power(from_, id).power.negative())
        return true;
    return false;
  }
  /// Takes the powers below the line of a product that are as large as it is; false where one is
  /// none of a reciprocal.
  constexpr bool take_divisors(int id) {
    auto take = [&](int f) {
      factor const part = split_power(from_, f);
      double const p = -part.power.value();
      if (p <= 0 || from_.type(part.base) != from_.type(id)) return true;
      if (!(p <= 8) || !is_whole(2 * p) || from_.is<op::cosh>(part.base) ||
          from_.is_literal(part.base))
        return false;
      quotients_.back().below = mix(quotients_.back().below, from_[f].hash);
      if (!is_whole(p)) divisors_.push_back(divisor(part.base, true));
      if (p >= 1) divisors_.push_back(divisor(part.base, false));
      return true;
    };
    if (!from_.is<op::mul>(id)) return take(id);
    bool fits = true;
    for (int f : from_.inputs(id)) fits = fits && take(f);
    return fits;
  }
  /// Which nodes are more than factors of products.
  constexpr list<bool> standing_alone(list<bool> const& live) const {
    list<bool> alone = list<bool>(from_.size());
    for (int id : from_.results()) alone[id] = true;
    for (update const& u : from_.updates()) alone[u.value] = true;
    for (int id = 0; id < from_.size(); ++id) {
      if (!live[id] || from_.is<op::mul>(id)) continue;
      for (int in : from_.inputs(id)) alone[in] = true;
    }
    return alone;
  }
  constexpr void collect() {
    list<bool> const live = from_.live(), stays = quotients_that_stay(from_),
                     alone = standing_alone(live);
    for (int id = 0; id < from_.size(); ++id) {
      if (!live[id] || stays[id] || !is_float(from_.type(id).element)) continue;
      if (!from_.is<op::mul>(id) && !(alone[id] && is_power(from_, id))) continue;
      int const first = divisors_.size();
      quotients_.push_back({id, first, 0, 0, true});
      if (!take_divisors(id)) divisors_.shrink(first);
      if (divisors_.size() == first) quotients_.pop_back();
      else quotients_.back().count = divisors_.size() - first;
    }
  }
  /// Keeps the quotients all of whose divisors belong to enough of them; whether that saves
  /// divisions.
  constexpr bool choose() {
    if (quotients_.size() < enough) return false;
    list<int> uses;
    for (bool changed = true; changed;) {
      uses = list<int>(2 * from_.size(), 0);
      for (quotient const& q : quotients_)
        for (int k = 0; q.covered && k < q.count; ++k) ++uses[divisors_[q.first + k]];
      changed = false;
      for (quotient& q : quotients_)
        for (int k = 0; q.covered && k < q.count; ++k)
          if (uses[divisors_[q.first + k]] < enough) q.covered = false, changed = true;
    }
    int before = 0, after = 0;
    for (int used : uses) after += used > 0 ? 1 : 0;
    list<std::uint64_t> below;
    for (quotient const& q : quotients_)
      if (q.covered) below.push_back(q.below);
    merge_sort(below, [](std::uint64_t x, std::uint64_t y) { return x < y; });
    for (int i = 0, n = 0; i < below.size(); i += n) {
      for (n = 1; i + n < below.size() && below[i + n] == below[i];) ++n;
      before += n < enough ? n : 1;
    }
    return after < before;
  }
  static constexpr int raised(graph& to, int base, long long power) {
    if (power == 1) return base;
    return to.apply<op::pow>({base, to.literal(static_cast<double>(power), to.type(base).element)});
  }
  constexpr int as_product(graph& to, int id, list<int> const& image) {
    list<int> factors;
    auto take = [&](int f) {
      factor const part = split_power(from_, f);
      double const p = -part.power.value();
      if (p <= 0 || from_.type(part.base) != from_.type(id)) {
        factors.push_back(image[f]);
        return;
      }
      int const base = image[part.base];
      if (!is_whole(p)) {
        int const root = to.apply<op::pow>({base, to.literal(0.5, from_.type(id).element)});
        factors.push_back(to.apply<op::inv>({root}));
      }
      if (p >= 1)
        factors.push_back(raised(to, to.apply<op::inv>({base}), static_cast<long long>(p)));
    };
    if (from_.is<op::mul>(id))
      for (int f : from_.inputs(id)) take(f);
    else take(id);
    return factors.size() == 1 ? factors[0] : to.apply(identity<op::mul>(), factors);
  }

  graph from_;
  list<quotient> quotients_;
  list<int> divisors_;
};

}  // namespace kroton::rewrite
