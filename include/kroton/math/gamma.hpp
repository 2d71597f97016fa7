// The gamma function and the logarithm of the beta function of doubles, one by one or in SIMD
// batches. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>

#include <kroton/math/arithmetic.hpp>
#include <kroton/math/elementary.hpp>
#include <kroton/math/logic.hpp>
#include <kroton/math/polynomial.hpp>
#include <kroton/math/special.hpp>

namespace kroton::math::formula {

/// 1 / Gamma(3/2 + t) for |t| <= 1/2 (Chebyshev interpolation with 60 digits, truncated at 2e-17);
/// exactly 1 at both ends, so that factorials are exact.
template <class R>
constexpr R reciprocal_gamma_unit(R t) {
  const R inside = math::polynomial(
      t, 1.1283791670955126, -0.0411745264452831, -0.5266544355255447, 0.1751020260439345,
      0.050966860247723254, -0.042155169368530074, 0.006612897826273515, 0.002120731442396242,
      -0.001110730245918119, 0.00015235762354157663, 2.5355130539175535e-05,
      -1.3896829354060864e-05, 2.1565577829270528e-06, 5.80540732549556e-08, -9.002261834603835e-08,
      1.6830710938973937e-08);
  return math::select(math::eq(math::abs(t), R(0.5)), R(1), inside);
}

/// Gamma(a) as factor / (reciprocal * 2^-200) for a >= 1 and factor 2^-200 below; the factor
/// (a - 1) (a - 2) ..., down to [1, 2], is a sum of two doubles on the way. 2^-200, because the
/// factor of 190 is no double.
template <class R>
struct gamma_parts {
  R factor, reciprocal;
};
template <class R>
constexpr gamma_parts<R> gamma_parts_of(R a) {
  const auto below = math::lt(a, R(1));
  R y = math::select(below, R(1), a), high(0x1p-200), low(0);
  for (auto above = math::gt(y, R(2)); math::any(above); above = math::gt(y, R(2))) {
    const R next = y - R(1), product = high * next;
    low = math::select(above, low * next - math::residual(product, high, next), low);
    high = math::select(above, product, high);
    y = math::select(above, next, y);
  }
  const R t = math::select(below, a - R(0.5), y - R(1.5));
  return {high + low, formula::reciprocal_gamma_unit(t)};
}

/// Gamma(x) for x > 0; below 1 it is Gamma(x + 1) / x. Infinite from 171.7 on.
template <class R>
constexpr R gamma_positive(R x) {
  const R a = math::minimum(x, R(172));
  const auto parts = formula::gamma_parts_of(a);
  const R divisor = parts.reciprocal * math::select(math::lt(a, R(1)), a, R(1));
  return parts.factor / divisor * R(0x1p200);
}

/// Reflection Gamma(x) = -pi / (x sin(pi x) Gamma(-x)) below 0, where -x is exact and 1 - x is not;
/// the sine's argument is reduced exactly. 0 from -184 on.
template <class R>
constexpr R gamma_negative(R x) {
  const R nearest = math::round(x), fraction = x - nearest, half = R(0.5) * nearest;
  const auto odd = math::logical_not(math::eq(half, math::floor(half)));
  const auto pole = math::eq(fraction, R(0));
  const R a = math::minimum(math::neg(x), R(190)), pi(3.141592653589793);
  const auto parts = formula::gamma_parts_of(a);
  const R sine = math::sin(pi * math::select(pole, R(0.5), fraction));
  const R divisor = sine * math::select(math::lt(a, R(1)), R(1), a);
  const R result = pi * parts.reciprocal / divisor * R(0x1p-200) / parts.factor;
  return math::select(pole, R(std::numeric_limits<double>::quiet_NaN()),
                      math::select(odd, math::neg(result), result));
}

template <class R>
constexpr R gamma(R x) {
  const R limit(std::numeric_limits<double>::infinity());
  const auto negative = math::lt(x, R(0));
  R result = formula::gamma_positive(math::select(math::gt(x, R(0)), x, R(1)));
  if (math::any(negative)) {
    const auto usual = math::logical_and(negative, math::gt(x, -limit));
    result = math::select(usual, formula::gamma_negative(math::select(usual, x, R(-0.5))), result);
  }
  const auto undefined = math::logical_or(math::isnan(x), math::eq(x, -limit));
  result = math::select(undefined, R(std::numeric_limits<double>::quiet_NaN()), result);
  // 1 / x next to the pole at 0, and the infinity there.
  const auto tiny = math::lt(math::abs(x), R(1e-30));
  return math::any(tiny) ? math::select(tiny, math::inv(math::select(tiny, x, R(1))), result)
                         : result;
}

/// What Stirling's formula lacks of log Gamma(x), as a function of 1 / x, for x >= 10 (Chebyshev
/// interpolation in 1 / x^2 with 60 digits, truncated at 6e-17).
template <class R>
constexpr R stirling_rest(R inverse) {
  return inverse * math::polynomial(inverse * inverse, 0.08333333333333333, -0.0027777777777774886,
                                    0.0007936507931867712, -0.0005952378151473429,
                                    0.0008416699620379479, -0.0019054332018392398,
                                    0.005494345135525591);
}

/// log B(p, q) for 0 < p <= q < 10, of functions Gamma(1 + x), which do not overflow; the rounding
/// error of p + q, which the gamma function magnifies, is made good.
template <class R>
constexpr R betaln_small(R p, R q) {
  const R total = q + p, lost = p - (total - q);
  const auto factorial = [](R x) {
    const auto below = math::lt(x, R(1));
    const auto parts = formula::gamma_parts_of(x);
    return parts.factor * R(0x1p200) / parts.reciprocal * math::select(below, R(1), x);
  };
  const R ratio = factorial(p) * factorial(q) / factorial(total) * (total / q);
  return math::log(ratio) - math::log(p) - lost * math::log(total + R(0.5));
}

/// log B(p, q) for p <= q, q >= 10: the large terms of Stirling's formula are subtracted by hand.
template <class R>
constexpr R betaln_large(R p, R q) {
  const auto both = math::ge(p, R(10));
  const R half = R(0.5) * p + R(0.5) * q;  // the sum itself may overflow
  const R share = R(0.5) * p / half, shrunk = math::log1p(math::neg(share));
  const R rest = formula::stirling_rest(R(1) / q) - formula::stirling_rest(R(0.5) / half);
  R result = p;
  if (math::any(both))
    result = R(0.9189385332046728) - R(0.5) * math::log(q) +
             (formula::stirling_rest(R(1) / p) + rest) +
             ((p - R(0.5)) * math::log(share) + q * shrunk);
  const auto one = math::logical_not(both);
  if (math::any(one)) {
    const R few = math::select(one, p, R(1));
    const R alone =
        math::gammaln(few) + rest +
        (few * (R(1) - math::log(half) - R(0.6931471805599453)) + (q - R(0.5)) * shrunk);
    result = math::select(one, alone, result);
  }
  return result;
}

/// log B(a, b) of numbers >= 0; NaN below.
template <class R>
constexpr R betaln(R a, R b) {
  const R limit(std::numeric_limits<double>::infinity()),
      undefined(std::numeric_limits<double>::quiet_NaN());
  const R p = math::minimum(a, b), q = math::maximum(a, b);
  const auto inside = math::logical_and(math::gt(p, R(0)), math::lt(q, limit));
  const auto large = math::logical_and(inside, math::ge(q, R(10)));
  const auto small = math::logical_and(inside, math::lt(q, R(10)));
  // Outside: infinite where the one is 0, minus infinite where the other one is infinite.
  R result =
      math::select(math::logical_and(math::eq(p, R(0)), math::lt(q, limit)), limit, undefined);
  result = math::select(math::logical_and(math::gt(p, R(0)), math::eq(q, limit)), -limit, result);
  if (math::any(small))
    result = math::select(
        small, formula::betaln_small(math::select(small, p, R(1)), math::select(small, q, R(1))),
        result);
  if (math::any(large))
    result = math::select(
        large, formula::betaln_large(math::select(large, p, R(1)), math::select(large, q, R(10))),
        result);
  return result;
}

}  // namespace kroton::math::formula
