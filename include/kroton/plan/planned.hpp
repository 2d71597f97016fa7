// The parts of a plan: values, steps and extents.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/graph.hpp>

namespace kroton::plan {

/// Where a value lives.
enum class storage : long long {
  parameter,  // the caller's array, or the shared variable's
  literal,    // a scalar constant
  extent,     // an int64 scalar read from the table of extents
  scalar,     // a computed scalar, in the frame
  buffer,     // the arena
  early,      // separate memory: it is computed before the arena is laid out
  grown,      // memory of the step that computes it, which also finds out how many rows it has
  view,       // inside another value, or, of an ifelse, one of two
};

/// A value that is stored in memory between steps.
struct planned_value {
  int node = 0;
  storage where = storage::buffer;
  tensor_type type{};
  list<int> extents{};  // numbers in the table of extents
  // Parameter number, literal bits, extent number, the value that a view looks into, the step that
  // computes an indirect value; of an output, the parameters in whose memory it may be computed,
  // see plan/overwriting.hpp; of the start of a state, whether the loop may overwrite it
  long long detail = 0;
  int second = -1;  // the other value that the view of an ifelse may look into
  // Its reader may read what its step reads in its place, see plan/indirect.hpp
  bool indirect = false;
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
  list<int> again{};         // of a loop, what another one computes too
  int body = -1;             // of a loop, its number among the plan's
  list<long long> attributes{};  // of a part, see plan/parts.hpp; others have those of their node
  list<int> operands{};      // values read
  list<int> results{};       // values written; -1 for an output that nothing uses
  int overwrites = -1;       // the operand in whose memory the result may be stored
  bool prologue = false;     // computes extents, before memory is laid out
  list<int> guards{};  // of a step that not every call runs: twice a condition's value, plus 1
                       // where it has to hold
  bool indirect = false;     // computes or reads such a value
  int band = -1;             // see plan/bands.hpp
  int bundle = -1;           // see plan/bundles.hpp
  bool gathers =
      false;  // its band adds what it computes from some rows to the result for the rows before
  bool checks = false;  // it checks indices, all of them before the first rows of its band
};

/// Whether a step of a band adds rows to a part of a value, or writes them there.
template <class Step>
constexpr bool adds_to_part(Step const& step) {
  return step.gathers && traits_of(step.kind).in_band == band_rule::write;
}

/// Calls a function for each value whose memory is read where this one is read.
template <class Function>
constexpr void for_each_seen(planned_value const& v, list<planned_step> const& steps,
                             Function call) {
  if (v.indirect) {
    for (int operand : steps[static_cast<int>(v.detail)].operands) call(operand);
  } else if (v.where == storage::view) {
    call(static_cast<int>(v.detail));
    if (v.second >= 0) call(v.second);
  }
}

/// A value that a band processes in slices along an axis.
struct planned_slice {
  int band = 0, value = 0, axis = 0;
  bool local = false;  // one slice is all that exists at a time

  template <class Self, class Each>
  static constexpr void fields(Self& s, Each& each) {
    each(s.band, s.value, s.axis, s.local);
  }
};

/// Whether a step that is not a loop can leave its result in the memory of operand k.
constexpr bool accumulates_into(planned_step const& step, int k) {
  if (step.overwrites >= 0) return k == step.overwrites;
  step_traits const is = traits_of(step.kind);
  return is.after_factors > 0 && k == is.factors(step.operands.size());
}

/// One entry of the table of extents: a number, an extent of a parameter, or a scalar value.
struct planned_extent {
  enum kind : long long { number, parameter, value } from = number;
  long long which = 0, axis = 0;

  template <class Self, class Each>
  static constexpr void fields(Self& e, Each& each) {
    each(e.from, e.which, e.axis);
  }
};

}  // namespace kroton::plan
