// What needs no state is computed for all steps at once.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/grad/batching.hpp>
#include <kroton/loops/change.hpp>
#include <kroton/ops/loop/rows.hpp>
#include <kroton/rewrite/engine/options.hpp>

namespace kroton::loops {

/// Whether nodes can be batched: ops that own bodies, have effects or choose a branch cannot.
constexpr bool can_be_batched(graph const& body, int root, list<bool> const& stops) {
  list<bool> needed(root + 1);
  needed[root] = true;
  bool can = true;
  for (int id = root; id >= 0; --id) {
    if (!needed[id] || stops[id]) continue;
    // For all steps both branches would be computed
    can = can && !body[id].op->has_body && !body[id].op->is_serial && !body.is<op::ifelse>(id);
    for (int in : body.inputs(id)) needed[in] = true;
  }
  return can;
}

/// The parts of a body that are the same function of each element of its sequences.
class stateless_parts {
 public:
  constexpr explicit stateless_parts(loop_form const& form)
      : by_element_(nodes_after(form.body, sequences_of(form))),
        by_state_(nodes_after(form.body, states_of(form))) {
    graph const& body = form.body;
    bool const has_states = !states_of(form).empty();
    list<bool> read(body.size()), expensive(body.size()), leaf(body.size());
    for (int id : sequences_of(form)) leaf[id] = true;
    for (int id = 0; id < body.size(); ++id) {
      if (!is_stateless(id) || is_view(body[id].op->step))
        for (int in : body.inputs(id)) read[in] = true;
      expensive[id] = is_stateless(id) && is_expensive(body, id);
      for (int in : body.inputs(id)) expensive[id] = expensive[id] || expensive[in];
    }
    list<bool> const always = always_needed(body);
    for (int id = 0; id < body.size(); ++id)
      if (read[id] && always[id] && !is_view(body[id].op->step) && is_stateless(id) && !leaf[id] &&
          (expensive[id] || !has_states) && can_be_batched(body, id, leaf))
        found.push_back(id);
    roots = found;
    for (int t = 0; t < form.parts.tapes.size(); ++t)
      if (int const id = body.results()[t]; form.is_output(t) && !by_state_[id] &&
                                            can_be_batched(body, id, leaf) && !roots.contains(id))
        roots.push_back(id);
  }

  // What becomes a sequence; and the outputs that need no state.
  list<int> found{}, roots{};

 private:
  constexpr bool is_stateless(int id) const { return by_element_[id] && !by_state_[id]; }

