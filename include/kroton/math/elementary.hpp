// The elementary transcendental functions, one definition for every number type.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/math/trait.hpp>

namespace kroton::math {

// Errors: a host scalar is the C library's (glibc: <= 1 ulp for exp, log, sin, cos, pow; <= 2 for
// the others), a device scalar CUDA's (<= 2 ulp), a constant <= 1 ulp (math/constant.hpp), a batch
// as tabulated in cpu/simd/math.hpp. NaN gives NaN everywhere; zeros keep their sign where the
// function is odd.

/// e^x; exp(-inf) = 0; overflows to inf above 709.78, denormal below -708.4; numpy.exp.
template <class R>
KROTON_FN R exp(R x) {
  return functions<R>::exp(x);
}
/// 2^x, exact for integers; numpy.exp2.
template <class R>
KROTON_FN R exp2(R x) {
  return functions<R>::exp2(x);
}
/// e^x - 1 without cancellation near 0; expm1(-inf) = -1; numpy.expm1.
template <class R>
KROTON_FN R expm1(R x) {
  return functions<R>::expm1(x);
}
/// Natural logarithm; x >= 0; log(+-0) = -inf, NaN below; numpy.log.
template <class R>
KROTON_FN R log(R x) {
  return functions<R>::log(x);
}
/// Logarithm to base 2, exact for powers of 2; numpy.log2.
template <class R>
KROTON_FN R log2(R x) {
  return functions<R>::log2(x);
}
/// Logarithm to base 10; numpy.log10.
template <class R>
KROTON_FN R log10(R x) {
  return functions<R>::log10(x);
}
/// log(1 + x) without cancellation near 0; x >= -1; log1p(-1) = -inf; numpy.log1p.
template <class R>
KROTON_FN R log1p(R x) {
  return functions<R>::log1p(x);
}
/// Square root, correctly rounded; sqrt(-0) = -0, NaN below; numpy.sqrt.
template <class R>
KROTON_FN R sqrt(R x) {
  return functions<R>::sqrt(x);
}

/// Sine of radians; NaN at +-inf; numpy.sin.
template <class R>
KROTON_FN R sin(R x) {
  return functions<R>::sin(x);
}
/// Cosine of radians; NaN at +-inf; numpy.cos.
template <class R>
KROTON_FN R cos(R x) {
  return functions<R>::cos(x);
}
/// Tangent of radians; NaN at +-inf; numpy.tan.
template <class R>
KROTON_FN R tan(R x) {
  return functions<R>::tan(x);
}
/// Inverse sine in [-pi/2, pi/2]; |x| <= 1, else NaN; numpy.arcsin.
template <class R>
KROTON_FN R asin(R x) {
  return functions<R>::asin(x);
}
/// Inverse cosine in [0, pi]; |x| <= 1, else NaN; numpy.arccos.
template <class R>
KROTON_FN R acos(R x) {
  return functions<R>::acos(x);
}
/// Inverse tangent in [-pi/2, pi/2]; numpy.arctan.
template <class R>
KROTON_FN R atan(R x) {
  return functions<R>::atan(x);
}
/// Angle of the point (x, y) in [-pi, pi]; zeros and infinities as in C99 annex F; numpy.arctan2.
template <class R>
KROTON_FN R atan2(R y, R x) {
  return functions<R>::atan2(y, x);
}

/// Cube root, also of negative numbers; numpy.cbrt.
template <class R>
KROTON_FN R cbrt(R x) {
  return functions<R>::cbrt(x);
}
/// sqrt(x^2 + y^2) or sqrt(x^2 + y^2 + z^2), which neither overflows nor underflows where the
/// result does not; inf where an operand is infinite; numpy.hypot.
template <class R, class... More>
KROTON_FN R hypot(R x, More... more) {
  return functions<R>::hypot(x, more...);
}
/// log(hypot(x, y)).
template <class R>
KROTON_FN R loghypot(R x, R y) {
  return functions<R>::loghypot(x, y);
}

/// (e^x - e^-x) / 2; numpy.sinh.
template <class R>
KROTON_FN R sinh(R x) {
  return functions<R>::sinh(x);
}
/// (e^x + e^-x) / 2; numpy.cosh.
template <class R>
KROTON_FN R cosh(R x) {
  return functions<R>::cosh(x);
}
/// sinh x / cosh x; +-1 at +-inf; numpy.tanh.
template <class R>
KROTON_FN R tanh(R x) {
  return functions<R>::tanh(x);
}
/// Inverse hyperbolic sine; numpy.arcsinh.
template <class R>
KROTON_FN R asinh(R x) {
  return functions<R>::asinh(x);
}
/// Inverse hyperbolic cosine; x >= 1, else NaN; numpy.arccosh.
template <class R>
KROTON_FN R acosh(R x) {
  return functions<R>::acosh(x);
}
/// Inverse hyperbolic tangent; |x| <= 1, +-inf at +-1, else NaN; numpy.arctanh.
template <class R>
KROTON_FN R atanh(R x) {
  return functions<R>::atanh(x);
}

}  // namespace kroton::math
