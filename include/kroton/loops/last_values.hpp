// States and outputs of which only the last value is read keep no others.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/loops/change.hpp>
#include <kroton/loops/union.hpp>
#include <kroton/rewrite/engine/options.hpp>

namespace kroton::loops {

/// Whether an int64 scalar of a graph in normal form is n - 1.
constexpr bool is_one_less(graph const& g, int id, int n) {
  if (g.is_literal(id) && g.is_literal(n)) return g.literal_bits(id) == g.literal_bits(n) - 1;
  if (!g.is<op::add>(id) || g[id].input_count != 2) return false;
  for (int k : {0, 1})
    if (g.input_of(id, k) == n && g.is_literal(g.input_of(id, 1 - k), -1)) return true;
  return false;
}
/// Whether a node reads the last row of another one, and nothing else of it.
constexpr bool reads_last_row(graph const& g, int id, int steps) {
  return g.is<op::subtensor>(id) && g.attribute(id, 0) == 1 &&
         is_one_less(g, g.input_of(id, 1), steps);
}

/// The node that is the number of steps of a scan that a condition stops, or -1.
constexpr int number_of_steps(graph const& g, int scan) {
  for (int id = scan + 1; id < g.size(); ++id)
    if (g.is<op::item>(id) && g.input_of(id, 0) == scan &&
        g.attribute(id, 0) == layout_of(g, scan).tapes())
      return id;
  return -1;
}
/// For each tape of a scan, whether only its last value is read, and it is stored nevertheless.
constexpr list<bool> tapes_read_at_end(graph const& g, int scan) {
  scan_parts const parts = scan_parts_of(g, scan);
  int const last = parts.stops ? number_of_steps(g, scan) : parts.steps;
  list<bool> const live = g.live();
  list<bool> read(parts.tapes.size()), at_end(parts.tapes.size(), true);
  auto note = [&](int id, bool at_last) {
    int const tape = output_number(g, id);
    if (scan_of(g, id) != scan || tape == parts.tapes.size()) return;
    read[tape] = true;
    at_end[tape] = at_end[tape] && at_last;
  };
  for (int id = 0; id < live.size(); ++id)
    if (live[id] && !g.is<op::item>(id))
      for (int k = 0; k < g[id].input_count; ++k)
        note(g.input_of(id, k), k == 0 && reads_last_row(g, id, last));
  for (int id : g.results()) note(id, false);
  for (auto const& u : g.updates()) note(u.value, false);
  for (int t = 0; t < at_end.size(); ++t)
    at_end[t] = at_end[t] && read[t] && parts.tapes[t].kind != tape_kind::shared &&
                parts.tapes[t].kind != tape_kind::mit_sot;
  return at_end;
}

/// An output as a state that nobody reads, of which the last value can be asked for.
constexpr void make_state(loop_form& form, int tape) {
  int const result = form.body.results()[tape];
  int const added = form.body.input(form.body.type(result), form.body.parameters().size());
  list<int> parameters;
  int const at = form.first_tap(tape);
  for (int p = 0; p + 1 < form.body.parameters().size(); ++p) {
    if (p == at) parameters.push_back(added);
    parameters.push_back(form.body.parameters()[p]);
  }
  if (at == parameters.size()) parameters.push_back(added);
  form.body.set_parameters(parameters);
  form.parts.tapes[tape].taps.push_back(-1);
}

/// What a reader of a last row reads of the value that is kept in its place.
constexpr int part_of_last(graph const& g, int reader, graph& to, list<int> const& image) {
  list<int> inputs{image[g.input_of(reader, 0)]};
  for (int k = 2; k < g[reader].input_count; ++k) inputs.push_back(image[g.input_of(reader, k)]);
  list<long long> attributes;
  bool whole = true;
  for (int k = 2; k < g[reader].attribute_count; ++k) {
    attributes.push_back(g.attribute(reader, k));
    whole = whole && (k % 2 == 1 || g.attribute(reader, k) == 0);
  }
  return whole ? inputs[0] : to.add(g[reader].op, g.type(reader), inputs, attributes);
}

constexpr bool keep_last_values(graph const& g, int id, graph& made) {
  list<bool> const at_end = tapes_read_at_end(g, id);
  if (!at_end.contains(true)) return false;
  loop_form form = form_of(g, id);
  made = with_scans(
      g, list<int>{id},
      [&](graph& to, list<int> const& image) {
        move_operands(form.parts, image);
        list<int> extents = form.parts.extents;
        form.parts.extents.clear();
        for (int t = 0, at = 0; t < at_end.size(); ++t) {
          bool const is_output = form.is_output(t);
          int const rank = form.body.type(form.body.results()[t]).rank;
          if (is_output && at_end[t]) {
            term const zero{&to, to.literal(0, form.body.type(form.body.results()[t]).element)};
            list<term> shape;
            for (int d = 0; d < rank; ++d) shape.push_back({&to, extents[at + d]});
            make_state(form, t);
            form.parts.tapes[t].start = rank == 0 ? zero.id : alloc(zero, shape).id;
          } else if (is_output) {
            for (int d = 0; d < rank; ++d) form.parts.extents.push_back(extents[at + d]);
          }
          if (is_output) at += rank;
          if (at_end[t]) form.parts.tapes[t].kind = tape_kind::shared;
        }
        list<loop_form> const forms{form};
        loop_union const sorted(forms, list<list<bool>>{list<bool>(at_end.size(), true)});
        int const node = record_scan(to, sorted.made.parts, sorted.made.body);
        list<int> results;
        for (int t = 0; t < at_end.size() + (form.parts.stops ? 1 : 0); ++t)
          results.push_back(output_of({&to, node}, sorted.output(0, t)).id);
        return list<list<int>>{results};
      },
      [&](graph& to, int reader, list<int> const& image) {
        if (!g.is<op::subtensor>(reader)) return -1;
        int const stack = g.input_of(reader, 0);
        if (scan_of(g, stack) != id || !at_end[output_number(g, stack)]) return -1;
        return part_of_last(g, reader, to, image);
      });
  return true;
}
constexpr graph with_last_values(graph g, rewrite::rewrite_options const&) {
  return with_each_scan(std::move(g), &keep_last_values);
}

}  // namespace kroton::loops
