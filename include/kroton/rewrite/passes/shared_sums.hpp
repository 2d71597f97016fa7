// Sums that have terms in common: those are added once.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/linalg.hpp>
#include <kroton/rewrite/engine/pairing.hpp>
#include <kroton/rewrite/form/sums.hpp>
#include <kroton/rewrite/passes/reciprocals.hpp>

namespace kroton::rewrite {

/// Adds two terms that several sums of a graph in normal form have in common, or multiples of both,
/// once: a + 10*b and 2*a + 20*b + c are t = a + 10*b and 2*t + c. The normal form takes sums of
/// sums apart, so that terms cancel; what gradients are made of comes together here again. A term
/// is never divided: half a sum may overflow where the sum of halves does not. Multiples are exact.
class shared_sums {
 public:
  constexpr explicit shared_sums(graph from) : from_(std::move(from)), nodes_(from_.size()) {}

  constexpr graph run() {
    collect();
    if (sums_.size() < 2) return std::move(from_);
    while (share()) {}
    if (pairs_.empty()) return std::move(from_);
    made_ = list<int>(pairs_.size(), -1);
    int next = 0;
    return rebuilt(from_, [&](graph& to, int id, list<int> const& image) {
      if (next == sums_.size() || sums_[next].node != id) return -1;
      sum const& s = sums_[next++];
      return s.changed ? written(to, s, image) : -1;
    });
  }

 private:
  static constexpr int most_terms = 12;
  // The bases of a literal, and of what no other sum has
  static constexpr int constant = -1, alone = -2;
  struct item {
    int base;  // a node, or a pair
    double times;
    int term;  // the node that was written; -1 for a pair
  };
  struct sum {
    int node, first, count;
    bool changed;
  };
  /// a + ratio * b, with a factor in front, in a sum.
  struct occurrence {
    int a, b;
    double ratio, times;
    int sum;
  };
  struct pair {
    int a, b;
    double ratio;
  };

