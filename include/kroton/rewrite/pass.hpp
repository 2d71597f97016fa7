// One pass over a graph: every node is made again in its final form, from the inputs up.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/rewrite/clean.hpp>
#include <kroton/rewrite/match.hpp>
#include <kroton/rewrite/laws.hpp>

namespace kroton::core {

/// Carries a graph over into a rewriter. Sums of sums and products of products that nobody else reads are taken as a whole, so
/// that a chain of n additions costs n and not n squared.
class rewriting_pass {
 public:
  constexpr rewriting_pass(graph const& from, rewriter& r) : from_(from), r_(r), final_(from.size(), -1) {}

  /// Leaves outputs, updates, constraints and names in the rewriter's graph.
  constexpr void run() {
    for (int id : from_.parameters())
      final_[id] = r_.mark(r_.g.input(from_.type(id), static_cast<int>(from_.attribute(id, 0))));
    list<bool> needed(from_.size(), false);
    for (auto const& c : from_.constraints()) needed[c.left] = needed[c.right] = true;
    carry(needed);
    unite_extents();
    needed = list<bool>(from_.size(), false);
    for (int id : from_.results()) needed[id] = true;
    for (auto const& u : from_.updates()) needed[u.value] = true;
    carry(needed);
    for (int id : from_.results()) r_.g.results().push_back(r_.closed(final_[id]));
    for (auto const& u : from_.updates()) r_.g.updates().push_back({final_[u.parameter], r_.closed(final_[u.value])});
    for (auto const& n : from_.names())
      if (final_[n.node] >= 0) r_.g.names().push_back({final_[n.node], n.name});
    r_.g.bodies() = from_.bodies();
    r_.g.fail(from_.error());
  }

 private:
  /// The extents that the constraints make equal. The constraints themselves stay as they are: they still have to be checked.
  constexpr void unite_extents() {
    for (extent_constraint c : from_.constraints()) {
      c.left = r_.closed(final_[c.left]);
      c.right = r_.closed(final_[c.right]);
      r_.g.constraints().push_back(c);
    }
    for (auto const& c : r_.g.constraints())
      if (!c.index) r_.unite(c.left, c.right);
    r_.forget();
    for (int& id : final_) id = -1;
    for (int i = 0; i < from_.parameters().size(); ++i)
      final_[from_.parameters()[i]] = r_.mark(r_.g.parameters()[i]);
  }

  /// Makes the needed nodes and what lies below them.
  constexpr void carry(list<bool>& needed) {
    list<int> reader(from_.size(), -1);
    readers_ = list<int>(from_.size(), 0);
    for (int id = 0; id < from_.size(); ++id) readers_[id] = needed[id] ? 2 : 0;
    for (int id = from_.size() - 1; id >= 0; --id) {
      if (!needed[id]) continue;
      for (int i : operands_of(from_, id)) {
        needed[i] = true;
        ++readers_[i];
        reader[i] = id;
      }
    }
    // From the outputs down: a negation belongs to the product or the sum that reads it.
    inner_ = list<bool>(from_.size(), false);
    kinds_ = list<kinds>(from_.size(), kinds::other);
    for (int id = from_.size() - 1; id >= 0; --id) {
      if (!needed[id]) continue;
      kinds const above = readers_[id] == 1 ? kinds_[reader[id]] : kinds::other;
      kinds_[id] = kind(id, above);
      inner_[id] = above != kinds::other && kinds_[id] == above;
    }
    for (int id = 0; id < from_.size(); ++id)
      if (needed[id] && final_[id] < 0 && !inner_[id]) final_[id] = make(id);
  }

  enum class kinds : std::uint8_t { other, sum, product };
  constexpr kinds kind(int id, kinds above) const {
    op_info const* op = from_[id].op;
    if (!op->elementwise || !r_.real() || !has_normal_form(from_.type(id).element)) return kinds::other;
    if (is_op<op::neg>(op)) return above == kinds::product ? kinds::product : kinds::sum;
    if (is_op<op::add>(op) || is_op<op::sub>(op)) return kinds::sum;
    bool const product = is_op<op::mul>(op) || is_op<op::div>(op) || is_op<op::inv>(op) || is_op<op::sqr>(op);
    return product ? kinds::product : kinds::other;
  }

  constexpr int make(int id) {
    if (kinds_[id] == kinds::sum) return make_sum(id);
    if (kinds_[id] == kinds::product) return make_product(id);
    node const& n = from_[id];
    list<int> inputs;
    for (int i : operands_of(from_, id)) inputs.push_back(final_[i]);
    return r_.settle(r_.g.add(n.op, n.type, span_of(inputs), from_.attributes(id)));
  }

  struct leaf {
    int node = 0, times = 1;  // coefficient in a sum, power in a product; node -1: the number -1
  };
  /// The operands of the tree of sums or products under `root`.
  constexpr list<leaf> leaves(int root) const {
    list<leaf> found, stack{{root, 1}};
    while (!stack.empty()) {
      leaf const top = stack.back();
      stack.pop_back();
      if (top.node != root && !inner_[top.node]) {
        found.push_back(top);
        continue;
      }
      bool const sum = kinds_[root] == kinds::sum;
      bool const all = from_.is<op::neg>(top.node) ? sum : from_.is<op::inv>(top.node);
      bool const second = from_.is<op::sub>(top.node) || from_.is<op::div>(top.node);
      if (from_.is<op::neg>(top.node) && !sum && top.times % 2 != 0) found.push_back({-1, 1});
      int const first = top.times * (from_.is<op::sqr>(top.node) ? 2 : all ? -1 : 1);
      for (int i = from_[top.node].input_count - 1; i >= 0; --i)
        stack.push_back({from_.input_of(top.node, i), i > 0 && second ? -first : first});
    }
    return found;
  }
  /// A node with the type of `id` and the extents of the leaves, for what is made of them to conform to.
  constexpr int like(int id, op_info const* op, list<leaf> const& found) {
    list<int> inputs;
    for (auto const& l : found)
      if (l.node >= 0) inputs.push_back(final_[l.node]);
    return r_.g.add(op, from_.type(id), span_of(inputs), {});
  }
  constexpr int make_sum(int id) {
    element const e = from_.type(id).element;
    list<leaf> const found = leaves(id);
    sum_of_terms sum(r_, e);
    for (auto const& l : found) sum.add(final_[l.node], number_of(e, l.times), readers_[l.node] > 1);
    return r_.conform(r_.sealed(sum.build()), like(id, identity<op::add>(), found));
  }
  constexpr int make_product(int id) {
    element const e = from_.type(id).element;
    list<leaf> const found = leaves(id);
    product_of_factors product(r_, e);
    // A literal times a sum is distributed as it stands; any other product sees what the terms have in common.
    int literals = 0;
    for (auto const& l : found) literals += l.node < 0 || r_.g.is_literal(final_[l.node]) ? 1 : 0;
    bool const scales = literals > 0 && literals + 1 == found.size();
    for (auto const& l : found) {
      int const id = l.node < 0 ? r_.literal(-1, e) : scales ? final_[l.node] : r_.closed(final_[l.node]);
      product.multiply(id, number_of(e, l.times), l.node >= 0 && readers_[l.node] > 1);
    }
    return r_.conform(r_.sealed(product.build()), like(id, identity<op::mul>(), found));
  }

  graph const& from_;
  rewriter& r_;
  list<int> final_, readers_;
  list<bool> inner_;
  list<kinds> kinds_;
};

}  // namespace kroton::core
