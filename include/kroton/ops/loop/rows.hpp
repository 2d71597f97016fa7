// Rows of an array along its first axis, and rows for the extents that a body computes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/loop/layout.hpp>
#include <kroton/ops/shapes/joining.hpp>

namespace kroton::ops {

/// `count` rows of x from row `begin` on, each `step` rows after the one before; a view.
constexpr term rows(term x, term begin, term count, int step = 1) {
  return axis_range(x, 0, begin, count, step);
}
/// The number of steps that a scan does.
constexpr term steps_done(graph& g, int scan) {
  scan_layout const at = layout_of(g, scan);
  return at.stops() ? output_of({&g, scan}, at.tapes()) : term{&g, g.input_of(scan, 0)};
}
/// A result of a scan: of a stack that a condition ends, the rows that there are.
constexpr term result_of_scan(graph& g, int scan, int result) {
  scan_layout const at = layout_of(g, scan);
  term const all = output_of({&g, scan}, result);
  return at.stops() && at.is_stack(result) ? rows(all, integer(g, 0), steps_done(g, scan)) : all;
}
/// One row; a view.
constexpr term row_at(term x, term index) {
  int const inputs[] = {x.id, index.id};
  list<long long> attributes{1, 1};
  for (int d = 1; d < x.rank(); ++d) {
    attributes.push_back(0);
    attributes.push_back(1);
  }
  return {x.of, x.of->apply(identity<op::subtensor>(), inputs, attributes)};
}
/// The last row first; a view.
constexpr term reversed(term x) {
  term const n = extent(x, 0);
  return rows(x, n - 1, n, -1);
}
/// x with `part` in place of `count` rows from row `begin` on.
constexpr term with_rows(term x, term part, term begin, term count) {
  list<long long> attributes{2, 1};
  for (int d = 1; d < x.rank(); ++d) {
    attributes.push_back(0);
    attributes.push_back(1);
  }
  int const operands[] = {x.id, part.id, begin.id, count.id};
  return {x.of, x.of->apply(identity<op::set_subtensor>(), operands, attributes)};
}
/// What a gradient adds to zeros as the last of `count` rows, or nothing if it is another one.
constexpr term added_at_end(term gradient, term count) {
  graph& g = *gradient.of;
  int const id = gradient.id;
  bool at_end = g.is<op::inc_subtensor>(id) && g[id].input_count == 3 && g.attribute(id, 0) == 1;
  for (int d = 1; at_end && 2 * d < g[id].attribute_count; ++d)
    at_end = g.attribute(id, 2 * d) == 0;
  if (!at_end) return {};
  int const zeros = g.input_of(id, 0);
  at_end = g.is<op::alloc>(zeros) && g.is_literal(g.input_of(zeros, 0), 0) &&
           g.input_of(id, 2) == (integer(g, -1) + count).id;
  return at_end ? term{&g, g.input_of(id, 1)} : term{};
}
/// Zeros of the shape of x, with `part` in place of as many rows from row `begin` on.
constexpr term rows_in_zeros(term x, term part, term begin, term count) {
  return with_rows(expand_like({x.of, x.of->literal(0, x.element())}, x), part, begin, count);
}
/// An array of one row.
constexpr term as_row(term x) {
  list<int> pattern{-1};
  for (int d = 0; d < x.rank(); ++d) pattern.push_back(d);
  return permute(x, pattern);
}
/// Zeros of the shape of a row of x.
constexpr term zeros_like_row(term x) {
  term const zero{x.of, x.of->literal(0, x.element())};
  list<term> extents;
  for (int d = 1; d < x.rank(); ++d) extents.push_back(extent(x, d));
  return extents.empty() ? zero : alloc(zero, extents);
}

}  // namespace kroton::ops
