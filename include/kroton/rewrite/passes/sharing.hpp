// What several sums, products or denominators have in common is computed once.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/rewrite/engine/options.hpp>
#include <kroton/rewrite/engine/order.hpp>
#include <kroton/rewrite/passes/lower.hpp>
#include <kroton/rewrite/passes/multisets.hpp>

namespace kroton::rewrite {

/// Computes two members that several multisets have in common once, again and again:
///
/// - a + 10*b and 2*a + 20*b + c are t = a + 10*b and 2*t + c. The normal form takes sums of sums
///   apart, so that terms cancel; what gradients are made of comes together here again. A term is
///   never divided: half a sum may overflow where the sum of halves does not. Multiples are exact.
/// - a*b*c and a*b*d take three multiplications. The products of a gradient are those of its
///   function, again and again, with other signs: a coefficient is a factor, except for its sign,
///   and so is a divisor: a*b/c and a*d/c divide once.
///
/// Divisors that three quotients and more have among theirs are replaced by their reciprocals, as
/// in reciprocal_pass: a/b, c/(b*d), e/d, b/d take two divisions. Two suffice where both divide by
/// higher powers than squares, such as 1/b^3 and a/b^4: squares of integers may be divided exactly.
class sharing {
 public:
  constexpr sharing(graph from, multiset kind)
      : from_(std::move(from)), kind_(kind), sets_(from_, kind) {}

  /// Chooses what is computed once; whether there is anything.
  constexpr bool choose() {
    return kind_ == multiset::divisors ? choose_divisors() : choose_pairs();
  }
  /// The graph as it was.
  constexpr graph& given() { return from_; }
  /// The graph with what has been chosen.
  constexpr graph run() {
    made_ = list<int>(pairs_.size(), -1);
    op_info const* const op = kind_ == multiset::terms ? identity<op::add>() : identity<op::mul>();
    int next = 0;
    return rebuilt(from_, [&](graph& to, int id, list<int> const& image) {
      if (next == sets_.groups.size() || sets_.groups[next].node != id) return -1;
      group const& g = sets_.groups[next++];
      if (!g.changed) return -1;
      list<int> inputs;
      if (kind_ == multiset::terms) add_terms(to, g, image, inputs);
      else if (kind_ == multiset::factors) add_factors(to, g, image, inputs);
      else add_reciprocals(to, g, image, inputs);
      return inputs.size() == 1 ? inputs[0] : to.add(op, from_.type(id), inputs, {});
    });
  }

 private:
  using member = multisets::member;
  using group = multisets::group;
  static constexpr int constant = multisets::constant, alone = multisets::alone;
  // From this number on, a base is a pair.
  static constexpr int first_pair = 1 << 28;
  // What quotients of one divisor have to count together
  static constexpr int enough = 6;
  static constexpr int weight(member const& m) { return m.times > 2 ? 3 : 2; }
  /// a + ratio * b, or a * b, with a factor in front, in a group.
  struct pair {
    int a, b;
    double ratio, times;
    int group;
    constexpr bool is_before(pair const& o) const {
      return a != o.a ? a < o.a : b != o.b ? b < o.b : ratio < o.ratio;
    }
  };

