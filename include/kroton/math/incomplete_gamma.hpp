// The regularized incomplete gamma functions P(a, x) and Q(a, x) = 1 - P(a, x) of doubles.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>

#include <kroton/math/gamma.hpp>
#include <kroton/math/incomplete_gamma_near.hpp>
#include <kroton/math/stable.hpp>

namespace kroton::math::formula {

/// x^a e^-x / Gamma(a + 1) for a >= 0 and 0 < x < inf, Divided: by x. For large a powers and
/// factorials are taken together (Stirling's formula), the exponential in two halves, since either
/// part may underflow where the result does not.
template <bool Divided, class R>
constexpr R gamma_term(R a, R x) {
  if (a < 10) {
    if (x > 1500) return 0;
    const R half = math::exp(R(-0.5) * x);
    const R factorial = a < 1 ? formula::gamma<R>(a + 1) : a * formula::gamma<R>(a);
    return half * math::pow(x, Divided ? a - 1 : a) * half / factorial;
  }
  const R exponent = formula::gamma_exponent(a, x);
  if (exponent > 1500) return 0;
  const R half = math::exp(R(-0.5) * exponent);
  const R factor =
      R(0.3989422804014327) * math::exp(-formula::stirling_rest(1 / a)) / math::sqrt(a);
  return Divided ? half * factor / x * half : half * factor * half;
}

/// P by the series x^a e^-x / Gamma(a + 1) (1 + x / (a + 1) + x^2 / ((a + 1) (a + 2)) + ...), whose
/// terms are all positive. (DLMF 8.7.1)
template <class R>
constexpr R gammainc_series(R a, R x) {
  R term(1), sum(1);
  for (R k = a + 1; term > R(1e-17) * sum; k += 1) sum += term *= x / k;
  return formula::gamma_term<false>(a, x) * sum;
}

/// Q by the continued fraction x^a e^-x / Gamma(a) / (x + 1 - a + (a - 1) / (x + 3 - a + 2 (a - 2)
/// / (x + 5 - a + ..., for x > a and x > 1.1, from its end: with so many terms what is left out is
/// below rounding. (DLMF 8.9.2)
template <class R>
constexpr R gammaincc_fraction(R a, R x) {
  const int count = 30 + static_cast<int>(90 / x);
  R rest = x - a + static_cast<R>(2 * count + 1);
  for (int n = count; n > 0; --n) {
    const R k = static_cast<R>(n);
    rest = x - a + (2 * k - 1) + k * (a - k) / rest;
  }
  return formula::gamma_term<false>(a, x) * a / rest;
}

/// Q for x <= 1.1 and small a, where P is nearly 1: P is (1 + a g) x^a (1 + a s), of which the ones
/// cancel; 1 + a g is 1 / Gamma(1 + a) (g by Chebyshev interpolation on [0, 1] with 60 digits,
/// truncated at 1e-18), and s is the sum of (-x)^n / (n! (a + n)). (DLMF 8.7.3)
template <class R>
constexpr R gammaincc_small(R a, R x) {
  const R g = math::polynomial(
      a - R(0.5), 0.25675833419102515, -0.5958657212726165, 0.13842257149414396,
      0.073358909099581106, -0.044784097703743624, 0.0052578566704253412, 0.0027100823125889615,
      -0.0011787017403520961, 0.00013594297485235616, 3.2829297052868594e-5, -1.4948213507152967e-5,
      2.1027700090322568e-6, 1.070108611856563e-7, -9.791811235181459e-8, 1.7180314587656999e-8,
      -6.9437243080482791e-10);
  R term(1), s(0);
  for (int n = 1; n < 30; ++n) {
    term *= -x / static_cast<R>(n);
    s += term / (a + static_cast<R>(n));
  }
  const R less = math::expm1(a * math::log(x)), reciprocal = 1 + a * g;
  return -(less * reciprocal + a * g) - a * s * (1 + less) * reciprocal;
}

/// P, or Q if Upper, of numbers a >= 0 and x >= 0: the smaller one is computed. Bounds of the ways:
/// Temme's expansion needs a >= 50 and x / a within [0.7, 1.3], elsewhere series and fraction
/// converge in about a hundred steps.
template <bool Upper, class R>
constexpr R gammainc(R a, R x) {
  constexpr R limit = std::numeric_limits<R>::infinity();
  const R undefined = std::numeric_limits<R>::quiet_NaN();
  if (!(a >= 0 && x >= 0) || (a == 0 && x == 0) || (a == limit && x == limit)) return undefined;
  if (x == 0 || a == limit) return Upper ? 1 : 0;
  if (a == 0 || x == limit) return Upper ? 0 : 1;
  if (a >= 50 && math::abs(x - a) <= R(0.3) * a) {
    const R tail = formula::gammainc_near(a, x);
    return Upper == (x >= a) ? tail : 1 - tail;
  }
  if (x <= math::maximum(a, R(1.1))) {
    const R lower = formula::gammainc_series(a, x);
    const bool is_most = lower > R(0.7);  // then x <= 1.1 and a < 1
    const R upper = is_most ? formula::gammaincc_small(a, x) : 1 - lower;
    return Upper ? upper : is_most ? 1 - upper : lower;
  }
  const R upper = formula::gammaincc_fraction(a, x);
  return Upper ? upper : 1 - upper;
}

}  // namespace kroton::math::formula
