// Extents as BLAS and LAPACK count them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/error.hpp>

#include <climits>
#include <cstddef>

namespace kroton::cpu {

/// An extent or a stride as an int; kt::shape_error for one that is none.
inline int blas_int(std::ptrdiff_t n) {
  if (n > INT_MAX || n < -INT_MAX)
    throw shape_error(message({"an extent or a stride of a matrix is ", n,
                               "; BLAS and LAPACK accept ", INT_MAX, " at most"}));
  return static_cast<int>(n);
}

}  // namespace kroton::cpu
