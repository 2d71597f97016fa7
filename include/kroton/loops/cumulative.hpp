// States to which each step adds something, or by which it is multiplied, that needs no state: sums
// and products over the steps.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/loops/batched.hpp>
#include <kroton/ops/scans.hpp>

namespace kroton::loops {

/// What the steps accumulate in a state of a body in normal form.
struct accumulation {
  bool is_product = false;
  int operand = -1;  // a node of the body; -1: it is no accumulation
};

/// How many times something reads more than extents of a node, as an operand or a result of a body.
constexpr int uses_of(loop_form const& form, int node) {
  graph const& body = form.body;
  list<bool> const live = body.live();
  int uses = 0;
  for (int id = 0; id < live.size(); ++id)
    for (int in : body.inputs(id))
      uses += live[id] && in == node && !body.is<op::extent_of>(id) ? 1 : 0;
  for (int r : body.results()) uses += r == node ? 1 : 0;
  return uses;
}

constexpr accumulation accumulation_of(loop_form& form, int tape) {
  scan_tape const& of = form.parts.tapes[tape];
  accumulation found;
  bool const is_plain = of.kind == tape_kind::sit_sot || of.kind == tape_kind::shared;
  if (!is_plain) return found;
  int const state = form.tap(tape, 0), result = form.body.results()[tape];
  found.is_product = form.body.is<op::mul>(result);
  if (!found.is_product && !form.body.is<op::add>(result)) return found;
  list<int> rest;
  for (int in : form.body.inputs(result))
    if (in != state) rest.push_back(in);
  if (rest.empty() || rest.size() != form.body[result].input_count - 1 ||
      uses_of(form, state) != 1 || uses_of(form, result) != 1)
    return found;
  int const operand = rest.size() == 1 ? rest[0] : form.body.apply(form.body[result].op, rest);
  list<bool> const by_state = nodes_after(form.body, states_of(form)),
                   by_element = nodes_after(form.body, sequences_of(form));
  tensor_type const &own = form.body.type(operand), &whole = form.body.type(result);
  if (!by_state[operand] && by_element[operand] && own.rank == whole.rank &&
      own.broadcast == whole.broadcast && own.element == whole.element &&
      can_be_batched(form.body, operand, list<bool>(form.body.size())))
    found.operand = operand;
  return found;
}

/// The states of all steps, or the last one.
constexpr term accumulated(accumulation const& what, term start, term stack, bool all) {
  if (all) {
    term const running = what.is_product ? scan_along<op::cumprod>(stack, 0, false)
                                         : scan_along<op::cumsum>(stack, 0, false);
    return what.is_product ? running * as_row(start) : running + as_row(start);
  }
  int const operand[] = {stack.id};
  long long const axes[] = {1, 0};
  term const total{stack.of, what.is_product
                                 ? stack.of->apply(identity<op::prod>(), operand, axes)
                                 : stack.of->apply(identity<op::sum>(), operand, axes)};
  return what.is_product ? start * total : start + total;
}

constexpr bool accumulate_outside(graph const& g, int id, graph& made) {
  loop_form before = form_of(g, id);
  if (before.parts.stops) return false;
  list<accumulation> found;
  list<int> roots;
  for (int t = 0; t < before.parts.tapes.size(); ++t) {
    found.push_back(accumulation_of(before, t));
    if (int const root = found[t].operand; root >= 0 && can_be_outside(g, before, list<int>{root}))
      roots.push_back(root);
    else found[t].operand = -1;
  }
  if (roots.empty()) return false;
  made = with_scans(g, list<int>{id}, [&](graph& to, list<int> const& image) {
    loop_form form = before;
    move_operands(form.parts, image);
    list<int> const stacks = batched_outside(to, form, sequence_stacks(to, form), roots);
    loop_change change;
    for (accumulation const& a : found) change.dropped.push_back(a.operand >= 0);
    loop_form const less = changed(form, change);
    int const node = less.parts.tapes.empty() ? -1 : record_scan(to, less.parts, less.body);
    list<int> results;
    for (int t = 0, kept = 0, taken = 0; to.error().empty() && t < found.size(); ++t) {
      if (found[t].operand < 0) {
        results.push_back(output_of({&to, node}, kept++).id);
        continue;
      }
      scan_tape const& tape = form.parts.tapes[t];
      results.push_back(accumulated(found[t], {&to, tape.start}, {&to, stacks[taken++]},
                                    tape.kind == tape_kind::sit_sot)
                            .id);
    }
    return list<list<int>>{results};
  });
  return true;
}
constexpr graph with_accumulations_outside(graph g, rewrite::rewrite_options const&) {
  return with_each_scan(std::move(g), &accumulate_outside);
}

}  // namespace kroton::loops
