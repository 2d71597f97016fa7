// Rules of pooling: functions that keep the order of elements come behind a maximum, where there
// are fewer of them, and what is multiplied by the gradient of one is read where the maxima are.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/along_axes/reduction.hpp>
#include <kroton/ops/signal/convolution_at.hpp>
#include <kroton/ops/signal/pooling.hpp>
#include <kroton/rewrite/engine/rewriter.hpp>

namespace kroton::rewrite::rules {

/// Whether an operand of an elementwise op of rank `rank` spans any of the last `axes` axes.
constexpr bool spans_planes(graph const& g, int operand, int rank, int axes) {
  for (int d = rank - axes; d < rank; ++d)
    if (g.type(operand).spans(d, rank)) return true;
  return false;
}
constexpr bool has_type_of(graph const& g, int a, int b) {
  return g.type(a).rank == g.type(b).rank && g.type(a).broadcast == g.type(b).broadcast &&
         g.type(a).element == g.type(b).element;
}

/// An elementwise node that keeps the order of the elements of one operand within planes.
class increasing_in_planes {
 public:
  constexpr increasing_in_planes(rewriter& r, int id, int axes) : r_(r), id_(id) {
    graph& g = r.g;
    op_info const* const op = g[id].op;
    if (!op->elementwise || !is_float(g.type(id).element) || g.is<op::cast>(id)) return;
    bool const is_sum = is_op<op::add>(op),
               is_limit = is_op<op::maximum>(op) || is_op<op::minimum>(op);
    if (!is_sum && !is_limit && (g[id].input_count != 1 || !op->has(law::increasing))) return;
    for (int i : r.inputs(id))
      (spans_planes(g, i, g.type(id).rank, axes) ? within_ : constant_).push_back(i);
    if (within_.empty() || (g[id].input_count > 1 && constant_.empty())) return;
    if (!is_sum && within_.size() > 1) return;
    inner_ = within_.size() > 1 ? r.make(op, within_) : within_[0];
    if (!has_type_of(g, inner_, id)) inner_ = -1;
  }

  constexpr bool is_found() const { return inner_ >= 0; }
  constexpr int inner() const { return inner_; }
  /// The node with another one in place of that operand.
  constexpr int of(int other) const {
    list<int> operands{other};
    operands.append(constant_.data(), constant_.size());
    return r_.make(r_.g[id_].op, operands);
  }

