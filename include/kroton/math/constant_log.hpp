// Logarithms in constant evaluation: log, log2, log10, log1p, pow and the inverse hyperbolic
// functions. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/math/constant_exp.hpp>

namespace kroton::math::constant {

/// log((1 + s) / (1 - s)) for |s| <= 0.18 by the series of the inverse hyperbolic tangent.
constexpr pair log_series(pair s) {
  const pair square = s * s;
  pair t{1.0 / 47, 0};
  for (int n = 45; n > 0; n -= 2) t = t * square + pair{1, 0} / n;
  return s * t * 2.0;
}

/// log(m * 2^exponent) in parts, m in [sqrt(1/2), sqrt(2)].
struct log_parts {
  pair fraction;
  int exponent = 0;
};
constexpr log_parts log_split(pair x) {
  int e = exponent(x.high);
  pair m = scale(x, -e);
  if (m.high > 1.4142135623730951) {
    m = scale(m, -1);
    ++e;
  }
  return {log_series((m - 1.0) / (m + 1.0)), e};
}
constexpr pair log_pair(pair x) {
  const log_parts parts = log_split(x);
  return parts.exponent == 0 ? parts.fraction : ln_2 * parts.exponent + parts.fraction;
}
/// log(1 + x) for x > -1, |x| >= 1e-200.
constexpr pair log1p_pair(pair x) {
  if (x.high > -0.29 && x.high < 0.41) return log_series(x / (x + 2.0));
  return log_pair(x + 1.0);
}

/// The values that the logarithms share at the ends of their domain; otherwise the argument itself.
constexpr bool log_is_special(double x) { return is_nan(x) || x <= 0 || x == infinity; }
constexpr double log_special(double x) {
  return is_nan(x) || x == infinity ? x : x == 0 ? -infinity : not_a_number;
}

constexpr double log(double x) {
  return log_is_special(x) ? log_special(x) : value(log_pair({x, 0}));
}
constexpr double log2(double x) {
  if (log_is_special(x)) return log_special(x);
  const log_parts parts = log_split({x, 0});
  constexpr pair inverse{1.4426950408889634, 2.0355273740931033e-17};
  return value(parts.fraction * inverse + parts.exponent);
}
constexpr double log10(double x) {
  if (log_is_special(x)) return log_special(x);
  return value(log_pair({x, 0}) * pair{0.4342944819032518, 1.098319650216765e-17});
}
constexpr double log1p(double x) {
  if (is_nan(x) || abs(x) < tiny || x == infinity) return x;
  if (x <= -1) return x == -1 ? -infinity : not_a_number;
  if (x > 1e200) return log(x);
  return value(log1p_pair({x, 0}));
}

constexpr double asinh(double x) {
  const double a = abs(x);
  if (is_nan(x) || a < tiny || a == infinity) return x;
  if (a > 1e100) return copysign(value(log_pair({a, 0}) + ln_2), x);
  // sqrt(1 + x^2) - 1 = x^2 / (1 + sqrt(1 + x^2)) does not cancel.
  const pair square = product(a, a);
  return copysign(value(log1p_pair(square / (sqrt(square + 1.0) + 1.0) + a)), x);
}
constexpr double acosh(double x) {
  if (is_nan(x) || x == infinity) return x;
  if (x < 1) return not_a_number;
  if (x == 1) return 0;
  if (x > 1e100) return value(log_pair({x, 0}) + ln_2);
  const pair excess = sum(x, -1);
  return value(log1p_pair(excess + sqrt(excess * sum(x, 1))));
}
constexpr double atanh(double x) {
  const double a = abs(x);
  if (is_nan(x) || a < tiny) return x;
  if (a >= 1) return a == 1 ? copysign(infinity, x) : not_a_number;
  return copysign(0.5 * value(log1p_pair(pair{2 * a, 0} / sum(1, -a))), x);
}

/// 0: not an integer, 1: odd, 2: even.
constexpr int parity(double y) {
  if (y != trunc(y)) return 0;
  if (abs(y) >= 9007199254740992.0) return 2;
  return (static_cast<std::int64_t>(y) & 1) != 0 ? 1 : 2;
}
constexpr double pow(double x, double y) {
  if (y == 0 || x == 1) return 1;
  if (is_nan(x) || is_nan(y)) return not_a_number;
  const double a = abs(x);
  if (abs(y) == infinity && a == 1) return 1;
  const int kind = abs(y) == infinity ? 2 : parity(y);
  const double sign = is_negative(x) && kind == 1 ? -1.0 : 1.0;
  if (a == 0 || a == infinity) return sign * ((a == 0) == (y < 0) ? infinity : 0.0);
  if (x < 0 && kind == 0) return not_a_number;
  if (a == 1) return sign;
  // |log a| >= 1.1e-16, so that such exponents leave the range.
  if (abs(y) > 1e20) return sign * ((a > 1) == (y > 0) ? infinity : 0.0);
  const pair product_log = log_pair({a, 0}) * y;
  if (product_log.high > 720) return sign * infinity;
  if (product_log.high < -760) return sign * 0.0;
  return sign * value(exp_scaled(product_log));
}

}  // namespace kroton::math::constant
