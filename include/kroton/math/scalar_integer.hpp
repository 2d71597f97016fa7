// Arithmetic of integers and bool: wrapping like NumPy's, without undefined behaviour.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <type_traits>

#include <kroton/core/config.hpp>

namespace kroton::math {

/// Integers wrap: results are computed modulo 2^n in the unsigned type, at least as wide as int so
/// that promotion to the signed int cannot overflow. bool computes as the integers 0 and 1 and
/// converts back.
template <class R>
struct scalar_integer {
  static constexpr bool is_signed = std::is_signed_v<R>;
  using wide =
      std::conditional_t<(sizeof(R) < sizeof(int)), unsigned,
                         std::make_unsigned_t<std::conditional_t<std::same_as<R, bool>, int, R>>>;

  static KROTON_FN R negate(R x) { return static_cast<R>(wide{0} - static_cast<wide>(x)); }
  static KROTON_FN R multiply(R a, R b) {
    return static_cast<R>(static_cast<wide>(a) * static_cast<wide>(b));
  }

  static KROTON_FN R abs(R x) {
    if constexpr (is_signed) return x < 0 ? negate(x) : x;
    return x;
  }
  static KROTON_FN R sgn(R x) {
    if constexpr (is_signed) return static_cast<R>((x > 0) - (x < 0));
    return static_cast<R>(x != 0);
  }
  static KROTON_FN R sqr(R x) { return multiply(x, x); }
  static KROTON_FN R inv(R x) { return divide(R{1}, x); }
  static KROTON_FN R muladd(R a, R b, R c) {
    return static_cast<R>(static_cast<wide>(a) * static_cast<wide>(b) + static_cast<wide>(c));
  }
  static KROTON_FN R minimum(R a, R b) { return b < a ? b : a; }
  static KROTON_FN R maximum(R a, R b) { return a < b ? b : a; }
  static KROTON_FN R fmin(R a, R b) { return minimum(a, b); }
  static KROTON_FN R fmax(R a, R b) { return maximum(a, b); }
  static KROTON_FN bool signbit(R x) {
    if constexpr (is_signed) return x < 0;
    return false;
  }
  static KROTON_FN R floor(R x) { return x; }
  static KROTON_FN R ceil(R x) { return x; }
  static KROTON_FN R round(R x) { return x; }
  static KROTON_FN R trunc(R x) { return x; }

  static KROTON_FN R divide(R a, R b) {
    if (b == 0) return 0;
    if constexpr (is_signed)
      if (b == R(-1)) return negate(a);  // the minimum by -1 traps in hardware
    return static_cast<R>(a / b);
  }
  static KROTON_FN R floordiv(R a, R b) {
    const R quotient = divide(a, b);
    if constexpr (is_signed)
      if (b != 0 && b != R(-1) && a % b != 0 && (a < 0) != (b < 0))
        return static_cast<R>(quotient - 1);
    return quotient;
  }
  static KROTON_FN R mod(R a, R b) {
    if (b == 0) return 0;
    if constexpr (is_signed) {
      if (b == R(-1)) return 0;
      const R rest = static_cast<R>(a % b);
      return rest != 0 && (rest < 0) != (b < 0) ? static_cast<R>(rest + b) : rest;
    } else {
      return static_cast<R>(a % b);
    }
  }

  static KROTON_FN R pow(R a, R b) {
    if constexpr (is_signed)
      if (b < 0) return a == 1 ? R{1} : a == R(-1) ? (b % 2 != 0 ? a : R{1}) : R{0};
    R result = 1;
    // Squares while exponent bits remain: at most 64 rounds, each two multiplications.
    for (auto bits = static_cast<wide>(b); bits != 0; bits >>= 1) {
      if (bits & 1) result = multiply(result, a);
      a = multiply(a, a);
    }
    return result;
  }
};

}  // namespace kroton::math
