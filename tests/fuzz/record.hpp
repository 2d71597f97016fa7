// From the fuzzer's programs to graphs.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "program.hpp"

#include <map>
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

/// The nodes of arguments that are not tensors, by value: of a stream its state, of a sparse matrix its parts; for reference, all
/// its elements and whether they are stored.
struct recorded_arguments {
  bool for_reference = true;
  std::map<int, std::vector<int>> nodes{};
  std::map<int, argument_kind> kinds{};
};

/// Records one call on values that are in the graph already.
kt::term record(kt::graph& g, call const& c, std::vector<kt::term> const& values, recorded_arguments const& of = {});

/// The same of a loop.
kt::term record_loop(kt::graph& g, call const& c, std::vector<kt::term> const& values);

/// Records the argument that is a value of this number as inputs; extents that are `fixed` are known as those of a kt::fixed.
kt::term record(kt::graph& g, argument const& a, int value, recorded_arguments& of);

/// Records a program: its arguments become inputs, its outputs and then the states of its streams results. Gives the terms of all
/// values. For reference, sparse matrices are dense ones.
std::vector<kt::term> record(kt::graph& g, program const& p, bool for_reference = true);
/// The inputs that arguments become for reference.
std::vector<argument> inputs_for_reference(std::vector<argument> const& arguments);

}  // namespace fuzz
