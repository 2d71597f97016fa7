// Cube roots and lengths in constant evaluation, where no operation may overflow.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/math/constant_log.hpp>

namespace kroton::math::constant {

/// By Newton's method from the double next to the root.
constexpr double cbrt(double x) {
  if (x == 0 || is_nan(x) || abs(x) == infinity) return x;
  int third = exponent(x) / 3;
  const double a = scale(abs(x), -3 * third);  // in [1/8, 8)
  double root = 1;
  for (int i = 0; i < 12; ++i) root = (2 * root + a / (root * root)) / 3;
  const pair square = product(root, root), rest = pair{a, 0} - square * root;
  return copysign(scale(value(pair{root, 0} + rest / (square * 3.0)), third), x);
}

/// sqrt(x^2 + y^2 + z^2) as length * 2^exponent. The length is no number, zero or infinite where
/// the root is, else in [1, 4).
struct scaled_length {
  pair length;
  int exponent = 0;
};
constexpr scaled_length scaled_hypot(double x, double y, double z = 0) {
  const double numbers[] = {abs(x), abs(y), abs(z)};
  double largest = 0;
  bool has_nan = false;
  for (double a : numbers) {
    if (a == infinity) return {{infinity, 0}};
    has_nan = has_nan || is_nan(a);
    largest = a > largest ? a : largest;
  }
  if (has_nan || largest == 0) return {{has_nan ? not_a_number : 0, 0}};
  const int e = exponent(largest);
  pair squares{};
  for (double a : numbers)
    if (a != 0 && exponent(a) - e > -200) {
      const double scaled = scale(a, -e);
      squares = squares + product(scaled, scaled);
    }
  return {sqrt(squares), e};
}
constexpr double hypot(double x, double y, double z = 0) {
  const scaled_length s = scaled_hypot(x, y, z);
  if (is_nan(s.length.high)) return s.length.high;
  return scale(value(s.length), s.exponent);
}
/// The logarithm of a length next to 1 needs all the digits of the length.
constexpr double loghypot(double x, double y) {
  const scaled_length s = scaled_hypot(x, y);
  if (log_is_special(s.length.high)) return log_special(s.length.high);
  if (s.exponent >= -1 && s.exponent <= 0) return value(log_pair(scale(s.length, s.exponent)));
  return value(log_pair(s.length) + ln_2 * static_cast<double>(s.exponent));
}

}  // namespace kroton::math::constant
