// Loops do no more steps than their readers read.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/loops/rebuilding.hpp>
#include <kroton/ops/loop/rows.hpp>
#include <kroton/rewrite/engine/options.hpp>

namespace kroton::loops {

/// The number of rows from the first one on that a node reads of a stack; -1 if that is not known.
constexpr long long first_rows(graph const& g, int id) {
  if (!g.is<op::subtensor>(id)) return -1;
  int const begin = g.input_of(id, 1);
  bool const is_row = g.attribute(id, 0) == 1,
             is_range = g.attribute(id, 0) == 2 && g.attribute(id, 1) == 1;
  if (!(is_row || is_range) || !g.is_literal(begin) || g.literal_bits(begin) < 0) return -1;
  if (is_row) return g.literal_bits(begin) + 1;
  int const count = g.input_of(id, 2);
  return g.is_literal(count) ? g.literal_bits(begin) + g.literal_bits(count) : -1;
}
/// How many steps the readers of a scan need; -1 if they may need all.
constexpr long long steps_needed(graph const& g, int scan) {
  scan_layout const at = layout_of(g, scan);
  list<bool> const live = g.live();
  long long most = at.stops() ? -1 : 0;
  auto note = [&](int id, long long rows) {
    if (scan_of(g, id) != scan) return;
    bool const is_known = rows >= 0 && most >= 0 && at.is_stack(output_number(g, id));
    most = !is_known ? -1 : rows > most ? rows : most;
  };
  for (int id = 0; id < live.size(); ++id)
    if (live[id] && !g.is<op::item>(id))
      for (int k = 0; k < g[id].input_count; ++k)
        note(g.input_of(id, k), k == 0 ? first_rows(g, id) : -1);
  for (int id : g.results()) note(id, -1);
  for (auto const& u : g.updates()) note(u.value, -1);
  for (auto const& c : g.constraints())
    for (int id : {c.left, c.right}) note(id, -1);
  return most;
}
/// Whether a number of steps may be larger than that.
constexpr bool may_exceed(graph const& g, int steps, long long most) {
  if (g.is_literal(steps)) return g.literal_bits(steps) > most;
  if (!g.is<op::minimum>(steps)) return true;
  bool may = true;
  for (int in : g.inputs(steps)) may = may && may_exceed(g, in, most);
  return may;
}

constexpr bool do_fewer_steps(graph const& g, int id, graph& made) {
  long long const most = steps_needed(g, id);
  if (most < 0 || !may_exceed(g, g.input_of(id, 0), most)) return false;
  made = with_scans(g, list<int>{id}, [&](graph& to, list<int> const& image) {
    loop_form form = form_of(g, id);
    move_operands(form.parts, image);
    term const steps{&to, form.parts.steps}, limit = integer(to, most);
    form.parts.steps =
        to.is_literal(steps.id) ? limit.id : call<op::minimum>(steps, limit).id;
    form.parts.counted = false;  // its condition has been found
    return list<list<int>>{results_of(to, record_scan(to, form.parts, form.body))};
  });
  return true;
}
constexpr graph with_fewer_steps(graph g, rewrite::rewrite_options const&) {
  return with_each_scan(std::move(g), &do_fewer_steps);
}

}  // namespace kroton::loops
