// Ops that run slice by slice, along batch axes: each slice is a graph of one node.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "evaluate_factors.hpp"

namespace fuzz {

class each_node : public factor_node {
 protected:
  using factor_node::factor_node;

  /// An output of the op that `node`, this one or the one that it reads, runs on the slices of its operands.
  void run_slices(int node, int output) {
    int const axes = static_cast<int>(g_.attribute(node, 0)), count = g_[node].input_count;
    auto has_axes = [&](int k) { return (g_.attribute(node, 1) >> k & 1) != 0; };
    auto operand = [&](int k) -> tensor const& { return e_[g_.input_of(node, k)]; };

    index extents(static_cast<std::size_t>(axes), 1);
    for (int k = 0; k < count; ++k)
      for (int d = 0; has_axes(k) && d < axes; ++d) {
        long const e = operand(k).shape[static_cast<std::size_t>(d)];
        long& to = extents[static_cast<std::size_t>(d)];
        if (g_.type(g_.input_of(node, k)).broadcasts(d)) continue;
        if (to != 1 && to != e) throw std::domain_error("extents differ");
        to = e;
      }
    kt::graph slice;
    kt::core::list<int> inputs;
    kt::core::list<long long> attributes;
    for (int k = 0; k < count; ++k) {
      int const from = g_.input_of(node, k);
      kt::tensor_type t = g_.type(from);
      if (has_axes(k)) t.rank = static_cast<std::uint8_t>(t.rank - axes), t.broadcast >>= axes;
      inputs.push_back(g_.is_literal(from) ? slice.literal_of_bits(g_.literal_bits(from), t.element) : slice.input(t, k));
    }
    for (int i = kt::core::each_attributes; i < g_[node].attribute_count; ++i) attributes.push_back(g_.attribute(node, i));
    kt::term const applied{&slice, slice.apply(g_[node].op->slice(), inputs, attributes)};
    slice.results().push_back(kt::core::output_of(applied, output).id);

    bool made = false;
    for_each(extents, [&](index const& at_batch, long number) {
      std::vector<tensor> given;
      for (int k = 0; k < count; ++k) given.push_back(has_axes(k) ? slice_of(operand(k), at_batch) : operand(k));
      evaluator const values(slice, std::move(given), e_);
      tensor const& part = values[slice.results()[0]];
      if (!made) {
        index shape = extents;
        shape.insert(shape.end(), part.shape.begin(), part.shape.end());
        make(shape);
        made = true;
      }
      std::copy(part.data.begin(), part.data.end(), out_.data.begin() + number * part.count() * lanes_);
      std::copy(part.flags.begin(), part.flags.end(), out_.flags.begin() + number * part.count());
    });
    if (!made) throw unsettled("the shape of a slice of nothing");
  }

 private:
  tensor slice_of(tensor const& x, index const& at_batch) const {
    tensor part;
    part.type = x.type;
    part.shape.assign(x.shape.begin() + static_cast<long>(at_batch.size()), x.shape.end());
    long first = 0;
    for (std::size_t d = 0; d < at_batch.size(); ++d) first = first * x.shape[d] + (x.shape[d] == 1 ? 0 : at_batch[d]);
    first *= part.count();
    part.data.assign(x.data.begin() + first * lanes_, x.data.begin() + (first + part.count()) * lanes_);
    part.flags.assign(x.flags.begin() + first, x.flags.begin() + first + part.count());
    return part;
  }
};

}  // namespace fuzz