  constexpr item split(int term) {
    double const times = coefficient_of(from_, term).value();
    if (!has_coefficient(from_, term)) return {term, 1, term};
    int const count = from_[term].input_count - 1;
    list<int> const rest(from_.input_data(term) + 1, count);
    return {count == 1 ? rest[0] : from_.apply(identity<op::mul>(), rest.data(), count), times,
            term};
  }
  constexpr void collect() {
    list<bool> const live = from_.live(), stays = quotients_that_stay(from_);
    list<sum> found;
    for (int id = 0; id < nodes_; ++id) {
      if (!live[id] || stays[id] || !from_.is<op::add>(id) || !is_float(from_.type(id).element))
        continue;
      int const first = items_.size(), count = from_[id].input_count;
      if (count > most_terms) continue;
      for (int k = 0; k < count; ++k) {
        int const term = from_.input_of(id, k);
        item i{alone, 1, term};
        if (from_.is_literal(term) && is_finite(from_.literal_value(term)))
          i = {constant, from_.literal_value(term), term};
        else if (from_.type(term) == from_.type(id) && !from_.is<op::dot>(term)) i = split(term);
        // Like terms may have been left apart.
        for (int j = first; j < items_.size(); ++j)
          if (items_[j].base == i.base) i.base = alone;
        items_.push_back(i);
      }
      found.push_back({id, first, count, false});
    }
    if (found.size() < 2) return;
    list<int> uses = list<int>(from_.size());
    for (item const& i : items_)
      if (i.base >= 0) ++uses[i.base];
    for (sum const& s : found) {
      int shared = 0;
      for (int k = s.first; k < s.first + s.count; ++k) {
        if (items_[k].base >= 0 && uses[items_[k].base] < 2) items_[k].base = alone;
        shared += items_[k].base != alone ? 1 : 0;
      }
      if (shared > 1) sums_.push_back(s);
    }
  }
  /// Finds pairs from the most frequent on; whether there were any.
  constexpr bool share() {
    list<occurrence> all;
    for (int s = 0; s < sums_.size(); ++s)
      for (int i = 0; i < sums_[s].count; ++i)
        for (int j = i + 1; j < sums_[s].count; ++j)
          note(items_[sums_[s].first + i], items_[sums_[s].first + j], s, all);
    return replace_frequent_pairs(
        all,
        [](occurrence const& x, occurrence const& y) {
          return x.a != y.a ? x.a < y.a : x.b != y.b ? x.b < y.b : x.ratio < y.ratio;
        },
        [&](occurrence const& o) { return has_both(o); },
        [&](occurrence const& o) { pairs_.push_back({o.a, o.b, o.ratio}); },
        [&](occurrence const& o) { replace(o, first_pair + pairs_.size() - 1); });
  }
  /// The term with the smaller coefficient comes first, and has none in the pair.
  static constexpr void note(item x, item y, int sum, list<occurrence>& all) {
    if (x.base == alone || y.base == alone) return;
    double const p = magnitude(x.times), q = magnitude(y.times);
    if (p > q || (p == q && x.base > y.base)) std::swap(x, y);
    if (magnitude(x.times) < 1) return;
    double const ratio = y.times / x.times;
    bool const is_exact = magnitude(x.times) == 1 ||
                          (is_short(x.times) && is_short(ratio) && x.times * ratio == y.times);
    if (is_exact) all.push_back({x.base, y.base, ratio, x.times, sum});
  }
  /// A number whose product with another such one has all its digits.
  static constexpr bool is_short(double x) {
    return magnitude(x) <= 1e30 && static_cast<double>(static_cast<float>(x)) == x;
  }
  constexpr bool has_both(occurrence const& o) const {
    sum const& s = sums_[o.sum];
    int found = 0;
    for (int k = s.first; k < s.first + s.count; ++k)
      found += items_[k].base == o.a || items_[k].base == o.b ? 1 : 0;
    return found == 2;
  }
  constexpr void replace(occurrence const& o, int shared) {
    sum& s = sums_[o.sum];
    int kept = 0;
    for (int k = 0; k < s.count; ++k)
      if (item const i = items_[s.first + k]; i.base != o.a && i.base != o.b)
        items_[s.first + kept++] = i;
    items_[s.first + kept++] = {shared, o.times, -1};
    s.count = kept;
    s.changed = true;
  }

  /// What a pair or a product without its coefficient is in the new graph.
  constexpr int node_of(graph& to, int base, element e, list<int> const& image) {
    if (base < nodes_ && image[base] >= 0) return image[base];
    if (base < first_pair) {
      list<int> factors;
      for (int f : from_.inputs(base)) factors.push_back(image[f]);
      return to.add(from_[base].op, from_.type(base), factors, {});
    }
    int const k = base - first_pair;
    if (made_[k] < 0) {
      int const a = multiple(to, pairs_[k].a, 1, e, image),
                b = multiple(to, pairs_[k].b, pairs_[k].ratio, e, image);
      made_[k] = to.apply<op::add>({a, b});
    }
    return made_[k];
  }
  constexpr int multiple(graph& to, int base, double times, element e, list<int> const& image) {
    if (base == constant) return to.literal(times, e);
    int const node = node_of(to, base, e, image);
    return times == 1 ? node : to.apply<op::mul>({to.literal(times, e), node});
  }
  constexpr int written(graph& to, sum const& s, list<int> const& image) {
    element const e = from_.type(s.node).element;
    list<int> terms;
    for (int k = s.first; k < s.first + s.count; ++k)
      terms.push_back(items_[k].term >= 0
                          ? image[items_[k].term]
                          : multiple(to, items_[k].base, items_[k].times, e, image));
    return terms.size() == 1 ? terms[0] : to.add(from_[s.node].op, from_.type(s.node), terms, {});
  }

  graph from_;
  int nodes_;
  list<item> items_;
  list<sum> sums_;
  list<pair> pairs_;
  list<int> made_;
};

}  // namespace kroton::rewrite
