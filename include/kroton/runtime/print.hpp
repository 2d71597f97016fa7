// debugprint of functions of run-time graphs.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/print/debugprint.hpp>
#include <kroton/runtime/function.hpp>

namespace kroton {

/// Prints a function of a run-time graph: the graph as optimized, and the steps that the interpreter takes.
template <class Result>
void debugprint(runtime::function<Result> const& f, std::ostream& out = std::cout) {
  out << "optimized\n";
  debugprint(f.compiled().optimized(), out);
  out << "steps\n";
  core::print_steps(f.compiled().optimized(), out);
}

/// Prints a run-time graph's variable as it is recorded.
inline void debugprint(term const& t, std::ostream& out = std::cout) {
  graph shown = *t.of;
  shown.results().clear();
  shown.results().push_back(t.id);
  debugprint(shown, out);
}

}  // namespace kroton
