// Error function and log gamma in constant evaluation.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/math/constant_log.hpp>
#include <kroton/math/constant_trig.hpp>

namespace kroton::math::constant {

/// erf(x) for 0 <= x <= 6 by the series 2/sqrt(pi) e^(-x^2) (x + 2 x^3 / 3 + 4 x^5 / 15 + ...),
/// Abramowitz and Stegun 7.1.6, whose terms are all positive; at most 200 of them.
constexpr pair erf_series(double x) {
  const pair square = product(x, x);
  pair term{x, 0}, s = term;
  for (int n = 1; n < 250 && term.high > s.high * 1e-33; ++n) {
    term = term * square * 2.0 / (2 * n + 1);
    s = s + term;
  }
  return s * exp_pair(-square) * pair{1.1283791670955126, 1.533545961316588e-17};
}
/// erfc(x) for x >= 5 by the continued fraction 1 / (x + (1/2) / (x + 1 / (x + (3/2) / (x + ... (A.
/// and S. 7.1.14).
constexpr double erfc_fraction(double x) {
  pair f{x, 0};
  for (int n = 80; n > 0; --n) f = pair{0.5 * n, 0} / f + x;
  const scaled_pair e = exp_scaled(-product(x, x));
  return value(
      scaled_pair{e.significand * pair{0.5641895835477563, 7.66772980658294e-18} / f, e.exponent});
}

constexpr double erf(double x) {
  const double a = abs(x);
  if (is_nan(x)) return x;
  if (a < tiny)
    return copysign(
        scale(value(pair{1.1283791670955126, 1.533545961316588e-17} * scale(a, 600)), -600), x);
  return copysign(a > 6 ? 1 : value(erf_series(a)), x);
}
constexpr double erfc(double x) {
  if (is_nan(x)) return x;
  if (abs(x) < tiny) return 1;
  if (x < 0) return x < -6 ? 2 : value(erf_series(-x) + 1.0);
  if (x < 5) return value(pair{1, 0} - erf_series(x));
  return x > 28 ? 0 : erfc_fraction(x);
}

/// log Gamma(z) for z >= 30 by Stirling's series, A. and S. 6.1.40; the term left out is below
/// 2e-33.
constexpr pair stirling(pair z) {
  constexpr double numerators[13] = {1,     -1,    1,       -1,     5,          -691,   7,
                                     -3617, 43867, -174611, 854513, -236364091, 8553103};
  constexpr double denominators[13] = {
      12,          360,         1260,        1680,        66.0 * 90,    2730.0 * 132, 6.0 * 182,
      510.0 * 240, 798.0 * 306, 330.0 * 380, 138.0 * 462, 2730.0 * 552, 6.0 * 650};
  const pair inverse = pair{1, 0} / z;
  const pair square = inverse * inverse;
  pair s{};
  for (int k = 12; k >= 0; --k) s = s * square + pair{numerators[k], 0} / denominators[k];
  return (z - 0.5) * log_pair(z) - z + pair{0.9189385332046728, -3.8782941580672414e-17} +
         s * inverse;
}
/// log Gamma(x) for x > 0: upward recurrence to the series, the factors collected in one product.
constexpr pair log_gamma(pair x) {
  pair factors{1, 0};
  while (x.high < 30) {
    factors = factors * x;
    x = x + 1.0;
  }
  return stirling(x) - log_pair(factors);
}
/// log Gamma next to its zeros 1 and 2 by the Taylor series in z = x - 1 or x - 2, |z| <= 1e-4:
/// `slope` is -gamma or 1 - gamma, `less` the number of terms (0 or 1) that zeta lacks.
constexpr double log_gamma_near_zero(double z, pair slope, double less) {
  const double rest =
      (1.6449340668482264 - less) / 2 -
      z * ((1.2020569031595942 - less) / 3 -
           z * ((1.0823232337111382 - less) / 4 - z * (1.03692775514337 - less) / 5));
  return value(slope * z + z * z * rest);
}

constexpr double gammaln(double x) {
  if (is_nan(x)) return x;
  const double a = abs(x);
  if (a == infinity || (x <= 0 && x == floor(x)) || x > 2.5563481638716905e305) return infinity;
  if (a < 1e-20) return -log(a);
  if (abs(x - 1) < 1e-4)
    return log_gamma_near_zero(x - 1, {-0.5772156649015329, 4.942915152430645e-18}, 0);
  if (abs(x - 2) < 1e-4)
    return log_gamma_near_zero(x - 2, {0.42278433509846713, 4.942915152430645e-18}, 1);
  if (x > 1e100) return scale(value((log_pair({x, 0}) - 1.0) * scale(x, -100)), 100);
  if (x > 0) return value(log_gamma({x, 0}));
  // Reflection: Gamma(x) Gamma(1 - x) = pi / sin(pi x); the sine's argument is reduced exactly.
  const pair sine = sin_series(pi * abs(x - round(x)));
  return value(log_pair(pi / sine) - log_gamma(sum(1, -x)));
}

}  // namespace kroton::math::constant
