// What is the same in every step is computed before the loop.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/loops/change.hpp>
#include <kroton/rewrite/engine/options.hpp>

namespace kroton::loops {

/// Whether an op may be computed although the loop may have no steps: it never fails, and its
/// result is worth an array.
constexpr bool may_be_hoisted(graph const& body, int id) {
  op_info const& op = *body[id].op;
  bool const is_leaf = body[id].input_count == 0 || body.is<op::extent_of>(id);
  bool const is_loop = op.elementwise || op.reduction;
  return !is_leaf && !body.is<op::alloc>(id) && !op.has_body && !op.has_items() &&
         op.step != step_kind::print && (is_loop || !traits_of(op.step).may_throw);
}

/// The nodes of a body that need no element and no state, and are read by others or are results.
constexpr list<int> invariants_of(loop_form const& form) {
  graph const& body = form.body;
  list<int> moving = sequences_of(form), found;
  for (int id : states_of(form)) moving.push_back(id);
  list<bool> const varies = nodes_after(body, moving), always = always_needed(body);
  // What may be computed outside, and of that what is worth it: extents are not.
  list<bool> outside(body.size()), hoisted(body.size()), read(body.size());
  for (int id = 0; id < body.size(); ++id) {
    bool const is_leaf = body[id].input_count == 0 || is_extent_of_parameter(body, id);
    bool const is_extent = body.type(id).rank == 0 && is_integer(body.type(id).element);
    outside[id] = is_leaf || (!varies[id] && (may_be_hoisted(body, id) || body.is<op::alloc>(id)));
    for (int in : body.inputs(id))
      outside[id] = outside[id] && (outside[in] || is_leaf);
    // Rules know what a matrix and its transpose have in common only while they see both
    bool const is_transpose =
        body.is<op::dimshuffle>(id) && body.is<op::input>(body.input_of(id, 0));
    hoisted[id] = !varies[id] && outside[id] && !is_extent && !is_transpose && always[id] &&
                  may_be_hoisted(body, id);
  }
  for (int id = 0; id < body.size(); ++id)
    if (!hoisted[id])
      for (int in : body.inputs(id)) read[in] = true;
  for (int id : body.results()) read[id] = true;
  for (int id = 0; id < body.size(); ++id)
    if (hoisted[id] && read[id]) found.push_back(id);
  return found;
}

/// What some nodes of a body require.
constexpr list<core::extent_constraint> conditions_of(graph& body, list<int> const& nodes) {
  graph const whole = body;
  body.results() = nodes;
  body.constraints().clear();
  ops::collect_constraints(body);
  list<core::extent_constraint> const found = body.constraints();
  body.results() = whole.results();
  body.constraints() = whole.constraints();
  return found;
}

/// Hoisted values are computed, and their conditions asked, even where a loop has no steps.
constexpr bool hoist_invariants(graph const& g, int id, graph& made) {
  loop_form before = form_of(g, id);
  list<int> const found = invariants_of(before);
  if (found.empty()) return false;
  list<core::extent_constraint> const conditions = conditions_of(before.body, found);
  made = with_scans(g, list<int>{id}, [&](graph& to, list<int> const& image) {
    loop_form form = before;
    move_operands(form.parts, image);
    loop_change change;
    change.dropped = list<bool>(form.parts.tapes.size());
    outside_copy outside(to, form);
    lift_conditions(g, image, form, outside, conditions, asked::always);
    for (int inner : found) change.constants.push_back({inner, outside.copy(inner)});
    loop_form const less = changed(form, change);
    return list<list<int>>{results_of(to, record_scan(to, less.parts, less.body))};
  });
  return true;
}
constexpr graph with_hoisted_invariants(graph g, rewrite::rewrite_options const&) {
  return with_each_scan(std::move(g), &hoist_invariants);
}

}  // namespace kroton::loops
