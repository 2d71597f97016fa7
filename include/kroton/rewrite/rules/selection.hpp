// Rules of choices, comparisons, conversions, signs and extents that need to look at types or at
// several operands.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/conditional.hpp>
#include <kroton/rewrite/engine/trial.hpp>
#include <kroton/rewrite/form/laws.hpp>

namespace kroton::rewrite::rules {

/// A conversion of a conversion that lost nothing is one conversion, or none. From integers to
/// floats and on to integers that do not hold them all it stays: floats saturate, integers wrap.
constexpr int cast_of_cast(rewriter& r, int id) {
  graph& g = r.g;
  int const x = g.input_of(id, 0);
  if (!g.is<op::cast>(x)) return -1;
  int const source = g.input_of(x, 0);
  element const from = g.type(source).element, middle = g.type(x).element, to = g.type(id).element;
  if (!is_lossless(from, middle)) return -1;
  if (is_integer(from) && is_continuous(middle) && is_integer(to) && !is_lossless(from, to))
    return -1;
  // Through bool every number becomes 0 or 1; to bool it asks for more than 0.
  return r.cast(source, to);
}

/// A conversion of a choice of which a branch is a literal chooses among what is converted: loops
/// keep to one type. Not one that leaves the floating-point numbers: what is not chosen may have no
/// value there, and lanes are converted as they are stored.
constexpr int cast_of_where(rewriter& r, int id) {
  graph& g = r.g;
  int const x = g.input_of(id, 0);
  if (!g.is<op::where>(x)) return -1;
  int const c = g.input_of(x, 0), a = g.input_of(x, 1), b = g.input_of(x, 2);
  if (!g.is_literal(a) && !g.is_literal(b)) return -1;
  element const from = g.type(x).element, to = g.type(id).element;
  if ((is_continuous(from) && !is_continuous(to)) || is_short(to)) return -1;
  return r.make<op::where>({c, r.cast(a, to), r.cast(b, to)});
}

/// A choice with a constant condition, or between equals, is not a choice; of a negated condition
/// it is the other one.
template <class Choice>
constexpr int decided_choice(rewriter& r, int id) {
  graph& g = r.g;
  int const c = g.input_of(id, 0), a = g.input_of(id, 1), b = g.input_of(id, 2);
  if (g.is_literal(c)) return g.is_literal(c, 0) ? b : a;
  if (a == b) return a;
  if (g.is<op::bit_not>(c)) return r.make<Choice>({g.input_of(c, 0), b, a});
  return -1;
}

/// What is chosen where it equals 0 is 0.
constexpr int chosen_zero(rewriter& r, int id) {
  graph& g = r.g;
  int const c = g.input_of(id, 0), a = g.input_of(id, 1);
  if (!g.is<op::eq>(c) || g.is_literal(a)) return -1;
  int const left = g.input_of(c, 0), right = g.input_of(c, 1);
  if ((left != a || !g.is_literal(right, 0)) && (right != a || !g.is_literal(left, 0))) return -1;
  return r.make<op::where>({c, r.literal(0, g.type(a).element), g.input_of(id, 2)});
}

/// A branch of a choice by `c` in which choices by the same condition are decided: the branch
/// itself, or where it is a product, a factor that then cancels.
template <class Choice>
constexpr int decided_branch(rewriter& r, int id, int c, int branch) {
  graph& g = r.g;
  auto decided = [&](int x) {
    return g.is<Choice>(x) && g.input_of(x, 0) == c ? g.input_of(x, branch) : x;
  };
  if (!g.is<op::mul>(id)) return decided(id);
  list<int> factors;  // also of products that other nodes read, too
  for (int f : r.inputs(id)) {
    if (g.is<op::mul>(f)) factors.append(g.input_data(f), g[f].input_count);
    else factors.push_back(f);
  }
  bool changed = false;
  for (int& f : factors) {
    factor const p = split_power(g, f);
    int const base = decided(p.base);
    if (base == p.base) continue;
    changed = true;
    f = p.power.is(1) ? base : r.settle(power_of(r, {base, p.power}));
  }
  bool fires = false;
  int const form = changed ? tried(r, g[id].op, factors, fires) : id;
  return fires ? form : id;
}
/// A choice inside a branch by the same condition is decided.
template <class Choice>
constexpr int nested_choice(rewriter& r, int id) {
  graph& g = r.g;
  int const c = g.input_of(id, 0), a = g.input_of(id, 1), b = g.input_of(id, 2);
  int const left = decided_branch<Choice>(r, a, c, 1), right = decided_branch<Choice>(r, b, c, 2);
  if (left == a && right == b) return -1;
  return r.make<Choice>({c, r.conform(left, a), r.conform(right, b)});
}

/// Whether a node in normal form is the difference of two others.
constexpr bool is_difference(graph const& g, int id, int& from, int& taken) {
  if (!g.is<op::add>(id) || g[id].input_count != 2) return false;
  auto negated = [&](int i) {
    int const t = g.input_of(id, i);
    return g.is<op::mul>(t) && g[t].input_count == 2 && g.is_literal(g.input_of(t, 0), -1)
               ? g.input_of(t, 1)
               : -1;
  };
  int const second = negated(1) >= 0 ? 1 : 0;
  taken = negated(second);
  from = g.input_of(id, 1 - second);
  return taken >= 0;
}
/// Whether a node is the minimum of two of which one is `limit`; gives the other.
constexpr bool is_limited(graph const& g, int id, int limit, int& other) {
  if (!g.is<op::minimum>(id) || g[id].input_count != 2) return false;
  int const a = g.input_of(id, 0), b = g.input_of(id, 1);
  other = a == limit ? b : a;
  return a == limit || b == limit;
}

constexpr bool is_count(graph const& g, int id, int depth = 8);

/// Whether a node is what a slice leaves of an extent, n - min(a, n), or reads of it,
/// min(b, n) - min(a, n) with a <= b, where a and n are counts.
constexpr bool is_rest(graph const& g, int id, int& from, int& taken, int& a, int depth = 8) {
  if (!is_difference(g, id, from, taken)) return false;
  auto are_counts = [&](int x, int y) {
    return is_count(g, x, depth - 1) && is_count(g, y, depth - 1);
  };
  if (is_limited(g, taken, from, a)) return are_counts(a, from);
  int b = 0;
  for (int i = 0; g.is<op::minimum>(from) && i < 2; ++i) {
    int const n = g.input_of(from, i);
    if (is_limited(g, from, n, b) && is_limited(g, taken, n, a) && g.is_literal(a) &&
        g.is_literal(b))
      return g.literal_bits(a) <= g.literal_bits(b) && are_counts(a, n);
  }
  return false;
}

/// A number that is known not to be negative, nor so large that a sum of such overflows: an extent,
/// or made of extents. Not just the maximum of any number and 0, which may be the largest of all.
constexpr bool is_count(graph const& g, int id, int depth) {
  if (g.type(id).element != element::int64 || depth <= 0) return false;
  constexpr std::int64_t most = std::int64_t{1} << 48;
  if (g.is_literal(id)) return g.literal_bits(id) >= 0 && g.literal_bits(id) <= most;
  if (g.is<op::extent_of>(id)) return true;
  if (int from = 0, taken = 0, a = 0; is_rest(g, id, from, taken, a, depth)) return true;
  bool const made = g.is<op::mul>(id) || g.is<op::add>(id) || g.is<op::floordiv>(id) ||
                    g.is<op::minimum>(id) || g.is<op::maximum>(id);
  if (!made) return false;
  for (int i : g.inputs(id))
    if (!is_count(g, i, depth - 1)) return false;
  return true;
}

/// A slice of what a slice left: min(b, n - min(a, n)) is min(a + b, n) - min(a, n) for counts a
/// and b; n may be limited. Of two such rests the one of which more was taken is the smaller one.
constexpr int limit_of_rest(rewriter& r, int id) {
  graph& g = r.g;
  if (g.type(id).element != element::int64 || g[id].input_count != 2) return -1;
  for (int i = 0; i < 2; ++i) {
    int const rest = g.input_of(id, i), b = g.input_of(id, 1 - i);
    int from = 0, taken = 0, a = 0;
    if (!is_rest(g, rest, from, taken, a) || !is_count(g, b)) continue;
    if (int other = 0, less = 0, c = 0; is_rest(g, b, other, less, c) && other == from &&
                                        g.is_literal(a) && g.is_literal(c))
      return g.literal_bits(a) < g.literal_bits(c) ? b : rest;
    int const both = r.make<op::add>({a, b});
    int const limited = r.make<op::minimum>({both, from});
    return r.make<op::sub>({limited, taken});
  }
  return -1;
}

/// What slices leave of an extent at both ends, where that is not less than nothing: for a count n
/// and numbers k, max(0, n - min(k1, n) - k2) is n - min(k1 + k2, n). Some may be given back, if
/// for each of them something is taken at that place: then what is less than n takes all.
constexpr int rest_of_slices(rewriter& r, int id) {
  graph& g = r.g;
  int const zero = g.is_literal(g.input_of(id, 0), 0) ? 0 : 1, sum = g.input_of(id, 1 - zero);
  if (g.type(id).element != element::int64 || !g.is_literal(g.input_of(id, zero), 0) ||
      !g.is<op::add>(sum))
    return -1;
  constexpr std::int64_t most = std::int64_t{1} << 40, most_times = 8;
  struct part {
    std::int64_t length, times;
  };
  list<part> taken;
  int whole = -1, limit = -1;
  for (int term : g.inputs(sum)) {
    bool const is_multiple =
        g.is<op::mul>(term) && g[term].input_count == 2 && g.is_literal(g.input_of(term, 0));
    int const node = is_multiple ? g.input_of(term, 1) : term;
    if (g.is_literal(term)) {
      taken.push_back({-g.literal_bits(term), 1});
    } else if (g.is<op::minimum>(node) && g[node].input_count == 2) {
      int const k = g.is_literal(g.input_of(node, 0)) ? 0 : 1, n = g.input_of(node, 1 - k);
      if (!g.is_literal(g.input_of(node, k)) || (limit >= 0 && limit != n)) return -1;
      limit = n;
      std::int64_t const times = is_multiple ? g.literal_bits(g.input_of(term, 0)) : 1;
      taken.push_back({g.literal_bits(g.input_of(node, k)), -times});
    } else if (whole < 0 && !is_multiple) {
      whole = term;
    } else {
      return -1;
    }
  }
  if (whole < 0 || (limit >= 0 && limit != whole) || !is_count(g, whole)) return -1;
  std::int64_t all = 0;
  for (part const& p : taken) {
    if (p.length < 0 || p.length > most || p.times < -most_times || p.times > most_times) return -1;
    all += p.length * p.times;
    std::int64_t here = 0;
    for (part const& other : taken) here += other.length >= p.length ? other.times : 0;
    if (here < 1) return -1;
  }
  return r.make<op::sub>({whole, r.make<op::minimum>({g.literal(all, element::int64), whole})});
}

/// Whether a sum has the terms of another count and otherwise only counts: it is not smaller.
constexpr bool adds_counts(graph const& g, int sum, int part) {
  if (!g.is<op::add>(sum) || !is_count(g, part)) return false;
  list<int> open;
  if (g.is<op::add>(part)) open.append(g.input_data(part), g[part].input_count);
  else open.push_back(part);
  for (int term : g.inputs(sum)) {
    int at = 0;
    while (at < open.size() && open[at] != term) ++at;
    if (at < open.size()) open.erase(at);
    else if (!is_count(g, term)) return false;
  }
  return open.empty();
}

/// Comparisons of an extent with 0, its maximum or minimum with numbers below, and those of sums of
/// extents and what they are sums of, are decided. (a > b is b < a here.)
constexpr int decided_extent(rewriter& r, int id) {
  graph& g = r.g;
  int const a = g.input_of(id, 0), b = g.input_of(id, 1);
  if (g.is_literal(a) && g.is_literal(b) && is_signed(g.type(a).element)) {
    bool const less = g.literal_bits(a) < g.literal_bits(b);
    if (g.is<op::minimum>(id)) return less ? a : b;
    if (g.is<op::maximum>(id)) return less ? b : a;
  }
  if ((g.is<op::minimum>(id) || g.is<op::maximum>(id)) && g.type(id).element == element::int64) {
    if (adds_counts(g, a, b)) return g.is<op::minimum>(id) ? b : a;
    if (adds_counts(g, b, a)) return g.is<op::minimum>(id) ? a : b;
  }
  bool const left = g.is_literal(b) && g.literal_bits(b) <= 0 && is_count(g, a);
  bool const right = g.is_literal(a) && g.literal_bits(a) <= 0 && is_count(g, b);
  bool const zero = g.is_literal(left ? b : a, 0);
  if (!left && !right) return -1;
  if (g.is<op::maximum>(id)) return left ? a : b;
  if (g.is<op::minimum>(id)) return left ? b : a;
  if (g.is<op::lt>(id) && left) return r.literal(0, element::boolean);
  if (g.is<op::le>(id) && right) return r.literal(1, element::boolean);
  if (g.is<op::lt>(id) && right && !zero) return r.literal(1, element::boolean);
  return -1;
}

/// Bools and constants: x & true is x, x | true is true, x ^ x is false.
constexpr int decided_logic(rewriter& r, int id) {
  graph& g = r.g;
  element const e = g.type(id).element;
  if (is_float(e)) return -1;
  int const a = g.input_of(id, 0), b = g.input_of(id, 1);
  if (g.is<op::bit_xor>(id)) {
    if (a == b) return r.literal(0, e);
    return g.is_literal(a, 0) ? b : -1;
  }
  bool const conjunction = g.is<op::bit_and>(id) || (g.is<op::mul>(id) && is_bool(e));
  if (!g.is_literal(a) || (!conjunction && !g.is<op::bit_or>(id) && !is_bool(e))) return -1;
  if (g.is_literal(a, 0)) return conjunction ? a : b;
  return !is_bool(e) ? -1 : conjunction ? b : a;
}

/// The extent of an expression is that of an input, or a literal: no tensor is computed for it.
constexpr int extent_of_expression(rewriter& r, int id) {
  return r.extent(r.g.input_of(id, 0), static_cast<int>(r.g.attribute(id, 0)));
}

}  // namespace kroton::rewrite::rules
