// How ops that are not elementwise are batched: views, indexing, products, choices.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/item.hpp>
#include <kroton/core/splice.hpp>
#include <kroton/grad/batching/pass.hpp>

#include <algorithm>

namespace kroton::calculus {

/// The rules of the built-in ops; `id` is a node at least one of whose inputs depends on the batch
/// index.
class batching_rules {
 public:
  constexpr batching_rules(batching& pass, int id)
      : pass_(pass), g_(pass.of()), id_(id), axes_(pass.axes()), rank_(pass.rank(id)) {}

  constexpr lanes extent_of() const {
    lanes const x = first();
    int const d = attribute(0), b = tie_of(x.ties, d);
    return {extent({&g_, x.node}, b >= 0 ? b : axes_ + untied_before(x.ties, d)).id, 0, true,
            false};
  }

  constexpr lanes dimshuffle() const {
    lanes const x = first();
    list<int> pattern = batch_axes();
    std::uint32_t ties = 0;
    for (int d = 0; d < rank_; ++d) {
      int const from = attribute(d), b = from < 0 ? -1 : tie_of(x.ties, from);
      if (b >= 0) ties |= tie(d, b);
      else pattern.push_back(from < 0 ? -1 : axes_ + untied_before(x.ties, from));
    }
    return {permute({&g_, x.node}, pattern).id, ties, true, true};
  }

  constexpr lanes alloc() const {
    lanes const x = first();
    std::uint32_t const ties = aligned_ties(x.ties, rank_ - operand_rank(0));
    list<term> extents;
    for (int d = 0; d < rank_; ++d)
      if (tie_of(ties, d) < 0) extents.push_back({&g_, pass_.shared(input(d + 1))});
    return {pass_.spread(pass_.placed(x, operand_rank(0), ties, rank_), extents).id, ties, true,
            true};
  }

  constexpr lanes reshape() const {
    term const x = pass_.dense(input(0));
    list<term> extents;
    for (int b = 0; b < axes_; ++b) extents.push_back(extent(x, b));
    for (int d = 0; d < rank_; ++d) extents.push_back({&g_, pass_.shared(input(d + 1))});
    return {ops::reshape(x, extents).id, 0, true, true};
  }

  constexpr lanes subtensor() const {
    int const own = operand_rank(0);
    lanes const x = pass_.untied(first(), own, not_whole(own));
    std::uint32_t ties = 0;
    for (int d = 0, position = 0; d < own; ++d) {
      if (int const b = tie_of(x.ties, d); b >= 0) ties |= tie(position, b);
      if (attribute(2 * d) != 1) ++position;
    }
    list<int> inputs{x.node};
    add_selection(inputs, 1);
    return {pass_.again(id_, inputs, selection_beside(x.ties, own)), ties, true, true};
  }

  // For values that are added or replace a part; ties occur in gradients, where only zeros replace.
  constexpr lanes subtensor_write() const {
    lanes base = first(), added = pass_.at(input(1));
    unsigned const part = not_whole(rank_);
    // For each axis of the added value, the axis of the base that it runs along.
    list<int> along;
    for (int d = 0; d < rank_; ++d)
      if (attribute(2 * d) != 1) along.push_back(d);
    if (int const missing = along.size() - operand_rank(1); missing > 0) {
      list<int> pattern;
      if (added.batched) pattern = batch_axes();
      int const before = pattern.size(), own = g_.type(added.node).rank;
      for (int d = 0; d < missing; ++d) pattern.push_back(-1);
      for (int d = before; d < own; ++d) pattern.push_back(d);
      added.node = permute({&g_, added.node}, pattern).id;
      added.ties = aligned_ties(added.ties, missing);
    }
    std::uint32_t of_added = 0;
    for (int d = 0; d < along.size(); ++d)
      if (int const b = tie_of(added.ties, d); b >= 0) of_added |= tie(along[d], b);
    std::uint32_t ties = added.batched ? of_added : base.ties;
    for (int d = 0; d < rank_; ++d)
      if ((part >> d & 1u) != 0 || (base.batched && tie_of(base.ties, d) != tie_of(ties, d)))
        ties &= ~(15u << (4 * d));
    std::uint32_t added_ties = 0;
    unsigned differing = 0, added_differing = 0;
    for (int d = 0; d < rank_; ++d)
      if (tie_of(ties, d) != tie_of(base.ties, d)) differing |= 1u << d;
    for (int d = 0; d < along.size(); ++d) {
      if (int const b = tie_of(ties, along[d]); b >= 0) added_ties |= tie(d, b);
      if (tie_of(ties, along[d]) != tie_of(added.ties, d)) added_differing |= 1u << d;
    }
    list<int> inputs{full(base, rank_, ties, differing),
                     full(added, along.size(), added_ties, added_differing)};
    add_selection(inputs, 2);
    return {pass_.again(id_, inputs, selection_beside(ties, rank_)), ties, true, true};
  }