  list<bool> by_element_, by_state_;
};

/// Records functions of the elements of some stacks for all steps. `leaves` are nodes of the body,
/// whose values of all steps are stacked outside.
constexpr list<int> batched_outside(graph& to, loop_form const& form, list<moved_out> const& leaves,
                                    list<int> const& roots) {
  outside_copy outside(to, form);
  list<int> lanes, targets, stacks;
  for (moved_out const& leaf : leaves) {
    int const lane = calculus::lane_of({&to, leaf.operand}, 1).id;
    outside.set(leaf.inner, lane);
    lanes.push_back(lane);
  }
  for (int root : roots) targets.push_back(outside.copy(root));
  calculus::batching pass(to, list<term>{{&to, form.parts.steps}});
  // One that is outside is an error of its step, and parts for all steps may take much memory
  pass.refuse_indices();
  for (int k = 0; k < lanes.size(); ++k) pass.set(lanes[k], {leaves[k].operand, 0, true, true});
  pass.run(targets);
  for (int target : targets) stacks.push_back(pass.dense(target).id);
  return stacks;
}
/// The sequences of a form with as many rows as there are steps.
constexpr list<moved_out> sequence_stacks(graph& to, loop_form const& form) {
  list<moved_out> leaves;
  for (int i = 0; i < form.parts.sequences.size(); ++i) {
    term const all{&to, form.parts.sequences[i]}, steps{&to, form.parts.steps};
    bool const is_whole = extent_node(to, all.id, 0) == steps.id;
    leaves.push_back({form.sequence(i), is_whole ? all.id : rows(all, integer(to, 0), steps).id});
  }
  return leaves;
}

/// Whether that can be done: some ops require that an index or an extent is the same in all steps.
constexpr bool can_be_outside(graph const& g, loop_form const& form, list<int> const& roots) {
  graph trial = g;
  batched_outside(trial, form, sequence_stacks(trial, form), roots);
  return trial.error().empty();
}

/// Sequences of what a step computes from elements: products of all elements become one product. A
/// loop without states is gone.
constexpr bool batch_stateless(graph const& g, int id, graph& made) {
  loop_form const before = form_of(g, id);
  // Elements behind the last step may be many
  if (before.parts.stops) return false;
  stateless_parts parts(before);
  if (parts.roots.empty()) return false;
  if (!can_be_outside(g, before, parts.roots)) {
    auto leave = [&](list<int> const& all) {
      list<int> kept;
      for (int member : all)
        if (can_be_outside(g, before, list<int>{member})) kept.push_back(member);
      return kept;
    };
    parts.roots = leave(parts.roots);
    parts.found = leave(parts.found);
    if (parts.roots.empty()) return false;
  }
  made = with_scans(g, list<int>{id}, [&](graph& to, list<int> const& image) {
    loop_form form = before;
    move_operands(form.parts, image);
    outside_copy outside(to, form);
    lift_conditions(g, image, form, outside);
    list<int> const stacks = batched_outside(to, form, sequence_stacks(to, form), parts.roots);
    loop_change change;
    for (int k = 0; k < parts.found.size(); ++k)
      change.sequences.push_back({parts.found[k], stacks[k]});
    // An output that is a sequence needs no loop.
    list<int> outputs(form.parts.tapes.size(), -1);
    for (int t = 0; t < outputs.size(); ++t) {
      int const result = form.body.results()[t];
      for (int k = 0; k < stacks.size(); ++k)
        if (form.is_output(t) && parts.roots[k] == result) outputs[t] = stacks[k];
      change.dropped.push_back(outputs[t] >= 0);
    }
    loop_form const less = changed(form, change);
    int const node = less.parts.tapes.empty() ? -1 : record_scan(to, less.parts, less.body);
    for (int t = 0, k = 0; node >= 0 && t < outputs.size(); ++t)
      if (outputs[t] < 0) outputs[t] = output_of({&to, node}, k++).id;
    return list<list<int>>{outputs};
  });
  return true;
}
/// The outputs of a scan that are expensive functions of its states and elements, which no state
/// needs, are computed behind it for all steps.
constexpr bool batch_tails(graph const& g, int id, graph& made) {
  loop_form const before = form_of(g, id);
  if (before.parts.stops) return false;
  graph const& body = before.body;
  list<bool> leaf(body.size()), expensive(body.size()), open(body.size());
  list<int> states;  // tapes whose results are leaves
  for (int s : sequences_of(before)) leaf[s] = true;
  for (int t = 0; t < before.parts.tapes.size(); ++t)
    if (before.parts.tapes[t].kind == tape_kind::mit_sot ||
        before.parts.tapes[t].kind == tape_kind::sit_sot) {
      states.push_back(t);
      leaf[body.results()[t]] = true;
    }
  for (int s : states_of(before)) open[s] = true;
  for (int k = 0; k < body.size(); ++k) {
    if (leaf[k]) {
      open[k] = false;
      continue;
    }
    expensive[k] = is_expensive(body, k);
    for (int in : body.inputs(k)) {
      expensive[k] = expensive[k] || expensive[in];
      open[k] = open[k] || (open[in] && !is_extent_of_parameter(body, k));
    }
  }
  list<int> roots;
  for (int t = 0; t < before.parts.tapes.size(); ++t)
    if (int const r = body.results()[t]; before.is_output(t) && expensive[r] && !open[r] &&
                                         can_be_batched(body, r, leaf) && !roots.contains(r))
      roots.push_back(r);
  if (roots.empty()) return false;
  auto leaves_in = [&](graph& to, loop_form const& form, list<int> const& outputs) {
    list<moved_out> leaves = sequence_stacks(to, form);
    for (int t : states) leaves.push_back({form.body.results()[t], outputs[t]});
    return leaves;
  };
  {
    graph trial = g;
    batched_outside(trial, before,
                    leaves_in(trial, before, results_of(trial, id)), roots);
    if (!trial.error().empty()) return false;
  }
  made = with_scans(g, list<int>{id}, [&](graph& to, list<int> const& image) {
    loop_form form = before;
    move_operands(form.parts, image);
    outside_copy outside(to, form);
    lift_conditions(g, image, form, outside);
    loop_change change;
    for (int t = 0; t < form.parts.tapes.size(); ++t)
      change.dropped.push_back(form.is_output(t) && roots.contains(body.results()[t]));
    loop_form const less = changed(form, change);
    int const node = record_scan(to, less.parts, less.body);
    list<int> outputs(form.parts.tapes.size(), -1);
    for (int t = 0, k = 0; t < outputs.size(); ++t)
      if (!change.dropped[t]) outputs[t] = output_of({&to, node}, k++).id;
    list<int> const stacks = batched_outside(to, form, leaves_in(to, form, outputs), roots);
    for (int t = 0; t < outputs.size(); ++t)
      for (int k = 0; change.dropped[t] && k < roots.size(); ++k)
        if (roots[k] == body.results()[t]) outputs[t] = stacks[k];
    return list<list<int>>{outputs};
  });
  return true;
}

constexpr graph with_batched_parts(graph g, rewrite::rewrite_options const&) {
  return with_each_scan(with_each_scan(std::move(g), &batch_stateless), &batch_tails);
}

}  // namespace kroton::loops
