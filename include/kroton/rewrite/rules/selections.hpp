// Ops that pick elements of their first operand, views or copies: they commute with every function
// of elements.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/indexing.hpp>
#include <kroton/ops/indexing/along_axis.hpp>
#include <kroton/ops/linear_algebra/diagonals.hpp>
#include <kroton/rewrite/rules/views.hpp>

namespace kroton::rewrite {

/// Whether a node is an application of the op, whose record is not made for the question.
template <class Op>
constexpr bool applies(graph const& g, int id) {
  return g[id].op->key == key_constant<Op>;
}

/// Copies of elements. Unlike views they do not sink by themselves: where the copy has more
/// elements than what it is taken of, functions would be computed more often.
constexpr bool is_gathering(graph const& g, int id) {
  return applies<op::take>(g, id) || applies<op::take_along_axis>(g, id) ||
         applies<op::diagonal>(g, id);
}
constexpr bool is_selection(graph const& g, int id) {
  return is_view(g, id) || is_gathering(g, id);
}

/// Whether a node is computed, element by element, from sums of the rows that these indices name.
/// Rows that something else has, as those of a table, may be many more than the indices.
constexpr bool is_of_groups(graph const& g, int id, int indices, int depth = 6) {
  if (g.is<op::inc_take>(id)) {
    int const base = g.input_of(id, 0), start = g.is<op::alloc>(base) ? g.input_of(base, 0) : base;
    return g.input_of(id, 2) == indices && g.is_literal(start, 0);
  }
  bool const goes_on = g[id].op->elementwise || g.is<op::dimshuffle>(id);
  if (depth == 0 || !goes_on || g[id].input_count == 0) return false;
  for (int i : g.inputs(id))
    if (g.type(i).rank != 0 && !is_of_groups(g, i, indices, depth - 1)) return false;
  return true;
}

/// The axes of a tensor of rank `rank` that an operand of an elementwise op with such a result
/// spans, as bits.
constexpr long long spanned_axes(tensor_type operand, int rank) {
  long long axes = 0;
  for (int d = 0; d < rank; ++d)
    if (operand.spans(d, rank)) axes |= 1ll << d;
  return axes;
}
/// An operand with all axes of the result, in front with ones; not final yet.
constexpr int with_all_axes(rewriter& r, int operand, int rank) {
  int const missing = rank - r.g.type(operand).rank;
  if (missing == 0) return operand;
  list<int> const inputs{operand};
  list<long long> pattern;
  for (int d = 0; d < rank; ++d) pattern.push_back(d < missing ? -1 : d - missing);
  return r.g.apply(identity<op::dimshuffle>(), inputs, pattern);
}
/// The dimshuffle of an operand that puts ones where a selection puts axes of its own; `sources`
/// has the axis of the selected tensor for each axis of the selection, -1 for its own.
constexpr int shuffled_operand(rewriter& r, int operand, list<long long> const& sources, int rank) {
  list<int> const inputs{operand};
  list<long long> const pattern = operand_pattern(r.g, operand, sources, rank);
  return pattern.empty() && r.g.type(operand).rank == 0
             ? operand
             : r.g.apply(identity<op::dimshuffle>(), inputs, pattern);
}
/// A node like `like`, of another first operand.
constexpr int applied_to(rewriter& r, int like, int operand) {
  list<int> inputs = r.inputs(like);
  list<long long> const attributes = r.attributes(like);
  inputs[0] = operand;
  return r.g.apply(r.g[like].op, inputs, attributes);
}

/// The selection of one operand of an elementwise op that selects of the op's result as `selection`
/// does; not final yet. -1 where there is none.
constexpr int selected_operand(rewriter& r, int selection, int operand) {
  graph& g = r.g;
  if (!is_gathering(g, selection)) return operand_view(r, selection, operand);
  if (g.type(operand).rank == 0) return operand;
  int const rank = g.type(g.input_of(selection, 0)).rank, result_rank = g.type(selection).rank;
  long long chosen = 0;  // the axes along which positions are looked up
  if (applies<op::take>(g, selection)) chosen = g.attribute(selection, 0);
  else if (applies<op::take_along_axis>(g, selection)) chosen = 1ll << g.attribute(selection, 0);
  else chosen = 1ll << g.attribute(selection, 0) | 1ll << g.attribute(selection, 1);
  long long const spanned = spanned_axes(g.type(operand), rank);
  bool const all = (spanned & chosen) == chosen, none = (spanned & chosen) == 0;
  if (applies<op::take_along_axis>(g, selection)) {
    // Its positions have all axes: what it takes from has, too.
    if (none) return operand;
    bool const full = g.type(operand).rank == rank &&
                      spanned == spanned_axes(g.type(g.input_of(selection, 0)), rank);
    return full ? applied_to(r, selection, operand) : -1;
  }
  if (all) return applied_to(r, selection, with_all_axes(r, operand, rank));
  if (!none) return -1;
  list<long long> others, sources;
  for (int d = 0; d < rank; ++d)
    if ((chosen >> d & 1) == 0) others.push_back(d);
  bool const takes = applies<op::take>(g, selection);
  int const before = takes ? static_cast<int>(g.attribute(selection, 1)) : others.size(),
            own = result_rank - others.size();
  for (int d = 0; d < result_rank; ++d)
    sources.push_back(d < before ? others[d] : d < before + own ? -1 : others[d - own]);
  return shuffled_operand(r, operand, sources, rank);
}

/// A selection moved below the tree of elementwise ops that it selects of, as far as `depth` levels
/// down: f(x)[i] is f(x[i]).
constexpr int sunk_selection(rewriter& r, int selection, int operand, int depth = 12) {
  graph& g = r.g;
  int const own = selected_operand(r, selection, operand);
  if (own < 0 || own == operand) return own;
  if (depth == 0 || !is_selection(g, own) || g.input_of(own, 0) != operand ||
      !g[operand].op->elementwise)
    return r.settle(own);
  list<int> inputs = r.inputs(operand);
  for (int& i : inputs) {
    int const part = sunk_selection(r, own, i, depth - 1);
    if (part < 0) return r.settle(own);
    i = part;
  }
  int const form = g.is<op::cast>(operand) ? r.cast(inputs[0], g.type(operand).element)
                                           : r.make(g[operand].op, inputs);
  return r.conform(form, own);
}

}  // namespace kroton::rewrite