  // Indices that are the same for all slices, or that select elements of one tensor for all; others
  // are applied slice by slice. `from`: the first index.
  constexpr lanes take(int from) const {
    int const count = g_[id_].input_count;
    bool differ = false,
         fits = from == 1 || operand_rank(1) == taken_type(g_.application(id_), from).rank;
    for (int k = from; k < count; ++k) {
      differ = differ || pass_.at(input(k)).batched;
      fits = fits && (!pass_.at(input(k)).batched || operand_rank(k) == rank_of_indices(from));
    }
    if (differ && (first().batched || from == 2 || attribute(1) != 0)) fits = false;
    if (!fits) return each();
    list<int> inputs;
    for (int k = 0; k < from; ++k)
      inputs.push_back(differ ? first().node : pass_.dense(input(k)).id);
    for (int k = from; k < count; ++k)
      inputs.push_back(pass_.at(input(k)).batched ? pass_.dense(input(k)).id
                                                  : pass_.at(input(k)).node);
    list<long long> attributes{g_.attribute(id_, 0), g_.attribute(id_, 1)};
    if (!differ) attributes = {g_.attribute(id_, 0) << axes_, g_.attribute(id_, 1) + axes_};
    return {pass_.again(id_, inputs, attributes), 0, true, true};
  }

  constexpr lanes join() const {
    list<int> inputs{pass_.shared(input(0))};
    for (int k = 1; k < g_[id_].input_count; ++k) inputs.push_back(pass_.dense(input(k)).id);
    return {pass_.again(id_, inputs, list<long long>{attribute(0) + axes_}), 0, true, true};
  }

  // Puts each vector in its rows, as seen through its diagonal.
  constexpr lanes from_diagonals() const {
    int const count = g_[id_].input_count;
    auto integer = [&](int i) { return term{&g_, pass_.shared(input(i))}; };
    term const height = integer(count - 2), width = integer(count - 1);
    list<int> pattern = batch_axes();
    pattern.push_back(axes_);
    pattern.push_back(-1);
    list<term> extents(pass_.extents());
    extents.push_back(height);
    list<long long> range(2 * axes_, 0);
    for (int b = 0; b < axes_; ++b) range[2 * b + 1] = 1;
    range.push_back(2);
    range.push_back(1);
    term total;
    for (int k = 0; k + 2 < count; k += 3) {
      term const data = pass_.dense(input(k)), row = integer(k + 1),
                 zero{&g_, g_.literal(0, data.element())};
      list<int> const inputs{ops::alloc(zero, extents).id, data.id, row.id, extent(data, axes_).id};
      term const spread{&g_, g_.apply(identity<op::set_subtensor>(), inputs, range)};
      term const from_row = permute(iota(height) - row, {0, -1});
      term const here = call<op::eq>(from_row, iota(width) - integer(k + 2));
      term const matrix = call<op::where>(here, permute(spread, pattern), zero);
      total = total.exists() ? total + matrix : matrix;
    }
    return {total.id, 0, true, true};
  }

  // A condition that differs from slice to slice selects element by element.
  constexpr lanes ifelse() const {
    lanes const condition = first();
    if (!condition.batched)
      return {pass_.again(id_, list<int>{condition.node, pass_.dense(input(1)).id,
                                         pass_.dense(input(2)).id}),
              0, true, true};
    term const c = pass_.placed(condition, 0, 0, rank_);
    return {call<op::where>(c, pass_.dense(input(1)), pass_.dense(input(2))).id, 0, true, true};
  }

