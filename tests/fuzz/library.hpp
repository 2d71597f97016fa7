// The functions of the library that are no elementwise ops, as a table: how the fuzzer calls, prints and records each.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "program.hpp"

#include <string_view>

namespace fuzz {

/// A function of tensors and of integers that are known when it is recorded.
struct library_function {
  std::string_view name;  // for idioms; several functions of one name are picked from
  /// How a user writes it: $0, $1 are operands and #0, #1 parameters.
  std::string_view text;
  /// A letter for each operand: r floats, a anything, n no bools, i integers, b bools; capitals: what fits next to the first operand.
  std::string_view operands;
  /// A letter for each parameter: x an axis of the first operand, y one of a tensor with one axis more, A an axis or -1 for all of
  /// them, K whether axes are kept, n 0 to 3, p 1 to 3, k -3 to 3, z 0 or 1, s a side.
  std::string_view parameters;
  int low, high;  // ranks of the first operand
  kt::term (*record)(kt::graph& g, int const* parameters, kt::term const* operands);
};

/// All of them, by number.
std::vector<library_function> const& library_functions();

// Parts of the table.
void add_statistics(std::vector<library_function>& to);
void add_arrangements(std::vector<library_function>& to);
void add_indexing(std::vector<library_function>& to);
void add_products(std::vector<library_function>& to);
void add_factors(std::vector<library_function>& to);
void add_structures(std::vector<library_function>& to);
void add_samples(std::vector<library_function>& to);
void add_grids(std::vector<library_function>& to);
void add_learning(std::vector<library_function>& to);
void add_batches(std::vector<library_function>& to);

}  // namespace fuzz
