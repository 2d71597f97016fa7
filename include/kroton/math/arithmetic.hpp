// Arithmetic beyond + - *: rounding, extrema, division with NumPy's conventions.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/math/trait.hpp>

namespace kroton::math {

/// |x|; exact; clears the sign of zero and NaN; the most negative integer wraps to itself;
/// numpy.abs.
template <class R>
KROTON_FN R abs(R x) {
  return functions<R>::abs(x);
}
/// -x, with the other sign also of 0 and NaN; numpy.negative. (The operator of an xsimd batch
/// subtracts from 0 with AVX-512, which gives +0 for +0.)
template <class R>
KROTON_FN R neg(R x) {
  return functions<R>::neg(x);
}
/// -1, 0 or 1; sgn(+-0) = +0, sgn(NaN) = NaN; numpy.sign.
template <class R>
KROTON_FN R sgn(R x) {
  return functions<R>::sgn(x);
}
/// x * x; integers wrap; numpy.square.
template <class R>
KROTON_FN R sqr(R x) {
  return functions<R>::sqr(x);
}
/// 1 / x, correctly rounded; inv(+-0) = +-inf. Integers: the truncated quotient, inv(0) = 0.
/// numpy.reciprocal.
template <class R>
KROTON_FN R inv(R x) {
  return functions<R>::inv(x);
}
/// a / b, correctly rounded, also in constant evaluation where the operator may not divide by zero;
/// numpy.divide of floats. Integers: the quotient rounded toward zero, a / 0 = 0.
template <class R>
KROTON_FN R divide(R a, R b) {
  return functions<R>::divide(a, b);
}
/// a * b + c with one rounding where the hardware has it and with two where not.
template <class R>
KROTON_FN R muladd(R a, R b, R c) {
  return functions<R>::muladd(a, b, c);
}

/// a - q * b of floats, exact where it is a number of their type, as the remainder of a division or
/// the error of a product is. No step may overflow or underflow.
template <class R>
KROTON_FN R residual(R a, R q, R b) {
  return functions<R>::residual(a, q, b);
}

/// The smaller; NaN if either is NaN; of two zeros either one; numpy.minimum.
template <class R>
KROTON_FN R minimum(R a, R b) {
  return functions<R>::minimum(a, b);
}
/// The larger; NaN if either is NaN; of two zeros either one; numpy.maximum.
template <class R>
KROTON_FN R maximum(R a, R b) {
  return functions<R>::maximum(a, b);
}
/// The smaller; the other one if either is NaN; of two zeros either one; numpy.fmin.
template <class R>
KROTON_FN R fmin(R a, R b) {
  return functions<R>::fmin(a, b);
}
/// The larger; the other one if either is NaN; of two zeros either one; numpy.fmax.
template <class R>
KROTON_FN R fmax(R a, R b) {
  return functions<R>::fmax(a, b);
}

/// The magnitude of x with the sign of another float, also of 0 and NaN; exact; numpy.copysign.
template <class R>
KROTON_FN R copysign(R x, R sign) {
  return functions<R>::copysign(x, sign);
}
/// Whether the sign is negative, also of -0 and NaN; numpy.signbit.
template <class R>
KROTON_FN auto signbit(R x) {
  return functions<R>::signbit(x);
}

/// Largest integer <= x; exact; keeps +-0, +-inf, NaN; numpy.floor. Integers are returned as they
/// are (as by ceil, round and trunc).
template <class R>
KROTON_FN R floor(R x) {
  return functions<R>::floor(x);
}
/// Smallest integer >= x; exact; ceil(-0.5) = -0; numpy.ceil.
template <class R>
KROTON_FN R ceil(R x) {
  return functions<R>::ceil(x);
}
/// Nearest integer, halves to the even one; exact; round(-0.5) = -0; numpy.round. Assumes the
/// default rounding mode.
template <class R>
KROTON_FN R round(R x) {
  return functions<R>::round(x);
}
/// x without its fraction; exact; trunc(-0.5) = -0; numpy.trunc.
template <class R>
KROTON_FN R trunc(R x) {
  return functions<R>::trunc(x);
}

/// floor(a / b) such that a = floordiv(a, b) * b + mod(a, b); numpy.floor_divide. Floats: computed
/// from the exact remainder as Python does, a / 0 is +-inf or NaN. Integers: a / 0 = 0 and the
/// minimum by -1 wraps, as in NumPy.
template <class R>
KROTON_FN R floordiv(R a, R b) {
  return functions<R>::floordiv(a, b);
}
/// a - floor(a / b) * b with the sign of b; numpy.mod. Floats: fmod is exact, plus one rounding
/// when the signs differ; mod(a, 0) = NaN, mod(a, inf) = a or inf, a zero has the sign of b.
/// Integers: mod(a, 0) = 0.
template <class R>
KROTON_FN R mod(R a, R b) {
  return functions<R>::mod(a, b);
}
/// a to the power b; special values as in C99 and numpy.power: pow(x, 0) = 1 = pow(1, y) even for
/// NaN. Floats: <= 1 ulp scalar. Integers: by squaring, wrapping; a negative exponent truncates 1 /
/// a^|b| (0 ** negative = 0), where NumPy raises.
template <class R>
KROTON_FN R pow(R a, R b) {
  return functions<R>::pow(a, b);
}

}  // namespace kroton::math
