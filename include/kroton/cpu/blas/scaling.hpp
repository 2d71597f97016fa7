// What a product does with its sums.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/config.hpp>

namespace kroton::cpu::small {

/// alpha * sum + beta * old, where old is not read when beta is 0, as BLAS does.
template <class T>
struct scaling {
  T alpha, beta;
  KROTON_INLINE T of(T sum, T const* old) const {
    return beta == T(0) ? alpha * sum : alpha * sum + beta * *old;
  }
};

}  // namespace kroton::cpu::small
