// Rounding, division, remainder and square root in constant evaluation: all exact or correctly
// rounded. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include <kroton/math/constant_bits.hpp>

namespace kroton::math::constant {

/// Whether x has no fraction because of its size (also inf and NaN).
constexpr bool is_large(double x) { return !(abs(x) < 4503599627370496.0); }

constexpr double trunc(double x) {
  return is_large(x) ? x : copysign(static_cast<double>(static_cast<std::int64_t>(x)), x);
}
constexpr double floor(double x) {
  const double t = trunc(x);
  return t > x ? t - 1 : t;
}
constexpr double ceil(double x) {
  const double t = trunc(x);
  return t < x ? copysign(t + 1, x) : t;
}
constexpr double round(double x) {
  if (is_large(x)) return x;
  const double t = trunc(x);
  const double rest = abs(x - t);
  const bool odd = (static_cast<std::int64_t>(t) & 1) != 0;
  const double up = rest > 0.5 || (rest == 0.5 && odd) ? 1.0 : 0.0;
  return copysign(abs(t) + up, x);
}

/// a / b as IEEE 754 has it, where the operator would not be a constant.
constexpr double divide(double a, double b) {
  if (is_nan(a) || is_nan(b)) return not_a_number;
  const double sign = is_negative(a) != is_negative(b) ? -1.0 : 1.0;
  if (b == 0 || abs(a) == infinity)
    return a == 0 || abs(b) == infinity ? not_a_number : sign * infinity;
  if (abs(b) == infinity || a == 0) return sign * 0.0;
  const int e = exponent(a) - exponent(b);
  if (e > 1024) return sign * infinity;
  if (e < 1020) return a / b;
  // Near the largest number: divide at a smaller scale, then scale with the test for overflow.
  return scale(scale(a, -200) / b, 200);
}

/// C's fmod: long division of the significands, exact; at most 2100 rounds.
constexpr double remainder(double a, double b) {
  if (is_nan(a) || is_nan(b) || abs(a) == infinity || b == 0) return not_a_number;
  if (abs(a) < abs(b)) return a;
  // Both are integers times 2^least.
  const int least = (exponent(b) < -1022 ? -1022 : exponent(b)) - 52;
  const auto divisor = static_cast<std::uint64_t>(scale(abs(b), -least));
  int shift = exponent(a) - 52 - least;
  if (shift < 0) shift = 0;
  auto rest = static_cast<std::uint64_t>(scale(abs(a), -least - shift)) % divisor;
  for (; shift > 0; --shift) rest = (rest << 1) % divisor;
  return copysign(scale(static_cast<double>(rest), least), a);
}

/// Correctly rounded, digit by digit: the root has 54 bits, of which the last only rounds.
constexpr double sqrt(double x) {
  if (x == 0 || is_nan(x) || x == infinity) return x;
  if (x < 0) return not_a_number;
  const int e = exponent(x);
  const int half = (e - (e & 1)) / 2;
  // An integer of 53 or 54 bits, continued by 54 zero bits.
  const auto significand = static_cast<std::uint64_t>(scale(x, 52 - 2 * half));
  std::uint64_t root = 0, rest = 0;
  for (int pair = 26; pair >= -27; --pair) {
    rest = (rest << 2) | (pair >= 0 ? (significand >> (2 * pair)) & 3 : 0);
    const std::uint64_t trial = (root << 2) | 1;
    root <<= 1;
    if (rest >= trial) {
      rest -= trial;
      root |= 1;
    }
  }
  return scale(static_cast<double>((root + 1) >> 1), half - 52);
}

}  // namespace kroton::math::constant
