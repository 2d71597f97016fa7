// Products that have factors in common: those are multiplied once, and divided by once.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/rewrite/reciprocals.hpp>
#include <kroton/rewrite/products.hpp>

namespace kroton::core {

/// Replaces divisors of a graph in normal form that three quotients and more have among theirs by their reciprocals: the quotients are
/// products with them, as in reciprocal_pass. a/b, c/(b*d), e/d, b/d take two divisions.
class shared_reciprocals {
 public:
  constexpr explicit shared_reciprocals(graph from) : from_(std::move(from)) {}

  constexpr graph run() {
    collect();
    if (!choose()) return std::move(from_);
    list<bool> const live = from_.live();
    list<int> inputs, image(from_.size(), -1);
    for (int id : from_.parameters()) image[id] = to_.input(from_.type(id), static_cast<int>(from_.attribute(id, 0)));
    int next = 0;
    for (int id = 0; id < from_.size(); ++id) {
      if (!live[id] || image[id] >= 0) continue;
      bool const is_quotient = next < quotients_.size() && quotients_[next].node == id;
      if (is_quotient && quotients_[next++].covered) {
        image[id] = as_product(id, image);
        continue;
      }
      inputs.clear();
      for (int i : from_.inputs(id)) inputs.push_back(image[i]);
      image[id] = to_.add(from_[id].op, from_.type(id), inputs, from_.attributes(id));
    }
    to_.adopt(from_, image);
    return std::move(to_);
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

  /// Takes the powers below the line of a product that are as large as it is; false where one is none of a reciprocal.
  constexpr bool take_divisors(int id) {
    auto take = [&](int f) {
      factor const part = split_power(from_, f);
      double const p = -part.power.value();
      if (p <= 0 || from_.type(part.base) != from_.type(id)) return true;
      if (!(p <= 8) || !is_whole(2 * p) || from_.is<op::cosh>(part.base) || from_.is_literal(part.base)) return false;
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
    list<bool> const live = from_.live(), stays = quotients_that_stay(from_), alone = standing_alone(live);
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
  /// Keeps the quotients all of whose divisors belong to enough of them; whether that saves divisions.
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
  constexpr int raised(int base, long long power) {
    if (power == 1) return base;
    return to_.apply<op::pow>({base, to_.literal(static_cast<double>(power), to_.type(base).element)});
  }
  constexpr int as_product(int id, list<int> const& image) {
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
        int const root = to_.apply<op::pow>({base, to_.literal(0.5, from_.type(id).element)});
        factors.push_back(to_.apply<op::inv>({root}));
      }
      if (p >= 1) factors.push_back(raised(to_.apply<op::inv>({base}), static_cast<long long>(p)));
    };
    if (from_.is<op::mul>(id))
      for (int f : from_.inputs(id)) take(f);
    else take(id);
    return factors.size() == 1 ? factors[0] : to_.apply(identity<op::mul>(), factors);
  }

  graph from_, to_;
  list<quotient> quotients_;
  list<int> divisors_;
};

/// Multiplies two factors that several products of a graph in normal form have in common once: a*b*c and a*b*d take three
/// multiplications. The products of a gradient are those of its function, again and again.
class shared_products {
 public:
  constexpr explicit shared_products(graph from) : from_(std::move(from)) {}

  constexpr graph run() {
    collect();
    if (products_.size() < 2) return std::move(from_);
    while (share()) {}
    if (pairs_.empty()) return std::move(from_);
    list<bool> const live = from_.live();
    list<int> inputs;
    image_ = list<int>(from_.size(), -1);
    made_ = list<int>(pairs_.size(), -1);
    for (int id : from_.parameters()) image_[id] = to_.input(from_.type(id), static_cast<int>(from_.attribute(id, 0)));
    int next = 0;
    for (int id = 0; id < from_.size(); ++id) {
      if (!live[id] || image_[id] >= 0) continue;
      inputs.clear();
      bool const changes = next < products_.size() && products_[next].node == id && products_[next].changed;
      if (next < products_.size() && products_[next].node == id) {
        if (changes) add_factors(products_[next], inputs);
        ++next;
      }
      if (!changes)
        for (int i : from_.inputs(id)) inputs.push_back(image_[i]);
      image_[id] = changes && inputs.size() == 1 ? inputs[0] : to_.add(from_[id].op, from_.type(id), inputs, from_.attributes(id));
    }
    to_.adopt(from_, image_);
    return std::move(to_);
  }

