// What taking arrays apart saves, or costs.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/shapes/extents.hpp>

namespace kroton::rewrite {

constexpr bool reads_arrays(graph const& g, int id) {
  bool reads = false;
  for (int in : g.inputs(id)) reads = reads || g.type(in).rank > 0;
  return reads;
}

/// What a small call takes as one of arrays and as one of numbers, in nanoseconds, where they
/// differ. (Measured on an EPYC of 2024 by functions of 2 to 32 elements)
class replacement_cost {
 public:
  /// `is_replaced`: a node that is not stays a step, which needs its operands put together.
  constexpr void add(graph const& g, int id, int count, bool is_replaced) {
    op_info const& op = *g[id].op;
    if ((g.type(id).rank == 0 && !reads_arrays(g, id)) || g.is<op::input>(id) ||
        g.is<op::extent_of>(id))
      return;
    if (!is_replaced) {
      scalars_ += step_in_frame;
    } else if (op.has_each) {
      ++matrices_;
    } else if (!op.elementwise) {
      ++steps_;
    } else if (!op.cheap) {
      arrays_ += function_of_vectors + function_of_numbers * ((count + 7) / 8);
      scalars_ += function_of_numbers * count;
    }
  }
  /// A reduction of rows of a few elements, which arrays do row by row.
  constexpr void add_short_rows() { ++short_rows_; }
  /// Of arrays with axes that are not taken apart. Where little mixes the elements along the
  /// others, their rows are long loops anyway.
  constexpr bool favors_elements_that_are_arrays() const {
    return steps_ >= 3 || matrices_ > 0 || short_rows_ > 0;
  }
  constexpr bool favors_scalars() const {
    bool const is_small_call = steps_ <= 12;
    return scalars_ <= arrays_ + function_of_matrices * matrices_ +
                           (is_small_call ? step : step_in_frame) * steps_;
  }

 private:
  static constexpr int function_of_numbers = 5, function_of_vectors = 3, function_of_matrices = 100,
                       step = 3, step_in_frame = 30;
  int steps_ = 0, short_rows_ = 0, matrices_ = 0, arrays_ = 0, scalars_ = 0;
};

}  // namespace kroton::rewrite