  constexpr lanes dot() const {
    list<int> left{summed}, right{summed}, result;
    if (operand_rank(0) == 2) left = {rows, summed}, result.push_back(rows);
    if (operand_rank(1) == 2) right = {summed, columns}, result.push_back(columns);
    return product(left, right, result);
  }
  constexpr lanes batched_dot() const {
    return product({stack, rows, summed}, {stack, summed, columns}, {stack, rows, columns});
  }

  // Ops of one operand over axes that they keep.
  constexpr lanes along_axes() const {
    int const own = operand_rank(0);
    lanes const x = pass_.untied(first(), own, ~0u);
    list<long long> attributes(g_.attributes(id_).first, g_.attributes(id_).count);
    attributes[0] <<= axes_;
    list<int> inputs{x.batched ? x.node : pass_.dense(input(0)).id};
    for (int i = 1; i < g_[id_].input_count; ++i) inputs.push_back(pass_.dense(input(i)).id);
    return {pass_.again(id_, inputs, attributes), 0, true, true};
  }

  // Slice by slice. An op that already runs slice by slice gets more axes; each operand has either
  // all or none of them.
  constexpr lanes each() const {
    op_info const *const op = g_[id_].op, *const lifted = op->each();
    bool const is_each = *lifted == *op;
    int const inner = is_each ? attribute(0) : 0,
              count = std::min(g_[id_].input_count, most_operands_of_each);
    if (g_[id_].input_count > count)
      g_.fail("kt::vmap: an op with more than 16 operands cannot be mapped");
    long long const had = is_each ? g_.attribute(id_, 1) : 0;
    long long has = had;
    for (int i = 0; i < count; ++i)
      if (pass_.at(input(i)).batched) has |= 1ll << i;
    refuse_computed_extents();
    list<term> inner_extents;
    for (int d = 0; d < inner; ++d) inner_extents.push_back(inner_extent(had, d));
    list<int> inputs;
    for (int i = 0; i < count; ++i) {
      bool const outer = pass_.at(input(i)).batched;
      if ((has >> i & 1) == 0) inputs.push_back(pass_.at(input(i)).node);
      else if ((had >> i & 1) != 0 || inner == 0 || !outer)
        inputs.push_back(pass_.dense(input(i)).id);
      else inputs.push_back(with_inner_axes(pass_.dense(input(i)), inner_extents).id);
    }
    list<long long> attributes{axes_ + inner, has, count};
    for (int i = is_each ? each_attributes : 0; i < g_[id_].attribute_count; ++i)
      attributes.push_back(g_.attribute(id_, i));
    return {g_.apply(lifted, inputs, attributes), 0, true, true};
  }
  constexpr lanes item() const {
    return {output_of({&g_, first().node}, attribute(0)).id, 0, true, true};
  }

  // An op that represents a graph is batched as that graph.
  constexpr lanes inlined() const {
    list<int> const arguments(g_.inputs(id_).first, g_[id_].input_count);
    list<long long> const attributes(g_.attribute_data(id_), g_[id_].attribute_count);
    op_info const* const op = g_[id_].op;
    list<int> results;
    if (op->has_body) op->write_out(g_, {&g_, arguments, attributes}, results);
    else results = splice(g_, op->inner(), arguments.data());
    int const spliced = results[0];
    batching inside(g_, pass_.extents());
    for (int id : arguments) inside.set(id, pass_.at(id));
    inside.run(list<int>{spliced});
    return inside.at(spliced);
  }

  constexpr lanes print() const {
    return {pass_.again(id_, list<int>{pass_.dense(input(0)).id}), 0, true, true};
  }

  // One slice of a condition that is false makes all fail.
  constexpr lanes assertion() const {
    bool const batched = first().batched, asks_each = pass_.at(input(1)).batched;
    int const x = batched ? pass_.dense(input(0)).id : first().node,
              holds = asks_each ? all(pass_.dense(input(1))).id : pass_.at(input(1)).node;
    return {pass_.again(id_, list<int>{x, holds}), 0, true, batched};
  }

