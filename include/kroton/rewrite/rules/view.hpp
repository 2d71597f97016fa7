// Rules of views: chains of views become one, views that change nothing vanish, and spread values
// stay outside.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/rewrite/rules/views.hpp>

namespace kroton::rewrite::rules {

/// A dimshuffle that changes nothing, or of another dimshuffle.
constexpr int merged_dimshuffle(rewriter& r, int id) {
  graph& g = r.g;
  int const x = g.input_of(id, 0);
  list<long long> pattern = r.attributes(id);
  bool same = pattern.size() == g.type(x).rank;
  for (int d = 0; d < pattern.size(); ++d) same = same && pattern[d] == d;
  if (same) return x;
  if (!g.is<op::dimshuffle>(x)) return -1;
  for (long long& d : pattern) d = d < 0 ? -1 : g.attribute(x, static_cast<int>(d));
  return make_view(r, g.input_of(x, 0), pattern);
}

/// An alloc that spreads nothing, of another alloc, or with extents that have a representative.
constexpr int merged_alloc(rewriter& r, int id) {
  graph& g = r.g;
  list<int> inputs = r.inputs(id);
  if (g.type(inputs[0]) == g.type(id)) return inputs[0];
  int const value = r.operand(inputs[0]);
  bool changed = value != inputs[0];
  inputs[0] = value;
  for (int d = 1; d < inputs.size(); ++d) {
    int const known =
        g.type(id).broadcasts(d - 1) ? g.literal(1, element::int64) : r.representative(inputs[d]);
    changed = changed || known != inputs[d];
    inputs[d] = known;
  }
  // Where only ones are added, it is a view.
  bool spread = false;
  for (int d = 0; d < g.type(id).rank; ++d)
    spread = spread || (!g.type(id).broadcasts(d) && !g.type(inputs[0]).spans(d, g.type(id).rank));
  if (!spread) return r.conform(inputs[0], id);
  return changed ? r.make(identity<op::alloc>(), inputs) : -1;
}

/// A view of an alloc is an alloc of a view.
constexpr int view_of_alloc(rewriter& r, int id) {
  graph& g = r.g;
  int const x = g.input_of(id, 0);
  if (!g.is<op::alloc>(x)) return -1;
  int const value = g.input_of(x, 0);
  // The value as an operand of rank x, viewed as an elementwise result would be.
  int own = value;
  if (g.type(value).rank > 0) {
    if (g.is<op::reshape>(id)) return -1;
    if (g.is<op::dimshuffle>(id)) {
      list<long long> const pattern = operand_pattern(g, value, r.attributes(id), g.type(x).rank);
      own = make_view(r, value, pattern);
    } else {
      own = operand_view(r, id, value);
      if (own < 0) return -1;
      if (own != value) own = r.settle(own);
    }
  }
  list<int> inputs{own};
  for (int d = 0; d < g.type(id).rank; ++d) inputs.push_back(r.extent(id, d));
  return r.make(identity<op::alloc>(), inputs);
}

/// A view of an elementwise result is elementwise of views, except the axes that a dimshuffle adds
/// in front: those stay outside.
constexpr int view_of_elementwise(rewriter& r, int id) {
  graph& g = r.g;
  int const added = leading_axes(g, id), source = g.input_of(id, 0);
  if (added == 0) return sink_view(r, id);
  if (!g[source].op->elementwise || only_adds_axes(g, id)) return -1;
  list<long long> const rest(g.attribute_data(id) + added, g[id].attribute_count - added);
  list<long long> outside(added, -1);
  for (int d = 0; d < rest.size(); ++d) outside.push_back(d);
  return make_view(r, make_view(r, source, rest), outside);
}

/// A reshape of a reshape, and of a dimshuffle that only adds or drops ones.
constexpr int merged_reshape(rewriter& r, int id) {
  graph& g = r.g;
  int const x = g.input_of(id, 0);
  bool merges = g.is<op::reshape>(x);
  if (g.is<op::dimshuffle>(x)) {
    merges = true;
    long long last = -1;
    for (long long d : g.attributes(x)) {
      if (d < 0 || g.type(g.input_of(x, 0)).broadcasts(static_cast<int>(d))) continue;
      merges = merges && d > last;
      last = d;
    }
  }
  if (!merges) return -1;
  list<int> inputs = r.inputs(id);
  inputs[0] = g.input_of(x, 0);
  return r.make(identity<op::reshape>(), inputs);
}

/// A reshape to the extents that are there, up to ones, is a dimshuffle.
constexpr int reshape_as_dimshuffle(rewriter& r, int id) {
  graph& g = r.g;
  int const x = g.input_of(id, 0);
  list<int> inputs = r.inputs(id);
  bool changed = false;
  list<long long> pattern;
  int axis = 0;
  bool same = true;
  auto skip = [&] {
    while (axis < g.type(x).rank && g.type(x).broadcasts(axis)) ++axis;
  };
  for (int d = 0; d < g.type(id).rank; ++d) {
    int const known = r.representative(inputs[d + 1]);
    changed = changed || known != inputs[d + 1];
    inputs[d + 1] = known;
    if (g.type(id).broadcasts(d)) {
      pattern.push_back(-1);
      continue;
    }
    skip();
    same = same && axis < g.type(x).rank && r.extent(x, axis) == known;
    pattern.push_back(axis++);
  }
  skip();
  if (same && axis >= g.type(x).rank) return make_view(r, x, pattern);
  return changed ? r.make(identity<op::reshape>(), inputs) : -1;
}

/// A subtensor whose ranges are whole axes.
constexpr int whole_subtensor(rewriter& r, int id) {
  graph& g = r.g;
  list<axis_selection> axes = selection_of(g, id);
  bool changed = false;
  for (int d = 0; d < axes.size(); ++d) {
    if (axes[d].code != 2 || axes[d].step != 1 || !g.is_literal(axes[d].first, 0)) continue;
    if (r.representative(axes[d].length) != r.extent(g.input_of(id, 0), d)) continue;
    axes[d] = {};
    changed = true;
  }
  return changed ? r.settle(select(r, g.input_of(id, 0), axes)) : -1;
}

/// What a selection of a part selects of the whole: starts, steps and indices are already counted
/// from the front, so they compose.
constexpr list<axis_selection> part_of_part(rewriter& r, list<axis_selection> axes,
                                            list<axis_selection> const& of_part) {
  for (int d = 0, next = 0; d < axes.size(); ++d) {
    if (axes[d].code == 1) continue;
    axis_selection const& o = of_part[next++];
    if (o.code == 0) continue;
    if (axes[d].code == 0) {
      axes[d] = o;
      continue;
    }
    int const step = r.g.literal(axes[d].step, element::int64);
    int const offset = r.make<op::mul>({o.first, step});
    axes[d] = {o.code, axes[d].step * o.step, r.make<op::add>({axes[d].first, offset}), o.length};
  }
  return axes;
}
/// A part of a part is a part.
constexpr int merged_subtensor(rewriter& r, int id) {
  graph& g = r.g;
  int const x = g.input_of(id, 0);
  if (!g.is<op::subtensor>(x)) return -1;
  return r.settle(
      select(r, g.input_of(x, 0), part_of_part(r, selection_of(g, x), selection_of(g, id))));
}

/// A part of a dimshuffle is a dimshuffle of a part.
constexpr int subtensor_of_dimshuffle(rewriter& r, int id) {
  graph& g = r.g;
  int const x = g.input_of(id, 0);
  if (!g.is<op::dimshuffle>(x)) return -1;
  int const source = g.input_of(x, 0);
  list<axis_selection> const axes = selection_of(g, id);
  list<axis_selection> own(g.type(source).rank,
                           axis_selection{1, 1, g.literal(0, element::int64), -1});
  list<long long> pattern;
  for (int d = 0; d < axes.size(); ++d) {
    int const from = static_cast<int>(g.attribute(x, d));
    if (from < 0 && axes[d].code == 2) return -1;
    if (from >= 0) own[from] = axes[d];
    if (axes[d].code != 1) pattern.push_back(from);
  }
  for (long long& p : pattern) {
    long long position = p;
    for (int d = 0; d < p; ++d)
      if (own[d].code == 1) --position;
    p = position;
  }
  return make_view(r, r.settle(select(r, source, own)), pattern);
}

}  // namespace kroton::rewrite::rules
