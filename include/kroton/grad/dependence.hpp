// Which values of a graph depend on some of its leaves, through loops as well.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/loop/op.hpp>

namespace kroton::calculus {

/// Whether a node depends on what its operands depend on.
using passes_on = bool (*)(graph const&, int id);

/// All values do, except extents, which are the same for all slices of a batch.
constexpr bool by_value(graph const& g, int id) { return !g.is<op::extent_of>(id); }
/// A derivative does not pass through integers, bools and ops that stop it.
constexpr bool by_derivative(graph const& g, int id) {
  op_info const& op = *g[id].op;
  bool const stops = !op.has_pullback && !op.is_constant && op.unwritten_gradient.empty();
  return (is_continuous(g.type(id).element) || op.has_items()) && (!stops || g.is<op::item>(id));
}

/// Whether a body draws random numbers.
constexpr bool draws_numbers(graph const& body) {
  for (int id = 0; id < body.size(); ++id)
    if (body[id].op->is_draw) return true;
  for (core::body const& inner : body.bodies())
    if (draws_numbers(*inner)) return true;
  return false;
}

/// How nodes depend on others. With `draws`, random numbers that a body draws depend whatever they
/// are drawn from, though the states of streams that they leave do not.
struct dependence {
  constexpr dependence(passes_on p, bool with_draws = false) : passes(p), draws(with_draws) {}

  passes_on passes;
  bool draws;

  constexpr bool begins_in(graph const& g, int scan) const {
    return draws && draws_numbers(g.body(layout_of(g, scan).address()));
  }
};

constexpr list<bool> dependent_nodes(graph const& g, list<bool> depends, dependence const& how);

/// The results of a scan that depend on some of its operands, in the first step or in a later one.
/// The number of steps does if the condition that stops the loop does, and with it all last values.
constexpr list<bool> dependent_tapes(graph const& g, int id, list<bool> const& operands,
                                     dependence const& how) {
  scan_layout const at = layout_of(g, id);
  graph const& body = g.body(at.address());
  list<bool> tapes(at.results());
  for (int tape = 0; tape < at.states(); ++tape) tapes[tape] = operands[at.tape_operand(tape)];
  for (bool changed = true; changed;) {
    changed = false;
    list<bool> leaves(body.size());
    for (int p = 0; p < at.inputs(); ++p) {
      int const state = state_of_input(at, p);
      leaves[body.parameters()[p]] =
          state >= 0 ? tapes[state] : operands[operand_of_input(at, p).operand];
    }
    for (int n = 0; how.draws && n < body.size(); ++n)
      if (body[n].op->is_draw) leaves[n] = true;
    list<bool> const depends = dependent_nodes(body, leaves, how);
    for (int tape = 0; tape < at.results(); ++tape)
      if (!tapes[tape] && depends[body.results()[tape]]) tapes[tape] = changed = true;
    for (int tape = 0; tape < at.tapes(); ++tape)
      if (at.stops() && tapes[at.tapes()] && at.is_shared(tape) && !tapes[tape])
        tapes[tape] = changed = true;
  }
  return tapes;
}

/// The nodes that depend on those that are marked. A marked node with several outputs stands for
/// the first of them.
constexpr list<bool> dependent_nodes(graph const& g, list<bool> depends, dependence const& how) {
  list<bool> decided(depends);
  for (int id = 0; id < g.size(); ++id) {
    bool any = g.is<op::scan>(id) && how.begins_in(g, id);
    for (int in : g.inputs(id)) any = any || depends[in];
    if (!any || decided[id] || (g.is<op::item>(id) && decided[g.input_of(id, 0)])) continue;
    if (!g.is<op::scan>(id)) {
      depends[id] = how.passes(g, id);
      continue;
    }
    list<bool> operands;
    for (int in : g.inputs(id)) operands.push_back(depends[in]);
    list<bool> const tapes = dependent_tapes(g, id, operands, how);
    decided[id] = true;
    depends[id] = tapes[0];
    for (int output = id + 1; output < g.size(); ++output)
      if (g.is<op::item>(output) && g.input_of(output, 0) == id)
        depends[output] = tapes[static_cast<int>(g.attribute(output, 0))];
  }
  return depends;
}

}  // namespace kroton::calculus
