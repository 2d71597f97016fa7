// Arithmetic of float and double: rounding, extrema and NumPy's division.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <type_traits>

#include <kroton/core/config.hpp>
#include <kroton/math/constant.hpp>

namespace kroton::math {

template <class R>
struct scalar_arithmetic {
  static KROTON_FN R abs(R x) {
    if (std::is_constant_evaluated()) return constant::rounded<R>(constant::abs(x));
    return std::fabs(x);
  }
  static KROTON_FN R neg(R x) { return -x; }
  static KROTON_FN R floor(R x) {
    if (std::is_constant_evaluated()) return constant::rounded<R>(constant::floor(x));
    return std::floor(x);
  }
  static KROTON_FN R ceil(R x) {
    if (std::is_constant_evaluated()) return constant::rounded<R>(constant::ceil(x));
    return std::ceil(x);
  }
  static KROTON_FN R round(R x) {
    if (std::is_constant_evaluated()) return constant::rounded<R>(constant::round(x));
    return std::rint(x);
  }
  static KROTON_FN R trunc(R x) {
    if (std::is_constant_evaluated()) return constant::rounded<R>(constant::trunc(x));
    return std::trunc(x);
  }
  static KROTON_FN R pow(R a, R b) {
    if (std::is_constant_evaluated()) return constant::rounded<R>(constant::pow(a, b));
    return std::pow(a, b);
  }
  static KROTON_FN R remainder(R a, R b) {
    if (std::is_constant_evaluated()) return constant::rounded<R>(constant::remainder(a, b));
    return std::fmod(a, b);
  }

  static KROTON_FN R sgn(R x) { return x != x ? x : static_cast<R>((x > 0) - (x < 0)); }
  static KROTON_FN R sqr(R x) { return x * x; }
  static KROTON_FN R inv(R x) { return divide(R{1}, x); }
  static KROTON_FN R divide(R a, R b) {
    // A double holds the quotient of two floats well enough that rounding it again is correct
    // rounding.
    if (std::is_constant_evaluated()) return constant::rounded<R>(constant::divide(a, b));
    return a / b;
  }
  static KROTON_FN R muladd(R a, R b, R c) { return a * b + c; }
  static KROTON_FN R residual(R a, R q, R b) {
    if (std::is_constant_evaluated()) {  // there fma is no constant
      const constant::pair exact = constant::product(q, b);
      return constant::rounded<R>((a - exact.high) - exact.low);
    }
    return std::fma(-q, b, a);
  }
  // If b is a NaN, a < b is false and gives it; if a is, the second test does.
  static KROTON_FN R minimum(R a, R b) { return (a < b || a != a) ? a : b; }
  static KROTON_FN R maximum(R a, R b) { return (a > b || a != a) ? a : b; }
  // If a is a NaN, a < b is false and gives b; if b is, the second test gives a.
  static KROTON_FN R fmin(R a, R b) { return (a < b || b != b) ? a : b; }
  static KROTON_FN R fmax(R a, R b) { return (a > b || b != b) ? a : b; }

  static KROTON_FN R copysign(R x, R sign) {
    if (std::is_constant_evaluated()) return constant::rounded<R>(constant::copysign(x, sign));
    return std::copysign(x, sign);
  }
  static KROTON_FN bool signbit(R x) { return copysign(R{1}, x) < 0; }

  static KROTON_FN R mod(R a, R b) {
    const R rest = remainder(a, b);
    if (rest != rest) return rest;
    if (rest == 0) return copysign(rest, b);
    return (rest < 0) != (b < 0) ? rest + b : rest;
  }
  static KROTON_FN R floordiv(R a, R b) {
    if (b == 0) return divide(a, b);
    const R rest = remainder(a, b);
    if (rest != rest) return rest;
    // a - rest is a multiple of b up to one rounding, so the quotient is within 1/2 of the integer
    // sought.
    R quotient = divide(a - rest, b);
    if (rest != 0 && (rest < 0) != (b < 0)) quotient -= 1;
    if (quotient == 0) return copysign(R{0}, divide(a, b));
    const R below = floor(quotient);
    return below != quotient && quotient - below > R{0.5} ? below + 1 : below;
  }
};

}  // namespace kroton::math
