// The pushforward of a scan: a scan of the same steps, which compute tangents as well.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/grad/part.hpp>
#include <kroton/grad/tangents.hpp>
#include <kroton/ops/loop/history.hpp>

namespace kroton::calculus {

/// Makes the scan of values and tangents of one node. A step reads and gives values next to their
/// tangents, so nothing is stored for later. If gradients are truncated, so are tangents: they pass
/// through the last steps only, and the scan begins with the first of these.
class scan_pushforward {
 public:
  /// `given` are the tangents of the operands, or -1.
  constexpr scan_pushforward(graph& g, int id, list<int> const& given, body_pushforward inner)
      : g_(g),
        id_(id),
        given_(given),
        parts_(scan_parts_of(g, id)),
        at_(layout_of(g, id)),
        work_(g.body(at_.address())),
        inner_(inner) {}

  /// The tangents of the outputs, or -1.
  constexpr list<int> run() {
    list<int> tangents(at_.results(), -1);
    list<bool> operands;
    for (int t : given_) operands.push_back(t >= 0);
    active_ = dependent_tapes(g_, id_, operands, &by_derivative);
    if (!active_.contains(true)) return tangents;
    push_body();
    if (!g_.error().empty()) return tangents;
    if (is_truncated() && at_.stops())
      g_.fail(
          "kt::rop: the tangents of a loop that kt::until stops cannot be those of its last steps "
          "alone: leave out kt::truncate_gradient");
    if (is_truncated()) begin_at_last_steps();
    add_sequences();
    add_tapes();
    add_constants();
    if (at_.stops()) results_.push_back(work_.results()[at_.tapes()]);
    int const made = record_scan(g_, parts_, part_of(work_, leaves_, results_));
    if (made < 0) return tangents;
    for (int tape = 0; tape < at_.tapes(); ++tape)
      if (active_[tape]) tangents[tape] = of_output(output_of({&g_, made}, place_[tape]), tape).id;
    return tangents;
  }

 private:
  constexpr bool is_truncated() const { return parts_.truncate >= 0; }

  // The tangents of the body's results from those of its parameters, which become parameters, too.
  constexpr void push_body() {
    of_input_ = list<int>(at_.inputs(), -1);
    for (int p = 0; p < at_.inputs(); ++p) {
      int const state = state_of_input(at_, p);
      if (state >= 0 ? active_[state] : given_[operand_of_input(at_, p).operand] >= 0)
        of_input_[p] = work_.input(work_.type(work_.parameters()[p]), work_.parameters().size());
    }
    tangent_sweep sweep(work_, inner_);
    for (int p = 0; p < at_.inputs(); ++p)
      if (of_input_[p] >= 0) sweep.set(work_.parameters()[p], of_input_[p]);
    of_result_ = sweep.run(work_.results());
    // A state may have a tangent in its start alone
    for (int tape = 0; tape < at_.tapes(); ++tape)
      if (active_[tape] && of_result_[tape] < 0)
        of_result_[tape] = zeros_of({&work_, work_.results()[tape]});
    if (!work_.error().empty()) g_.fail(work_.error());
  }

  constexpr void add_value(int p) { leaves_.push_back(work_.parameters()[p]); }
  constexpr void add_tangent(int p) { leaves_.push_back(of_input_[p]); }

