// Loops that gather: elements that indices select are read where they are, instead of being copied
// for the loop that reads them. And loops that make elements which depend on their positions alone,
// such as random numbers, instead of reading them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/plan/planned.hpp>

namespace kroton::plan {

/// A loop lays out all that it reads through indices, in blocks that a cache holds together.
inline constexpr int max_indirect_operands = 16;

/// Marks the steps that select or make elements for a single loop, and these loops. Whether the
/// loop reads through the indices is decided at the call, when extents are known: of few elements a
/// copy is cheaper. Until the loop has run, the vector and the indices stay as they are.
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
    return values_[step.operands[0]].type.rank == 1 && result.type.rank > 0 &&
           result.where == storage::buffer && !is_kept(step.results[0]);
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
    int reader = -1;
    for (int t = s + 1; t < steps_.size(); ++t)
      for (int operand : steps_[t].operands) {
        if (operand != v) continue;
        if (reader >= 0 && reader != t) return;
        reader = t;
      }
    if (reader < 0) return;
    planned_step& loop = steps_[reader];
    if (loop.kind != step_kind::loop || loop.space.empty() || loop.prologue || loop.band >= 0 ||
        loop.operands.size() > max_indirect_operands)
      return;
    // What a loop repeats would be gathered again for each row.
    list<int> const& own = values_[v].extents;
    if (own.size() != loop.space.size()) return;
    for (int d = 0; d < own.size(); ++d)
      if (own[d] != loop.space[d]) return;
    steps_[s].indirect = loop.indirect = values_[v].indirect = true;
    values_[v].detail = steps_[s].operands[0];
    if (steps_[s].operands.size() > 1) values_[v].second = steps_[s].operands[1];
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
