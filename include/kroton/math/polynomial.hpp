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
    return math::coefficient<R>(c0);
  else
    return math::muladd(math::polynomial(x, rest...), x, math::coefficient<R>(c0));
}

/// c0 + c2 x^2 + c4 x^4 + ...
template <class R, class... Rest>
KROTON_FN R every_second(R, double c0, Rest...) {
  return math::coefficient<R>(c0);
}
template <class R, class... Rest>
KROTON_FN R every_second(R square, double c0, double, double c2, Rest... rest) {
  return math::muladd(math::every_second(square, c2, rest...), square, math::coefficient<R>(c0));
}

/// The same as `polynomial`, with x^2 at hand: two chains of half the length.
template <class R, class... Rest>
KROTON_FN R polynomial_by_halves(R x, R square, double c0, Rest... rest) {
  return math::muladd(math::every_second(square, rest...), x,
                      math::every_second(square, c0, rest...));
}

}  // namespace kroton::math
