// Products with tensors that are zeros except what is written to parts of them, as gradients of
// views are: the factors move into what is written, where they meet what they belong to.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/rewrite/engine/trial.hpp>
#include <kroton/rewrite/rules/selections.hpp>
#include <kroton/rewrite/rules/write.hpp>

namespace kroton::rewrite::rules {

/// What a write reads back of a factor of what it is written to: functions of elements that are
/// read, since these meet what is written. What of them is computed of the whole anyway is read
/// after all (see hoist.hpp).
constexpr int read_like(rewriter& r, int write, int factor) {
  graph& g = r.g;
  op_info const* const op = g.is<op::inc_take>(write)           ? identity<op::take>()
                            : g.is<op::add_along_axis>(write) ? identity<op::take_along_axis>()
                                                              : identity<op::subtensor>();
  list<int> inputs{g.input_of(write, 0)};
  for (int i = 2; i < g[write].input_count; ++i) inputs.push_back(g.input_of(write, i));
  list<long long> const attributes = r.attributes(write);
  int const part = sunk_selection(r, g.apply(op, inputs, attributes), factor);
  if (part >= 0) return part;
  inputs[0] = r.conform(factor, write);
  return r.make(op, inputs, attributes);
}

/// Multiplies tensors that are made of writes to zeros, also behind views, sums and choices.
class written_product {
 public:
  /// `numbers` are the scalar factors, `factor` is the product of the others, or -1.
  constexpr written_product(rewriter& r, list<int> const& numbers) : r_(r), numbers_(numbers) {}

  /// Whether a node is zeros except what is written.
  constexpr bool is_written(int id, int depth = 6) const {
    graph const& g = r_.g;
    if (depth == 0) return false;
    if (is_change(g, id)) return is_move(g, id) && is_written(g.input_of(id, 0), depth - 1);
    if (applies<op::from_diagonal>(g, id)) return true;
    if (applies<op::ifelse>(g, id)) return is_zero(g.input_of(id, 1)) || is_zero(g.input_of(id, 2));
    if (!g.is<op::add>(id)) return !writes_to_zeros(r_, id).empty();
    for (int i : g.inputs(id))
      if (g.type(i) != g.type(id) || !is_written(i, depth - 1)) return false;
    return true;
  }

  constexpr bool has_written_term(int sum) const {
    if (!r_.g.is<op::add>(sum)) return false;
    for (int t : r_.g.inputs(sum))
      if (r_.g.type(t) == r_.g.type(sum) && is_written(t)) return true;
    return false;
  }

  constexpr int of(int id, int factor) {
    graph& g = r_.g;
    if (is_change(g, id)) {
      int const source = g.input_of(id, 0),
                inside = of(source, factor < 0 ? -1 : moved_back(id, factor));
      list<int> inputs = r_.inputs(id);
      list<long long> const attributes = r_.attributes(id);
      inputs[0] = inside;
      return r_.make(g[id].op, inputs, attributes);
    }
    if (applies<op::from_diagonal>(g, id)) {
      list<int> inputs = r_.inputs(id);
      list<long long> const attributes = r_.attributes(id);
      inputs[0] = product(inputs[0], factor < 0 ? -1 : on_diagonal_of(id, factor));
      return r_.make(g[id].op, inputs, attributes);
    }
    if (applies<op::ifelse>(g, id)) {
      list<int> inputs = r_.inputs(id);
      for (int k = 1; k < 3; ++k)
        if (!is_zero(inputs[k])) inputs[k] = r_.conform(product(inputs[k], factor), id);
      return r_.make(g[id].op, inputs);
    }
    if (g.is<op::add>(id)) {
      list<int> terms = r_.inputs(id);
      for (int& t : terms) t = of(t, factor);
      return r_.make(g[id].op, terms);
    }
    list<int> const writes = writes_to_zeros(r_, id);
    int result = g.input_of(writes.back(), 0);
    for (int k = writes.size() - 1; k >= 0; --k) {
      op_info const* const op = g[writes[k]].op;
      int const value = g.input_of(writes[k], 1);
      result = write_like(r_, op, writes[k], result,
                          product(value, factor < 0 ? -1 : read_like(r_, writes[k], factor)));
    }
    return result;
  }
  /// The product with what is written.
  constexpr int product(int value, int part) {
    list<int> factors = numbers_;
    if (part >= 0) factors.push_back(part);
    factors.push_back(value);
    bool fires = false;
    int const result = tried(r_, identity<op::mul>(), factors, fires);
    has_fired_ = has_fired_ || (fires && part >= 0);
    return result;
  }
  /// Whether factors have met what they cancel with, or a stable form.
  constexpr bool has_fired() const { return has_fired_; }

 private:
  // A view, or a sum over axes, as the gradient of what spreads is.
  static constexpr bool is_change(graph const& g, int id) {
    return g.is<op::dimshuffle>(id) || g.is<op::reshape>(id) ||
           (g.is<op::sum>(id) && g.attribute(id, 1) == 0);
  }
  static constexpr bool is_move(graph const& g, int id) {
    return !g.is<op::sum>(id) || g.type(id).element == g.type(g.input_of(id, 0)).element;
  }
  constexpr bool is_zero(int id) const { return r_.g.is_literal(r_.bare(id), 0); }

