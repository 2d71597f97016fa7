// States and outputs of which only the last rows are read, or none, keep no others.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/loops/change.hpp>
#include <kroton/loops/union.hpp>
#include <kroton/ops/loop/rows.hpp>
#include <kroton/rewrite/engine/options.hpp>

namespace kroton::loops {

/// How many rows before the last one of `n` rows an index is; -1 for another index.
constexpr int rows_before_last(graph const& g, int index, int n) {
  long long before = -1;
  if (g.is_literal(index) && g.is_literal(n)) {
    before = g.literal_bits(n) - 1 - g.literal_bits(index);
  } else if (g.is<op::add>(index) && g[index].input_count == 2) {
    for (int k : {0, 1})
      if (g.input_of(index, k) == n && g.is_literal(g.input_of(index, 1 - k)))
        before = -1 - g.literal_bits(g.input_of(index, 1 - k));
  }
  return before < 0 || before > 0xffff ? -1 : static_cast<int>(before);
}
/// How many rows before the last one of a stack the only row lies that a node reads; -1 if it reads
/// others or that is not known. `steps` is the number of rows, or -1 if nothing reads it.
constexpr int row_from_end(graph const& g, int id, int steps) {
  bool const reads_row = steps >= 0 && g.is<op::subtensor>(id) && g.attribute(id, 0) == 1;
  return reads_row ? rows_before_last(g, g.input_of(id, 1), steps) : -1;
}

/// The node that is the number of steps of a scan that a condition stops, or -1.
constexpr int number_of_steps(graph const& g, int scan) {
  for (int id = scan + 1; id < g.size(); ++id)
    if (g.is<op::item>(id) && g.input_of(id, 0) == scan &&
        g.attribute(id, 0) == layout_of(g, scan).tapes())
      return id;
  return -1;
}
/// How many rows before the last a loop may keep in states of their own.
inline constexpr int most_kept_rows = 8;

/// For each stack of a scan of which rows near the end are all that is read, how many before the
/// last one; 0 for a state that nothing but the loop reads; -1 for the other results.
constexpr list<int> rows_read_at_end(graph const& g, int scan) {
  scan_parts const parts = scan_parts_of(g, scan);
  int const count = parts.stops ? number_of_steps(g, scan) : parts.steps;
  list<bool> const live = g.live();
  list<int> rows(parts.tapes.size(), -1);
  list<bool> others(parts.tapes.size());
  auto note = [&](int id, int row) {
    int const tape = output_number(g, id);
    if (scan_of(g, id) != scan || tape == parts.tapes.size()) return;
    if (row < 0 || row >= most_kept_rows) others[tape] = true;
    else if (row > rows[tape]) rows[tape] = row;
  };
  for (int id = 0; id < live.size(); ++id)
    if (live[id] && !g.is<op::item>(id))
      for (int k = 0; k < g[id].input_count; ++k)
        note(g.input_of(id, k), k == 0 ? row_from_end(g, id, count) : -1);
  for (int id : g.results()) note(id, -1);
  for (auto const& u : g.updates()) note(u.value, -1);
  for (int t = 0; t < rows.size(); ++t) {
    scan_tape const& tape = parts.tapes[t];
    bool const is_state = tape.kind != tape_kind::nit_sot, is_unread = rows[t] < 0 && !others[t];
    if (is_state && is_unread && tape.reach() <= most_kept_rows) rows[t] = 0;
    if (others[t] || tape.kind == tape_kind::shared) rows[t] = -1;
  }
  return rows;
}

/// A scan in which some stacks are last values: what is read of rows before the last, inside or
/// outside of the loop, is handed on from step to step by further states.
class kept_values {
 public:
  /// `rows` as rows_read_at_end says; operands of the form are nodes of `to`.
  constexpr kept_values(graph& to, loop_form const& form, list<int> const& rows)
      : to_(to), form_(form), rows_(rows), copy_(form.body, made.body) {
    made.parts = form.parts;
    made.parts.tapes.clear();
    made.parts.extents.clear();
    for (int i = 0; i < form.parts.sequences.size(); ++i) add_input(form.sequence(i));
    for (int t = 0; t < tapes(); ++t) add_tape(t);
    delayed_ = list<list<int>>(tapes(), list<int>{});
    for (int t = 0; t < tapes(); ++t) add_delays(t);
    for (int i = 0; i < form.parts.constants.size(); ++i) add_input(form.constant(i));
    for (int t = 0; t < tapes(); ++t)
      made.body.results().push_back(copy_.copy(form.body.results()[t]));
    for (int before : before_) made.body.results().push_back(before);
    if (form.parts.stops) made.body.results().push_back(copy_.copy(form.condition()));
    copy_.copy_conditions();
  }

  loop_form made{};
  /// The tape that holds a row before the last of what was a stack.
  constexpr int tape_of_row(int tape, int row) const {
    return row == 0 ? tape : delayed_[tape][row - 1];
  }