 private:
  rewriter& r_;
  int id_, inner_ = -1;
  list<int> within_, constant_;
};

/// A maximum of windows of f(x), not final yet, as one of x; -1 where it is none.
constexpr int pooled_inner(rewriter& r, int pool, increasing_in_planes const& f) {
  list<int> inputs = r.inputs(pool);
  list<long long> const attributes = r.attributes(pool);
  inputs[0] = f.inner();
  return r.g.apply(identity<op::max_pool>(), inputs, attributes);
}
/// max_pool(f(x)) is f(max_pool(x)) for an increasing f.
constexpr int pooled_increasing(rewriter& r, int id) {
  int const axes = static_cast<int>(r.g.attribute(id, 0));
  increasing_in_planes const f(r, r.g.input_of(id, 0), axes);
  return f.is_found() ? f.of(r.settle(pooled_inner(r, id, f))) : -1;
}
/// And the positions of the maxima are those of x.
constexpr int position_of_pooled(rewriter& r, int id) {
  graph& g = r.g;
  int const pool = g.input_of(id, 0);
  if (!g.is<op::max_pool>(pool)) return -1;
  increasing_in_planes const f(r, g.input_of(pool, 0), static_cast<int>(g.attribute(pool, 0)));
  if (!f.is_found()) return -1;
  return r.make<op::item>({r.with_outputs(pooled_inner(r, pool, f))}, {1});
}

/// An operand of an elementwise op of the type of `x`, read at positions in planes; -1 where it is
/// not of such planes.
constexpr int taken_operand(rewriter& r, int operand, int x, int positions, int axes) {
  graph& g = r.g;
  if (!spans_planes(g, operand, g.type(x).rank, axes)) return operand;
  tensor_type const own = g.type(operand), of = g.type(x);
  if (own.rank != of.rank || own.broadcast != of.broadcast) return -1;
  return r.make<op::take_in_planes>({operand, positions}, {axes});
}
/// Elements at the positions of their own maxima are these; functions of elements are functions of
/// what is read.
constexpr int taken_in_planes(rewriter& r, int id) {
  graph& g = r.g;
  int const x = g.input_of(id, 0), positions = g.input_of(id, 1);
  int const axes = static_cast<int>(g.attribute(id, 0));
  if (g.is<op::item>(positions)) {
    int const pool = g.input_of(positions, 0);
    if (g.is<op::max_pool>(pool) && g.input_of(pool, 0) == x) return r.settle(pool);
  }
  if (!g[x].op->elementwise || g[x].input_count == 0) return -1;
  list<int> operands = r.inputs(x);
  for (int& i : operands) {
    i = taken_operand(r, i, x, positions, axes);
    if (i < 0) return -1;
  }
  return r.conform(
      g.is<op::cast>(x) ? r.cast(operands[0], g.type(x).element) : r.make(g[x].op, operands), id);
}

/// A node like `added`, which adds elements at positions in planes of zeros, with other elements.
constexpr int added_like(rewriter& r, int added, int elements) {
  list<int> inputs = r.inputs(added);
  list<long long> const attributes = r.attributes(added);
  inputs[0] = elements;
  return r.make(identity<op::add_in_planes>(), inputs, attributes);
}
/// Factors of such planes are read at the positions.
constexpr int product_with_added(rewriter& r, int id) {
  graph& g = r.g;
  list<int> const factors = r.inputs(id);
  int added = -1;
  for (int f : factors)
    if (added < 0 && g.is<op::add_in_planes>(f) && has_type_of(g, f, id)) added = f;
  if (added < 0) return -1;
  int const positions = g.input_of(added, 1), axes = static_cast<int>(g.attribute(added, 0));
  list<int> at{g.input_of(added, 0)};
  bool met = false;
  for (int f : factors) {
    if (f == added && !met) {
      met = true;
      continue;
    }
    int const taken = taken_operand(r, f, id, positions, axes);
    if (taken < 0) return -1;
    at.push_back(taken);
  }
  return added_like(r, added, r.make(g[id].op, at));
}
/// So are the conditions of a choice between such planes and 0.
constexpr int choice_of_added(rewriter& r, int id) {
  graph& g = r.g;
  int const condition = g.input_of(id, 0);
  for (int branch : {1, 2}) {
    int const added = g.input_of(id, branch), zero = g.input_of(id, 3 - branch);
    if (!g.is<op::add_in_planes>(added) || !g.is_literal(zero, 0) || !has_type_of(g, added, id))
      continue;
    int const taken = taken_operand(r, condition, id, g.input_of(added, 1),
                                    static_cast<int>(g.attribute(added, 0)));
    if (taken < 0) return -1;
    list<int> operands{taken, g.input_of(added, 0), zero};
    if (branch == 2) operands = list<int>{taken, zero, g.input_of(added, 0)};
    return added_like(r, added, r.make(identity<op::where>(), operands));
  }
  return -1;
}
/// A sum over whole planes is that of the elements that were added.
constexpr int sum_of_added_in_planes(rewriter& r, int id) {
  graph& g = r.g;
  int const added = g.input_of(id, 0);
  if (!g.is<op::add_in_planes>(added)) return -1;
  int const rank = g.type(added).rank;
  for (int d = rank - static_cast<int>(g.attribute(added, 0)); d < rank; ++d)
    if ((g.attribute(id, 0) >> d & 1) == 0) return -1;
  list<long long> const attributes = r.attributes(id);
  int const inputs[] = {g.input_of(added, 0)};
  return r.make(identity<op::sum>(), items<int>(inputs), attributes);
}
/// Gradients of convolutions by images and filters read the elements where they are.
constexpr int convolution_of_added(rewriter& r, int id) {
  graph& g = r.g;
  bool const of_images = g.is<op::convolution_images>(id);
  int const added = g.input_of(id, of_images ? 0 : 1), other = g.input_of(id, of_images ? 1 : 0);
  int const axes = g.type(id).rank - 2;
  if (!g.is<op::add_in_planes>(added) || g.attribute(added, 0) != axes) return -1;
  list<int> inputs{g.input_of(added, 0), g.input_of(added, 1), other};
  for (int i = 2; i < g[id].input_count; ++i) inputs.push_back(g.input_of(id, i));
  for (int d = 0; d < axes; ++d) inputs.push_back(g.input_of(added, 2 + d));
  list<long long> const attributes = r.attributes(id);
  return r.make(
      of_images ? identity<op::convolution_images_at>() : identity<op::convolution_filters_at>(),
      inputs, attributes);
}

}  // namespace kroton::rewrite::rules
