// Products that have factors in common: those are multiplied once.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/linalg.hpp>
#include <kroton/rewrite/engine/pairing.hpp>
#include <kroton/rewrite/form/products.hpp>
#include <kroton/rewrite/passes/reciprocals.hpp>

namespace kroton::rewrite {

/// Multiplies two factors that several products of a graph in normal form have in common once:
/// a*b*c and a*b*d take three multiplications. The products of a gradient are those of its
/// function, again and again, with other signs: a coefficient is a factor, except for its sign, and
/// so is a divisor: a*b/c and a*d/c divide once.
class shared_products {
 public:
  constexpr explicit shared_products(graph from) : from_(std::move(from)), nodes_(from_.size()) {}

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
      return inputs.size() == 1 ? inputs[0] : to.add(from_[id].op, from_.type(id), inputs, {});
    });
  }

 private:
  static constexpr int most_factors = 12, most_power = 4;
  struct product {
    int node, first, count;  // its factors: nodes, and pairs
    double coefficient;      // that is none of them
    bool changed;
  };
  struct occurrence {
    int a, b, product;
  };
  struct pair {
    int a, b;
  };

  /// How often a factor may be multiplied with others as large before the rest: as often as it is
  /// raised, or once; a divisor, too. Higher powers below the line stay there.
  constexpr int times(int f, int id) const {
    if (from_.type(f) != from_.type(id) || from_.is_literal(f)) return 0;
    double const power = split_power(from_, f).power.value();
    return power == -1                              ? 1
           : power <= 0                             ? 0
           : is_whole(power) && power <= most_power ? static_cast<int>(power)
                                                    : 1;
  }
  constexpr int item_of(int f, int times) const { return times > 1 ? from_.input_of(f, 0) : f; }
  constexpr void collect() {
    list<bool> const live = from_.live(), stays = quotients_that_stay(from_);
    for (int id = 0; id < nodes_; ++id) {
      if (!live[id] || stays[id] || !from_.is<op::mul>(id) || !is_float(from_.type(id).element))
        continue;
      int const first = items_.size(), inputs = from_[id].input_count;
      bool has_dot = false;
      for (int k = 0; k < inputs; ++k) {
        int const f = from_.input_of(id, k);
        has_dot = has_dot || from_.is<op::dot>(f);
        int const n = times(f, id);
        for (int i = 0; i < n; ++i) items_.push_back(item_of(f, n));
      }
      // That of a product of matrices goes to BLAS.
      double coefficient = coefficient_of(from_, id).value();
      if (magnitude(coefficient) != 1 && !has_dot) {
        items_.push_back(from_.literal(magnitude(coefficient), from_.type(id).element));
        coefficient = coefficient < 0 ? -1 : 1;
      }
      int const count = items_.size() - first;
      if (count < 2 || count > most_factors) items_.shrink(first);
      else products_.push_back({id, first, count, coefficient, false});
    }
    if (products_.size() < 2) return;
    uses_ = list<int>(from_.size());
    for (int item : items_) ++uses_[item];
    int kept = 0;
    for (product const& p : products_) {
      int shared = 0;
      for (int i = p.first; i < p.first + p.count; ++i) shared += uses_[items_[i]] > 1 ? 1 : 0;
      if (shared > 1) products_[kept++] = p;
    }
    products_.shrink(kept);
  }
  /// Whether another product may have the item, too.
  constexpr bool may_be_shared(int item) const { return item >= first_pair || uses_[item] > 1; }
  /// Finds pairs from the most frequent on; whether there were any.
  constexpr bool share() {
    list<occurrence> all;
    for (int p = 0; p < products_.size(); ++p) {
      int const* const items = items_.data() + products_[p].first;
      int const count = products_[p].count;
      // Equal ones stand next to each other, so that a pair is noted once.
      for (int i = 0; i < count; ++i) {
        if ((i > 0 && items[i] == items[i - 1]) || !may_be_shared(items[i])) continue;
        for (int j = i + 1; j < count; ++j) {
          if ((j > i + 1 && items[j] == items[j - 1]) || !may_be_shared(items[j])) continue;
          all.push_back({items[i] < items[j] ? items[i] : items[j],
                         items[i] < items[j] ? items[j] : items[i], p});
        }
      }
    }
    return replace_frequent_pairs(
        all,
        [](occurrence const& x, occurrence const& y) { return x.a != y.a ? x.a < y.a : x.b < y.b; },
        [&](occurrence const& o) { return has_both(o); },
        [&](occurrence const& o) { pairs_.push_back({o.a, o.b}); },
        [&](occurrence const& o) { replace(o, first_pair + pairs_.size() - 1); });
  }
  constexpr bool has_both(occurrence const& o) const {
    product const& p = products_[o.product];
    bool has_a = false, has_b = false;
    for (int i = 0; i < p.count; ++i) {
      int const item = items_[p.first + i];
      if (item == o.a && !has_a) has_a = true;
      else if (item == o.b) has_b = true;
    }
    return has_a && has_b;
  }
  constexpr void replace(occurrence const& o, int shared) {
    product& p = products_[o.product];
    int kept = 0;
    bool took_a = false, took_b = false;
    for (int i = 0; i < p.count; ++i) {
      int const item = items_[p.first + i];
      if (item == o.a && !took_a) took_a = true;
      else if (item == o.b && !took_b) took_b = true;
      else items_[p.first + kept++] = item;
    }
    p.count = kept + 1;
    for (; kept > 0 && items_[p.first + kept - 1] > shared; --kept)
      items_[p.first + kept] = items_[p.first + kept - 1];
    items_[p.first + kept] = shared;
    p.changed = true;
  }

  constexpr int node_of(graph& to, int item, list<int> const& image) {
    if (is_coefficient(item))
      return to.literal_of_bits(from_.literal_bits(item), from_.type(item).element);
    if (item < first_pair) return image[item];
    int const k = item - first_pair;
    if (made_[k] < 0) {
      int const a = node_of(to, pairs_[k].a, image), b = node_of(to, pairs_[k].b, image);
      if (a == b) made_[k] = to.apply<op::pow>({a, to.literal(2, to.type(a).element)});
      else made_[k] = to.is_literal(b) ? to.apply<op::mul>({b, a}) : to.apply<op::mul>({a, b});
    }
    return made_[k];
  }
  /// What is not an item stands where it stood, behind the coefficient.
  constexpr list<int> factors(graph& to, product const& p, list<int> const& image) {
    double coefficient = p.coefficient;
    list<int> all;
    for (int k = has_coefficient(from_, p.node) ? 1 : 0; k < from_[p.node].input_count; ++k)
      if (int const f = from_.input_of(p.node, k); times(f, p.node) == 0) all.push_back(image[f]);
    for (int i = 0; i < p.count; ++i) {
      int const item = items_[p.first + i];
      int n = 1;
      while (i + 1 < p.count && items_[p.first + i + 1] == item) ++i, ++n;
      if (is_coefficient(item)) coefficient = coefficient * from_.literal_value(item);
      else if (n == 1) all.push_back(node_of(to, item, image));
      else
        all.push_back(to.apply<op::pow>(
            {node_of(to, item, image), to.literal(n, from_.type(p.node).element)}));
    }
    if (coefficient != 1) all.insert(0, to.literal(coefficient, from_.type(p.node).element));
    return all;
  }
  constexpr bool is_coefficient(int item) const {
    return item < first_pair && from_.is_literal(item);
  }

  graph from_;
  int nodes_;
  list<product> products_;
  list<int> items_, uses_, made_;
  list<pair> pairs_;
};

}  // namespace kroton::rewrite
