// From a recorded graph to a program: conditions, optimizer, plan, kernels.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/shapes/extents.hpp>
#include <kroton/runtime/make.hpp>

#include <string>

namespace kroton::runtime {

KROTON_RUNTIME_INLINE std::shared_ptr<program const> make_program(
    kroton::graph g, stage last, rewrite::rewrite_options const& options) {
  ops::collect_constraints(g);
  if (!g.error().empty()) throw value_error(std::string(g.error()));
  return std::make_shared<program>(functions::prepare(g, last, options), builtin_kernels());
}

}  // namespace kroton::runtime
