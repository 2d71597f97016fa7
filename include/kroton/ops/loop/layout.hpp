// How the operands, results and attributes of a scan are laid out: the one place that computes
// their positions.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/graph.hpp>

namespace kroton::ops {

/// The kinds of states and outputs, in the order of operands and results. (Theano's names)
enum class tape_kind {
  mit_sot,  // a state that reads several earlier steps; its start has as many rows
  sit_sot,  // a state that reads the step before
  shared,   // the same, of which only the last value is kept
  nit_sot,  // an output that no later step reads
};
inline constexpr int tape_kinds = 4;

/// Attributes of a scan: the address of its body, the number of steps that a gradient goes back
/// (-1: all), whether the number of steps was given, whether a condition stops the loop, whether
/// its gradient computes the steps again, how many steps a compiled loop takes at once, how many
/// snapshots of the states its gradient keeps at a time (0: it stores the states of all steps),
/// which stacks have the row of the last step first (as bits, see loops/backwards.hpp), the numbers
/// of sequences, of tapes of each kind and of non-sequences, and for each mit_sot the
/// number of its taps and the taps.
///
/// Operands: the number of steps; sequences; the starts of mit_sots, sit_sots and shareds; the
/// number of rows of each nit_sot; non-sequences; the extents of one row of each nit_sot. There may
/// follow further conditions, three int64 scalars each: what must not be less than what, and which
/// parameter of the body reads the sequence whose rows these are; 0: it is a start, -1: the number
/// of steps. A loop over segments has those of the loop that was divided.
/// Parameters of the body: an element of each sequence, the taps of each mit_sot, sit_sots,
/// shareds, non-sequences. Results of both: mit_sots, sit_sots, shareds, nit_sots. If a condition
/// stops the loop, it is one more result of the body, and the number of steps that were done one
/// more result of the node; the operand is a limit then.
struct scan_layout {
  enum attribute {
    body,
    truncate,
    counted,
    stopping,
    repeating,
    unrolled,
    snapshot_count,
    backward_stacks,
    sequence_count,
    first_tape_count
  };
  static constexpr int non_sequence_count = first_tape_count + tape_kinds;
  static constexpr int first_taps = non_sequence_count + 1;

  /// From the attributes of a node.
  // A copy, since graphs grow while one looks at them.
  constexpr explicit scan_layout(items<long long> attributes)
      : all(attributes.first, attributes.count) {
    for (int j = 0, at = first_taps; j < count(tape_kind::mit_sot); ++j) {
      taps_at.push_back(at);
      at += 1 + static_cast<int>(all[at]);
    }
  }

  list<long long> all;
  list<int> taps_at{};  // of each mit_sot

  constexpr long long address() const { return all[body]; }
  constexpr int sequences() const { return static_cast<int>(all[sequence_count]); }
  constexpr int count(tape_kind kind) const {
    return static_cast<int>(all[first_tape_count + static_cast<int>(kind)]);
  }
  constexpr int non_sequences() const { return static_cast<int>(all[non_sequence_count]); }
  constexpr int tapes() const {
    int all_kinds = 0;
    for (int k = 0; k < tape_kinds; ++k) all_kinds += static_cast<int>(all[first_tape_count + k]);
    return all_kinds;
  }
  /// Whether a condition stops the loop. It, and the number of steps, are result number `tapes()`.
  constexpr bool stops() const { return all[stopping] != 0; }
  /// Whether a gradient stores the states alone, and computes everything else again.
  constexpr bool repeats() const { return all[repeating] != 0; }
  /// How many snapshots a gradient keeps at a time; 0: it stores all states.
  constexpr long long snapshots() const { return all[snapshot_count]; }
  /// How many stacks there is room for in the attribute.
  static constexpr int most_backwards = 62;
  /// Whether the row of the last step is the first one of a stack.
  constexpr bool is_backwards(int tape) const {
    return tape < most_backwards && (all[backward_stacks] >> tape & 1) != 0;
  }
  constexpr int results() const { return tapes() + (stops() ? 1 : 0); }
  /// Whether a result has a row for each step.
  constexpr bool is_stack(int result) const { return result < tapes() && !is_shared(result); }
  /// Tapes that later steps read; they come first.
  constexpr int states() const { return tapes() - count(tape_kind::nit_sot); }

