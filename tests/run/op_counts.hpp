// How often ops stand in what a mode makes of a function, by the optimizer of the program: in the
// compiler these counts would take longer than all else that the files do that ask for them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/runtime.hpp>

namespace op_counts {

namespace kt = kroton;

/// The graph of a function of parameters P that a mode plans.
template <class... P, class F, class Mode>
kt::graph prepared(F, Mode) {
  return Mode::prepare(kt::freeze::trace<F, P...>());
}
/// How often one of the ops is computed.
template <class... Ops>
int count(kt::graph const& g) {
  kt::core::list<bool> const live = g.live();
  int n = 0;
  for (int id = 0; id < g.size(); ++id) n += live[id] && (g.is<Ops>(id) || ...) ? 1 : 0;
  return n;
}

}  // namespace op_counts
