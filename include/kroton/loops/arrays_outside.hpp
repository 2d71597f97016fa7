// Arrays that a loop fills are made behind it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/loops/fewer_steps.hpp>
#include <kroton/loops/last_values.hpp>
#include <kroton/loops/merge.hpp>
#include <kroton/loops/unfilled.hpp>

namespace kroton::loops {

/// Whether the body of a loop writes parts of arrays.
constexpr bool has_writes(graph const& body) {
  return body.has<op::set_subtensor>() || body.has<op::inc_subtensor>();
}
constexpr bool has_writing_loops(graph const& g) {
  bool has = false;
  for (auto const& body : g.bodies()) has = has || has_writes(*body) || has_writing_loops(*body);
  return has;
}

constexpr bool take_arrays_out(graph const& g, int id, graph& made) {
  loop_form before = form_of(g, id);
  if (!has_writes(before.body) || before.parts.stops) return false;
  // An error of a step that nobody needs does not appear
  bool const can_ask = always_needed(g)[id] && steps_needed(g, id).all;
  list<int> const rows = rows_read_at_end(g, id);
  graph trial = g;
  filled_state_finder finder(trial, before, can_ask);
  list<filled_state> found;
  for (int t = 0; t < rows.size(); ++t) {
    if (before.parts.tapes[t].kind != tape_kind::shared && rows[t] != 0) continue;
    filled_state const state = finder.find(t);
    if (state.tape >= 0 && !state.read.empty()) found.push_back(state);
  }
  if (found.empty()) return false;
  list<int> results;
  list<list<core::extent_constraint>> asked;
  made = with_scans(
      g, list<int>{id},
      [&](graph& to, list<int> const& image) {
        loop_form form = before;
        move_operands(form.parts, image);
        unfilled_loop loop(to, form, found);
        results = loop.record();
        asked = loop.asked;
        return list<list<int>>{results};
      },
      [&](graph& to, int reader, list<int> const& image) {
        int const stack = g.is<op::subtensor>(reader) ? g.input_of(reader, 0) : -1;
        bool reads_last = false;
        for (filled_state const& state : found)
          reads_last = reads_last || (stack >= 0 && scan_of(g, stack) == id &&
                                      output_number(g, stack) == state.tape &&
                                      rows[state.tape] == 0);
        return reads_last ? part_of_row(g, reader, to, image) : -1;
      });
  // Behind those of loops that come first
  if (made.error().empty())
    for (auto const& condition : asked) ops::add_condition(made, condition);
  return true;
}
constexpr graph with_arrays_outside(graph g, rewrite::rewrite_options const&) {
  return with_each_scan(std::move(g), &take_arrays_out);
}

}  // namespace kroton::loops
