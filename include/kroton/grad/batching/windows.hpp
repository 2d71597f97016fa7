// How convolutions are batched: slices of images alone are more images, slices of filters are
// groups. Pooling moves over the last axes, whatever is before them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/grad/batching/rule.hpp>
#include <kroton/ops/signal/convolution.hpp>
#include <kroton/ops/signal/pooling.hpp>

namespace kroton::calculus {

class window_batching : batching_rule {
 public:
  using batching_rule::batching_rule;

  /// Outputs from images and filters, or images from outputs and filters.
  constexpr lanes from_filters() const {
    if (!pass_.at(input(1)).batched) {
      term const images = pass_.dense(input(0));
      term const result = convolve(merged(images, 0), {&g_, pass_.at(input(1)).node}, false, 0);
      return {split(result, 0, extent(images, axes_)).id, 0, true, true};
    }
    term const filters = pass_.dense(input(1));
    bool const shares =
        !pass_.at(input(0)).batched && g_.is<op::convolution>(id_) && is_one_group();
    term const images = shares ? term{&g_, pass_.at(input(0)).node} : in_channels(input(0));
    term const result = convolve(images, merged(filters, 0), !shares, 1);
    return {slices_of_channels(result).id, 0, true, true};
  }
  /// Filters from images and outputs.
  constexpr lanes to_filters() const {
    bool const shares = !pass_.at(input(0)).batched && is_one_group();
    term const images = shares ? term{&g_, pass_.at(input(0)).node} : in_channels(input(0));
    term const outputs = in_channels(input(1));
    term const own = extent(pass_.dense(input(1)), axes_ + 1);
    return {split(convolve(images, outputs, !shares, 0), 0, own).id, 0, true, true};
  }
  /// Ops over the last axes.
  constexpr lanes over_planes() const {
    list<int> inputs;
    for (int i = 0; i < g_[id_].input_count; ++i)
      inputs.push_back(operand_rank(i) > 0 ? pass_.dense(input(i)).id : pass_.shared(input(i)));
    return {pass_.again(id_, inputs), 0, true, true};
  }

 private:
  constexpr bool is_one_group() const { return g_.is_literal(input(ops::groups_operand), 1); }
  constexpr term slices() const {
    term product = pass_.extents()[0];
    for (int b = 1; b < axes_; ++b) product = product * pass_.extents()[b];
    return product;
  }
  // The batch axes, which are next to axis `axis` of a slice, and that one as one axis.
  constexpr term merged(term x, int axis) const {
    list<term> extents;
    for (int d = 0; d < axis; ++d) extents.push_back(extent(x, d));
    extents.push_back(slices() * extent(x, axis + axes_));
    for (int d = axis + axes_ + 1; d < x.rank(); ++d) extents.push_back(extent(x, d));
    return ops::reshape(x, extents);
  }
  // The opposite: an axis as batch axes and one more, of extent `own`.
  constexpr term split(term x, int axis, term own) const {
    list<term> extents;
    for (int d = 0; d < axis; ++d) extents.push_back(extent(x, d));
    for (int b = 0; b < axes_; ++b) extents.push_back(pass_.extents()[b]);
    extents.push_back(own);
    for (int d = axis + 1; d < x.rank(); ++d) extents.push_back(extent(x, d));
    return ops::reshape(x, extents);
  }
  // The slices of a tensor (batch, channels, ...) as more channels.
  constexpr term in_channels(int node) const {
    term const x = pass_.dense(node);
    list<int> order{axes_};
    for (int b = 0; b < axes_; ++b) order.push_back(b);
    for (int d = axes_ + 1; d < x.rank(); ++d) order.push_back(d);
    return merged(permute(x, order), 1);
  }
  constexpr term slices_of_channels(term result) const {
    term const parts = split(result, 1, {&g_, pass_.shared(input(ops::channels_operand))});
    list<int> order;
    for (int b = 0; b < axes_; ++b) order.push_back(1 + b);
    order.push_back(0);
    for (int d = axes_ + 1; d < parts.rank(); ++d) order.push_back(d);
    return permute(parts, order);
  }
  // Slices in channels are groups, and there are `times` as many channels in the result if its
  // channels are those of all slices.
  constexpr term convolve(term a, term b, bool are_groups, int in_channels) const {
    list<int> inputs{a.id, b.id};
    for (int i = 2; i < g_[id_].input_count; ++i) {
      term operand{&g_, pass_.shared(input(i))};
      bool const grows =
          i == ops::groups_operand ? are_groups : i == ops::channels_operand && in_channels != 0;
      if (grows) operand = operand * slices();
      inputs.push_back(operand.id);
    }
    return {&g_, pass_.again(id_, inputs)};
  }
};

}  // namespace kroton::calculus
