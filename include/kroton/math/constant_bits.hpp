// Floating-point numbers as bits: classification and exact scaling without the C library, for
// constant evaluation. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

/// Implementations of the functions for constant evaluation, all in double: deterministic
/// arithmetic without library calls, identical in every compiler. No operation here overflows or
/// produces a NaN, which a constant may not.
namespace kroton::math::constant {

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

constexpr std::uint64_t bits(double x) { return std::bit_cast<std::uint64_t>(x); }
constexpr double from_bits(std::uint64_t b) { return std::bit_cast<double>(b); }

constexpr bool is_nan(double x) { return x != x; }
constexpr bool is_negative(double x) { return (bits(x) >> 63) != 0; }
constexpr double abs(double x) { return from_bits(bits(x) & ~(std::uint64_t{1} << 63)); }
constexpr double copysign(double x, double sign) {
  return from_bits(bits(abs(x)) | (bits(sign) & (std::uint64_t{1} << 63)));
}

/// 2^k for a normal result, -1022 <= k <= 1023.
constexpr double power_of_two(int k) {
  return from_bits(static_cast<std::uint64_t>(k + 1023) << 52);
}

/// floor(log2 |x|) of a finite x that is not zero, denormals included.
constexpr int exponent(double x) {
  const auto field = static_cast<int>((bits(x) >> 52) & 0x7ff);
  return field != 0 ? field - 1023 : static_cast<int>(std::bit_width(bits(x) << 1)) - 1 - 1075;
}

/// x * 2^k, rounded once; overflows to infinity.
constexpr double scale(double x, int k) {
  if (x == 0 || is_nan(x) || abs(x) == infinity) return x;
  const int e = exponent(x);
  if (e + k > 1023) return copysign(infinity, x);
  if (e + k < -1080) return copysign(0, x);
  // Through exponent 0, which is exact, so that only the last step can round.
  const int first =
      e < -1000 ? 100 : 0;  // a denormal's own exponent is beyond a normal power of two
  x = x * power_of_two(first);
  const int middle = -exponent(x);
  x = x * power_of_two(middle < -1000 ? -1000 : middle);
  const int last = k - first - (middle < -1000 ? -1000 : middle);
  if (last < -1000) return x * power_of_two(-900) * power_of_two(last + 900);
  return x * power_of_two(last);
}

/// The constant as the type R: float rounds once more (0.5 ulp and a trifle) and overflows to
/// infinity.
template <class R>
constexpr R rounded(double x) {
  if constexpr (sizeof(R) == sizeof(double)) {
    return x;
  } else {
    // Half way between the largest float and 2^128.
    constexpr R most = std::numeric_limits<R>::infinity();
    if (abs(x) >= 3.4028235677973366e38) return x < 0 ? -most : most;
    if (is_nan(x)) return std::numeric_limits<R>::quiet_NaN();
    return static_cast<R>(x);
  }
}

}  // namespace kroton::math::constant
