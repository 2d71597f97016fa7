// Rules of tensors that are joined: parts of them, parts that were one tensor, and reductions over
// the axis they are joined along.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/shapes/joining.hpp>
#include <kroton/rewrite/rules/reduction.hpp>

namespace kroton::rewrite::rules {

constexpr int join_axis(graph const& g, int id) { return static_cast<int>(g.attribute(id, 0)); }

/// One tensor joined is that tensor.
constexpr int join_of_one(rewriter& r, int id) {
  return r.g[id].input_count == 2 ? r.g.input_of(id, 1) : -1;
}

/// Without the parts that have no elements.
constexpr int join_of_nothing(rewriter& r, int id) {
  graph& g = r.g;
  list<int> inputs{g.input_of(id, 0)};
  for (int k = 1; k < g[id].input_count; ++k)
    if (int const part = g.input_of(id, k); !g.is_literal(r.extent(part, join_axis(g, id)), 0))
      inputs.push_back(part);
  if (inputs.size() == 1 || inputs.size() == g[id].input_count) return -1;
  return r.make(identity<op::join>(), inputs, r.attributes(id));
}

constexpr bool same_attributes(graph const& g, int a, int b) {
  if (g[a].attribute_count != g[b].attribute_count) return false;
  for (int i = 0; i < g[a].attribute_count; ++i)
    if (g.attribute(a, i) != g.attribute(b, i)) return false;
  return true;
}
/// Whether both are ranges of one tensor along an axis.
constexpr bool are_ranges(graph const& g, int axis, int first, int second) {
  for (int part : {first, second}) {
    if (!g.is<op::subtensor>(part) || g.input_of(part, 0) != g.input_of(first, 0)) return false;
    for (int d = 0; d < g.type(part).rank; ++d)
      if (g.attribute(part, 2 * d) != (d == axis ? 2 : 0)) return false;
    if (g.attribute(part, 2 * axis + 1) != 1) return false;
  }
  return true;
}
/// Whether operands that span an axis have the extent there that a function of them would have.
constexpr bool span_alike(rewriter& r, int axis, int rank, list<int> const& operands) {
  int extent = -1;
  bool alike = true;
  for (int operand : operands) {
    if (r.g.type(operand).rank != rank || r.g.type(operand).broadcasts(axis)) continue;
    int const own = r.extent(operand, axis);
    alike = alike && (extent < 0 || own == extent);
    extent = own;
  }
  return alike;
}
/// The one range that two are that lie behind each other along an axis, also where they are
/// functions of such; -1 for others. An operand that is repeated along the axis in one part would
/// be repeated along the whole. That ranges fit does not say that what they are ranges of does.
constexpr int joined_ranges(rewriter& r, int axis, int rank, int first, int second, int depth = 6) {
  graph& g = r.g;
  if (g.type(first).rank == 0) return first == second ? first : -1;
  if (g.type(first).rank != rank || g.type(second).rank != rank || depth == 0) return -1;
  if (g.type(first).element != g.type(second).element || g.type(first).broadcasts(axis) ||
      g.type(second).broadcasts(axis))
    return -1;
  if (g[first].op->elementwise) {
    if (!(*g[first].op == *g[second].op) || g[first].input_count != g[second].input_count ||
        !same_attributes(g, first, second))
      return -1;
    list<int> operands, others = r.inputs(second);
    for (int i : r.inputs(first)) {
      // Other ranges may have put the operands in another order.
      int at = 0, both = -1;
      int const choices = g[first].op->has(law::commutative) ? others.size() : 1;
      for (; at < choices && both < 0; ++at)
        both = joined_ranges(r, axis, rank, i, others[at], depth - 1);
      if (both < 0) return -1;
      operands.push_back(both);
      others.erase(at - 1);
    }
    if (!span_alike(r, axis, rank, operands)) return -1;
    list<long long> const attributes = r.attributes(first);
    return g.is<op::cast>(first) ? r.cast(operands[0], g.type(first).element)
                                 : r.make(g[first].op, operands, attributes);
  }
  if (!are_ranges(g, axis, first, second)) return -1;
  int const end = r.make<op::add>({g.input_of(first, 1), g.input_of(first, 2)});
  if (r.representative(end) != r.representative(g.input_of(second, 1))) return -1;
  list<axis_selection> axes = selection_of(g, first);
  axes[axis].length = r.make<op::add>({g.input_of(first, 2), g.input_of(second, 2)});
  return r.settle(select(r, g.input_of(first, 0), axes));
}
/// Ranges of one tensor that lie behind each other, joined, are one range.
constexpr int join_of_ranges(rewriter& r, int id) {
  graph& g = r.g;
  int const axis = join_axis(g, id), rank = g.type(id).rank;
  list<int> inputs{g.input_of(id, 0)};
  bool changed = false;
  for (int k = 1; k < g[id].input_count; ++k) {
    int const part = g.input_of(id, k);
    int const both = inputs.size() > 1 ? joined_ranges(r, axis, rank, inputs.back(), part) : -1;
    if (both < 0) inputs.push_back(part);
    else inputs.back() = both;
    changed = changed || both >= 0;
  }
  return changed ? r.make(identity<op::join>(), inputs, list<long long>{axis}) : -1;
}

/// Whether an operand of what has a rank is repeated along an axis.
constexpr bool is_repeated(graph const& g, int id, int axis, int rank) {
  int const own = axis - (rank - g.type(id).rank);
  return own < 0 || g.type(id).broadcasts(own);
}
/// Whether two are the same function of ranges of the same tensors, and of what is repeated.
constexpr bool are_alike(graph const& g, int axis, int rank, int first, int second, int depth) {
  if (first == second) return is_repeated(g, first, axis, rank);
  if (g.type(first).rank != rank || !(g.type(first) == g.type(second)) || depth == 0) return false;
  if (!g[first].op->elementwise) return are_ranges(g, axis, first, second);
  if (*g[first].op != *g[second].op || g[first].input_count != g[second].input_count ||
      !same_attributes(g, first, second))
    return false;
  list<int> others;
  for (int i : g.inputs(second)) others.push_back(i);
  // Other ranges may have put the operands in another order.
  for (int i : g.inputs(first)) {
    int const choices = g[first].op->has(law::commutative) ? others.size() : 1;
    int k = 0;
    while (k < choices && !are_alike(g, axis, rank, i, others[k], depth - 1)) ++k;
    if (k == choices) return false;
    others.erase(k);
  }
  return true;
}
/// One function of ranges, joined along their axis, as the function of the ranges joined.
class joined_functions {
 public:
  constexpr joined_functions(rewriter& r, int join)
      : r_(r), axis_(join_axis(r.g, join)), rank_(r.g.type(join).rank) {}

