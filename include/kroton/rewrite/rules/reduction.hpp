// Rules of reductions: factors that do not vary leave, reductions of reductions and of views become
// one.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/rewrite/form/multiple.hpp>
#include <kroton/rewrite/rules/unshuffled.hpp>
#include <kroton/rewrite/rules/view.hpp>

namespace kroton::rewrite::rules {

constexpr bool is_reduction(graph const& g, int id) {
  return g.is<op::sum>(id) || g.is<op::prod>(id) || g.is<op::max>(id) || g.is<op::min>(id) ||
         g.is<op::all>(id) || g.is<op::any>(id);
}
/// Whether reducing over an extent of 1 only drops it, whatever the op; and reducing equal elements
/// gives one of them.
constexpr bool is_extremal(graph const& g, int id) {
  return !g.is<op::sum>(id) && !g.is<op::prod>(id);
}

constexpr long long axes_of(graph const& g, int id) { return g.attribute(id, 0); }
/// Whether a reduction keeps its axes, as none does in normal form: where reduction_with_kept_axes
/// is left out, other rules leave it alone.
constexpr bool keeps_axes(graph const& g, int id) { return g.attribute(id, 1) != 0; }
/// Whether a reduction over one element is that element. A sum starts from 0, so that of -0 it is
/// 0.
constexpr bool keeps_single(rewriter const& r, op_info const* op, int x) {
  return r.real() || !is_op<op::sum>(op) || !is_continuous(r.g.type(x).element);
}
constexpr int reduced(rewriter& r, op_info const* op, int x, long long axes) {
  int const inputs[] = {x};
  long long const attributes[] = {axes, 0};
  return axes == 0 && keeps_single(r, op, x) ? x : r.make(op, inputs, attributes);
}

/// A reduction that keeps its axes is a dimshuffle of one that does not.
constexpr int reduction_with_kept_axes(rewriter& r, int id) {
  graph& g = r.g;
  if (!keeps_axes(g, id)) return -1;
  int const x = g.input_of(id, 0);
  long long const axes = axes_of(g, id);
  list<long long> pattern;
  int position = 0;
  for (int d = 0; d < g.type(x).rank; ++d)
    pattern.push_back((axes >> d & 1) != 0 ? -1 : position++);
  return make_view(r, reduced(r, g[id].op, x, axes), pattern);
}

/// A reduction over axes of extent 1 drops them; over no axis it is its operand.
constexpr int reduction_over_ones(rewriter& r, int id) {
  graph& g = r.g;
  int const x = g.input_of(id, 0);
  long long const axes = axes_of(g, id);
  list<long long> pattern;
  long long rest = 0;
  for (int d = 0; d < g.type(x).rank; ++d) {
    if ((axes >> d & 1) != 0 && g.type(x).broadcasts(d)) continue;
    if ((axes >> d & 1) != 0) rest |= 1ll << pattern.size();
    pattern.push_back(d);
  }
  if (keeps_axes(g, id)) return -1;
  if (pattern.size() == g.type(x).rank && (axes != 0 || !keeps_single(r, g[id].op, x))) return -1;
  return reduced(r, g[id].op, make_view(r, x, pattern), rest);
}

/// sum(sum(x)) is one sum, max(max(x)) one maximum.
constexpr int reduction_of_reduction(rewriter& r, int id) {
  graph& g = r.g;
  int const x = g.input_of(id, 0);
  if (!(*g[x].op == *g[id].op) || keeps_axes(g, id) || keeps_axes(g, x)) return -1;
  // The inner sums may overflow where those of all do not.
  if (!r.real() && !is_extremal(g, id) && is_continuous(g.type(x).element)) return -1;
  long long axes = axes_of(g, x);
  for (int d = 0, position = 0; d < g.type(g.input_of(x, 0)).rank; ++d)
    if ((axes_of(g, x) >> d & 1) == 0 && (axes_of(g, id) >> position++ & 1) != 0) axes |= 1ll << d;
  return reduced(r, g[id].op, g.input_of(x, 0), axes);
}

/// A reduction of a dimshuffle reduces the axes where they come from.
constexpr int reduction_of_dimshuffle(rewriter& r, int id) {
  graph& g = r.g;
  int const x = g.input_of(id, 0);
  if (keeps_axes(g, id)) return -1;
  if (g[x].op->elementwise) {
    // What the axes have sunk below comes out again: a sum does not ask for their order.
    list<long long> const pattern = common_permutation(g, x);
    int const form = pattern.empty() ? -1 : unshuffled(r, x, pattern);
    if (form < 0) return -1;
    long long axes = 0;
    list<long long> kept, order;
    for (int d = 0; d < pattern.size(); ++d)
      if ((axes_of(g, id) >> d & 1) != 0) axes |= 1ll << pattern[d];
      else kept.push_back(pattern[d]);
    for (long long from : kept) {
      long long before = 0;
      for (long long other : kept) before += other < from ? 1 : 0;
      order.push_back(before);
    }
    return make_view(r, reduced(r, g[id].op, form, axes), order);
  }
  if (!g.is<op::dimshuffle>(x)) return -1;
  int const source = g.input_of(x, 0);
  long long axes = 0, kept = 0;
  for (int d = 0; d < g[x].attribute_count; ++d) {
    long long const from = g.attribute(x, d);
    if (from < 0) continue;
    ((axes_of(g, id) >> d & 1) != 0 ? axes : kept) |= 1ll << from;
  }
  // Axes of extent 1 that the dimshuffle drops are reduced too.
  for (int d = 0; d < g.type(source).rank; ++d)
    if ((kept >> d & 1) == 0) axes |= 1ll << d;
  int const inner = reduced(r, g[id].op, source, axes);
  list<long long> pattern;
  for (int d = 0; d < g[x].attribute_count; ++d) {
    if ((axes_of(g, id) >> d & 1) != 0) continue;
    long long from = g.attribute(x, d);
    for (int e = 0; from >= 0 && e < g.attribute(x, d); ++e)
      if ((axes >> e & 1) != 0) --from;
    pattern.push_back(from);
  }
  return make_view(r, inner, pattern);
}

/// An operand of an elementwise op with result rank `rank`, without the reduced axes (which it does
/// not span).
constexpr int without_axes(rewriter& r, int operand, long long axes, int rank) {
  list<long long> pattern;
  for (int d = 0; d < r.g.type(operand).rank; ++d)
    if ((axes >> (d + rank - r.g.type(operand).rank) & 1) == 0) pattern.push_back(d);
  return make_view(r, operand, pattern);
}
constexpr bool spans_any(graph const& g, int id, long long axes, int rank) {
  for (int d = 0; d < rank; ++d)
    if ((axes >> d & 1) != 0 && g.type(id).spans(d, rank)) return true;
  return false;
}
/// The number of elements reduced into one, in the element type of the reduction.
constexpr int count_over(rewriter& r, int x, long long axes, element as) {
  int count = r.g.literal(1, element::int64);
  for (int d = 0; d < r.g.type(x).rank; ++d)
    if ((axes >> d & 1) != 0) count = r.make<op::mul>({count, r.extent(x, d)});
  return r.cast(count, as);
}

/// sum(c * x) is c * sum(x), for every factor that is constant along the reduced axes. (Not so
/// prod(c * x), of which c^n may overflow where prod(x) is small.)
constexpr int sum_of_product(rewriter& r, int id) {
  graph& g = r.g;
  int const x = g.input_of(id, 0), rank = g.type(x).rank;
  if (keeps_axes(g, id)) return -1;
  if (g.is<op::add>(x)) {
    summand const t = split_multiple(r, x);
    if (t.node == x) return -1;
    int const inner = reduced(r, g[id].op, t.node, axes_of(g, id));
    return r.make<op::mul>({r.literal(t.times), inner});
  }
  if (!g.is<op::mul>(x)) return -1;
  list<int> outside, inside;
  for (int f : r.inputs(x)) (spans_any(g, f, axes_of(g, id), rank) ? inside : outside).push_back(f);
  if (outside.empty()) return -1;
  auto times = [&](list<int> const& factors) {
    return factors.size() == 1 ? factors[0] : r.make(identity<op::mul>(), factors);
  };
  if (inside.empty()) return -1;
  long long const axes = axes_of(g, id);
  for (int& f : outside) f = without_axes(r, f, axes, rank);
  int const outer = times(outside);
  int const inner = times(inside);
  // The rest may have a lower rank: its axes are the last ones.
  int const missing = rank - g.type(inner).rank;
  int const reduced_inner = reduced(r, g[id].op, inner, axes >> missing);
  return r.make<op::mul>({outer, reduced_inner});
}

/// max(c * x) is c * max(x) for c > 0, and c * min(x) for c < 0.
constexpr int extremum_of_multiple(rewriter& r, int id) {
  graph& g = r.g;
  int const x = g.input_of(id, 0);
  if ((!g.is<op::max>(id) && !g.is<op::min>(id)) || !is_float(g.type(x).element) ||
      keeps_axes(g, id))
    return -1;
  summand const t = split_multiple(r, x);
  if (t.node == x || g.type(t.node).rank != g.type(x).rank) return -1;
  bool const flip = t.times.negative();
  op_info const* op = g.is<op::max>(id) != flip ? identity<op::max>() : identity<op::min>();
  int const inner = reduced(r, op, t.node, axes_of(g, id));
  return r.make<op::mul>({r.literal(t.times), inner});
}

/// Whether a node is a finite number above 0, or 0 without a sign.
constexpr bool is_positive_literal(graph const& g, int id) {
  if (!g.is_literal(id)) return false;
  double const value = g.literal_value(id);
  return value >= 0 && value <= std::numeric_limits<double>::max() &&
         __builtin_bit_cast(std::int64_t, value) != negative_zero;
}

/// A reduction of a spread value: sum(alloc(c, n)) is n * c, prod is c^n, and an extremum is c
/// itself.
constexpr int reduction_of_alloc(rewriter& r, int id) {
  graph& g = r.g;
  int const x = g.input_of(id, 0);
  if (!g.is<op::alloc>(x) || keeps_axes(g, id)) return -1;
  int const value = g.input_of(x, 0), rank = g.type(x).rank;
  long long spread = 0, axes = axes_of(g, id);
  for (int d = 0; d < rank; ++d)
    if ((axes >> d & 1) != 0 && !g.type(value).spans(d, rank)) spread |= 1ll << d;
  // Of nothing an extremum is an error, and all of nothing is true: the extents must not be
  // forgotten.
  if (spread == 0 || is_extremal(g, id) || is_bool(g.type(x).element)) return -1;
  // An infinity times no elements is not their sum, nor is -0 times any number of them.
  if (g.is<op::sum>(id) && is_continuous(g.type(x).element) && !r.real() &&
      !is_positive_literal(g, value))
    return -1;
  int result = without_axes(r, value, spread, rank);
  long long rest = 0;
  for (int d = 0, position = 0; d < rank; ++d) {
    if ((spread >> d & 1) != 0) continue;
    if ((axes >> d & 1) != 0) rest |= 1ll << position;
    ++position;
  }
  int const missing =
      rank - std::popcount(static_cast<unsigned long long>(spread)) - g.type(result).rank;
  if (g.is<op::prod>(id) && !is_float(g.type(x).element)) return -1;
  int const count = count_over(r, x, spread, g.type(x).element);
  if (rest >> missing != 0) result = reduced(r, g[id].op, result, rest >> missing);
  return g.is<op::prod>(id) ? r.make<op::pow>({result, count}) : r.make<op::mul>({result, count});
}

}  // namespace kroton::rewrite::rules