  /// Whether groups have pairs in common, which then stand in their place.
  constexpr bool choose_pairs() {
    list<group>& groups = sets_.groups;
    if (groups.size() < 2) return false;
    list<int> uses = list<int>(from_.size());
    for (member const& m : sets_.members)
      if (m.base >= 0) ++uses[m.base];
    int kept = 0;
    for (group const& g : groups) {
      int common = 0;
      for (int k = g.first; k < g.first + g.count; ++k) {
        int& base = sets_.members[k].base;
        if (base >= 0 && uses[base] < 2) base = alone;
        common += base != alone ? 1 : 0;
      }
      if (common > 1) groups[kept++] = g;
    }
    groups.shrink(kept);
    while (groups.size() > 1 && replace_frequent_pairs()) {}
    bool any = false;
    for (group& g : groups) any = (g.changed = g.changed && has_new_pair(g)) || any;
    return any;
  }
  /// Whether a group has more than squares, which are shared as they are.
  constexpr bool has_new_pair(group const& g) const {
    for (member const& m : sets_.of(g)) {
      if (m.base < first_pair) continue;
      pair const& p = pairs_[m.base - first_pair];
      if (p.a != p.b || p.a >= first_pair || kind_ == multiset::terms) return true;
    }
    return false;
  }
  /// Replaces pairs from the most frequent on; whether there were any.
  constexpr bool replace_frequent_pairs() {
    struct candidate {
      int first, count;
    };
    list<pair> const all = pairs_in_groups();
    list<candidate> candidates;
    for (int i = 0, n = 0; i < all.size(); i += n) {
      for (n = 1; i + n < all.size() && !all[i].is_before(all[i + n]);) ++n;
      if (n > 1) candidates.push_back({i, n});
    }
    merge_sort(candidates,
               [](candidate const& x, candidate const& y) { return x.count > y.count; });
    bool any = false;
    for (candidate const& c : candidates) {
      // Those that are half as frequent wait for the next time, when what is found now may be part
      // of them.
      if (2 * c.count <= candidates[0].count) break;
      int left = 0;
      for (int k = c.first; k < c.first + c.count; ++k) left += find(all[k]).is_there() ? 1 : 0;
      if (left < 2) continue;
      any = true;
      pairs_.push_back(all[c.first]);
      for (int k = c.first; k < c.first + c.count; ++k)
        while (replace(all[k])) {}
    }
    return any;
  }
  constexpr list<pair> pairs_in_groups() const {
    list<pair> all;
    for (int g = 0; g < sets_.groups.size(); ++g) {
      items<member> const m = sets_.of(sets_.groups[g]);
      // Equal ones stand next to each other, so that a pair is noted once.
      auto counts = [&](int k, int first) {
        return m[k].base != alone && (k == first || !m[k].is(m[k - 1]));
      };
      for (int i = 0; i < m.count; ++i)
        for (int j = i + 1; counts(i, 0) && j < m.count; ++j)
          if (counts(j, i + 1)) note(m[i], m[j], g, all);
    }
    merge_sort(all, [](pair const& x, pair const& y) { return x.is_before(y); });
    return all;
  }
  /// The term with the smaller coefficient comes first, and has none in the pair.
  static constexpr void note(member x, member y, int group, list<pair>& all) {
    double const p = magnitude(x.times), q = magnitude(y.times);
    if (p > q || (p == q && x.base > y.base)) std::swap(x, y);
    if (magnitude(x.times) < 1) return;
    double const ratio = y.times / x.times;
    bool const is_exact = magnitude(x.times) == 1 ||
                          (is_short(x.times) && is_short(ratio) && x.times * ratio == y.times);
    if (is_exact) all.push_back({x.base, y.base, ratio, x.times, group});
  }
  /// A number whose product with another such one has all its digits.
  static constexpr bool is_short(double x) {
    return magnitude(x) <= 1e30 && static_cast<double>(static_cast<float>(x)) == x;
  }
  struct place {
    int a = -1, b = -1;
    constexpr bool is_there() const { return a >= 0 && b >= 0; }
  };
  constexpr place find(pair const& p) const {
    group const& g = sets_.groups[p.group];
    place at;
    for (int k = g.first; k < g.first + g.count; ++k)
      if (int const base = sets_.members[k].base; at.a < 0 && base == p.a) at.a = k;
      else if (base == p.b) at.b = k;
    return at;
  }
  /// Puts the newest pair in the place of its members; false where one is not there any more.
  constexpr bool replace(pair const& p) {
    place const at = find(p);
    if (!at.is_there()) return false;
    group& g = sets_.groups[p.group];
    int kept = g.first;
    for (int k = g.first; k < g.first + g.count; ++k)
      if (k != at.a && k != at.b) sets_.members[kept++] = sets_.members[k];
    sets_.members[kept] = {first_pair + pairs_.size() - 1, p.times, -1};
    --g.count;
    return g.changed = true;
  }

  /// Keeps the quotients all of whose divisors belong to enough of them; whether that saves
  /// divisions.
  constexpr bool choose_divisors() {
    list<group>& groups = sets_.groups;
    if (groups.size() < 2) return false;
    list<int> uses;
    for (bool again = true; again;) {
      uses = list<int>(2 * from_.size());
      for (group const& g : groups)
        for (member const& m : sets_.of(g)) uses[m.base] += g.changed ? weight(m) : 0;
      again = false;
      for (group& g : groups)
        for (member const& m : sets_.of(g))
          if (g.changed && uses[m.base] < enough) g.changed = false, again = true;
    }
    int before = 0, after = 0;
    for (int used : uses) after += used > 0 ? 1 : 0;
    list<std::uint64_t> below;
    for (group const& g : groups)
      if (g.changed) below.push_back(g.below);
    merge_sort(below, [](std::uint64_t x, std::uint64_t y) { return x < y; });
    for (int i = 0, n = 0; i < below.size(); i += n) {
      for (n = 1; i + n < below.size() && below[i + n] == below[i];) ++n;
      before += n < 3 ? n : 1;  // those of one denominator: see reciprocal_pass
    }
    return after < before;
  }

