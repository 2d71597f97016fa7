// Views sink towards the inputs: dimshuffles, reshapes and subtensors of elementwise results, of
// allocs, and of each other.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/rewrite/form/laws.hpp>

namespace kroton::rewrite {

constexpr int make_view(rewriter& r, int source, list<long long> const& pattern) {
  bool same = pattern.size() == r.g.type(source).rank;
  for (int d = 0; same && d < pattern.size(); ++d) same = pattern[d] == d;
  if (same) return source;
  int const inputs[] = {source};
  return r.make(identity<op::dimshuffle>(), inputs, pattern);
}

/// The dimshuffle of an operand of an elementwise op that shuffles the result as `pattern` does. An
/// operand of lower rank needs no leading ones.
constexpr list<long long> operand_pattern(graph const& g, int operand,
                                          list<long long> const& pattern, int rank) {
  list<long long> own;
  int const missing = rank - g.type(operand).rank;
  for (long long d : pattern) {
    long long const source = d < missing ? -1 : d - missing;
    if (missing == 0 || source >= 0 || !own.empty()) own.push_back(source);
  }
  return own;
}

/// The range or index of a subtensor as its operands say it, from operand `next` on: one entry an
/// axis of the operand.
struct axis_selection {
  long long code = 0, step = 1;
  int first = -1, length = -1;
};
constexpr list<axis_selection> selection_of(graph const& g, int id, int next = 1) {
  list<axis_selection> axes;
  for (int d = 0; 2 * d < g[id].attribute_count; ++d) {
    axis_selection axis{g.attribute(id, 2 * d), g.attribute(id, 2 * d + 1), -1, -1};
    if (axis.code != 0) axis.first = g.input_of(id, next);
    if (axis.code == 2) axis.length = g.input_of(id, next + 1);
    next += static_cast<int>(axis.code);
    axes.push_back(axis);
  }
  return axes;
}
/// The same as operands and attributes, behind those that are there.
constexpr void append_selection(list<axis_selection> const& axes, list<int>& inputs,
                                list<long long>& attributes) {
  for (axis_selection const& axis : axes) {
    attributes.push_back(axis.code);
    attributes.push_back(axis.step);
    if (axis.code != 0) inputs.push_back(axis.first);
    if (axis.code == 2) inputs.push_back(axis.length);
  }
}
/// A subtensor as it stands, or its operand when every axis is whole.
constexpr int select(rewriter& r, int source, list<axis_selection> const& axes) {
  list<int> inputs{source};
  list<long long> attributes;
  append_selection(axes, inputs, attributes);
  bool whole = true;
  for (axis_selection const& axis : axes) whole = whole && axis.code == 0;
  return whole ? source : r.g.apply(identity<op::subtensor>(), inputs, attributes);
}

/// The view of one operand of an elementwise op that views the op's result as `view` does; not
/// final yet. -1 where there is none.
constexpr int operand_view(rewriter& r, int view, int operand) {
  graph& g = r.g;
  tensor_type const type = g.type(operand);
  int const result = g.input_of(view, 0), rank = g.type(result).rank;
  if (type.rank == 0 && (rank > 0 || g.is_literal(operand) || !g.is<op::dimshuffle>(view)))
    return operand;
  if (g.is<op::dimshuffle>(view)) {
    list<long long> const own = operand_pattern(g, operand, r.attributes(view), rank);
    bool same = own.size() == type.rank;
    for (int d = 0; same && d < own.size(); ++d) same = own[d] == d;
    if (same) return operand;
    int const inputs[] = {operand};
    return g.apply(identity<op::dimshuffle>(), inputs, own);
  }
  if (g.is<op::reshape>(view)) {
    bool full = type.rank == rank, none = true;
    for (int d = 0; d < rank; ++d) {
      full = full && type.spans(d, rank) == g.type(result).spans(d, rank);
      none = none && !type.spans(d, rank);
    }
    if (none && !full) return g.apply<op::dimshuffle>({operand});
    if (!full) return -1;
    list<int> inputs = r.inputs(view);
    inputs[0] = operand;
    return g.apply(identity<op::reshape>(), inputs);
  }
  list<axis_selection> own, axes = selection_of(g, view);
  for (int d = 0; d < rank; ++d) {
    int const position = type.aligned(d, rank);
    if (axes[d].code == 2 && !g.type(result).spans(d, rank)) return -1;
    if (position < 0) continue;
    if (!type.broadcasts(position)) own.push_back(axes[d]);
    else if (axes[d].code == 1) own.push_back({1, 1, g.literal(0, element::int64), -1});
    else own.push_back({});
  }
  return select(r, operand, own);
}

/// Whether a view of an elementwise result can be written with views of the operands.
constexpr bool sinks(rewriter& r, int view) {
  int const source = r.g.input_of(view, 0);
  if (!r.g[source].op->elementwise) return false;
  bool changes = false;
  for (int o : r.inputs(source)) {
    int const own = operand_view(r, view, o);
    if (own < 0) return false;
    changes = changes || own != o;
  }
  return changes;
}

/// Moves a view below a whole tree of elementwise ops. It keeps a stack, since trees are deeper
/// than calls may nest; what it finds is remembered for every node on the way, so that shared trees
/// are walked once.
constexpr int sink_view(rewriter& r, int view) {
  graph& g = r.g;
  if (!sinks(r, view)) return -1;
  list<int> stack{view};
  for (;;) {
    int const top = stack.back();
    int const source = g.input_of(top, 0);
    list<int> operands = r.inputs(source);
    bool ready = true;
    for (int i = 0; ready && i < operands.size(); ++i) {
      int const own = operand_view(r, top, operands[i]);
      ready = own == operands[i] || !is_view(g, own) || r.is_known(own) || !sinks(r, own);
      if (!ready) stack.push_back(own);
      else if (own != operands[i]) operands[i] = r.settle(own);
    }
    if (r.is_suspended()) return -1;
    if (!ready) continue;
    stack.pop_back();
    int const form = g.is<op::cast>(source) ? r.cast(operands[0], g.type(source).element)
                                            : r.make(g[source].op, operands);
    int const id = r.conform(form, top);
    if (stack.empty()) return id;
    r.remember(top, id);
  }
}

}  // namespace kroton::rewrite
