// Passes over a whole graph as rows of a table, and the driver that walks it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/rewrite/engine/options.hpp>

namespace kroton::rewrite {

/// Ops of which a graph must have one.
struct op_set {
  static constexpr int most_ops = 10;
  op_info const* ops[most_ops]{};
  int count = 0;

  constexpr items<op_info const*> all() const { return {ops, count}; }
};
template <class... Op>
constexpr op_set any_of() {
  return {{identity<Op>()...}, sizeof...(Op)};
}

/// A pass over a whole graph. Rows run in the order of their table.
struct graph_pass : named_pass {
  op_set needs[2];           // without one op of each the pass has nothing to do, and does not run
  std::string_view because;  // why it stands where it stands
  graph (*run)(graph, rewrite_options const&);

  constexpr bool may_fire(graph const& g) const {
    for (op_set const& set : needs)
      if (set.count > 0 && !g.has(set.all())) return false;
    return true;
  }
};

/// The function of a pass that takes only a graph, for its row.
template <class Pass>
constexpr graph run_pass(graph g, rewrite_options const&) {
  return Pass(std::move(g)).run();
}

/// Runs the passes of a table that take part and have something to do.
constexpr graph run_passes(graph g, items<graph_pass> table, rewrite_options const& options) {
  for (graph_pass const& pass : table)
    if (options.is_enabled(pass) && pass.may_fire(g)) g = pass.run(std::move(g), options);
  return g;
}

}  // namespace kroton::rewrite
