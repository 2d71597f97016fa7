// Binary exponents and neighbours of floating-point numbers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/math/trait.hpp>

namespace kroton::math {

/// x * 2^n of a whole number n, rounded once, also to a denormal; numpy.ldexp.
template <class R>
KROTON_FN R ldexp(R x, R n) {
  return functions<R>::ldexp(x, n);
}
/// The whole number n for which |x| / 2^n is in [1/2, 1); 0 of zeros, infinities and NaN;
/// numpy.frexp.
template <class R>
KROTON_FN R frexp_exponent(R x) {
  return functions<R>::frexp_exponent(x);
}
/// The next number of the type after x in the direction of y, y itself where they are equal, NaN
/// where one is; numpy.nextafter.
template <class R>
KROTON_FN R nextafter(R x, R y) {
  return functions<R>::nextafter(x, y);
}

}  // namespace kroton::math
