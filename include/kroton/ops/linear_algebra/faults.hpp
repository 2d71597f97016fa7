// What is wrong with a matrix that has no solution or no factors, in words that kernels and
// formulas share.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/message.hpp>

#include <string>

namespace kroton::ops {

enum class matrix_fault { pivot_of_solve, pivot_of_inverse, diagonal, minor };
inline constexpr int matrix_faults = static_cast<int>(matrix_fault::minor) + 1;

/// The text of a kt::linalg_error: which pivot, element of a diagonal, or minor it is, and of how
/// many.
[[gnu::cold]] inline std::string text_of(matrix_fault fault, long long at, long long of) {
  using core::message;
  switch (fault) {
    case matrix_fault::pivot_of_solve:
      return message({"solve: the matrix is singular: pivot ", at, " of ", of, " is 0"});
    case matrix_fault::pivot_of_inverse:
      return message({"matrix_inverse: the matrix is singular: pivot ", at, " of ", of, " is 0"});
    case matrix_fault::diagonal:
      return message(
          {"solve_triangular: the matrix is singular: element ", at, " of its diagonal is 0"});
    default: return message({"cholesky: the leading minor of order ", at, " is not positive"});
  }
}

}  // namespace kroton::ops
