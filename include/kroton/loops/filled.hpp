// Arrays that a loop fills, each step one place: which they are, and what steps read of them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/loops/positions.hpp>

namespace kroton::loops {

/// What a step reads of an array that it fills: what is written so many steps before, or an element
/// that the array has from the start.
struct filled_reading {
  subscript part{};
  bool of_start = false;
  int back = 0;           // 0: what this step has written
  bool is_whole = false;  // or a part of what a step writes
};

/// A state that is an array, of which each step writes one place and reads such places.
struct filled_state {
  int tape = -1;
  subscript written{};
  list<filled_reading> read{};

  /// How many steps back the earliest element is written that a step reads.
  constexpr int reach() const {
    int most = 0;
    for (filled_reading const& r : read) most = !r.of_start && r.back > most ? r.back : most;
    return most;
  }
  constexpr bool reads_back(int steps) const {
    bool reads = false;
    for (filled_reading const& r : read) reads = reads || (!r.of_start && r.back == steps);
    return reads;
  }
};

/// Whether a part is all that an array has at its position.
constexpr bool takes_whole_rows(graph const& body, subscript const& part) {
  bool whole = true;
  for (int d = 0; d < body[part.node].attribute_count / 2; ++d)
    whole = whole && (d == part.axis || body.attribute(part.node, 2 * d) == 0);
  return whole;
}
/// Whether the same is selected along all axes but that of the steps.
constexpr bool select_alike(graph const& body, subscript const& a, subscript const& b) {
  bool alike = a.axis == b.axis;
  int of_a = a.operands, of_b = b.operands;
  for (int d = 0; alike && d < body[a.node].attribute_count / 2; ++d) {
    int const code = static_cast<int>(body.attribute(a.node, 2 * d));
    alike = code == body.attribute(b.node, 2 * d) &&
            body.attribute(a.node, 2 * d + 1) == body.attribute(b.node, 2 * d + 1);
    for (int k = 0; alike && d != a.axis && k < code; ++k)
      alike = body.input_of(a.node, of_a + k) == body.input_of(b.node, of_b + k);
    of_a += code;
    of_b += code;
  }
  return alike;
}

/// Finds such states.
class filled_state_finder {
 public:
  /// The operands of the form are nodes of `around`; `can_ask` as position_finder says.
  constexpr filled_state_finder(graph& around, loop_form& form, bool can_ask)
      : form_(form),
        positions_(around, form),
        finder_(around, form, can_ask),
        live_(form.body.live()) {}

  /// The tape is -1 where a state is another one.
  constexpr filled_state find(int tape) {
    graph const& body = form_.body;
    scan_tape const& of = form_.parts.tapes[tape];
    if (of.kind != tape_kind::shared && of.kind != tape_kind::sit_sot) return {};
    int const before = form_.tap(tape, 0), after = body.results()[tape];
    bool const is_written = body.is<op::set_subtensor>(after) || body.is<op::inc_subtensor>(after);
    if (!is_written || body.input_of(after, 0) != before || body.type(after).broadcast != 0 ||
        positions_.around().type(of.start).broadcast != 0)
      return {};
    for (int t = 0; t < body.results().size(); ++t)
      if (t != tape && (body.results()[t] == before || body.results()[t] == after)) return {};
    filled_state found{tape, finder_.find(after, 2, of.start)};
    if (found.written.axis < 0 || !find_readings(found, before, after)) return {};
    return found;
  }

 private:
  constexpr bool find_readings(filled_state& found, int before, int after) {
    graph& body = form_.body;
    for (int node = 0; node < live_.size(); ++node) {
      if (!live_[node] || body.is<op::extent_of>(node)) continue;
      for (int k = 0; k < body[node].input_count; ++k) {
        int const in = body.input_of(node, k);
        if ((in != before && in != after) || (node == after && k == 0)) continue;
        if (!body.is<op::subtensor>(node)) return false;
        filled_reading const reading = reading_of(found, node, in == after);
        if (reading.part.axis < 0) return false;
        found.read.push_back(reading);
      }
    }
    return true;
  }
  constexpr filled_reading reading_of(filled_state const& state, int node, bool is_after) {
    filled_reading reading{finder_.find(node, 1, form_.parts.tapes[state.tape].start)};
    if (reading.part.axis < 0 || reading.part.axis != state.written.axis) return {};
    reading.is_whole = select_alike(form_.body, reading.part, state.written);
    if (!reading.is_whole && !takes_whole_rows(form_.body, state.written)) return {};
    progression const written = positions_.of(state.written.counted);
    progression ahead = written;
    ahead.add(positions_.of(reading.part.counted), -1);
    long long const distance = ahead.first.number(), back = distance / written.stride;
    if (!ahead.is_known || ahead.stride != 0 || !ahead.first.is_number(distance)) return {};
    reading.back = static_cast<int>(back);
    reading.of_start = distance % written.stride != 0 || back < (is_after ? 0 : 1);
    return reading;
  }

  loop_form& form_;
  step_positions positions_;
  position_finder finder_;
  list<bool> live_;
};

}  // namespace kroton::loops
