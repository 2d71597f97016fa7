// The prologue: the values that extents are computed from, which are therefore computed before
// memory is laid out.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/plan/fusion.hpp>

namespace kroton::plan {

/// The nodes on which extents and conditions on extents depend.
class prologue_nodes {
 public:
  constexpr prologue_nodes(graph const& g, fusion const& f)
      : marked_(g.size()), is_scalar_(g.size()) {
    for (auto const& extents_of_node : f.shapes)
      for (int e : extents_of_node) mark(g, e);
    for (auto const& c : g.constraints()) {
      mark(g, c.left);
      mark(g, c.right);
    }
    find_scalars(g, f);
  }

  constexpr bool empty() const { return empty_; }
  constexpr bool has(int id) const { return marked_[id]; }
  constexpr bool has_scalar(int id) const { return is_scalar_[id]; }

  /// Scalars that depend only on extents, literals, scalar parameters and each other: the first
  /// step. The others, such as the number of elements that a mask selects, come after it.
  list<int> scalars{};

 private:
  constexpr void mark(graph const& g, int id) {
    list<int> todo{id};
    while (!todo.empty()) {
      int const next = todo.back();
      todo.pop_back();
      if (is_leaf(g, next) || marked_[next]) continue;
      marked_[next] = true;
      empty_ = false;
      for (int in : g.inputs(next)) todo.push_back(in);
    }
  }
  constexpr void find_scalars(graph const& g, fusion const& f) {
    for (int id = 0; id < g.size(); ++id) {
      if (!marked_[id] || !f.roles[id].fused || f.roles[id].reduction || g.type(id).rank != 0)
        continue;
      bool all = true;
      for (int in : g.inputs(id)) all = all && (is_leaf(g, in) || is_scalar_[in]);
      is_scalar_[id] = all;
      if (all) scalars.push_back(id);
    }
  }

  list<bool> marked_, is_scalar_;
  bool empty_ = true;
};

}  // namespace kroton::plan