 private:
  constexpr int rank_of_indices(int from) const {
    return result_rank(indices_of(g_.application(id_), from));
  }
  constexpr int input(int i) const { return g_.input_of(id_, i); }
  constexpr int operand_rank(int i) const { return pass_.rank(input(i)); }
  constexpr int attribute(int i) const { return static_cast<int>(g_.attribute(id_, i)); }
  constexpr lanes first() const { return pass_.at(input(0)); }
  constexpr list<int> batch_axes() const {
    list<int> all;
    for (int b = 0; b < axes_; ++b) all.push_back(b);
    return all;
  }

  // An op whose extents are values needs the same ones for all slices.
  constexpr void refuse_computed_extents() const {
    op_info const* const op = g_[id_].op;
    for (int k = 0; k < g_.output_count(id_); ++k) {
      int const node = output_of({&g_, id_}, k).id;
      for (int d = 0; d < g_.type(node).rank; ++d) {
        extent_source const source = op->has_items()
                                         ? op->extent_of_output(g_.application(id_), d, k)
                                         : op->extent(g_.application(id_), d);
        if (source.from == extent_source::value) pass_.shared(input(source.input));
      }
    }
  }
  // The extent of an axis that the op already had, from an operand that has those axes.
  constexpr term inner_extent(long long had, int axis) const {
    for (int i = 0; i < g_[id_].input_count; ++i)
      if ((had >> i & 1) != 0 && !g_.type(input(i)).broadcasts(axis)) {
        lanes const x = pass_.untied(pass_.at(input(i)), operand_rank(i), ~0u);
        return extent({&g_, x.node}, x.batched ? axes_ + axis : axis);
      }
    return {&g_, g_.literal(1, element::int64)};
  }
  // An operand that lacks the earlier axes, which come after the new ones.
  constexpr term with_inner_axes(term x, list<term> const& inner_extents) const {
    list<int> pattern = batch_axes();
    list<term> extents;
    for (int d = 0; d < axes_; ++d) extents.push_back(extent(x, d));
    for (term e : inner_extents) {
      pattern.push_back(-1);
      extents.push_back(e);
    }
    for (int d = axes_; d < x.rank(); ++d) {
      pattern.push_back(d);
      extents.push_back(extent(x, d));
    }
    return ops::alloc(permute(x, pattern), extents);
  }

  // Labels of the axes of factors; smaller ones are batch axes.
  static constexpr int rows = 8, columns = 9, summed = 10, stack = 11;

  // A product of two factors, given the labels of their axes and of those of the result. In the
  // other factor and in the result, a tied axis has the label of its batch axis.
  constexpr lanes product(list<int> const& left, list<int> const& right,
                          list<int> const& result) const {
    list<int> const* const own[] = {&left, &right};
    lanes x[] = {pass_.at(input(0)), pass_.at(input(1))};
    labelled factors[2]{};
    list<int> tied(stack + 1, -1);
    for (int i = 0; i < 2; ++i) {
      if (x[0].batched && x[1].batched) x[i] = pass_.untied(x[i], operand_rank(i), ~0u);
      for (int d = 0; d < own[i]->size(); ++d)
        if (int const b = tie_of(x[i].ties, d); b >= 0) tied[(*own[i])[d]] = b;
    }
    for (int i = 0; i < 2; ++i) {
      factors[i].value = {&g_, x[i].node};
      if (x[i].batched) factors[i].labels = batch_axes();
      for (int d = 0; d < own[i]->size(); ++d) {
        int const label = (*own[i])[d];
        if (!x[i].batched && tied[label] >= 0) factors[i].labels.push_back(tied[label]);
        else if (tied[label] < 0) factors[i].labels.push_back(label);
      }
    }
    list<int> out = batch_axes();
    std::uint32_t ties = 0;
    for (int d = 0; d < result.size(); ++d) {
      int const b = tied[result[d]];
      if (b >= 0) ties |= tie(d, b);
      else out.push_back(result[d]);
    }
    return {contraction(factors[0], factors[1], out).run().id, ties, true, true};
  }

