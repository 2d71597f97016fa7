// Sums, products and denominators of a graph as multisets, for what looks for parts in common.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/elementwise/trigonometric.hpp>
#include <kroton/ops/linear_algebra/products.hpp>
#include <kroton/rewrite/form/products.hpp>
#include <kroton/rewrite/passes/reciprocals.hpp>

namespace kroton::rewrite {

enum class multiset : std::uint8_t {
  terms,     // of sums, with their coefficients
  factors,   // of products, as often as they are raised
  divisors,  // of quotients: twice the number of a node, and one more for its square root
};

/// All multisets of one kind in a graph in normal form.
class multisets {
 public:
  static constexpr int most_members = 12, most_power = 4;
  // Bases of what is not a node: a literal, and what no other multiset has
  static constexpr int constant = -1, alone = -2;
  struct member {
    int base;
    double times;  // the coefficient of a term, the power of a divisor
    int node;      // as it was written; -1 for what was not
    constexpr bool is(member const& m) const { return base == m.base && node == m.node; }
  };
  struct group {
    int node, first, count;
    double front = 1;         // a coefficient that is not a factor
    std::uint64_t below = 0;  // equal for equal denominators
    bool changed = false;
  };

  list<member> members;
  list<group> groups;

  /// The graph takes bases that it has not as nodes that nobody reads.
  constexpr multisets(graph& from, multiset kind) : from_(from) {
    bool const divides = kind == multiset::divisors;
    list<bool> const live = from.live(), stays = quotients_that_stay(from);
    list<bool> standing;
    if (divides) standing = standing_alone(live);
    for (int id = 0, nodes = from.size(); id < nodes; ++id) {
      if (!live[id] || stays[id] || !is_float(from.type(id).element)) continue;
      group g{id, members.size(), 0};
      if (kind == multiset::terms) take_terms(id);
      else if (kind == multiset::factors) take_factors(g);
      else if (from.is<op::mul>(id) || (standing[id] && is_power(from, id))) take_divisors(g);
      g.count = members.size() - g.first;
      if (divides ? g.count > 0 : g.count > 1 && g.count <= most_members) groups.push_back(g);
      else members.shrink(g.first);
    }
  }

  constexpr items<member> of(group const& g) const { return {members.data() + g.first, g.count}; }
  constexpr items<int> factors_of(int const& id) const {
    return from_.is<op::mul>(id) ? from_.inputs(id) : items<int>(&id, 1);
  }
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
  /// The power of a factor below the line that is as large as its product; 0 for any other.
  constexpr double divides(int f, int id) const {
    factor const part = split_power(from_, f);
    double const p = -part.power.value();
    return p > 0 && from_.type(part.base) == from_.type(id) ? p : 0;
  }

 private:
  constexpr void take_terms(int id) {
    int const first = members.size(), count = from_[id].input_count;
    if (!from_.is<op::add>(id) || count > most_members) return;
    for (int k = 0; k < count; ++k) {
      int const term = from_.input_of(id, k);
      member m{alone, 1, term};
      if (from_.is_literal(term) && is_finite(from_.literal_value(term)))
        m = {constant, from_.literal_value(term), term};
      else if (from_.type(term) == from_.type(id) && !from_.is<op::dot>(term)) m = split(term);
      // Like terms may have been left apart.
      for (int j = first; j < members.size(); ++j)
        if (members[j].base == m.base) m.base = alone;
      members.push_back(m);
    }
  }
  constexpr member split(int term) {
    if (!has_coefficient(from_, term)) return {term, 1, term};
    int const count = from_[term].input_count - 1;
    list<int> const rest(from_.input_data(term) + 1, count);
    return {count == 1 ? rest[0] : from_.apply(identity<op::mul>(), rest.data(), count),
            coefficient_of(from_, term).value(), term};
  }
  constexpr void take_factors(group& g) {
    if (!from_.is<op::mul>(g.node)) return;
    bool has_dot = false;
    for (int f : from_.inputs(g.node)) {
      has_dot = has_dot || from_.is<op::dot>(f);
      int const n = times(f, g.node), base = n > 1 ? from_.input_of(f, 0) : f;
      for (int i = 0; i < n; ++i) members.push_back({base, 1, base});
    }
    g.front = coefficient_of(from_, g.node).value();
    // That of a product of matrices goes to BLAS.
    if (magnitude(g.front) == 1 || has_dot) return;
    int const size = from_.literal(magnitude(g.front), from_.type(g.node).element);
    members.push_back({size, 1, size});
    g.front = g.front < 0 ? -1 : 1;
  }
  /// None where one of the divisors is none of a reciprocal.
  constexpr void take_divisors(group& g) {
    for (int f : factors_of(g.node)) {
      double const p = divides(f, g.node);
      if (p == 0) continue;
      int const base = split_power(from_, f).base;
      if (!(p <= 8) || !is_whole(2 * p) || from_.is<op::cosh>(base) || from_.is_literal(base))
        return members.shrink(g.first);
      g.below = mix(g.below, from_[f].hash);
      if (!is_whole(p)) members.push_back({2 * base + 1, p, f});
      if (p >= 1) members.push_back({2 * base, p, f});
    }
    g.changed = true;
  }
  /// Which nodes are more than factors of products: a factor that is smaller than its product is,
  /// since it is computed before.
  constexpr list<bool> standing_alone(list<bool> const& live) const {
    list<bool> all = list<bool>(from_.size());
    for (int id : from_.results()) all[id] = true;
    for (update const& u : from_.updates()) all[u.value] = true;
    for (int id = 0; id < from_.size(); ++id) {
      if (!live[id]) continue;
      bool const is_product = from_.is<op::mul>(id);
      for (int in : from_.inputs(id))
        if (!is_product || from_.type(in) != from_.type(id)) all[in] = true;
    }
    return all;
  }

  graph& from_;
};

}  // namespace kroton::rewrite
