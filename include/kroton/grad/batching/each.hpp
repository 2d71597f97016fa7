// The gradient of an op that runs slice by slice: its pullback on one slice, batched.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/grad/batching/pass.hpp>

namespace kroton::calculus {

/// The gradients of the operands of y from those of its outputs, -1 for missing ones.
constexpr void pull_back_each(graph& g, int y, items<int> given, list<int>& gradients) {
  op_info const* const op = g[y].op->slice();
  int const axes = static_cast<int>(g.attribute(y, 0));
  long long const with_axes = g.attribute(y, 1);
  list<int> const operands(g.inputs(y).first, g[y].input_count);
  list<long long> const attributes(g.attributes(y).first + each_attributes,
                                   g[y].attribute_count - each_attributes);
  auto slice = [&](int id) { return lane_of({&g, id}, axes).id; };
  list<int> slices;
  for (int i = 0; i < operands.size(); ++i)
    slices.push_back((with_axes >> i & 1) != 0 ? slice(operands[i]) : operands[i]);
  int const one = g.apply(op, slices, attributes);

  int const outputs = g.output_count(y);
  list<int> of_outputs, found;
  for (int k = 0; k < outputs; ++k) of_outputs.push_back(given[k] >= 0 ? slice(given[k]) : -1);
  if (op->has_items()) op->pullback_of_outputs(g, one, of_outputs, found);
  else op->pullback(g, one, of_outputs[0], found);

  list<term> extents;
  for (int d = 0; d < axes; ++d) extents.push_back(extent({&g, y}, d));
  list<int> leaves, values;
  auto set = [&](int leaf, int value) {
    leaves.push_back(leaf);
    values.push_back(value);
  };
  for (int i = 0; i < operands.size(); ++i)
    if ((with_axes >> i & 1) != 0) set(slices[i], operands[i]);
  for (int k = 0; k < outputs; ++k) {
    set(output_of({&g, one}, k).id, output_of({&g, y}, k).id);
    if (of_outputs[k] >= 0) set(of_outputs[k], given[k]);
  }
  batching pass(g, extents);
  for (int i = 0; i < leaves.size(); ++i) pass.set(leaves[i], {values[i], 0, true, true});
  list<int> targets;
  for (int id : found)
    if (id >= 0) targets.push_back(id);
  pass.run(targets);
  for (int i = 0; i < found.size(); ++i) {
    if (found[i] < 0) {
      gradients.push_back(-1);
      continue;
    }
    term const all = pass.dense(found[i]);
    gradients.push_back((with_axes >> i & 1) != 0 ? all.id
                                                  : sum_over(all, (1ll << axes) - 1, false).id);
  }
}

}  // namespace kroton::calculus
