// One pass over a graph: every node is made again in its final form, from the inputs up.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/rewrite/engine/clean.hpp>
#include <kroton/rewrite/form/laws.hpp>
#include <kroton/rewrite/form/written_products.hpp>
#include <kroton/rewrite/pattern/match.hpp>

namespace kroton::rewrite {

/// Carries a graph over into a rewriter. Sums of sums and products of products that nobody else
/// reads are taken as a whole, so that a chain of n additions costs n and not n squared.
class rewriting_pass {
 public:
  constexpr rewriting_pass(graph const& from, rewriter& r)
      : from_(from), r_(r), final_(from.size(), -1) {}

  /// Leaves outputs, updates, constraints and names in the rewriter's graph.
  constexpr void run() {
    r_.g.reserve_for(from_.size());
    r_.g.share_bodies(from_);
    for (int id = 0; id < from_.size(); ++id)
      if (rewriter::is_special(from_[id].type.element)) r_.note_special();
    for (int id : from_.parameters())
      final_[id] = r_.mark(r_.g.input(from_.type(id), static_cast<int>(from_.attribute(id, 0))));
    list<bool> needed = list<bool>(from_.size());
    for (auto const& c : from_.constraints()) needed[c.left] = needed[c.right] = true;
    carry(needed);
    unite_extents();
    needed = list<bool>(from_.size());
    for (int id : from_.results()) needed[id] = true;
    for (auto const& u : from_.updates()) needed[u.value] = true;
    carry(needed);
    for (int id : from_.results()) r_.g.results().push_back(r_.closed(final_[id]));
    for (auto const& u : from_.updates())
      r_.g.updates().push_back({u.parameter, r_.closed(final_[u.value])});
    for (auto const& n : from_.names())
      if (final_[n.node] >= 0) r_.g.names().push_back({final_[n.node], n.name});
    r_.g.fail(from_.error());
  }

 private:
  /// The extents that the constraints make equal. The constraints themselves stay as they are: they
  /// still have to be checked.
  constexpr void unite_extents() {
    for (extent_constraint c : from_.constraints()) {
      c.left = r_.closed(final_[c.left]);
      c.right = r_.closed(final_[c.right]);
      c.node = -1;
      r_.g.constraints().push_back(c);
    }
    for (auto const& c : r_.g.constraints())
      if (c.kind == condition::equal) r_.unite(c.left, c.right);
    r_.forget();
    for (int& id : final_) id = -1;
    for (int i = 0; i < from_.parameters().size(); ++i)
      final_[from_.parameters()[i]] = r_.mark(r_.g.parameters()[i]);
  }

  // Of a factor within one tree: a chain of squares is taken apart in pieces.
  static constexpr int highest_power = 1 << 16;

  /// Makes the needed nodes and what lies below them.
  constexpr void carry(list<bool>& wanted) {
    int const size = from_.size();
    list<int> only_reader = list<int>(size);
    readers_ = list<int>(size);
    inner_ = list<bool>(size);
    kinds_ = list<kinds>(size);
    kept_ = list<bool>(size);
    list<int> powers = list<int>(size, 1);
    // Plain pointers: every call counts.
    bool* const needed = wanted.data();
    bool* const inner = inner_.data();
    int *const readers = readers_.data(), *const reader = only_reader.data();
    kinds* const kind = kinds_.data();
    for (int id = 0; id < size; ++id)
      if (needed[id]) readers[id] = 2, kept_[id] = !from_[id].op->has_items();
    // From the outputs down: a negation belongs to the product or the sum that reads it.
    for (int id = size - 1; id >= 0; --id) {
      if (!needed[id]) continue;
      kinds const above = readers[id] == 1 ? kind[reader[id]] : kinds::other;
      kind[id] = kind_of(id, above);
      inner[id] = above != kinds::other && kind[id] == above;
      if (inner[id]) {
        int const power = powers[reader[id]] * (is_op<op::sqr>(from_[reader[id]].op) ? 2 : 1);
        inner[id] = power <= highest_power;
        powers[id] = inner[id] ? power : 1;
      }
      int const* const inputs = from_.input_data(id);
      if (is_op<op::item>(from_[id].op)) kept_[inputs[0]] = true;
      for (int i = from_[id].input_count - 1; i >= 0; --i) {
        needed[inputs[i]] = true;
        ++readers[inputs[i]];
        reader[inputs[i]] = id;
      }
    }
    for (int id = 0; id < size; ++id)
      if (needed[id] && final_[id] < 0 && !inner[id]) final_[id] = make(id);
  }