  /// What becomes the factor by a dimshuffle, a reshape, or a sum over axes along which it does not
  /// vary.
  constexpr int moved_back(int id, int factor) {
    graph& g = r_.g;
    int const source = g.input_of(id, 0), rank = g.type(source).rank,
              missing = g.type(id).rank - g.type(factor).rank;
    if (g.is<op::reshape>(id)) {
      list<int> inputs{r_.conform(factor, id)};
      for (int d = 0; d < rank; ++d) inputs.push_back(r_.extent(source, d));
      return r_.make(identity<op::reshape>(), inputs);
    }
    list<long long> pattern(rank, -1);
    for (int d = 0, position = 0; d < (g.is<op::sum>(id) ? rank : g.type(id).rank); ++d) {
      bool const sums = g.is<op::sum>(id);
      if (sums && (g.attribute(id, 0) >> d & 1) != 0) continue;
      int const from = sums ? d : static_cast<int>(g.attribute(id, d)), to = sums ? position++ : d;
      if (from >= 0 && to >= missing) pattern[from] = to - missing;
    }
    int front = 0;
    while (front < pattern.size() && pattern[front] < 0) ++front;
    list<long long> own;
    for (int d = front; d < pattern.size(); ++d) own.push_back(pattern[d]);
    return make_view(r_, factor, own);
  }
  constexpr int on_diagonal_of(int id, int factor) {
    graph& g = r_.g;
    int const length = r_.extent(g.input_of(id, 0), g.type(g.input_of(id, 0)).rank - 1);
    list<int> inputs{id, length};
    list<long long> attributes{g.attribute(id, 0), g.attribute(id, 1), g.attribute(id, 2), 0};
    int const own =
        selected_operand(r_, g.apply(identity<op::diagonal>(), inputs, attributes), factor);
    if (own >= 0) return r_.settle(own);
    inputs[0] = r_.conform(factor, id);
    return r_.make(identity<op::diagonal>(), inputs, attributes);
  }

  rewriter& r_;
  list<int> numbers_;
  bool has_fired_ = false;
};

/// A factor of a sum of which some terms are written: it goes into all of them where it cancels in
/// one of these.
constexpr int distributed_over_writes(rewriter& r, written_product& product, int sum, int factor) {
  graph& g = r.g;
  int const size = g.size();
  list<int> written, rest;
  for (int t : r.inputs(sum))
    (g.type(t) == g.type(sum) && product.is_written(t) ? written : rest).push_back(t);
  for (int& t : written) t = product.of(t, factor);
  if (!r.may_grow(g.size() - size, product.has_fired()) || !product.has_fired()) return -1;
  written.push_back(
      product.product(rest.size() == 1 ? rest[0] : r.make(identity<op::add>(), rest), factor));
  return r.make(identity<op::add>(), written);
}

constexpr bool op_adds(graph const& g, int id) {
  return g.is<op::inc_subtensor>(id) || g.is<op::inc_take>(id) || g.is<op::add_along_axis>(id);
}
/// A product with zeros to which parts are written is zeros to which products are written. What is
/// added to a part of something else takes the factor with it where it cancels there, as in the
/// gradients of softmax and logarithm.
constexpr int scaled_write(rewriter& r, int id) {
  if (!r.does<"written_products">()) return -1;
  graph& g = r.g;
  list<int> numbers, factors;
  for (int f : r.inputs(id)) (g.type(f).rank == 0 ? numbers : factors).push_back(f);
  for (int k = 0; k < factors.size(); ++k) {
    int const target = factors[k];
    if (g.type(target) != g.type(id)) continue;
    list<int> rest = factors;
    rest.erase(k);
    written_product product(r, numbers);
    bool const written = product.is_written(target), adds = op_adds(g, target),
               sums = !written && product.has_written_term(target);
    if (!written && (rest.empty() || (!adds && !sums))) continue;
    int const factor = rest.empty()       ? -1
                       : rest.size() == 1 ? rest[0]
                                          : r.make(identity<op::mul>(), rest);
    if (written) {
      int const size = g.size(), form = product.of(target, factor);
      // What is the same for all rows that are added to one multiplies their sum.
      bool const stays = factor >= 0 && g.is<op::inc_take>(target) && !product.has_fired() &&
                         is_of_groups(g, factor, g.input_of(target, 2));
      if (!stays && (factor < 0 || r.may_grow(g.size() - size, product.has_fired()))) return form;
      continue;
    }
    if (sums) {
      if (int const form = distributed_over_writes(r, product, target, factor); form >= 0)
        return form;
      continue;
    }
    int const value = product.product(g.input_of(target, 1), read_like(r, target, factor));
    if (!product.has_fired()) continue;
    int const base = r.conform(product.product(g.input_of(target, 0), factor), target);
    op_info const* const op = g[target].op;
    return write_like(r, op, target, base, value);
  }
  return -1;
}

}  // namespace kroton::rewrite::rules
