// Graphs as text, which is written to files and read back.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/variable.hpp>
#include <kroton/runtime/make.hpp>

#include <deque>
#include <iosfwd>
#include <string>
#include <vector>

namespace kroton::runtime {

/// The inputs and outputs of a graph that has been read, in their order.
struct read_terms {
  std::vector<term> inputs, outputs;
};

/// Writes a graph, with the graphs that its nodes own: a line for each node. Throws kt::value_error
/// if a node applies an op that is not one of Kroton's.
void write_graph(std::ostream& to, kroton::graph const& g);

/// Records a written graph in another one, which refers to the names. Throws kt::value_error with
/// the number of the line for a text that `write_graph` has not written.
read_terms read_graph(std::istream& from, kroton::graph& to, std::deque<std::string>& names);

}  // namespace kroton::runtime
