// Loops that gather: elements that indices select are read where they are, instead of being copied
// for the loop that reads them. And loops that make elements which depend on their positions alone,
// such as random numbers, instead of reading them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/plan/planned.hpp>

namespace kroton::plan {

/// A loop lays out all that it reads through indices, in blocks that a cache holds together.
inline constexpr int max_indirect_operands = 16;
/// Each loop reads rows anew, which takes as long as to store a copy and read it, if they are few.
inline constexpr int max_readers_of_rows = 2;

/// Marks the steps that select or make elements for a single loop, or rows for few loops, and these
/// loops. Whether a loop reads through the indices is decided at the call, when extents are known:
/// of few elements a copy is cheaper. Until the loop has run, the array and the indices stay as
/// they are.
class indirect_finder {
 public:
  constexpr indirect_finder(graph const& g, list<planned_step>& steps, list<planned_value>& values)
      : g_(g), steps_(steps), values_(values) {
    for (int s = 0; s < steps_.size(); ++s)
      if (selects(steps_[s]) || generates(steps_[s])) mark(s);
  }

 private:
  constexpr bool selects(planned_step const& step) const {
    if (step.kind != step_kind::own || !g_[step.node].op->selects) return false;
    if (step.prologue || step.band >= 0 || step.operands.size() != 2 || step.results.size() != 1)
      return false;
    planned_value const& result = values_[step.results[0]];
    return g_.attribute(step.node, 0) == 1 && g_.attribute(step.node, 1) == 0 &&
           values_[step.operands[1]].type.rank > 0 && result.where == storage::buffer &&
           !is_kept(step.results[0]);
  }
  constexpr bool generates(planned_step const& step) const {
    if (step.kind != step_kind::own || !g_[step.node].op->generates) return false;
    if (step.prologue || step.band >= 0 || step.results.size() != 1) return false;
    planned_value const& result = values_[step.results[0]];
    return result.type.rank > 0 && result.where == storage::buffer && !is_kept(step.results[0]);
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
    if (readers.empty() || readers.size() > (behind(v, s) > 0 ? max_readers_of_rows : 1)) return;
    for (int t : readers)
      if (!may_read(steps_[t], v, behind(v, s))) return;
    steps_[s].indirect = values_[v].indirect = true;
    values_[v].detail = steps_[s].operands[0];
    if (steps_[s].operands.size() > 1) values_[v].second = steps_[s].operands[1];
    for (int t : readers) steps_[t].indirect = true;
  }
  /// How many axes the rows have that a step selects.
  constexpr int behind(int v, int s) const {
    if (!g_[steps_[s].node].op->selects) return 0;
    return values_[v].type.rank - values_[steps_[s].operands[1]].type.rank;
  }
  /// What a loop repeats would be gathered again for each row; and along its last axes all rows go.
  constexpr bool may_read(planned_step const& loop, int v, int behind) const {
    if (loop.kind != step_kind::loop || loop.space.empty() || loop.prologue || loop.band >= 0 ||
        loop.operands.size() > max_indirect_operands)
      return false;
    list<int> const& own = values_[v].extents;
    if (own.size() != loop.space.size()) return false;
    for (int d = 0; d < own.size(); ++d)
      if (own[d] != loop.space[d]) return false;
    for (int operand : loop.operands) {
      planned_value const& other = values_[operand];
      if (behind == 0 || !other.indirect || operand == v || other.second < 0) continue;
      int const others = other.type.rank - values_[other.second].type.rank;
      if (others > 0 && others != behind) return false;
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