  // The axes, as bits, that a selection takes only a part of.
  constexpr unsigned not_whole(int count) const {
    unsigned axes = 0;
    for (int d = 0; d < count; ++d)
      if (attribute(2 * d) != 0) axes |= 1u << d;
    return axes;
  }
  // The attributes of a selection, preceded by whole batch axes.
  constexpr list<long long> selection_beside(std::uint32_t ties, int count) const {
    list<long long> attributes;
    for (int b = 0; b < axes_; ++b) {
      attributes.push_back(0);
      attributes.push_back(1);
    }
    for (int d = 0; d < count; ++d) {
      if (tie_of(ties, d) >= 0) continue;
      attributes.push_back(attribute(2 * d));
      attributes.push_back(attribute(2 * d + 1));
    }
    return attributes;
  }
  constexpr void add_selection(list<int>& inputs, int from) const {
    for (int i = from; i < g_[id_].input_count; ++i) inputs.push_back(pass_.shared(input(i)));
  }
  // With all batch axes and with these ties.
  constexpr int full(lanes const& x, int own, std::uint32_t ties, unsigned differing) const {
    if (x.batched) return pass_.untied(x, own, differing).node;
    term const plain{&g_, x.node};
    list<term> extents;
    for (int d = 0; d < own; ++d)
      if (tie_of(ties, d) < 0) extents.push_back(extent(plain, d));
    return pass_.spread(pass_.placed(x, own, ties, own), extents).id;
  }

  batching& pass_;
  graph& g_;
  int id_, axes_, rank_;
};

constexpr lanes batching::rebuilt(int id) {
  op_info const* const op = g_[id].op;
  if (find_segments(id)) return {-1, 0, true, true};
  batching_rules const rules(*this, id);
  bool any = false, changed = false;
  list<int> inputs;
  for (int in : g_.inputs(id)) {
    inputs.push_back(at(in).node);
    any = any || at(in).batched;
    changed = changed || at(in).node != in;
  }
  if (op->is_serial && (any || changed)) {
    g_.fail("kt::vmap: an op whose calls have an order cannot be mapped");
    return {id, 0, true, false};
  }
  if (!any) return {again(id, inputs), 0, true, false};
  if (is_op<op::extent_of>(op)) return rules.extent_of();
  if (op->elementwise) return elementwise(id);
  if (op->reduction || is_op<op::logsumexp>(op)) return reduction(id);
  if (is_op<op::dimshuffle>(op)) return rules.dimshuffle();
  if (is_op<op::alloc>(op)) return rules.alloc();
  if (is_op<op::dot>(op)) return rules.dot();
  if (is_op<op::batched_dot>(op)) return rules.batched_dot();
  if (is_op<op::reshape>(op)) return rules.reshape();
  if (is_op<op::subtensor>(op)) return rules.subtensor();
  if (is_op<op::inc_subtensor>(op) || is_op<op::set_subtensor>(op)) return rules.subtensor_write();
  if (is_op<op::take>(op)) return rules.take(1);
  if (is_op<op::inc_take>(op) || is_op<op::set_take>(op)) return rules.take(2);
  if (is_op<op::join>(op)) return rules.join();
  if (is_op<op::from_diagonals>(op)) return rules.from_diagonals();
  if (is_op<op::ifelse>(op)) return rules.ifelse();
  if (is_op<op::softmax>(op) || is_op<op::log_softmax>(op) || is_op<op::first_equal>(op))
    return rules.along_axes();
  if (is_op<op::print>(op)) return rules.print();
  if (is_op<op::assertion>(op)) return rules.assertion();
  if (is_op<op::item>(op)) return rules.item();
  if (op->has_inner || (op->has_body && !op->has_items())) return rules.inlined();
  if (op->has_batch) return op->batch(*this, id);
  if (op->has_each) return rules.each();
  g_.fail("kt::vmap: an op of the callable cannot be mapped");
  return {id, 0, true, false};
}

}  // namespace kroton::calculus
