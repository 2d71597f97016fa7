// From a recorded graph to a program.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/function/mode.hpp>
#include <kroton/runtime/program.hpp>

#include <memory>

namespace kroton::runtime {

/// Copies the part of a graph that some outputs need into a graph whose inputs are the given ones,
/// in their order. Opaque nodes are replaced by their graphs. Throws kt::value_error for an input
/// that is not one, is given twice, or is missing.
kroton::graph extract(kroton::graph const& from, core::items<int> inputs, core::items<int> outputs);

/// A graph whose opaque nodes are replaced by their graphs.
kroton::graph opened(kroton::graph const& from);

/// Optimizes a graph up to a stage and plans it. Throws kt::value_error with the message that a
/// static function would produce.
std::shared_ptr<program const> make_program(kroton::graph g, stage last,
                                            rewrite::rewrite_options const& options);

}  // namespace kroton::runtime
