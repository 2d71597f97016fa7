// What the compiler knows of a scan of a program: its layout, and which of its results are seen.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/call/scan/scan.hpp>
#include <kroton/freeze/program.hpp>
#include <kroton/ops/loop/layout.hpp>

namespace kroton::cpu {

/// Step number `I` of a program, a scan whose body is the program `Body`.
template <class Program, int I, class Body>
struct scan_step {
  static constexpr step_info info = Program::steps[static_cast<std::size_t>(I)];
  static constexpr int first_result = info.first + info.operand_count;
  static constexpr ops::scan_layout layout() {
    return ops::scan_layout(
        {Program::pool.data() + first_result + info.result_count + info.space_rank,
         info.attribute_count});
  }
  static constexpr int sequence_count = layout().sequences(), state_count = layout().states(),
                       tape_count = layout().tapes(), input_count = layout().inputs(),
                       result_count = layout().results(),
                       first_constant = layout().non_sequence_input(0);
  static constexpr bool stops = layout().stops();

  // What a parameter of the body is.
  static constexpr bool is_sequence(int p) { return p < sequence_count; }
  static constexpr bool is_constant(int p) { return p >= first_constant; }
  static constexpr int tape_of(int p) {
    return ops::operand_of_input(layout(), p).operand - layout().tape_operand(0);
  }
  static constexpr int steps_back(int p) {
    int const tape = tape_of(p);
    return -layout().tap(tape, p - layout().tap_input(tape, 0));
  }
  static constexpr int reach(int tape) { return layout().reach(tape); }

  // Functions: clang 19 does not destroy the layout that the condition of an if constexpr makes.
  static constexpr bool is_seen(int result) {
    return Program::pool[static_cast<std::size_t>(first_result + result)] >= 0;
  }
  static constexpr bool is_stored(int tape) { return is_seen(tape) && layout().is_stack(tape); }
  static constexpr bool is_backwards(int tape) { return layout().is_backwards(tape); }
  static constexpr bool is_last_seen(int tape) { return is_seen(tape) && layout().is_shared(tape); }

  /// The value of the body that is a result of it.
  static constexpr int output(int result) {
    return Body::outputs[static_cast<std::size_t>(result)];
  }
  static constexpr bool is_overwritten(int tape) {
    value_info const& made = Body::values[static_cast<std::size_t>(output(tape))];
    return !is_stored(tape) && cpu::is_overwritten(layout(), tape, made);
  }
  static constexpr int rows_of_ring(int tape) {
    return cpu::rows_of_ring(layout(), tape, Body::values[static_cast<std::size_t>(output(tape))]);
  }
  /// Whether each step computes a state in one place.
  static constexpr bool has_one_row(int tape) {
    return tape < state_count && !is_stored(tape) && rows_of_ring(tape) == 1;
  }
  template <int P>
  using input_type = value_t<Body::values[static_cast<std::size_t>(P)].type>;
  template <int T>
  using output_type = value_t<Body::values[static_cast<std::size_t>(output(T))].type>;
};

}  // namespace kroton::cpu
