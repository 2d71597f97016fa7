// From the fuzzer's programs to graphs.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "program.hpp"

#include <string_view>

namespace fuzz {

/// An elementwise function as a user calls it.
struct elementwise_function {
  std::string_view name;      // for prints: an operator where it is not a letter
  int arity;
  bool reals, integers, bools;  // which operands it is called with; integers of a floating function become floating
  kt::term (*record)(kt::graph& g, operand const* operands, kt::term const* values);
};

/// All elementwise functions, by number.
std::vector<elementwise_function> const& elementwise_functions();
/// The number of a function. Throws std::logic_error for a name that none has.
int function_named(std::string_view name);

inline constexpr std::string_view reduction_names[] = {"sum", "prod", "max", "min", "all", "any", "logsumexp"};
inline constexpr std::string_view softmax_names[] = {"softmax", "log_softmax"};

/// Records one call on values that are in the graph already.
kt::term record(kt::graph& g, call const& c, std::vector<kt::term> const& values);

/// The same of a loop.
kt::term record_loop(kt::graph& g, call const& c, std::vector<kt::term> const& values);

/// Records an argument as an input; extents that are `fixed` are known as those of a kt::fixed.
kt::term record(kt::graph& g, argument const& a, int position);

/// Records a program: its arguments become inputs, its outputs results. Gives the terms of all values.
std::vector<kt::term> record(kt::graph& g, program const& p);

}  // namespace fuzz
