// Loops that gather: elements that indices select, and arrays that are joined, are read where they
// are, instead of being copied for the loop that reads them. And loops that make elements which
// depend on their positions alone, such as random numbers, instead of reading them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/plan/planned.hpp>

namespace kroton::plan {

/// A loop lays out all that it reads through indices, in blocks that a cache holds together.
inline constexpr int max_indirect_operands = 16;
/// Each loop reads rows anew, which takes as long as to store a copy and read it, if they are few.
inline constexpr int max_readers_of_rows = 2;

/// Marks the steps that select or make elements for a single loop, select rows for few loops, or
/// join for loops what is stored anyway, and these loops. Whether a loop does without the step is
/// decided at the call, when extents are known: of few elements a copy is cheaper. Until the loop
/// has run, what the step reads stays as it is.
class indirect_finder {
 public:
  constexpr indirect_finder(graph const& g, list<planned_step>& steps, list<planned_value>& values)
      : g_(g), steps_(steps), values_(values) {
    for (int s = 0; s < steps_.size(); ++s)
      if (leaves_to_loops(steps_[s]) && (selects(s) || generates(s) || joins_stored(s))) mark(s);
  }

 private:
  constexpr bool leaves_to_loops(planned_step const& step) const {
    if (step.kind != step_kind::own || step.prologue || step.band >= 0 || step.results.size() != 1)
      return false;
    planned_value const& result = values_[step.results[0]];
    return result.type.rank > 0 && result.where == storage::buffer && !is_kept(step.results[0]);
  }
  constexpr auto const& op_of(int s) const { return *g_[steps_[s].node].op; }
  constexpr bool selects(int s) const {
    planned_step const& step = steps_[s];
    return op_of(s).selects && step.operands.size() == 2 && g_.attribute(step.node, 0) == 1 &&
           g_.attribute(step.node, 1) == 0 && values_[step.operands[1]].type.rank > 0;
  }
  constexpr bool generates(int s) const { return op_of(s).generates; }
  /// What is computed to be joined along the first axis is better computed where it comes to lie.
  constexpr bool joins_stored(int s) const {
    if (!op_of(s).concatenates) return false;
    if (g_.attribute(steps_[s].node, 0) > 0) return true;
    for (int k = 1; k < steps_[s].operands.size(); ++k)
      if (storage const where = values_[steps_[s].operands[k]].where;
          where != storage::parameter && where != storage::view)
        return false;
    return true;
  }
  constexpr bool is_kept(int v) const {
    for (int id : g_.results())
      if (values_[v].node == id) return true;
    for (auto const& u : g_.updates())
      if (values_[v].node == u.value) return true;
    return false;
  }
  constexpr void mark(int s) {
    int const v = steps_[s].results[0];
    list<int> readers{};
    for (int t = s + 1; t < steps_.size(); ++t)
      if (steps_[t].operands.contains(v)) readers.push_back(t);
    bool const joins = op_of(s).concatenates;
    if (readers.empty() ||
        (!joins && readers.size() > (behind(s) > 0 ? max_readers_of_rows : 1)))
      return;
    for (int t : readers)
      if (!may_read(steps_[t], v, s)) return;
    steps_[s].indirect = values_[v].indirect = true;
    values_[v].detail = s;
    for (int t : readers) steps_[t].indirect = true;
  }
  /// How many axes the rows have that a step selects.
  constexpr int behind(int s) const {
    if (!op_of(s).selects) return 0;
    return values_[steps_[s].results[0]].type.rank - values_[steps_[s].operands[1]].type.rank;
  }
  /// What a loop repeats would be gathered again for each row; and along its last axes all rows go.
  constexpr bool may_read(planned_step const& loop, int v, int s) const {
    if (loop.kind != step_kind::loop || loop.space.empty() || loop.prologue || loop.band >= 0 ||
        loop.operands.size() > max_indirect_operands)
      return false;
    list<int> const& own = values_[v].extents;
    if (own.size() != loop.space.size()) return false;
    for (int d = 0; d < own.size(); ++d)
      if (own[d] != loop.space[d]) return false;
    bool const joins = op_of(s).concatenates;
    for (int operand : loop.operands) {
      if (!values_[operand].indirect || operand == v) continue;
      int const other = static_cast<int>(values_[operand].detail);
      if (joins != op_of(other).concatenates) return false;
      if (behind(s) > 0 && behind(other) > 0 && behind(other) != behind(s)) return false;
    }
    return true;
  }

  graph const& g_;
  list<planned_step>& steps_;
  list<planned_value>& values_;
};

constexpr void find_indirect(graph const& g, list<planned_step>& steps,
                             list<planned_value>& values) {
  indirect_finder(g, steps, values);
}

}  // namespace kroton::plan
