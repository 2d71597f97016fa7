// Sequences of which all elements are one value are constants.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/loops/change.hpp>
#include <kroton/ops/shapes/allocation.hpp>
#include <kroton/rewrite/engine/options.hpp>

namespace kroton::loops {

/// Whether a node repeats a value along its first axis, such as the gradient of a sum.
constexpr bool repeats_rows(graph const& g, int id) {
  return g.is<op::alloc>(id) && g.type(g.input_of(id, 0)).rank < g.type(id).rank;
}
/// What it repeats, recorded in another graph.
constexpr int repeated_row(graph const& g, int id, graph& to, list<int> const& image) {
  term const value{&to, image[g.input_of(id, 0)]};
  bool const is_whole = value.rank() == g.type(id).rank - 1 &&
                        value.type().broadcast == g.type(id).broadcast >> 1;
  if (is_whole) return value.id;
  list<term> extents;
  for (int d = 1; d < g.type(id).rank; ++d) extents.push_back({&to, image[g.input_of(id, d + 1)]});
  return alloc(value, extents).id;
}

constexpr bool take_repeated_sequences(graph const& g, int id, graph& made) {
  loop_form const before = form_of(g, id);
  list<bool> const live = before.body.live();
  list<int> found;
  for (int i = 0; i < before.parts.sequences.size(); ++i)
    if (live[before.sequence(i)] && repeats_rows(g, before.parts.sequences[i])) found.push_back(i);
  if (found.empty()) return false;
  made = with_scans(g, list<int>{id}, [&](graph& to, list<int> const& image) {
    loop_form form = before;
    move_operands(form.parts, image);
    loop_change change;
    change.dropped = list<bool>(form.parts.tapes.size());
    for (int i : found)
      change.constants.push_back(
          {form.sequence(i), repeated_row(g, before.parts.sequences[i], to, image)});
    loop_form const less = changed(form, change);
    return list<list<int>>{results_of(to, record_scan(to, less.parts, less.body))};
  });
  return true;
}
constexpr graph with_repeated_sequences(graph g, rewrite::rewrite_options const&) {
  return with_each_scan(std::move(g), &take_repeated_sequences);
}

}  // namespace kroton::loops