  /// The function, or -1. With more than one join left, more would be copied than before.
  constexpr int run(int join) {
    list<int> parts = r_.inputs(join);
    length_ = parts[0];
    parts.erase(0);
    if (!r_.g[parts[0]].op->elementwise) return -1;
    int const made = joined(parts, 6);
    return made >= 0 && joins_ <= 1 ? made : -1;
  }

 private:
  constexpr int joined(list<int> const& parts, int depth) {
    graph& g = r_.g;
    int const first = parts[0];
    bool same = true;
    for (int k = 1; k < parts.size(); ++k) {
      if (!are_alike(g, axis_, rank_, first, parts[k], depth)) return -1;
      same = same && parts[k] == first;
    }
    if (same) return first;  // a number, or what is repeated along the axis
    if (!g[first].op->elementwise) return join(parts);
    list<list<int>> operands;
    for (int part : parts) operands.push_back(in_order_of(first, part, depth - 1));
    list<int> made;
    for (int i = 0; i < g[first].input_count; ++i) {
      list<int> each;
      for (list<int> const& all : operands) each.push_back(all[i]);
      if (each.contains(-1)) return -1;
      made.push_back(joined(each, depth - 1));
      if (made.back() < 0) return -1;
    }
    if (!span_alike(r_, axis_, rank_, made)) return -1;
    list<long long> const attributes = r_.attributes(first);
    return g.is<op::cast>(first) ? r_.cast(made[0], g.type(first).element)
                                 : r_.make(g[first].op, made, attributes);
  }
  constexpr int join(list<int> const& parts) {
    list<int> inputs{length_};
    for (int part : parts) inputs.push_back(part);
    int const made = r_.make(identity<op::join>(), inputs, list<long long>{axis_});
    joins_ += r_.g.is<op::join>(made) ? 1 : 0;
    return made;
  }
  /// The operands of `part`, each in the place of the operand of `first` to which it is joined.
  /// Pairs that are one range together come before other choices.
  constexpr list<int> in_order_of(int first, int part, int depth) {
    graph& g = r_.g;
    list<int> operands = r_.inputs(part);
    if (part == first || !g[first].op->has(law::commutative)) return operands;
    list<int> ordered(operands.size(), -1);
    for (bool const one_range : {true, false})
      for (int i = 0; i < ordered.size(); ++i)
        for (int k = 0; k < operands.size() && ordered[i] < 0; ++k) {
          int const own = g.input_of(first, i);
          if (!are_alike(g, axis_, rank_, own, operands[k], depth)) continue;
          if (one_range && !is_one_range(own, operands[k])) continue;
          ordered[i] = operands[k];
          operands.erase(k);
        }
    return ordered;
  }
  constexpr bool is_one_range(int first, int second) {
    return joined_ranges(r_, axis_, rank_, first, second) >= 0;
  }

