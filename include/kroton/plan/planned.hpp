// The parts of a plan: values, steps and extents.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/graph.hpp>

namespace kroton::core {

/// The kind of a step; `own` runs an op's own kernel.
enum class step_kind : long long {
  loop,
  dimshuffle,
  reshape,
  subtensor,
  dot,
  chain,
  gemm,
  first_equal,
  inc_subtensor,
  set_subtensor,
  ifelse,
  print,
  own
};

/// Whether a step computes nothing: its result is stored where an operand is.
constexpr bool is_view(step_kind kind) {
  return kind == step_kind::dimshuffle || kind == step_kind::reshape ||
         kind == step_kind::subtensor || kind == step_kind::ifelse || kind == step_kind::print;
}

/// Where a value is stored.
enum class storage : long long {
  parameter,  // the caller's array, or the shared variable's
  literal,    // a scalar constant
  extent,     // an int64 scalar read from the table of extents
  scalar,     // a computed scalar, in the frame
  buffer,     // the arena
  early,      // separate memory: it is computed before the arena is laid out
  view,       // inside another value, or, of an ifelse, one of two
};

/// A value that is stored in memory between steps.
struct planned_value {
  int node = 0;
  storage where = storage::buffer;
  tensor_type type{};
  list<int> extents{};  // numbers in the table of extents
  // Parameter number, literal bits, extent number, or the value that a view looks into
  long long detail = 0;
  int second = -1;       // the other value that the view of an ifelse may look into
  int first_step = 0, last_step = 0;
  int last_read = 0;  // the last step that reads it; last_step is the end of that one's band, whose
                      // steps run again
};

struct planned_step {
  step_kind kind = step_kind::loop;
  int node = 0;              // of steps other than loops
  int depth = 0;
  list<int> space{};         // extents of a loop
  list<int> nodes{};         // of a loop, in order; of another step the node and its op::items
  list<int> again{};         // of a loop: nodes that another loop computes too
  graph body{};              // of a loop
  list<int> operands{};      // values read
  list<int> results{};       // values written; -1 for an output that nothing uses
  int overwrites = -1;       // the operand in whose memory the result may be stored
  bool prologue = false;     // computes extents, before memory is laid out
  list<int> guards{};  // of a step that not every call runs: twice a condition's value, plus 1
                       // where it has to hold
  int band = -1;             // see plan/bands.hpp
  bool gathers =
      false;  // its band adds what it computes from some rows to the result for the rows before
};

/// A value that a band processes in slices along an axis.
struct planned_slice {
  int band = 0, value = 0, axis = 0;
  bool local = false;  // only one slice exists at a time
};

/// The operands of a gemm step: the factors, two or more, then the value that it accumulates into,
/// then the two scalars.
constexpr int factors_of_gemm(int operand_count) { return operand_count - 3; }
/// Whether a step that is not a loop can leave its result in the memory of operand k.
constexpr bool accumulates_into(planned_step const& step, int k) {
  return step.kind == step_kind::gemm ? k == factors_of_gemm(step.operands.size())
                                      : k == step.overwrites;
}

/// One entry of the table of extents: a number, an extent of a parameter, or a scalar value.
struct planned_extent {
  enum kind : long long { number, parameter, value } from = number;
  long long which = 0, axis = 0;
};

}  // namespace kroton::core