  constexpr void add_sequences() {
    for (int i = 0; i < at_.sequences(); ++i) add_value(at_.sequence_input(i));
    for (int i = 0; i < at_.sequences(); ++i) {
      int const tangent = given_[at_.sequence_operand(i)];
      if (tangent < 0) continue;
      term const all{&g_, tangent};
      parts_.sequences.push_back((is_truncated() ? rows(all, begin_, count_) : all).id);
      add_tangent(at_.sequence_input(i));
    }
  }
  // Tapes of a kind are neighbours, so the tangents of each kind follow its values.
  constexpr void add_tapes() {
    list<scan_tape> const values = parts_.tapes;
    parts_.tapes.clear();
    place_ = list<int>(at_.tapes(), -1);
    for (int first = 0, end = 0; first < at_.tapes(); first = end) {
      end = first + at_.count(at_.kind(first));
      for (int tape = first; tape < end; ++tape) {
        parts_.tapes.push_back(values[tape]);
        results_.push_back(work_.results()[tape]);
        for (int k = 0; k < at_.taps(tape); ++k) add_value(at_.tap_input(tape, k));
      }
      for (int tape = first; tape < end; ++tape) {
        if (!active_[tape]) continue;
        place_[tape] = parts_.tapes.size();
        parts_.tapes.push_back(values[tape]);
        if (tape < at_.states()) parts_.tapes.back().start = start_of(tape);
        results_.push_back(of_result_[tape]);
        for (int k = 0; k < at_.taps(tape); ++k) add_tangent(at_.tap_input(tape, k));
      }
    }
    add_extents();
  }
  constexpr void add_extents() {
    list<int> const of_values = parts_.extents;
    for (int tape = at_.states(), next = 0; tape < at_.tapes(); ++tape)
      for (int d = 0; d < work_.type(work_.results()[tape]).rank; ++d, ++next)
        if (active_[tape]) parts_.extents.push_back(of_values[next]);
  }
  constexpr void add_constants() {
    for (int i = 0; i < at_.non_sequences(); ++i) add_value(at_.non_sequence_input(i));
    for (int i = 0; i < at_.non_sequences(); ++i) {
      int const tangent = given_[at_.non_sequence_operand(i)];
      if (tangent < 0) continue;
      parts_.constants.push_back(tangent);
      add_tangent(at_.non_sequence_input(i));
    }
  }

  constexpr int start_of(int tape) const {
    int const start = g_.input_of(id_, at_.tape_operand(tape)),
              tangent = given_[at_.tape_operand(tape)];
    if (tangent < 0) return zeros_of({&g_, start});
    if (!is_truncated()) return tangent;
    return call<op::where>(call<op::eq>(begin_, 0), term{&g_, tangent},
                           term{&g_, g_.literal(0, g_.type(start).element)})
        .id;
  }

  // Sequences and states from the first step that a gradient reaches.
  constexpr void begin_at_last_steps() {
    int const stored = with_all_states();
    term const steps{&g_, parts_.steps};
    count_ = call<op::minimum>(steps, integer(g_, parts_.truncate));
    begin_ = steps - count_;
    parts_.steps = count_.id;
    parts_.counted = false;
    for (int& s : parts_.sequences) s = rows({&g_, s}, begin_, count_).id;
    for (int tape = 0; tape < at_.states(); ++tape) {
      int& start = parts_.tapes[tape].start;
      term const made = output_of({&g_, stored}, tape);
      int const reach = at_.reach(tape);
      bool const has_rows = at_.kind(tape) == tape_kind::mit_sot;
      term const all = with_start(g_, parts_.tapes[tape], made);
      start = (has_rows ? rows(all, begin_, integer(g_, reach)) : row_at(all, begin_)).id;
    }
  }
  // The node, or if some states have their last values alone, one that stores all of them.
  constexpr int with_all_states() {
    if (at_.count(tape_kind::shared) == 0) return id_;
    scan_parts parts = parts_;
    for (scan_tape& tape : parts.tapes)
      if (tape.kind == tape_kind::shared) tape.kind = tape_kind::sit_sot;
    return record_scan(g_, parts, g_.body(at_.address()));
  }
  constexpr term of_output(term made, int tape) const {
    if (!is_truncated() || at_.is_shared(tape)) return made;
    return rows_in_zeros(output_of({&g_, id_}, tape), made, begin_, count_);
  }

  graph& g_;
  int id_;
  list<int> const& given_;
  scan_parts parts_;  // of the node, then of the scan that is made
  scan_layout at_;
  graph work_;
  body_pushforward inner_;
  list<bool> active_{};  // tapes that have tangents
  list<int> of_input_{}, of_result_{};
  list<int> leaves_{}, results_{};
  list<int> place_{};       // of the tangent of each tape
  term begin_{}, count_{};  // of the last steps
};

/// The tangents of the outputs of a scan.
constexpr list<int> push_scan_forward(graph& g, int id, list<int> const& given) {
  return scan_pushforward(g, id, given, &push_scan_forward).run();
}

}  // namespace kroton::calculus
