// Products that have factors in common: those are multiplied once.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/rewrite/products.hpp>
#include <kroton/rewrite/reciprocals.hpp>

namespace kroton::core {

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
    made_ = list<int>(pairs_.size(), -1);
    int next = 0;
    return rebuilt(from_, [&](graph& to, int id, list<int> const& image) {
      if (next == products_.size() || products_[next].node != id) return -1;
      product const& p = products_[next++];
      if (!p.changed) return -1;
      list<int> const inputs = factors(to, p, image);
      return inputs.size() == 1 ? inputs[0] : to.add(from_[id].op, from_.type(id), inputs, from_.attributes(id));
    });
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

  constexpr int node_of(graph& to, int item, list<int> const& image) {
    if (item < from_.size()) return image[item];
    int const k = item - from_.size();
    if (made_[k] < 0) {
      int const a = node_of(to, pairs_[k].a, image), b = node_of(to, pairs_[k].b, image);
      made_[k] = to.apply<op::mul>({a, b});
    }
    return made_[k];
  }
  /// What is no item stands where it stood: a coefficient comes first.
  constexpr list<int> factors(graph& to, product const& p, list<int> const& image) {
    list<int> all;
    for (int f : from_.inputs(p.node))
      if (!is_item(f, p.node)) all.push_back(image[f]);
    for (int i = 0; i < p.count; ++i) all.push_back(node_of(to, items_[p.first + i], image));
    return all;
  }

  graph from_;
  list<product> products_;
  list<int> items_, made_;
  list<pair> pairs_;
};

}  // namespace kroton::core