 private:
  constexpr int tapes() const { return form_.parts.tapes.size(); }
  constexpr int add_input(int inner) {
    int const input = made.body.input(form_.body.type(inner), made.body.parameters().size());
    copy_.set(inner, input);
    return input;
  }
  constexpr int add_input_of_type(int inner) {
    return made.body.input(form_.body.type(inner), made.body.parameters().size());
  }
  constexpr int reach(int tape) const { return form_.parts.tapes[tape].reach(); }

  constexpr void add_tape(int tape) {
    scan_tape const& of = form_.parts.tapes[tape];
    state_.push_back(-1);
    if (rows_[tape] >= 0) {
      state_.back() = add_input_of_type(form_.body.results()[tape]);
      for (int k = 0; k < of.taps.size(); ++k)
        if (of.taps[k] == -1) copy_.set(form_.tap(tape, k), state_.back());
      made.parts.tapes.push_back({tape_kind::shared, list<int>{-1}, start(tape, 0)});
      return;
    }
    for (int k = 0; k < of.taps.size(); ++k) add_input(form_.tap(tape, k));
    made.parts.tapes.push_back(of);
    int const first = form_.first_extent(tape);
    for (int d = 0; form_.is_output(tape) && d < form_.body.type(form_.body.results()[tape]).rank;
         ++d)
      made.parts.extents.push_back(form_.parts.extents[first + d]);
  }
  constexpr void add_delays(int tape) {
    if (rows_[tape] < 0) return;
    int const inside = reach(tape) - 1, most = rows_[tape] > inside ? rows_[tape] : inside;
    int before = state_[tape];
    for (int row = 1; row <= most; ++row) {
      delayed_[tape].push_back(made.parts.tapes.size());
      made.parts.tapes.push_back({tape_kind::shared, list<int>{-1}, start(tape, row)});
      before_.push_back(before);
      before = add_input_of_type(form_.body.results()[tape]);
      for (int k = 0; k < form_.parts.tapes[tape].taps.size(); ++k)
        if (form_.parts.tapes[tape].taps[k] == -1 - row) copy_.set(form_.tap(tape, k), before);
    }
  }
  // What a state is so many rows before the first step. Rows that the start does not have are never
  // read.
  constexpr int start(int tape, int row) const {
    scan_tape const& of = form_.parts.tapes[tape];
    term const given{&to_, of.start};
    if (of.kind == tape_kind::mit_sot) {
      int const last = reach(tape) - 1;
      return row_at(given, integer(to_, row > last ? 0 : last - row)).id;
    }
    if (of.start >= 0) return of.start;
    int const result = form_.body.results()[tape], first = form_.first_extent(tape);
    list<term> shape;
    for (int d = 0; d < form_.body.type(result).rank; ++d)
      shape.push_back({&to_, form_.parts.extents[first + d]});
    term const zero{&to_, to_.literal(0, form_.body.type(result).element)};
    return shape.empty() ? zero.id : alloc(zero, shape).id;
  }

  graph& to_;
  loop_form const& form_;
  list<int> const& rows_;
  body_copy copy_;
  list<int> state_{}, before_{};
  list<list<int>> delayed_{};
};

/// What a reader of a row reads of the value that is kept in its place.
constexpr int part_of_row(graph const& g, int reader, graph& to, list<int> const& image) {
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
  list<int> const rows = rows_read_at_end(g, id);
  bool found = false;
  for (int r : rows) found = found || r >= 0;
  if (!found) return false;
  scan_layout const at = layout_of(g, id);
  int const count = at.stops() ? number_of_steps(g, id) : g.input_of(id, 0);
  list<list<int>> kept;  // of each tape, the rows from the last one on
  made = with_scans(
      g, list<int>{id},
      [&](graph& to, list<int> const& image) {
        loop_form form = form_of(g, id);
        move_operands(form.parts, image);
        kept_values const values(to, form, rows);
        list<loop_form> const forms{values.made};
        int const tapes = values.made.parts.tapes.size();
        loop_union const sorted(forms, list<list<bool>>{list<bool>(tapes, true)});
        int const node = record_scan(to, sorted.made.parts, sorted.made.body);
        list<int> results;
        for (int t = 0; t < rows.size(); ++t) {
          kept.push_back({});
          for (int row = 0; row <= rows[t]; ++row)
            kept.back().push_back(
                output_of({&to, node}, sorted.output(0, values.tape_of_row(t, row))).id);
          results.push_back(output_of({&to, node}, sorted.output(0, t)).id);
        }
        if (at.stops()) results.push_back(steps_done(to, node).id);
        return list<list<int>>{results};
      },
      [&](graph& to, int reader, list<int> const& image) {
        if (!g.is<op::subtensor>(reader)) return -1;
        int const stack = g.input_of(reader, 0);
        if (scan_of(g, stack) != id || rows[output_number(g, stack)] < 0) return -1;
        list<int> moved = image;
        moved[stack] = kept[output_number(g, stack)][row_from_end(g, reader, count)];
        return part_of_row(g, reader, to, moved);
      });
  return true;
}
constexpr graph with_last_values(graph g, rewrite::rewrite_options const&) {
  return with_each_scan(std::move(g), &keep_last_values);
}

}  // namespace kroton::loops