  static constexpr int power(graph& to, int base, double n) {
    return n == 1 ? base : to.apply<op::pow>({base, to.literal(n, to.type(base).element)});
  }
  /// What a node, a product without its coefficient, or a pair is in the new graph.
  constexpr int node_of(graph& to, int base, list<int> const& image) {
    if (base >= first_pair) {
      int& made = made_[base - first_pair];
      if (made < 0) made = sum_or_product(to, pairs_[base - first_pair], image);
      return made;
    }
    if (image[base] >= 0) return image[base];
    if (from_.is_literal(base))
      return to.literal_of_bits(from_.literal_bits(base), from_.type(base).element);
    list<int> factors;
    for (int f : from_.inputs(base)) factors.push_back(image[f]);
    return to.add(from_[base].op, from_.type(base), factors, {});
  }
  constexpr int sum_or_product(graph& to, pair const& p, list<int> const& image) {
    if (kind_ == multiset::terms) {
      element const e = from_.type(sets_.groups[p.group].node).element;
      return to.apply<op::add>(
          {multiple(to, p.a, 1, e, image), multiple(to, p.b, p.ratio, e, image)});
    }
    int const a = node_of(to, p.a, image), b = node_of(to, p.b, image);
    return a == b             ? power(to, a, 2)
           : to.is_literal(b) ? to.apply<op::mul>({b, a})
                              : to.apply<op::mul>({a, b});
  }
  constexpr int multiple(graph& to, int base, double times, element e, list<int> const& image) {
    if (base == constant) return to.literal(times, e);
    int const node = node_of(to, base, image);
    return times == 1 ? node : to.apply<op::mul>({to.literal(times, e), node});
  }
  constexpr void add_terms(graph& to, group const& g, list<int> const& image, list<int>& all) {
    element const e = from_.type(g.node).element;
    for (member const& m : sets_.of(g))
      all.push_back(m.node >= 0 ? image[m.node] : multiple(to, m.base, m.times, e, image));
  }
  /// What is not a member stands where it stood, behind the coefficient.
  constexpr void add_factors(graph& to, group const& g, list<int> const& image, list<int>& all) {
    double front = g.front;
    for (int k = has_coefficient(from_, g.node) ? 1 : 0; k < from_[g.node].input_count; ++k)
      if (int const f = from_.input_of(g.node, k); sets_.times(f, g.node) == 0)
        all.push_back(image[f]);
    items<member> const m = sets_.of(g);
    for (int k = 0, n = 1; k < m.count; k += n) {
      for (n = 1; k + n < m.count && m[k + n].is(m[k]);) ++n;
      int const node = m[k].node;
      if (node >= 0 && from_.is_literal(node)) front *= from_.literal_value(node);
      else all.push_back(power(to, node >= 0 ? image[node] : node_of(to, m[k].base, image), n));
    }
    if (front != 1) all.insert(0, to.literal(front, from_.type(g.node).element));
  }
  constexpr void add_reciprocals(graph& to, group const& g, list<int> const& image,
                                 list<int>& all) const {
    for (int f : sets_.factors_of(g.node)) {
      double const p = sets_.divides(f, g.node);
      int const base = image[p == 0 ? f : split_power(from_, f).base];
      if (p == 0) all.push_back(base);
      if (!is_whole(p)) all.push_back(to.apply<op::inv>({power(to, base, 0.5)}));
      if (p >= 1)
        all.push_back(
            power(to, to.apply<op::inv>({base}), static_cast<double>(static_cast<int>(p))));
    }
  }

  graph from_;
  multiset kind_;
  multisets sets_;
  list<pair> pairs_;  // with the groups in which they were first found
  list<int> made_;
};

/// The function of a row of the table of passes.
template <multiset Kind>
constexpr graph share(graph g, rewrite_options const&) {
  sharing found(std::move(g), Kind);
  if (!found.choose()) return std::move(found.given());
  return found.run();
}
/// Products may be shared as they are written: then they are left alone. In large graphs there are
/// always others.
constexpr graph share_products(graph g, rewrite_options const&) {
  constexpr int large = 256;
  sharing found(std::move(g), multiset::factors);
  if (!found.choose()) return std::move(found.given());
  graph made = found.run();
  graph& given = found.given();
  bool const may_be_as_written = given.has_written() && given.size() <= large;
  if (may_be_as_written && work_as_lowered(made) >= work_as_lowered(given)) return std::move(given);
  return made;
}

}  // namespace kroton::rewrite
