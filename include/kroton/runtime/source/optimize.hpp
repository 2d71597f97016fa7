// The optimizer, for graphs of a running program.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/function/mode.hpp>
#include <kroton/loops/optimize.hpp>

namespace kroton {

graph rewrite::optimize_in_library(graph const& g, stage s, rewrite_options const& options) {
  return optimize_here(g, s, options);
}
graph loops::optimize_in_library(graph const& g, stage s,
                                 rewrite::rewrite_options const& options) {
  return loops::optimize_here(g, s, options);
}
graph functions::prepare_in_library(graph const& g, stage last, rewrite_options const& options) {
  return functions::prepare_here(g, last, options);
}

}  // namespace kroton
