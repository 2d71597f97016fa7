// The bodies of loops: what the elements of a step's arrays are put through.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/plan/plan.hpp>

namespace kroton::plan {

constexpr tensor_type without_last(tensor_type type, int axes) {
  for (; axes > 0 && type.rank > 1; --axes) --type.rank;
  type.broadcast &= (1u << type.rank) - 1;
  return type;
}

constexpr void planner::build_bodies() {
  int loops = 0;
  for (auto const& step : steps) loops += step.kind == step_kind::loop ? 1 : 0;
  bodies.reserve(loops);
  image_ = list<int>(g_.size(), -1);
  for (int s = 0; s < steps.size(); ++s) {
    planned_step& step = steps[s];
    if (!fusion_.guarded.empty() && !step.prologue)
      for (int c : fusion_.conditions(step.nodes[0]))
        step.guards.push_back(2 * value(c / 2) + c % 2);
    if (step.kind != step_kind::loop) {
      for (int i = 0; i < role_of(step.node).reads; ++i)
        step.operands.push_back(value(g_.input_of(step.node, i)));
      for (int k = 0; k < g_.output_count(step.node); ++k) step.results.push_back(-1);
      for (int id : step.nodes)
        step.results[id == step.node ? 0 : static_cast<int>(g_.attribute(id, 0))] = value(id);
      continue;
    }
    int const dropped = axes_of_one_element(step);
    list<int> extent_numbers;
    for (int e : step.space) extent_numbers.push_back(extent_number(e));
    step.space.swap(extent_numbers);
    build_body(s, dropped);
  }
  for (auto& band : bands) band.extent = extent_number(band.rows);
  for (auto& bundle : bundles) bundle.extent = extent_number(bundle.length);
}

// The number of trailing axes of a space that have one element: a column is a vector to the loop,
// not rows of one element each.
constexpr int planner::axes_of_one_element(planned_step const& step) const {
  for (int id : step.nodes)
    if (role_of(id).reduction) return 0;
  int count = 0;
  for (int d = step.space.size() - 1; d > 0 && g_.is_literal(step.space[d], 1); --d) ++count;
  return count;
}
constexpr void planner::build_body(int s, int dropped) {
  planned_step& step = steps[s];
  step.body = bodies.size();
  bodies.push_back({});
  graph& body = bodies.back();
  list<int> inputs;
  int* const image = image_.data();
  int const rank = step.space.size();
  list<int> nodes;
  for (int id : step.again) nodes.push_back(id);
  for (int id : step.nodes) nodes.push_back(id);
  role const* const roles = fusion_.roles.data();
  body.reserve_for(nodes.size());
  constexpr int computed = -2;
  for (int id : nodes) image[id] = computed;
  // Operands first: they are ordered by first use.
  for (int id : nodes) {
    int const* const read = g_.input_data(id);
    int const reads = roles[id].reads;
    for (int i = 0; i < reads; ++i) {
      int const in = read[i];
      if (image[in] != -1 || g_.is_literal(in)) continue;
      image[in] = body.input(without_last(g_.type(in), dropped), step.operands.size());
      step.operands.push_back(value(in));
    }
  }
  for (int id : nodes) {
    node const& n = g_[id];
    int const* const read = g_.input_data(id);
    int const reads = roles[id].reads;
    inputs.clear();
    for (int i = 0; i < reads; ++i) {
      int const in = read[i];
      inputs.push_back(image[in] >= 0
                           ? image[in]
                           : body.literal_of_bits(g_.literal_bits(in), g_[in].type.element));
    }
    if (is_op<op::alloc>(n.op)) {
      image[id] = inputs[0];  // a loop over the alloc's space reads the value with stride 0
      continue;
    }
    // Axes counted from the last, since the operand may have a lower rank than the space.
    long long from_last[] = {0};
    bool const reduction = roles[id].reduction;
    if (reduction)
      for (int d = 0; d < rank; ++d)
        if ((g_.attribute(id, 0) >> d & 1) != 0) from_last[0] |= 1ll << (rank - 1 - d);
    // Only element types matter inside a loop: without ranks, equal formulas over other shapes
    // share one kernel.
    image[id] =
        body.add(n.op, {n.type.element, 0, 0}, inputs.data(), reads,
                 reduction ? from_last : g_.attribute_data(id), reduction ? 1 : n.attribute_count);
  }
  for (int id : step.nodes)
    if (value_of[id] >= 0) {
      body.results().push_back(image[id]);
      step.results.push_back(value_of[id]);
    }
  for (int id : nodes) {
    image[id] = -1;
    for (int i = 0; i < roles[id].reads; ++i) image[g_.input_of(id, i)] = -1;
  }
}

}  // namespace kroton::plan