  rewriter& r_;
  int axis_, rank_, length_ = -1, joins_ = 0;
};
/// One function of ranges, joined, is the function of the ranges joined.
constexpr int join_of_functions(rewriter& r, int id) { return joined_functions(r, id).run(id); }

/// A part of joined tensors that lies in one of them.
constexpr int part_of_join(rewriter& r, int id) {
  graph& g = r.g;
  int const x = g.input_of(id, 0);
  if (!g.is<op::join>(x)) return -1;
  int const axis = join_axis(g, x);
  list<axis_selection> axes = selection_of(g, id);
  axis_selection const chosen = axes[axis];
  if (chosen.code == 0) return -1;
  int begin = g.literal(0, element::int64);
  for (int k = 1; k < g[x].input_count; ++k) {
    int const part = g.input_of(x, k), length = r.extent(part, axis);
    bool const whole =
        chosen.code == 2 && chosen.step == 1 && r.representative(chosen.length) == length;
    bool const one = chosen.code == 1 && g.type(part).broadcasts(axis);
    if ((whole || one) && r.representative(chosen.first) == begin) {
      if (whole) axes[axis] = {};
      else axes[axis].first = g.literal(0, element::int64);
      return r.settle(select(r, part, axes));
    }
    begin = r.representative(r.make<op::add>({begin, length}));
  }
  return -1;
}

/// How many rows are joined along an axis, counted from the last one, of all that a function of
/// elements reads and that spans it; 0 where it reads others, or none.
constexpr int joined_rows(graph const& g, int id, int from_last, int& visits) {
  constexpr int most_visits = 64;
  tensor_type const type = g.type(id);
  int const axis = type.rank - from_last;
  if (++visits > most_visits || axis < 0 || type.broadcasts(axis)) return 0;
  if (g.is<op::join>(id)) {
    if (join_axis(g, id) != axis) return 0;
    for (int k = 1; k < g[id].input_count; ++k)
      if (!g.type(g.input_of(id, k)).broadcasts(axis)) return 0;
    return g[id].input_count - 1;
  }
  if (!g[id].op->elementwise) return 0;
  int rows = 0;
  for (int in : g.inputs(id)) {
    tensor_type const own = g.type(in);
    if (own.rank < from_last || own.broadcasts(own.rank - from_last)) continue;
    int const found = joined_rows(g, in, from_last, visits);
    if (found == 0 || (rows > 0 && rows != found)) return 0;
    rows = found;
  }
  return rows;
}
/// A reduction over the axis along which rows are joined combines what is computed from each.
constexpr int reduction_of_join(rewriter& r, int id) {
  graph& g = r.g;
  int const x = g.input_of(id, 0);
  int axis = 0, visits = 0;
  while (axis < g.type(x).rank && axes_of(g, id) != 1ll << axis) ++axis;
  if (axis == g.type(x).rank || keeps_axes(g, id)) return -1;
  constexpr int most_rows_of_function = 16;
  int const rows = joined_rows(g, x, g.type(x).rank - axis, visits);
  if (rows > most_rows_of_function && !g.is<op::join>(x)) return -1;
  op_info const* const combine = g.is<op::sum>(id)    ? identity<op::add>()
                                 : g.is<op::prod>(id) ? identity<op::mul>()
                                 : g.is<op::max>(id)  ? identity<op::maximum>()
                                                      : identity<op::minimum>();
  int result = -1;
  for (int k = 0; k < rows; ++k) {
    list<axis_selection> axes(g.type(x).rank, {});
    axes[axis] = {1, 1, g.literal(k, element::int64), -1};
    int const row = r.cast(r.settle(select(r, x, axes)), g.type(id).element);
    int const both[] = {result, row};
    result = result < 0 ? row : r.make(combine, both);
  }
  return result;
}

/// An element of a vector that was made of scalars.
constexpr int element_of_vector(rewriter& r, int id) {
  graph& g = r.g;
  int const x = g.input_of(id, 0);
  if (!g.is<op::make_vector>(x) || g.attribute(id, 0) != 1 || !g.is_literal(g.input_of(id, 1)))
    return -1;
  auto const i = g.literal_bits(g.input_of(id, 1));
  return i >= 0 && i + 1 < g[x].input_count ? g.input_of(x, static_cast<int>(i) + 1) : -1;
}

}  // namespace kroton::rewrite::rules
