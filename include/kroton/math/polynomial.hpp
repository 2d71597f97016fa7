// Horner's rule over any number type, with the coefficients as immediate constants.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/math/arithmetic.hpp>

namespace kroton::math {

/// c0 + c1 x + c2 x^2 + ...; the coefficients are arguments, not an array, so that every compiler
/// and the device keep them in registers or the instruction stream and the recursion unrolls.
template <class R, class... Rest>
KROTON_FN R polynomial(R x, double c0, Rest... rest) {
  if constexpr (sizeof...(rest) == 0)
    return R(c0);
  else
    return math::muladd(math::polynomial(x, rest...), x, R(c0));
}

}  // namespace kroton::math