 private:
  static constexpr int most_factors = 12;
  struct product {
    int node, first, count;  // its factors: nodes, and behind those pairs
    bool changed;
  };
  struct occurrence {
    int a, b, product;
  };
  struct candidate {
    int first, count;
  };
  struct pair {
    int a, b;
  };

  /// Whether a factor may be multiplied with others as large before the rest: what is divided by stays below the line.
  constexpr bool is_item(int f, int id) const {
    return from_.type(f) == from_.type(id) && !from_.is_literal(f) && split_power(from_, f).power.value() > 0;
  }
  constexpr void collect() {
    list<bool> const live = from_.live(), stays = quotients_that_stay(from_);
    for (int id = 0; id < from_.size(); ++id) {
      if (!live[id] || stays[id] || !from_.is<op::mul>(id) || !is_float(from_.type(id).element)) continue;
      int const first = items_.size();
      for (int f : from_.inputs(id))
        if (is_item(f, id)) items_.push_back(f);
      int const count = items_.size() - first;
      if (count < 2 || count > most_factors) items_.shrink(first);
      else products_.push_back({id, first, count, false});
    }
  }
  /// Finds pairs from the most frequent on; whether there were any.
  constexpr bool share() {
    list<occurrence> all;
    for (int p = 0; p < products_.size(); ++p) {
      int const* const items = items_.data() + products_[p].first;
      for (int i = 0; i < products_[p].count; ++i)
        for (int j = i + 1; j < products_[p].count; ++j)
          all.push_back({items[i] < items[j] ? items[i] : items[j], items[i] < items[j] ? items[j] : items[i], p});
    }
    merge_sort(all, [](occurrence const& x, occurrence const& y) { return x.a != y.a ? x.a < y.a : x.b < y.b; });
    list<candidate> candidates;
    for (int i = 0, n = 0; i < all.size(); i += n) {
      for (n = 1; i + n < all.size() && all[i + n].a == all[i].a && all[i + n].b == all[i].b;) ++n;
      if (n > 1) candidates.push_back({i, n});
    }
    merge_sort(candidates, [](candidate const& x, candidate const& y) { return x.count > y.count; });
    bool any = false;
    for (candidate const& c : candidates) {
      int n = 0;
      for (int k = 0; k < c.count; ++k) n += has_both(all[c.first + k]) ? 1 : 0;
      if (n < 2) continue;
      any = true;
      int const shared = from_.size() + pairs_.size();
      pairs_.push_back({all[c.first].a, all[c.first].b});
      for (int k = 0; k < c.count; ++k)
        if (has_both(all[c.first + k])) replace(products_[all[c.first + k].product], pairs_.back(), shared);
    }
    return any;
  }
  constexpr bool has_both(occurrence const& o) const {
    product const& p = products_[o.product];
    int found = 0;
    for (int i = 0; i < p.count; ++i) found += items_[p.first + i] == o.a || items_[p.first + i] == o.b ? 1 : 0;
    return found == 2;
  }
  constexpr void replace(product& p, pair const& of, int shared) {
    int kept = 0;
    for (int i = 0; i < p.count; ++i)
      if (int const item = items_[p.first + i]; item != of.a && item != of.b) items_[p.first + kept++] = item;
    items_[p.first + kept++] = shared;
    p.count = kept;
    p.changed = true;
  }

  constexpr int node_of(int item) {
    if (item < from_.size()) return image_[item];
    int const k = item - from_.size();
    if (made_[k] < 0) {
      int const a = node_of(pairs_[k].a), b = node_of(pairs_[k].b);
      made_[k] = to_.apply<op::mul>({a, b});
    }
    return made_[k];
  }
  /// What is no item stands where it stood: a coefficient comes first.
  constexpr void add_factors(product const& p, list<int>& inputs) {
    for (int f : from_.inputs(p.node))
      if (!is_item(f, p.node)) inputs.push_back(image_[f]);
    for (int i = 0; i < p.count; ++i) inputs.push_back(node_of(items_[p.first + i]));
  }

  graph from_, to_;
  list<product> products_;
  list<int> items_, image_, made_;
  list<pair> pairs_;
};

}  // namespace kroton::core
