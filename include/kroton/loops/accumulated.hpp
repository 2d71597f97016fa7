// What the steps of a loop add to a state, or multiply it by.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/loops/change.hpp>

namespace kroton::loops {

/// How many times something reads more than extents of a node, as an operand or a result of a body.
constexpr int uses_of(graph const& body, list<bool> const& live, int node) {
  int uses = 0;
  for (int id = 0; id < live.size(); ++id)
    for (int in : body.inputs(id))
      uses += live[id] && in == node && !body.is<op::extent_of>(id) ? 1 : 0;
  for (int r : body.results()) uses += r == node ? 1 : 0;
  return uses;
}

/// The node of a body that `Op`, an addition or a product, accumulates in a state of one tap, if
/// nothing else reads what the state was before or after; -1 where there is none. It has the type
/// of the state: extents of what broadcasts would differ from those of the whole.
template <class Op>
constexpr int accumulated_by(loop_form& form, int tape) {
  graph& body = form.body;
  tape_kind const kind = form.parts.tapes[tape].kind;
  int const result = body.results()[tape];
  if ((kind != tape_kind::sit_sot && kind != tape_kind::shared) || !body.is<Op>(result)) return -1;
  int const state = form.tap(tape, 0);
  list<int> rest;
  for (int in : body.inputs(result))
    if (in != state) rest.push_back(in);
  if (rest.empty() || rest.size() != body[result].input_count - 1) return -1;
  list<bool> const live = body.live();
  if (uses_of(body, live, state) != 1 || uses_of(body, live, result) != 1) return -1;
  int const operand = rest.size() == 1 ? rest[0] : body.apply(body[result].op, rest);
  tensor_type const &own = body.type(operand), &whole = body.type(result);
  return own.rank == whole.rank && own.broadcast == whole.broadcast ? operand : -1;
}

}  // namespace kroton::loops
