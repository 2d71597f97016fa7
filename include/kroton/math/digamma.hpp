// The digamma and trigamma functions of doubles, one by one or in SIMD batches.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>

#include <kroton/math/arithmetic.hpp>
#include <kroton/math/elementary.hpp>
#include <kroton/math/logic.hpp>
#include <kroton/math/polynomial.hpp>

namespace kroton::math::formula {

// Lanes of a batch take different ways: each way is computed where any lane takes it, on arguments
// that are harmless for the others.

/// From here on the asymptotic series of digamma and trigamma are exact.
inline constexpr double least_asymptotic = 10;

/// psi on [1, 2]: (x - x0) times a polynomial in x - 3/2 (Chebyshev interpolation with 60 digits,
/// truncated at 3e-18); the zero x0 is subtracted in three parts, the first with 28 bits, so that
/// the relative error stays small near it.
template <class R>
KROTON_FN R digamma_unit(R x) {
  const R distance =
      ((x - R(1.4616321437060833)) - R(1.2622790435331673e-09)) - R(2.0574000666111322e-26);
  return distance *
         math::polynomial(x - R(1.5), 0.95105587603183284, -0.42362742128146058,
                          0.24054248424078736, -0.14840492305388006, 0.094988724452828174,
                          -0.061922133275561828, 0.040760833944741226, -0.026975796656864719,
                          0.017907248192288752, -0.011908220169786002, 0.0079270241368436366,
                          -0.0052799364178857415, 0.0035180792717028125, -0.0023455016279107115,
                          0.0015635739915515125, -0.0010364227247828023, 0.00068994285142190892,
                          -0.00048606417050412354, 0.00032689316473621455, -0.00014460384609240088,
                          9.1588168821170007e-05, -0.00017837342400462423, 0.00012241591000024265);
}

/// log x - psi for x >= 10: 1/(2x) + sum of B(2k) / (2k x^2k), whose first term left out is below
/// 3e-18.
template <class R>
KROTON_FN R digamma_less(R x) {
  const R inverse = R(1) / x;
  const R square = inverse * inverse;
  const R series = square * math::polynomial(square, 1.0 / 12, -1.0 / 120, 1.0 / 252, -1.0 / 240,
                                             1.0 / 132, -691.0 / 32760, 1.0 / 12, -3617.0 / 8160);
  return R(0.5) * inverse + series;
}
template <class R>
KROTON_FN R digamma_large(R x) {
  return math::log(x) - digamma_less(x);
}

/// psi for 0 < x < 10: psi(x + 1) = psi(x) + 1/x leads to [1, 2] by at most eight terms, all of one
/// sign, which are summed as one fraction.
template <class R>
constexpr R digamma_small(R x) {
  const auto below = math::lt(x, R(1));
  R y = math::select(below, x + R(1), x);
  R numerator = math::select(below, R(-1), R(0)), denominator = math::select(below, x, R(1));
  for (auto above = math::gt(y, R(2)); math::any(above); above = math::gt(y, R(2))) {
    const R next = y - R(1);
    numerator = math::select(above, math::muladd(numerator, next, denominator), numerator);
    denominator = math::select(above, denominator * next, denominator);
    y = math::select(above, next, y);
  }
  return digamma_unit(y) + numerator / denominator;
}

template <class R>
constexpr R digamma_positive(R x) {
  const auto small = math::lt(x, R(least_asymptotic)), large = math::ge(x, R(least_asymptotic));
  R result = x;
  if (math::any(small))
    result = math::select(small, digamma_small(math::select(small, x, R(1))), result);
  if (math::any(large))
    result =
        math::select(large, digamma_large(math::select(large, x, R(least_asymptotic))), result);
  return result;
}

/// pi / tan(pi x) by the distance of x from an integer, which is exact. Beyond an eighth of a turn
/// it is the tangent of the complement, accurate at its zeros +-1/2.
template <class R>
constexpr R cotangent_of_turns(R x) {
  const R fraction = x - math::round(x), magnitude = math::abs(fraction), pi(3.141592653589793);
  const auto beyond = math::gt(magnitude, R(0.25));
  const R tangent = math::tan(pi * math::select(beyond, R(0.5) - magnitude, magnitude));
  const R cotangent = math::select(beyond, tangent, R(1) / math::select(beyond, R(1), tangent));
  return pi * math::select(math::lt(fraction, R(0)), math::neg(cotangent), cotangent);
}

/// Reflection psi(x) = psi(1 - x) - pi / tan(pi x) below 0.
template <class R>
constexpr R digamma(R x) {
  const auto negative = math::lt(x, R(0));
  R result = digamma_positive(math::select(negative, R(1) - x, x));
  if (math::any(negative)) {
    const auto pole = math::logical_and(negative, math::eq(x, math::floor(x)));  // also -inf
    const R harmless =
        math::select(math::logical_and(negative, math::logical_not(pole)), x, R(-0.5));
    result = math::select(negative, result - cotangent_of_turns(harmless), result);
    result = math::select(pole, R(std::numeric_limits<double>::quiet_NaN()), result);
  }
  const auto tiny = math::lt(math::abs(x), R(1e-300));
  return math::any(tiny) ? math::select(tiny, R(-1) / math::select(tiny, x, R(1)), result) : result;
}

/// psi' for x >= 10: 1/x + 1/(2x^2) + sum of B(2k) / x^(2k + 1), whose first term left out is below
/// 1e-17 of it.
template <class R>
KROTON_FN R trigamma_large(R x) {
  const R inverse = R(1) / x;
  const R square = inverse * inverse;
  const R series =
      square * math::polynomial(square, 1.0 / 6, -1.0 / 30, 1.0 / 42, -1.0 / 30, 5.0 / 66,
                                -691.0 / 2730, 7.0 / 6, -3617.0 / 510, 43867.0 / 798);
  return math::muladd(inverse, math::muladd(R(0.5), inverse, series), inverse);
}

/// psi' for x > 0: psi'(x) = psi'(x + 1) + 1/x^2 leads to the series; all terms are positive, and
/// but for the first one, which may overflow, they are summed as one fraction.
template <class R>
constexpr R trigamma_positive(R x) {
  const auto below = math::lt(x, R(1));
  R y = math::select(below, x + R(1), x);
  R numerator(0), denominator(1);
  for (auto small = math::lt(y, R(least_asymptotic)); math::any(small);
       small = math::lt(y, R(least_asymptotic))) {
    const R square = y * y;
    numerator = math::select(small, math::muladd(numerator, square, denominator), numerator);
    denominator = math::select(small, denominator * square, denominator);
    y = math::select(small, y + R(1), y);
  }
  const R result = trigamma_large(y) + numerator / denominator;
  const R first = R(1) / math::select(below, x, R(1));
  return math::select(below, math::muladd(first, first, result), result);
}

/// Reflection psi'(x) = (pi / sin(pi x))^2 - psi'(1 - x) below 0.
template <class R>
constexpr R trigamma(R x) {
  const auto negative = math::lt(x, R(0));
  R result = trigamma_positive(math::select(negative, R(1) - x, x));
  if (math::any(negative)) {
    const R pi(3.141592653589793), limit(std::numeric_limits<double>::infinity());
    const auto infinite = math::eq(x, -limit);
    const R finite =
        math::select(math::logical_and(negative, math::logical_not(infinite)), x, R(-0.5));
    const R fraction = finite - math::round(finite);
    const auto pole = math::eq(fraction, R(0));
    const R root = pi / math::sin(pi * math::select(pole, R(0.5), fraction));
    const R reflected = math::select(pole, limit, root * root - result);
    result = math::select(negative, reflected, result);
    result = math::select(infinite, R(std::numeric_limits<double>::quiet_NaN()), result);
  }
  return result;
}

}  // namespace kroton::math::formula
