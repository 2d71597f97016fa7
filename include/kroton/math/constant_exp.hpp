// Exponentials in constant evaluation: exp, exp2, expm1 and the hyperbolic functions.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/math/constant_pair.hpp>

namespace kroton::math::constant {

/// Below this an odd function with derivative 1 at 0 equals its argument, and products of pairs
/// would underflow.
inline constexpr double tiny = 1e-100;

/// e^r - 1 for |r| <= 0.36 by its Taylor series, relative to its own size.
constexpr pair expm1_series(pair r) {
  pair s{1, 0};
  for (int n = 25; n > 1; --n) s = s * r / n + 1.0;
  return s * r;
}

/// e^x as a pair times 2^exponent; |x| <= 2000.
struct scaled_pair {
  pair significand;
  int exponent = 0;
};
constexpr scaled_pair exp_scaled(pair x) {
  const double k = round(x.high * 1.4426950408889634);
  return {expm1_series(x - ln_2 * k) + 1.0, static_cast<int>(k)};
}
constexpr double value(scaled_pair a) { return scale(value(a.significand), a.exponent); }
/// For moderate x, where the scaled pair stays in range.
constexpr pair exp_pair(pair x) {
  const scaled_pair e = exp_scaled(x);
  return scale(e.significand, e.exponent);
}
constexpr pair expm1_pair(pair x) {
  return abs(x.high) < 0.36 ? expm1_series(x) : exp_pair(x) - 1.0;
}

constexpr double exp(double x) {
  if (is_nan(x)) return x;
  if (x > 710) return infinity;
  if (x < -746) return 0;
  return value(exp_scaled({x, 0}));
}
constexpr double exp2(double x) {
  if (is_nan(x)) return x;
  if (x >= 1024) return infinity;
  if (x < -1080) return 0;
  const double k = round(x);
  return scale(value(expm1_series(ln_2 * (x - k)) + 1.0), static_cast<int>(k));
}
constexpr double expm1(double x) {
  if (is_nan(x) || abs(x) < tiny) return x;
  if (x < -40) return -1;
  if (x > 100) return exp(x);
  return value(expm1_pair({x, 0}));
}

/// (e^x -+ e^-x) / 2 for x > 40, where the second term is below the last bit; halved before it
/// could overflow.
constexpr double half_exp(double x) {
  if (x > 712) return infinity;
  const scaled_pair e = exp_scaled({x, 0});
  return scale(value(e.significand), e.exponent - 1);
}
constexpr double sinh(double x) {
  if (is_nan(x) || abs(x) < tiny) return x;
  if (abs(x) > 40) return copysign(half_exp(abs(x)), x);
  // With m = e^x - 1: (m + m / (m + 1)) / 2, whose terms have one sign.
  const pair m = expm1_pair({abs(x), 0});
  return copysign(0.5 * value(m + m / (m + 1.0)), x);
}
constexpr double cosh(double x) {
  if (is_nan(x)) return x;
  if (abs(x) > 40) return half_exp(abs(x));
  const pair e = exp_pair({abs(x), 0});
  return 0.5 * value(e + pair{1, 0} / e);
}
constexpr double tanh(double x) {
  if (is_nan(x) || abs(x) < tiny) return x;
  if (abs(x) > 22) return copysign(1, x);
  const pair m = expm1_pair({2 * abs(x), 0});
  return copysign(value(m / (m + 2.0)), x);
}

}  // namespace kroton::math::constant
