// The sweep of forward mode: computes the tangents of nodes from those of the leaves they depend
// on.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/grad/dependence.hpp>
#include <kroton/grad/loop/pullback.hpp>
#include <kroton/ops/stop_gradient.hpp>

namespace kroton::calculus {

/// How the tangents of the outputs of a scan are made from those of its operands, -1 for none: by a
/// sweep through the body, see grad/loop/tangents.hpp.
using body_pushforward = list<int> (*)(graph&, int id, list<int> const& given);

/// Goes from one loop to the next: a loop has its own pushforward, and what lies between loops is
/// pushed forward in one piece.
///
/// In such a piece the pullback of a covector u is linear in u, of complex numbers over the reals,
/// and tangents pulled back through it, from the pullback to u, are pushed forward; u itself does
/// not appear in the result. So every op that has a pullback has a pushforward.
class tangent_sweep {
 public:
  constexpr tangent_sweep(graph& g, body_pushforward of_body)
      : g_(g), of_body_(of_body), tangents_(g.size(), -1) {}

  /// Gives a leaf a tangent of its type and shape.
  constexpr void set(int leaf, int tangent) {
    tangents_[leaf] = tangent;
    leaves_.push_back(leaf);
    ends_.push_back(leaf);
  }

  /// The tangents of the targets, -1 for those that depend on no leaf.
  constexpr list<int> run(list<int> const& targets) {
    int const size = tangents_.size();
    list<bool> marked(size), needed(size);
    for (int id : leaves_) marked[id] = true;
    depends_ = dependent_nodes(g_, marked, &by_derivative);
    for (int id : targets) needed[id] = true;
    for (int id = size - 1; id >= 0; --id) {
      bool const leads_back = depends_[id] || g_[id].op->has_items();
      for (int in : g_.inputs(id)) needed[in] = needed[in] || (needed[id] && leads_back);
    }
    for (int id = 0; id < size; ++id)
      if (g_.is<op::scan>(id) && needed[id] && !marked[id]) push_through(id);
    return push(targets);
  }

 private:
  constexpr void push_through(int scan) {
    list<int> const operands(g_.inputs(scan).first, g_[scan].input_count);
    bool any = false;
    for (int in : operands) any = any || depends_[in];
    if (!any) return;
    list<int> const tangents = of_body_(g_, scan, push(operands));
    for (int id = scan; id < tangents_.size(); ++id) {
      bool const is_item = g_.is<op::item>(id) && g_.input_of(id, 0) == scan;
      if (id != scan && !is_item) continue;
      ends_.push_back(id);
      int const tangent = tangents[is_item ? static_cast<int>(g_.attribute(id, 0)) : 0];
      if (tangent < 0) continue;
      tangents_[id] = tangent;
      leaves_.push_back(id);
    }
  }

  // The tangents of nodes that follow from the leaves without a loop.
  constexpr list<int> push(list<int> const& targets) {
    list<int> found(targets.size(), -1), covectors(targets.size(), -1), asked;
    for (int k = 0; k < targets.size(); ++k) {
      found[k] = tangents_[targets[k]];
      if (found[k] >= 0 || !depends_[targets[k]]) continue;
      covectors[k] = covector(targets[k], asked.size());
      asked.push_back(covectors[k]);
    }
    if (asked.empty()) return found;
    reverse_sweep back(g_, &pull_back_scan);
    for (int k = 0; k < targets.size(); ++k)
      if (covectors[k] >= 0) back.seed(targets[k], covectors[k]);
    back.run(leaves_, ends_);
    list<int> pulled;
    for (int leaf : leaves_) pulled.push_back(back.gradient(leaf));
    reverse_sweep forward(g_, &pull_back_scan);
    for (int k = 0; k < leaves_.size(); ++k)
      if (pulled[k] >= 0) forward.seed(pulled[k], tangents_[leaves_[k]]);
    forward.run(asked);
    for (int k = 0; k < targets.size(); ++k) {
      if (covectors[k] < 0) continue;
      found[k] = forward.gradient(covectors[k]);
      if (found[k] < 0) found[k] = zeros_of({&g_, targets[k]});
    }
    return found;
  }
  // A node that later passes never see: its value is not used, and only makes it distinct.
  constexpr int covector(int target, int value) {
    term const y{&g_, target}, mark{&g_, g_.literal(value, y.element())};
    return expand_like(call<op::stop_gradient>(mark), y).id;
  }

  graph& g_;
  body_pushforward of_body_;
  list<int> tangents_;  // of leaves
  list<int> leaves_{};  // with tangents: those that are set, and outputs of loops
  list<int> ends_{};    // leaves, and the other outputs of loops
  list<bool> depends_{};
};

}  // namespace kroton::calculus
