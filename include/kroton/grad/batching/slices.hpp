// How ops that work on whole slices are batched: slice by slice, or along the axes they keep.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/item.hpp>
#include <kroton/grad/batching/rule.hpp>

#include <algorithm>

namespace kroton::calculus {

class slice_batching : batching_rule {
 public:
  using batching_rule::batching_rule;

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

  // Ops of one array along the axis that is their first attribute.
  constexpr lanes along_axis() const {
    lanes const x = pass_.untied(first(), operand_rank(0), ~0u);
    list<long long> attributes(g_.attributes(id_).first, g_.attributes(id_).count);
    attributes[0] += axes_;
    list<int> inputs{x.batched ? x.node : pass_.dense(input(0)).id};
    for (int i = 1; i < g_[id_].input_count; ++i) inputs.push_back(pass_.shared(input(i)));
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

 private:
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
};

}  // namespace kroton::calculus
