// Products of tensors with labelled axes (Einstein sums of two factors): elementwise products, dot,
// and products of batches.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/linear_algebra/products.hpp>

namespace kroton {
namespace op {

/// The products of corresponding slices: (b,m,k) (b,k,n) gives (b,m,n); element types are equal.
struct batched_dot : operation<"batched_dot", 2> {
  static constexpr auto own = core::own_function::typed;
  static constexpr bool takes_complex = true;
  static constexpr tensor_type type(core::application const& a) {
    tensor_type const l = a.input(0), r = a.input(1);
    return {l.element, 3,
            (l.broadcast & r.broadcast & 1u) | (l.broadcast & 2u) | (r.broadcast & 4u)};
  }
  static constexpr core::extent_source extent(core::application const& a, int d) {
    return {core::extent_source::dimension, d == 2 || (d == 0 && a.input(0).broadcasts(0)) ? 1 : 0,
            d};
  }
  static constexpr void constraints(core::application const& a,
                                    core::list<core::extent_pair>& pairs) {
    using core::extent_source;
    if (!a.input(0).broadcasts(0) && !a.input(1).broadcasts(0))
      pairs.push_back({{extent_source::dimension, 0, 0}, {extent_source::dimension, 1, 0}});
    pairs.push_back({{extent_source::dimension, 0, 2}, {extent_source::dimension, 1, 1}});
  }
  static constexpr term product(term a, term b) {
    return {a.of, a.of->apply<batched_dot>({a.id, b.id})};
  }
  static constexpr core::gradient_list<2> pullback(term g, term, term a, term b) {
    return {{product(g, ops::permute(b, {0, 2, 1})), product(ops::permute(a, {0, 2, 1}), g)}};
  }
};

}  // namespace op
}  // namespace kroton

namespace kroton::ops {

/// A tensor whose axes have distinct labels. Equal labels in two factors denote one axis.
struct labelled {
  term value;
  list<int> labels;
};

constexpr int position_of(list<int> const& labels, int label) {
  for (int i = 0; i < labels.size(); ++i)
    if (labels[i] == label) return i;
  return -1;
}
/// The axes in the order of `wanted`; labels that x lacks become broadcasting axes.
constexpr term arranged(labelled const& x, list<int> const& wanted) {
  list<int> pattern;
  for (int label : wanted) pattern.push_back(position_of(x.labels, label));
  return permute(x.value, pattern);
}

/// Sums the product of two tensors over the labels that are not in `out`; both tensors must have
/// those. All other labels are in `out`, which determines the order of the result's axes. Labels
/// that both have and that remain are batch axes.
class contraction {
 public:
  constexpr contraction(labelled const& a, labelled const& b, list<int> const& out)
      : a_(a), b_(b), out_(out) {
    for (int label : a.labels)
      if (position_of(out, label) < 0) summed_.push_back(label);
    for (int label : out) {
      bool const in_a = position_of(a.labels, label) >= 0, in_b = position_of(b.labels, label) >= 0;
      (in_a && in_b ? shared_ : in_a ? left_ : right_).push_back(label);
    }
  }
  constexpr term run() const {
    if (summed_.empty()) return arranged(a_, out_) * arranged(b_, out_);
    bool const batched = !shared_.empty();
    list<int> order(shared_);
    if (batched && left_.empty() && right_.empty()) {
      order.append(summed_.data(), summed_.size());
      long long axes = 0;
      for (int d = shared_.size(); d < order.size(); ++d) axes |= 1ll << d;
      return in_order(sum_over(arranged(a_, order) * arranged(b_, order), axes, false), shared_);
    }
    order.append(left_.data(), left_.size());
    order.append(right_.data(), right_.size());
    term const x = grouped(a_, left_, summed_), y = grouped(b_, summed_, right_);
    term const product = batched ? op::batched_dot::product(x, y) : op::dot::product(x, y);
    if (is_single(left_, batched) && is_single(right_, batched) && shared_.size() <= 1)
      return in_order(product, order);
    list<term> extents;
    for (int label : order) extents.push_back(extent_of_label(label));
    return in_order(reshape(product, extents), order);
  }

 private:
  // Whether a group of labels has as many axes in the product as in the result.
  static constexpr bool is_single(list<int> const& group, bool batched) {
    return group.size() == 1 || (group.empty() && !batched);
  }
  constexpr term extent_of_label(int label) const {
    int const d = position_of(a_.labels, label);
    if (d >= 0 && !a_.value.type().broadcasts(d)) return extent(a_.value, d);
    int const e = position_of(b_.labels, label);
    return e >= 0 ? extent(b_.value, e) : extent(a_.value, d);
  }
  constexpr term in_order(term x, list<int> const& order) const {
    return arranged({x, order}, out_);
  }

  // The axes of x arranged for a factor: the batch, then `first`, then `second`, one axis for each
  // group. A group without a label is an axis of extent 1 if there is a batch, and otherwise
  // absent.
  constexpr term grouped(labelled const& x, list<int> const& first, list<int> const& second) const {
    list<int> order(shared_);
    order.append(first.data(), first.size());
    order.append(second.data(), second.size());
    term moved = arranged(x, order);
    bool const batched = !shared_.empty();
    if (shared_.size() <= 1 && is_single(first, batched) && is_single(second, batched))
      return moved;
    list<term> extents;
    bool spread = false;
    for (int d = 0; d < order.size(); ++d) {
      extents.push_back(extent_of_label(order[d]));
      spread = spread || (moved.type().broadcasts(d) && !x.value.of->is_literal(extents[d].id, 1));
    }
    if (spread) moved = alloc(moved, extents);
    extents.clear();
    auto add = [&](list<int> const& group) {
      if (group.empty() && !batched) return;
      term product{moved.of, moved.of->literal(1, element::int64)};
      for (int label : group) product = product * extent_of_label(label);
      extents.push_back(product);
    };
    if (batched) add(shared_);
    add(first);
    add(second);
    return reshape(moved, extents);
  }

  labelled const& a_;
  labelled const& b_;
  list<int> const& out_;
  list<int> shared_{}, left_{}, right_{}, summed_{};
};

}  // namespace kroton::ops
