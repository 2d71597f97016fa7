// From a recorded graph to a program.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/function/mode.hpp>
#include <kroton/runtime/program.hpp>

#include <memory>

namespace kroton::runtime {

/// Copies the part of a graph that some outputs need into a graph whose inputs are the given ones,
/// in their order. Opaque nodes give way to what they stand for. Throws kt::value_error for an
/// input that is none, that is there twice, or that is missing.
kroton::graph extract(kroton::graph const& from, core::items<int> inputs, core::items<int> outputs);

/// A graph in which opaque nodes have given way to what they stand for.
kroton::graph opened(kroton::graph const& from);

/// Optimizes a graph up to a stage and plans it. Throws kt::value_error in the words in which a
/// static function is refused.
std::shared_ptr<program const> make_program(kroton::graph g, stage last,
                                            core::rewrite_options const& options);

}  // namespace kroton::runtime
