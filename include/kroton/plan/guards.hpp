// Guards: which nodes are needed only if conditions of ifelse hold, or only if they do not.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/conditional.hpp>

#include <bit>
#include <cstdint>

namespace kroton::plan {

/// Finds for each node the conditions without which no output, update, extent condition or serial
/// op needs it: its guard, a set of bits in which 2k + 1 means that condition number k must hold,
/// and 2k that it must not.
///
/// A node's guard is the intersection of the guards of all its uses, where a use as a branch adds
/// that branch's side of the condition. So the guard of a condition is a subset of the guard of
/// everything that it guards, which determines the order of their checks. A condition that comes
/// after a node in the graph is not a guard of it; in a graph processed by `cleaner` there is no
/// such condition.
class guards {
 public:
  /// Nothing to do in a graph without an ifelse.
  constexpr void find(graph& g, list<bool> const& live) {
    bool any = false;
    for (int id = 0, size = g.has<op::ifelse>() ? live.size() : 0; id < size && !any; ++id)
      any = live[id] && g.is<op::ifelse>(id);
    if (!any) return;
    sets_ = list<std::uint64_t>(live.size(), ~std::uint64_t{0});
    for (int id : g.results()) sets_[id] = 0;
    for (auto const& u : g.updates()) sets_[u.value] = 0;
    for (auto const& c : g.constraints()) sets_[c.left] = sets_[c.right] = 0;
    for (int id = 0; id < live.size(); ++id)
      if (live[id] && g[id].op->is_serial) sets_[id] = 0;  // the next one counts on it
    for (int id = live.size() - 1; id >= 0; --id) {
      if (!live[id]) continue;
      sets_[id] &= met_before(id);
      bool const is_choice = g.is<op::ifelse>(id);
      int const k = is_choice ? number_of_condition(g, g.input_of(id, 0)) : 0;
      for (int i = 0; i < g[id].input_count; ++i)
        sets_[g.input_of(id, i)] &=
            sets_[id] | (is_choice && i > 0 ? std::uint64_t{1} << (2 * k + (i == 1 ? 1 : 0)) : 0);
    }
  }

  constexpr bool empty() const { return sets_.empty(); }
  /// The guard of a node; none for a leaf that was added later.
  constexpr std::uint64_t of(int id) const { return id < sets_.size() ? sets_[id] : 0; }
  /// The node of the first condition in a guard that is not empty.
  constexpr int first_condition(std::uint64_t guard) const {
    return nodes_[std::countr_zero(guard) / 2];
  }
  /// The conditions of a guard, outer ones first, as twice the node, plus 1 if the condition must
  /// hold.
  constexpr list<int> conditions(std::uint64_t guard) const {
    list<int> found;
    for (std::uint64_t rest = guard; rest != 0; rest &= rest - 1)
      found.push_back(2 * first_condition(rest) + std::countr_zero(rest) % 2);
    sort(found, [&](int a, int b) { return std::popcount(of(a / 2)) < std::popcount(of(b / 2)); });
    return found;
  }

 private:
  static constexpr int most = 32;

  constexpr int number_of_condition(graph& g, int condition) {
    for (int k = 0; k < nodes_.size(); ++k)
      if (nodes_[k] == condition) return k;
    if (nodes_.size() == most) {
      g.fail(
          "kt::ifelse: more than 32 different conditions in one function: compile parts with "
          "kt::opaque");
      return 0;
    }
    nodes_.push_back(condition);
    return nodes_.size() - 1;
  }
  // The bits of the conditions that precede a node in the graph.
  constexpr std::uint64_t met_before(int id) const {
    std::uint64_t bits = 0;
    for (int k = 0; k < nodes_.size(); ++k)
      if (nodes_[k] < id) bits |= std::uint64_t{3} << (2 * k);
    return bits;
  }

  list<int> nodes_;  // the conditions
  list<std::uint64_t> sets_;
};

}  // namespace kroton::plan
