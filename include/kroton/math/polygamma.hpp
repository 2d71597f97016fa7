// The derivatives of the digamma function of any order, of doubles, one by one or in SIMD batches.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/math/digamma.hpp>

namespace kroton::math::formula {

/// A positive power, by squaring.
template <class R>
constexpr R whole_power(R x, int exponent) {
  R result(1);
  for (; exponent > 1; exponent /= 2) {
    if (exponent % 2 != 0) result = result * x;
    x = x * x;
  }
  return result * x;
}

/// How many terms the asymptotic series take, and what they are made of: B(2k) / (2k)!, k from 1
/// on.
inline constexpr int bernoulli_count = 12;
constexpr double bernoulli_quotient(int k) {
  constexpr double quotients[bernoulli_count] = {1.0 / 12,
                                                 -1.0 / 720,
                                                 1.0 / 30240,
                                                 -1.0 / 1209600,
                                                 1.0 / 47900160,
                                                 -691.0 / 1307674368000,
                                                 1.0 / 74724249600,
                                                 -3617.0 / 10670622842880000,
                                                 43867.0 / 5109094217170944000,
                                                 -174611.0 / 802857662698291200000.0,
                                                 77683.0 / 14101100039391805440000.0,
                                                 -236364091.0 / 1693824136731743669452800000.0};
  return quotients[k - 1];
}

/// 1 + n/(2x) + sum of B(2k) (n + 2k - 1)! / ((2k)! (n - 1)! x^2k) for x >= n + 10, truncated at
/// 1e-17: what the n-th derivative of psi is to (n - 1)! / x^n, up to its sign.
template <class R>
constexpr R polygamma_series(int n, R x) {
  const R inverse = R(1) / x;
  R rising(1), series(0);
  int factor = n;
  for (int k = 1; k <= bernoulli_count; ++k) {
    rising = rising * (R(factor) * inverse) * (R(factor + 1) * inverse);
    series = math::muladd(R(bernoulli_quotient(k)), rising, series);
    factor += 2;
  }
  return math::muladd(R(0.5 * n), inverse, series) + R(1);
}

/// The magnitude of the n-th derivative of psi for x > 0, n! times the sum of 1 / (x + k)^(n + 1),
/// all of one sign: relative to n! / x^(n + 1) up to where the series holds, so that nothing
/// overflows that the result does not.
template <class R>
constexpr R polygamma_magnitude(int n, R x) {
  const R least(n + least_asymptotic), most(1e300);
  const R bounded = math::select(math::gt(x, most), most, x);
  const auto shifted = math::lt(bounded, least);
  R y = bounded, sum(0), ratio(1);
  for (auto small = shifted; math::any(small); small = math::lt(y, least)) {
    sum = math::select(small, sum + formula::whole_power(ratio, n + 1), sum);
    y = math::select(small, y + R(1), y);
    ratio = math::select(small, bounded / math::select(small, y, R(1)), ratio);
  }
  const R series = formula::polygamma_series(n, y);
  const R below = math::muladd(formula::whole_power(ratio, n + 1) * y * R(1.0 / n), series, sum);
  R result = math::select(shifted, R(n) / bounded * below, series) / bounded;
  for (int j = 1; j < n; ++j) result = result * (R(j) / bounded);
  return result;
}

/// n! / x^(n + 1) for x > 0.
template <class R>
constexpr R polygamma_term(int n, R x) {
  R result = R(1) / x;
  for (int j = 1; j <= n; ++j) result = result * (R(j) / x);
  return result;
}

/// Below 0 the sum runs over both sides of the integer next to x, at the distance a: from a and
/// from b = 1 - a on, without that from 1 - x on. Of even n the sides have different signs, so that
/// those two terms, which may cancel, are taken together.
template <class R>
constexpr R polygamma(int n, R x) {
  if (n == 0) return formula::digamma(x);
  if (n == 1) return formula::trigamma(x);
  const R limit(std::numeric_limits<double>::infinity()),
      undefined(std::numeric_limits<double>::quiet_NaN());
  const bool odd = n % 2 != 0;
  const auto negative = math::lt(x, R(0)), zero = math::eq(x, R(0));
  R result =
      formula::polygamma_magnitude(n, math::select(math::logical_or(negative, zero), R(1) - x, x));
  if (math::any(zero))
    result =
        math::select(zero, odd ? limit : limit * math::select(zero, math::inv(x), R(1)), result);
  if (math::any(negative)) {
    const auto infinite = math::eq(x, -limit);
    const R finite =
        math::select(math::logical_and(negative, math::logical_not(infinite)), x, R(-0.25));
    const R fraction = finite - math::round(finite),
            sign = math::select(math::lt(fraction, R(0)), R(-1), R(1));
    const auto pole = math::eq(fraction, R(0));
    const R a = math::select(pole, R(0.25), math::abs(fraction)), b = R(1) - a, other(odd ? 1 : -1);
    const R nearest =
        math::muladd(other, formula::polygamma_term(n, b), formula::polygamma_term(n, a));
    const R further = math::muladd(other, formula::polygamma_magnitude(n, R(1) + b),
                                   formula::polygamma_magnitude(n, R(1) + a));
    const R sides = nearest + further;
    const R reflected = math::select(pole, odd ? limit : undefined,
                                     odd ? sides - result : math::muladd(sign, sides, result));
    result = math::select(negative, math::select(infinite, undefined, reflected), result);
  }
  return odd ? result : math::neg(result);
}

/// The largest order; beyond it, and of no order at all, the result is NaN.
inline constexpr double largest_order = 10000;

/// Whether a number is the order of a derivative.
template <class T>
constexpr bool is_order(T n) {
  return n >= 0 && n <= T(largest_order) && n == static_cast<T>(static_cast<int>(n));
}

}  // namespace kroton::math::formula
