// What a graph lists: nodes, extent conditions, updates, names.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/op.hpp>

#include <cstdint>
#include <string_view>

namespace kroton::core {

/// One application of an op. An op with several outputs is followed by one `op::item` node for each
/// that is used.
// Without initializers, here and in a type: they would cost a constant evaluation one call for each
// node of a list.
struct node {
  op_info const* op;
  tensor_type type;
  int first_input, input_count;
  int first_attribute, attribute_count;
  std::uint64_t hash;  // of the structure alone: equal for equal expressions in every graph
};

/// An extent condition of the expression as written, checked at every call, on two int64 scalars.
struct extent_constraint {
  int left = 0, right = 0;
  op_info const* op = nullptr;  // the op that requires it
  condition kind = condition::equal;
  int node = -1;  // as recorded, the value that cannot be computed without it, if that is known

  template <class Self, class Each>
  static constexpr void fields(Self& c, Each& each) {
    each(c.left, c.right, c.kind, c.op);
  }
};

struct update {
  int parameter = 0, value = 0;
  int draws = 0;  // of a stream, while a function is recorded: the draws so far
};

struct name_entry {
  int node = 0;
  std::string_view name;
};
/// The beginning of a name that says only which parameter of the user's lambda a variable is, where
/// it has another number among the variables of all parameters.
inline constexpr std::string_view numbered_parameter = "parameter ";

}  // namespace kroton::core
