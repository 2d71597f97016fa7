// Patterns of Jacobians, found by a program on sets of indices, and how few directions suffice for
// all elements. No gradients: only values have some.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/sparse/patterns.hpp>

namespace kroton {
namespace ops {

/// The instructions of a program on sets of indices, its attributes: each makes one value, an array
/// that holds for each element of a tensor the set of the elements of x that it depends on. Numbers
/// are positions among the operands of the op or numbers of earlier values; -1 is a value that
/// depends on nothing. All begin with the instruction, the rank and the extents of the result.
enum class sparsity_step : long long {
  itself,      // x: each element depends on itself
  united,      // what values that broadcast together depend on. How many, the values
  permuted,    // a value; for each axis that of the value, or -1
  reshaped,    // a value
  reduced,     // a value, its axes as bits
  sliced,      // a value; the selection, as of op::subtensor: for each axis treatment, step, bounds
  written,     // a value, the written one, whether it replaces; the selection
  joined,      // axis, how many; the values, each with its extent along the axis
  multiplied,  // two values; the extents of batch, rows, inner axis, columns
  taken,       // a value, axes as bits, how many axes precede those of indices; indices
  placed,      // a value, the written one, whether it replaces; as for taken
  accumulated,  // a value, the axis, whether it runs from the end
  along,        // axes as bits, along which all depends on all; how many values, they
  diagonal,     // a value; two axes and how far the diagonal is right of the main one
  on_diagonal,  // a value; the same of the result
  sparse,  // values and a dense one; indices, bounds, columns, and whether the matrix is transposed
  sampled,     // left and right value; indices, bounds, inner extent
  everything,  // how many, the values
};

/// How the directions are chosen that the Jacobian is multiplied with.
enum class sparsity_kind : long long {
  general,    // columns that share no row; rows that are long, by pullbacks instead
  symmetric,  // by a star coloring: one of two mirrored elements is enough
};

}  // namespace ops

namespace op {

/// The pattern of a Jacobian, and directions that determine its elements. Attributes: a
/// `sparsity_kind`, the number of values of the program and that of the operands it reads, then its
/// instructions; the last value is the tensor. Operands: the numbers of elements of the tensor and
/// of x; then what the program reads, int64 scalars and integer tensors. Outputs: where rows begin;
/// the direction of each column, -1 for none; the same of each row; how many elements there are,
/// directions of columns, and of rows.
struct sparsity : operation<"sparsity", -1> {
  static constexpr auto own = core::own_function::untyped;
  static constexpr auto pullback = no_gradient;
  static constexpr int outputs = 4;
  static constexpr tensor_type type(core::application const&, int output) {
    return {output == 3 ? element::int64 : element::int32, 1, 0};
  }
  static constexpr core::extent_source extent(core::application const&, int, int output) {
    if (output == 0) return {core::extent_source::value, 0, 0, core::affine{1, 1, 1}};
    if (output == 3) return {core::extent_source::one, 0, 0, core::affine{1, 2, 1}};
    return {core::extent_source::value, output == 1 ? 1 : 0, 0};
  }
};

/// Of each element of the pattern the column, and the place of its value among the products with
/// the directions: those of columns, then those of rows. The number of elements is the first
/// operand; then as above.
struct sparsity_places : operation<"sparsity_places", -1> {
  static constexpr auto own = core::own_function::untyped;
  static constexpr auto pullback = no_gradient;
  static constexpr int outputs = 2;
  static constexpr tensor_type type(core::application const&, int output) {
    return {output == 0 ? element::int32 : element::int64, 1, 0};
  }
  static constexpr core::extent_source extent(core::application const&, int, int) {
    return {core::extent_source::value, 0, 0};
  }
};

}  // namespace op
}  // namespace kroton
