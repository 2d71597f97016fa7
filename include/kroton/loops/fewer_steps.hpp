// Loops do no more steps than their readers read.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/loops/rebuilding.hpp>
#include <kroton/ops/loop/rows.hpp>
#include <kroton/rewrite/engine/options.hpp>

namespace kroton::loops {

/// The number of rows from the first one on that a node reads of a stack; -1 if that is not known
/// before a call.
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

/// What some nodes are computed from, and they themselves.
constexpr list<bool> ancestors_of(graph const& g, items<int> nodes) {
  list<bool> needed(g.size());
  for (int id : nodes) needed[id] = true;
  for (int id = g.size() - 1; id >= 0; --id)
    if (needed[id])
      for (int in : g.inputs(id)) needed[in] = true;
  return needed;
}
/// Whether a node reads rows of a scan up to one that a call decides: an index or the end of a
/// range that needs neither the scan nor follows from the number of steps, as that of y(-1) does.
constexpr bool reads_first_rows(graph const& g, int id, int scan) {
  if (!g.is<op::subtensor>(id) || g.attribute(id, 0) == 0) return false;
  bool const is_row = g.attribute(id, 0) == 1;
  if (!is_row && g.attribute(id, 1) < 0) return false;
  int const begin = g.input_of(id, 1), last = is_row ? begin : g.input_of(id, 2),
            steps = g.input_of(scan, 0);
  list<int> given{steps};
  if (!is_row) given.push_back(begin);
  int const read[] = {begin, last};
  list<bool> const known = ancestors_of(g, given), used = ancestors_of(g, read),
                   decisive = ancestors_of(g, {&last, 1});
  if (used[scan]) return false;
  bool decides = false;
  for (int at = 0; at < g.size(); ++at)
    decides = decides || (decisive[at] && !known[at] && !g.is_literal(at) &&
                          (g[at].input_count == 0 || g.is<op::extent_of>(at)));
  return decides;
}
/// The number of rows from the first one on that such a node reads.
constexpr term rows_read(graph const& g, int id, graph& to, list<int> const& image) {
  term const begin{&to, image[g.input_of(id, 1)]};
  if (g.attribute(id, 0) == 1) return begin + 1;
  term const count{&to, image[g.input_of(id, 2)]};
  long long const step = g.attribute(id, 1);
  return step == 1 ? begin + count : begin + (count - 1) * step + 1;
}

/// How many steps the readers of a scan need: `rows`, and what some of them say in a call.
struct needed_steps {
  bool all = false;
  long long rows = 0;
  list<int> readers{};
};
constexpr needed_steps steps_needed(graph const& g, int scan) {
  scan_layout const at = layout_of(g, scan);
  list<bool> const live = g.live();
  needed_steps needed{at.stops()};
  auto note = [&](int id, int reader) {
    if (needed.all || scan_of(g, id) != scan) return;
    long long const rows = reader < 0 ? -1 : first_rows(g, reader);
    bool const is_stack = at.is_stack(output_number(g, id));
    if (is_stack && rows >= 0) needed.rows = rows > needed.rows ? rows : needed.rows;
    else if (is_stack && reader >= 0 && reads_first_rows(g, reader, scan))
      needed.readers.push_back(reader);
    else needed.all = true;
  };
  for (int id = 0; id < live.size(); ++id)
    if (live[id] && !g.is<op::item>(id))
      for (int k = 0; k < g[id].input_count; ++k) note(g.input_of(id, k), k == 0 ? id : -1);
  for (int id : g.results()) note(id, -1);
  for (auto const& u : g.updates()) note(u.value, -1);
  for (auto const& c : g.constraints())
    for (int id : {c.left, c.right}) note(id, -1);
  return needed;
}
/// Whether a number of steps may be larger than that.
constexpr bool may_exceed(graph const& g, int steps, long long most) {
  if (g.is_literal(steps)) return g.literal_bits(steps) > most;
  if (!g.is<op::minimum>(steps)) return true;
  bool may = true;
  for (int in : g.inputs(steps)) may = may && may_exceed(g, in, most);
  return may;
}

/// Loops of fewer steps, whose number is known, stay as they are where a call would decide: arrays
/// of a known shape are worth more.
inline constexpr long long least_undecided_steps = 64;
/// Whether the number of steps may be larger than what some readers need. That of a loop that has
/// been changed follows from what they read.
constexpr bool may_exceed(graph const& g, int steps, needed_steps const& needed) {
  if (needed.readers.empty()) return may_exceed(g, steps, needed.rows);
  if (g.is_literal(steps)) return g.literal_bits(steps) >= least_undecided_steps;
  list<bool> const before = ancestors_of(g, {&steps, 1});
  for (int reader : needed.readers)
    for (int k = 1; k < (g.attribute(reader, 0) == 1 ? 2 : 3); ++k)
      if (before[g.input_of(reader, k)] && !g.is_literal(g.input_of(reader, k))) return false;
  return true;
}

constexpr bool do_fewer_steps(graph const& g, int id, graph& made) {
  needed_steps const needed = steps_needed(g, id);
  if (needed.all || !may_exceed(g, g.input_of(id, 0), needed)) return false;
  made = with_scans(g, list<int>{id}, [&](graph& to, list<int> const& image) {
    loop_form form = form_of(g, id);
    move_operands(form.parts, image);
    term const steps{&to, form.parts.steps};
    term limit = integer(to, needed.rows);
    for (int reader : needed.readers)
      limit = call<op::maximum>(limit, rows_read(g, reader, to, image));
    bool const is_known = to.is_literal(steps.id) && needed.readers.empty();
    form.parts.steps = is_known ? limit.id : call<op::minimum>(steps, limit).id;
    form.parts.counted = false;  // its condition has been found
    return list<list<int>>{results_of(to, record_scan(to, form.parts, form.body))};
  });
  return true;
}
constexpr graph with_fewer_steps(graph g, rewrite::rewrite_options const&) {
  return with_each_scan(std::move(g), &do_fewer_steps);
}

}  // namespace kroton::loops
