// Which results of a scan a gradient reaches.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/loop/layout.hpp>

namespace kroton::calculus {

/// Tapes that a gradient reaches: those given, and states from which one of them follows. `given`
/// are the gradients of the outputs or -1.
constexpr list<bool> tapes_reached(graph const& body, scan_layout const& at,
                                   list<int> const& given) {
  auto const is_differentiable = [&](int node) { return is_continuous(body.type(node).element); };
  list<bool> active(at.tapes());
  for (int tape = 0; tape < at.tapes(); ++tape)
    active[tape] = given[tape] >= 0 && is_differentiable(body.results()[tape]);
  for (bool changed = true; changed;) {
    changed = false;
    list<bool> needed(body.size());
    for (int tape = 0; tape < at.tapes(); ++tape)
      if (active[tape]) needed[body.results()[tape]] = true;
    for (int id = body.size() - 1; id >= 0; --id)
      if (needed[id] && (is_differentiable(id) || body[id].op->has_items()))
        for (int in : body.inputs(id)) needed[in] = true;
    for (int tape = 0; tape < at.states(); ++tape)
      for (int k = 0; k < at.taps(tape); ++k) {
        int const before = body.parameters()[at.tap_input(tape, k)];
        if (!active[tape] && needed[before] && is_differentiable(before))
          active[tape] = changed = true;
      }
  }
  return active;
}

}  // namespace kroton::calculus
