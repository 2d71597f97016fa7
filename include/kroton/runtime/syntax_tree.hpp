// The syntax tree of a formula: calls of functions and operators on numbers and variables, as a
// flat list.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/variable.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace kroton::runtime::syntax {

/// A part of a formula while it is recorded: a plain number if it contains only numbers, otherwise
/// a term.
using value = std::variant<bool, std::int64_t, double, term>;

struct table_entry;

/// The axes of a reduction: all, or those listed (negative ones count from the end).
struct axes_option {
  bool everything = true, keep = false;
  std::vector<int> axes{};
};

/// A number, a variable, or a function or an operator applied to other nodes.
struct node {
  table_entry const* function = nullptr;
  value constant{};   // of a number
  int variable = -1;  // of a variable: its position among the names
  int first_argument = 0, argument_count = 0;
  std::size_t position = 0;  // of the operator or the name in the text
  axes_option over{};
  // Of a call in the text: from its name to after the closing parenthesis, and its first operand.
  std::size_t begin = 0, end = 0, operand_begin = 0, operand_end = 0;
  bool options = false;  // whether it has keyword arguments
};

/// Every node comes after its arguments, so a loop replaces recursion: a long formula does not use
/// stack space.
struct tree {
  std::vector<node> nodes;  // the last is the whole
  std::vector<int> arguments;
  std::vector<std::string> names;  // of the variables, by first appearance
};

}  // namespace kroton::runtime::syntax