  constexpr tape_kind kind(int tape) const {
    int k = 0;
    while (tape >= count(static_cast<tape_kind>(k))) tape -= count(static_cast<tape_kind>(k++));
    return static_cast<tape_kind>(k);
  }
  constexpr bool is_shared(int tape) const { return kind(tape) == tape_kind::shared; }
  /// The first tape of a kind. Tapes of a kind are neighbours.
  constexpr int first(tape_kind kind) const {
    int before = 0;
    for (int k = 0; k < static_cast<int>(kind); ++k) before += count(static_cast<tape_kind>(k));
    return before;
  }
  /// How many earlier steps a tape reads.
  constexpr int taps(int tape) const {
    if (tape < taps_at.size()) return static_cast<int>(all[taps_at[tape]]);
    return tape < states() ? 1 : 0;
  }
  /// The k-th of them, a negative number.
  constexpr int tap(int tape, int k) const {
    return tape < taps_at.size() ? static_cast<int>(all[taps_at[tape] + 1 + k]) : -1;
  }
  /// The number of steps that the earliest tap goes back.
  constexpr int reach(int tape) const {
    int most = 0;
    for (int k = 0; k < taps(tape); ++k)
      if (-tap(tape, k) > most) most = -tap(tape, k);
    return most;
  }

  /// How many rows of a tape are stored at a time; -1: all.
  constexpr int kept_rows(int tape) const { return is_shared(tape) ? reach(tape) + 1 : -1; }

  /// The k-th tape where states of kind shared come last. (Theano's order of results)
  constexpr int tape_of_result(int k) const {
    int const stacked = first(tape_kind::shared), outputs = count(tape_kind::nit_sot);
    if (k < stacked) return k;
    return k < stacked + outputs ? states() + k - stacked : k - outputs;
  }
  /// The inverse.
  constexpr int result_of_tape(int tape) const {
    int k = 0;
    while (tape_of_result(k) != tape) ++k;
    return k;
  }

  // Positions among the operands.
  static constexpr int steps_operand = 0;
  constexpr int sequence_operand(int i) const { return 1 + i; }
  /// The start of a state, or the number of rows of a nit_sot.
  constexpr int tape_operand(int tape) const { return 1 + sequences() + tape; }
  constexpr int non_sequence_operand(int i) const { return 1 + sequences() + tapes() + i; }
  constexpr int first_extent_operand() const { return non_sequence_operand(non_sequences()); }

  // Positions among the parameters of the body.
  constexpr int sequence_input(int i) const { return i; }
  constexpr int tap_input(int tape, int k) const {
    int at = sequences() + k;
    for (int t = 0; t < tape; ++t) at += taps(t);
    return at;
  }
  constexpr int non_sequence_input(int i) const { return tap_input(tapes(), 0) + i; }
  constexpr int inputs() const { return non_sequence_input(non_sequences()); }
};

/// The layout of a node of a graph.
constexpr scan_layout layout_of(graph const& g, int id) { return scan_layout(g.attributes(id)); }

/// Where a parameter of a body comes from: an operand of the scan, and how many axes it has more.
struct outer_operand {
  int operand = 0, axes = 0;
};
constexpr outer_operand operand_of_input(scan_layout const& at, int input) {
  if (input < at.sequences()) return {at.sequence_operand(input), 1};
  if (int const first = at.non_sequence_input(0); input >= first)
    return {at.non_sequence_operand(input - first), 0};
  int tape = 0;
  while (at.tap_input(tape + 1, 0) <= input) ++tape;
  return {at.tape_operand(tape), at.kind(tape) == tape_kind::mit_sot ? 1 : 0};
}
/// The state that a parameter of a body is a tap of, or -1.
constexpr int state_of_input(scan_layout const& at, int input) {
  int const tape = operand_of_input(at, input).operand - at.tape_operand(0);
  return tape >= 0 && tape < at.states() ? tape : -1;
}

}  // namespace kroton::ops
