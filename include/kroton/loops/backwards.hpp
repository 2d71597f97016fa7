// Stacks that are read from the last row to the first alone are stored in this order.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/loops/last_values.hpp>

namespace kroton::loops {

/// Whether a node is all rows of a stack of `steps` rows, the last one first, as an array of the
/// same type: one row may broadcast in one of them alone.
constexpr bool reverses_stack(graph const& g, int id, int steps) {
  if (!g.is<op::subtensor>(id) || g.attribute(id, 0) != 2 || g.attribute(id, 1) != -1) return false;
  if (!(g.type(id) == g.type(g.input_of(id, 0)))) return false;
  bool whole = rows_before_last(g, g.input_of(id, 1), steps) == 0 && g.input_of(id, 2) == steps;
  for (int k = 2; k < g[id].attribute_count; k += 2) whole = whole && g.attribute(id, k) == 0;
  return whole;
}

/// For each result of a scan, whether it is a stack of which readers take all rows, the last one
/// first.
constexpr list<bool> stacks_to_reverse(graph const& g, int scan) {
  scan_layout const at = layout_of(g, scan);
  int const steps = g.input_of(scan, 0);
  list<bool> const live = g.live();
  list<bool> reversed(at.results()), others(at.results());
  auto note = [&](int id, bool reverses) {
    if (scan_of(g, id) == scan) (reverses ? reversed : others)[output_number(g, id)] = true;
  };
  for (int id = 0; id < live.size(); ++id)
    if (live[id] && !g.is<op::item>(id))
      for (int k = 0; k < g[id].input_count; ++k)
        note(g.input_of(id, k), k == 0 && reverses_stack(g, id, steps));
  for (int id : g.results()) note(id, false);
  for (auto const& u : g.updates()) note(u.value, false);
  for (int t = 0; t < reversed.size(); ++t)
    reversed[t] = reversed[t] && !others[t] && at.is_stack(t) && !at.stops() &&
                  t < scan_layout::most_backwards;
  return reversed;
}

constexpr bool store_backwards(graph const& g, int id, graph& made) {
  list<bool> const reversed = stacks_to_reverse(g, id);
  if (!reversed.contains(true)) return false;
  made = with_scans(
      g, list<int>{id},
      [&](graph& to, list<int> const& image) {
        loop_form form = form_of(g, id);
        move_operands(form.parts, image);
        for (int t = 0; t < form.parts.tapes.size(); ++t)
          form.parts.tapes[t].backwards = reversed[t];
        return list<list<int>>{results_of(to, record_scan(to, form.parts, form.body))};
      },
      [&](graph&, int reader, list<int> const& image) {
        if (!g.is<op::subtensor>(reader)) return -1;
        int const stack = g.input_of(reader, 0);
        return scan_of(g, stack) == id && reversed[output_number(g, stack)] ? image[stack] : -1;
      });
  return true;
}
constexpr graph with_backward_stacks(graph g, rewrite::rewrite_options const&) {
  return with_each_scan(std::move(g), &store_backwards);
}

}  // namespace kroton::loops
