// States to which each step adds something, or by which it is multiplied, that needs no state: sums
// and products over the steps.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/loops/accumulated.hpp>
#include <kroton/loops/batched.hpp>
#include <kroton/ops/along_axes/scans.hpp>

namespace kroton::loops {

/// What the steps accumulate in a state of a body in normal form.
struct accumulation {
  bool is_product = false;
  int operand = -1;  // a node of the body; -1: nothing, or not a function of the elements alone
};

constexpr accumulation accumulation_of(loop_form& form, int tape) {
  accumulation found;
  found.is_product = form.body.is<op::mul>(form.body.results()[tape]);
  int const operand = found.is_product ? accumulated_by<op::mul>(form, tape)
                                       : accumulated_by<op::add>(form, tape);
  if (operand < 0) return found;
  list<bool> const by_state = nodes_after(form.body, states_of(form)),
                   by_element = nodes_after(form.body, sequences_of(form));
  bool const is_of_state =
      form.body.type(operand).element == form.body.type(form.tap(tape, 0)).element;
  if (is_of_state && !by_state[operand] && by_element[operand] &&
      can_be_batched(form.body, operand, list<bool>(form.body.size())))
    found.operand = operand;
  return found;
}

/// The states of all steps, or the last one. Sums and products of small integers are of wider ones.
constexpr term accumulated(accumulation const& what, term start, term stack, bool all) {
  graph& g = *stack.of;
  if (all) {
    term running = what.is_product ? scan_along<op::cumprod>(stack, 0, false)
                                   : scan_along<op::cumsum>(stack, 0, false);
    running = {&g, g.cast(running.id, start.element())};
    return what.is_product ? running * as_row(start) : running + as_row(start);
  }
  int const operand[] = {stack.id};
  long long const axes[] = {1, 0};
  int const reduced = what.is_product ? g.apply(identity<op::prod>(), operand, axes)
                                      : g.apply(identity<op::sum>(), operand, axes);
  term const total{&g, g.cast(reduced, start.element())};
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
    outside_copy outside(to, form);
    lift_conditions(g, image, form, outside);
    list<int> const stacks = batched_outside(to, form, sequence_stacks(to, form), roots);
    loop_change change;
    for (accumulation const& a : found) change.dropped.push_back(a.operand >= 0);
    keep_extents(form, outside, change);
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