  enum class kinds : std::uint8_t { other, sum, product };
  constexpr kinds kind_of(int id, kinds above) const {
    op_info const* op = from_[id].op;
    if (!op->elementwise || !r_.real() || !has_normal_form(from_.type(id).element))
      return kinds::other;
    if (is_op<op::neg>(op)) return above == kinds::product ? kinds::product : kinds::sum;
    if (is_op<op::add>(op) || is_op<op::sub>(op)) return kinds::sum;
    bool const product =
        is_op<op::mul>(op) || is_op<op::div>(op) || is_op<op::inv>(op) || is_op<op::sqr>(op);
    return product ? kinds::product : kinds::other;
  }

  constexpr int make(int id) {
    if (kinds_[id] == kinds::sum) return make_sum(id);
    if (kinds_[id] == kinds::product) return make_product(id);
    node const& n = from_[id];
    int const* const in = from_.input_data(id);
    inputs_.clear();
    for (int i = 0; i < n.input_count; ++i) inputs_.push_back(final_[in[i]]);
    if (is_op<op::item>(n.op)) inputs_[0] = with_outputs_[in[0]];
    int const raw = r_.g.add(n.op, n.type, inputs_, from_.attributes(id));
    if (n.op->has_items()) {
      with_outputs_.extend(from_.size(), -1);
      with_outputs_[id] = r_.with_outputs(raw);
      if (kept_[id]) r_.keep(raw), r_.keep(with_outputs_[id]);
    }
    int const form = r_.settle(raw);
    if (kept_[id]) r_.keep(form);
    return form;
  }

  struct leaf {
    int node, times;  // coefficient in a sum, power in a product; node -1: the number -1
  };
  /// Finds the operands of the tree of sums or products under `root`.
  constexpr void find_leaves(int root) {
    leaves_.clear();
    stack_.clear();
    split({root, 1}, kinds_[root]);
    while (!stack_.empty()) {
      leaf const top = stack_.back();
      stack_.pop_back();
      if (inner_[top.node]) split(top, kinds_[root]);
      else leaves_.push_back(top);
    }
  }
  /// Replaces a sum or product by its operands, the first one on top of the stack.
  constexpr void split(leaf const& top, kinds tree) {
    node const& n = from_[top.node];
    bool const sum = tree == kinds::sum, negation = is_op<op::neg>(n.op);
    bool const all = negation ? sum : is_op<op::inv>(n.op);
    bool const second = is_op<op::sub>(n.op) || is_op<op::div>(n.op);
    if (negation && !sum && top.times % 2 != 0) leaves_.push_back({-1, 1});
    int const first = top.times * (is_op<op::sqr>(n.op) ? 2 : all ? -1 : 1);
    int const* const inputs = from_.input_data(top.node);
    for (int i = n.input_count - 1; i >= 0; --i)
      stack_.push_back({inputs[i], i > 0 && second ? -first : first});
  }

