// The last step of every stage: a graph of what the outputs need, numbered by a traversal from them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/rewrite/order.hpp>

namespace kroton::core {

/// Copies what the outputs, updates and constraints need: first all parameters, then operands before results, in the order in
/// which a walk from the outputs meets them. Equal expressions become equal lists of nodes.
class cleaner {
 public:
  constexpr explicit cleaner(graph const& from) : from_(from), position_(from.size(), -1) {}

  constexpr graph run() {
    for (int id : from_.parameters())
      position_[id] = to_.input(from_.type(id), static_cast<int>(from_.attribute(id, 0)));
    for (int id : from_.results()) to_.results().push_back(copy(id));
    for (auto const& u : from_.updates()) to_.updates().push_back({position_[u.parameter], copy(u.value)});
    for (extent_constraint c : from_.constraints()) {
      c.left = copy(c.left);
      c.right = copy(c.right);
      to_.constraints().push_back(c);
    }
    for (auto const& n : from_.names())
      if (position_[n.node] >= 0) to_.names().push_back({position_[n.node], n.name});
    to_.bodies() = from_.bodies();
    to_.fail(from_.error());
    return std::move(to_);
  }

 private:
  struct visit {
    int node = 0, next = 0;
  };

  constexpr int copy(int root) {
    if (position_[root] >= 0) return position_[root];
    list<visit> stack{{root, 0}};
    while (!stack.empty()) {
      visit& top = stack.back();
      if (top.next < from_[top.node].input_count) {
        int const below = from_.input_of(top.node, top.next++);
        if (position_[below] < 0) stack.push_back({below, 0});
        continue;
      }
      list<int> inputs;
      for (int i : operands_of(from_, top.node)) inputs.push_back(position_[i]);
      node const& n = from_[top.node];
      position_[top.node] = to_.add(n.op, n.type, span_of(inputs), from_.attributes(top.node));
      stack.pop_back();
    }
    return position_[root];
  }

  graph const& from_;
  graph to_;
  list<int> position_;
};

}  // namespace kroton::core
