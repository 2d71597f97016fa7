// The last step of every stage: a graph of what the outputs need, numbered by a traversal from
// them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/rewrite/engine/order.hpp>
#include <kroton/rewrite/engine/written.hpp>

namespace kroton::rewrite {

/// Copies what the outputs, updates and constraints need: first all parameters, then operands
/// before results, in the order in which a walk from the outputs meets them. Equal expressions
/// become equal lists of nodes.
class cleaner {
 public:
  /// `with_written`: also copies written forms of nodes, which do not belong to the expressions.
  constexpr explicit cleaner(graph const& from, bool with_written = false)
      : from_(from), position_(from.size(), -1), with_written_(with_written) {}

  constexpr graph run() {
    to_.reserve_for(from_.size());
    to_.share_bodies(from_);
    for (int id : from_.parameters())
      position_[id] = to_.input(from_.type(id), static_cast<int>(from_.attribute(id, 0)));
    for (int id : from_.results()) copy(id);
    for (auto const& u : from_.updates()) copy(u.value);
    for (auto const& c : from_.constraints()) {
      copy(c.left);
      copy(c.right);
    }
    to_.adopt(from_, position_);
    if (with_written_) copy_written(from_, to_, position_);
    return std::move(to_);
  }

 private:
  struct visit {
    int node = 0, next = 0;
  };

  constexpr void copy(int root) {
    int* const position = position_.data();
    if (position[root] >= 0) return;
    stack_.push_back({root, 0});
    while (!stack_.empty()) {
      visit& top = stack_.back();
      if (int const as = with_written_ && top.next == 0 ? from_.written(top.node) : -1;
          as >= 0 && position[as] < 0) {
        stack_.push_back({as, 0});
        continue;
      }
      node const& n = from_[top.node];
      int const* const below = from_.input_data(top.node);
      while (top.next < n.input_count && position[below[top.next]] >= 0) ++top.next;
      if (top.next < n.input_count) {
        stack_.push_back({below[top.next++], 0});
        continue;
      }
      if (n.input_count > inputs_.size()) inputs_ = list<int>(2 * n.input_count);
      int* const inputs = inputs_.data();
      for (int i = 0; i < n.input_count; ++i) inputs[i] = position[below[i]];
      position[top.node] = to_.add(n.op, n.type, inputs, n.input_count,
                                   from_.attribute_data(top.node), n.attribute_count);
      stack_.pop_back();
    }
  }

  graph const& from_;
  graph to_;
  list<int> position_, inputs_;
  bool with_written_;
  list<visit> stack_;
};

}  // namespace kroton::rewrite