  constexpr int make_sum(int id) {
    element const e = from_.type(id).element;
    find_leaves(id);
    int const raw = as_written(id), fuel = r_.fuel();
    sum_of_terms sum(r_, e);
    for (auto const& l : leaves_)
      sum.add(final_[l.node], number_of(e, l.times), readers_[l.node] > 1);
    int const form = sum.build();
    r_.note_written(form, raw, fuel);
    return conform(form, id, identity<op::add>());
  }
  constexpr int make_product(int id) {
    element const e = from_.type(id).element;
    find_leaves(id);
    product_of_factors product(r_, e);
    // A literal times a sum is distributed as it stands; any other product sees what the terms have
    // in common.
    int literals = 0;
    for (auto const& l : leaves_) literals += l.node < 0 || r_.g.is_literal(final_[l.node]) ? 1 : 0;
    bool const scales = literals > 0 && literals + 1 == leaves_.size();
    if (!scales)
      for (auto const& l : leaves_)
        if (l.node >= 0) r_.closed(r_.operand(final_[l.node]));
    int raw = as_written(id);
    if (raw >= 0 && !scales) raw = written_product_tree(r_, raw).run();
    int const fuel = r_.fuel();
    // Products that other nodes read too come last: they stay whole where they cancel with nothing.
    for (bool const whole : {false, true})
      for (auto const& l : leaves_) {
        int const factor = l.node < 0 ? r_.literal(-1, e)
                           : scales   ? final_[l.node]
                                      : r_.closed(r_.operand(final_[l.node]));
        bool const shared = l.node >= 0 && readers_[l.node] > 1;
        if ((shared && r_.g.is<op::mul>(factor)) == whole)
          product.multiply(factor, exponent(e, l.times), shared);
      }
    int const form = product.build();
    r_.note_written(form, raw, fuel);
    return conform(form, id, identity<op::mul>());
  }

  // Operands up to which the order of a sum or a product is kept.
  static constexpr int longest_written = 16;
  /// The tree of sums or products under `root` as it is written, over final forms; -1 where it is
  /// long, or its order is the only one.
  constexpr int as_written(int root) {
    if (!r_.does<"written_order">() || leaves_.size() > longest_written ||
        !is_float(from_.type(root).element))
      return -1;
    bool has_order = leaves_.size() > 2;
    for (auto const& l : leaves_) {
      if (l.node < 0) continue;
      has_order = has_order || (leaves_.size() > 1 && l.times * l.times > 1);
      int const form = final_[l.node];
      if (r_.g.type(form) != from_.type(l.node)) return -1;
      op_info const* const op = r_.g[form].op;
      has_order = has_order || is_op<op::add>(op) || is_op<op::mul>(op) || is_op<op::pow>(op);
    }
    return has_order ? tree(root, root) : -1;
  }
  constexpr int tree(int id, int root) {
    if (id != root && final_[id] >= 0) return r_.closed(final_[id]);
    if (from_.is_literal(id))
      return r_.g.literal_of_bits(from_.literal_bits(id), from_.type(id).element);
    if (int const as = from_.written(id); as >= 0) return tree(as, root);
    node const& n = from_[id];
    if (n.input_count > 2 || !(is_sum(from_, id) || is_product(from_, id))) return -1;
    int operands[2]{};
    for (int i = 0; i < n.input_count; ++i) {
      operands[i] = tree(from_.input_of(id, i), root);
      if (operands[i] < 0) return -1;
    }
    bool literals = true;
    for (int i = 0; i < n.input_count; ++i) literals = literals && r_.g.is_literal(operands[i]);
    if (literals) return r_.settle(r_.g.add(n.op, n.type, operands, n.input_count, nullptr, 0));
    bool const literal_last = is_op<op::mul>(n.op) && r_.g.is_literal(operands[1]);
    if (literal_last) std::swap(operands[0], operands[1]);
    return r_.g.add(n.op, n.type, operands, n.input_count, nullptr, 0);
  }
  /// The final form of `form` with the type of `id` and, where it has to be spread, the extents of
  /// the leaves.
  constexpr int conform(int form, int id, op_info const* op) {
    int const made = r_.sealed(form);
    tensor_type const type = from_.type(id);
    if (r_.g.type(made) == type) return made;
    inputs_.clear();
    for (auto const& l : leaves_)
      if (l.node >= 0) inputs_.push_back(final_[l.node]);
    return r_.conform(made, r_.g.add(op, type, inputs_, {}));
  }

  graph const& from_;
  rewriter& r_;
  list<int> final_, readers_, inputs_, with_outputs_;
  list<bool> inner_, kept_;
  list<kinds> kinds_;
  list<leaf> leaves_, stack_;
};

}  // namespace kroton::rewrite
