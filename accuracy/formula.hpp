// Graphs as formulas on one line.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/graph.hpp>

#include <string>

namespace accuracy {

/// A node of a graph as a formula: operators, and calls of other ops by their names. What is used
/// twice is written twice.
std::string formula_of(kroton::graph const& g, int id);

}  // namespace accuracy
