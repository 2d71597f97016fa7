// The digamma function of one number; its coefficients are for double (a template so that it can
// precede them). SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>

#include <kroton/math/arithmetic.hpp>
#include <kroton/math/elementary.hpp>
#include <kroton/math/polynomial.hpp>

namespace kroton::math::formula {

/// psi on [1, 2]: (x - x0) times a polynomial in x - 3/2 (Chebyshev interpolation with 60 digits,
/// truncated at 3e-18); the zero x0 is subtracted in three parts, the first with 28 bits, so that
/// the relative error stays small near it.
template <class R>
KROTON_FN R digamma_unit(R x) {
  const R distance = ((x - 1.4616321437060833) - 1.2622790435331673e-09) - 2.0574000666111322e-26;
  return distance *
         math::polynomial(x - 1.5, 0.95105587603183284, -0.42362742128146058, 0.24054248424078736,
                          -0.14840492305388006, 0.094988724452828174, -0.061922133275561828,
                          0.040760833944741226, -0.026975796656864719, 0.017907248192288752,
                          -0.011908220169786002, 0.0079270241368436366, -0.0052799364178857415,
                          0.0035180792717028125, -0.0023455016279107115, 0.0015635739915515125,
                          -0.0010364227247828023, 0.00068994285142190892, -0.00048606417050412354,
                          0.00032689316473621455, -0.00014460384609240088, 9.1588168821170007e-05,
                          -0.00017837342400462423, 0.00012241591000024265);
}

/// psi for x >= 10: log x - 1/(2x) - sum of B(2k) / (2k x^2k), whose first term left out is below
/// 3e-18.
template <class R>
KROTON_FN R digamma_large(R x) {
  const R inverse = 1 / x;
  const R square = inverse * inverse;
  const R series = square * math::polynomial(square, 1.0 / 12, -1.0 / 120, 1.0 / 252, -1.0 / 240,
                                             1.0 / 132, -691.0 / 32760, 1.0 / 12, -3617.0 / 8160);
  return math::log(x) - (0.5 * inverse + series);
}

/// psi for x > 0: psi(x + 1) = psi(x) + 1/x leads to [1, 2] by at most nine terms, all of one sign.
template <class R>
constexpr R digamma_positive(R x) {
  if (x >= 10) return digamma_large(x);
  if (x < 1) return digamma_unit(x + 1) - 1 / x;
  R sum = 0;
  while (x > 2) {
    x -= 1;
    sum += 1 / x;
  }
  return digamma_unit(x) + sum;
}

/// Reflection psi(x) = psi(1 - x) - pi / tan(pi x) below 0; the tangent's argument is reduced
/// exactly first.
template <class R>
constexpr R digamma(R x) {
  constexpr R inf = std::numeric_limits<R>::infinity();
  constexpr R pi = 3.141592653589793;
  if (x != x || x == inf) return x;
  if (math::abs(x) < 1e-300) return math::divide(R(-1), x);
  if (x > 0) return digamma_positive(x);
  if (x == math::floor(x)) return std::numeric_limits<R>::quiet_NaN();  // also -inf
  const R fraction = x - math::round(x);
  // Beyond an eighth of a turn the cotangent is the tangent of the complement, accurate at its zero
  // +-1/2.
  const R magnitude = math::abs(fraction);
  const R cotangent =
      magnitude > 0.25 ? math::tan(pi * (0.5 - magnitude)) : 1 / math::tan(pi * magnitude);
  return digamma_positive(1 - x) - pi * (fraction < 0 ? -cotangent : cotangent);
}

}  // namespace kroton::math::formula
