// Compound functions as formulas over any number type: the same source for a scalar, a batch and a
// device thread. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/math/arithmetic.hpp>
#include <kroton/math/elementary.hpp>
#include <kroton/math/logic.hpp>
#include <kroton/math/polynomial.hpp>
#include <kroton/math/special.hpp>

#include <limits>

namespace kroton::math::formula {

// Both sides of a select are computed, so that lanes need no branch; a side not taken may be inf or
// NaN.

/// exp of the negative magnitude never overflows; below 0 the quotient e / (1 + e) keeps e's
/// relative accuracy.
template <class R>
KROTON_FN R sigmoid(R x) {
  const R e = math::exp(math::neg(math::abs(x)));
  return math::select(math::ge(x, R(0)), R(1), e) / (R(1) + e);
}

/// 4 e^-2|x| / (1 + e^-2|x|)^2, which is 0 where cosh overflows.
template <class R>
KROTON_FN R sech2(R x) {
  const R e = math::exp(R(-2) * math::abs(x));
  return R(4) * e / math::sqr(R(1) + e);
}

/// Both terms are >= 0, so nothing cancels.
template <class R>
KROTON_FN R softplus(R x) {
  return math::maximum(x, R(0)) + math::log1p(math::exp(math::neg(math::abs(x))));
}

/// Near 0 the difference 1 - e^x is taken by expm1, far from 0 e^x is small and log1p takes it; at
/// the switch -ln 2 both are 1/2.
template <class R>
KROTON_FN R log1mexp(R x) {
  return math::select(math::gt(x, math::coefficient<R>(-0.6931471805599453)),
                      math::log(math::neg(math::expm1(x))), math::log1p(math::neg(math::exp(x))));
}

/// Equal arguments are a case of their own: inf - inf would be NaN.
template <class R>
KROTON_FN R logaddexp(R a, R b) {
  const R far = math::maximum(a, b) + math::log1p(math::exp(math::neg(math::abs(a - b))));
  return math::select(math::eq(a, b), a + math::coefficient<R>(0.6931471805599453), far);
}

/// log(x + sqrt(x^2 - 1)) in terms of x - 1, which is exact next to 1; far from it the root is x,
/// whose square may overflow.
template <class Real, class R>
KROTON_FN R acosh(R x) {
  const auto far = math::gt(x, R(sizeof(Real) == 4 ? 1e9 : 1e17));
  const R t = x - R(1), root = math::sqrt(t * (t + R(2)));
  const R ln2 = math::coefficient<R>(0.6931471805599453);
  const R inside = math::log1p(math::select(far, x, t + root)) + math::select(far, ln2, R(0));
  return math::select(math::lt(x, R(1)), R(std::numeric_limits<Real>::quiet_NaN()), inside);
}

/// x^2 + y^2 + ... of operands times a power of 2, chosen so that the sum neither overflows nor
/// loses digits to underflow. The factor is 1 in lanes where the operands are in range as they are.
template <class R>
struct scaled_squares {
  R sum, factor;
  bool scaled;
};
template <class Real, class R, class... More>
KROTON_FN scaled_squares<R> squares(R x, More... more) {
  constexpr bool single = sizeof(Real) == 4;
  constexpr Real least = single ? Real(0x1p-100f) : Real(0x1p-960);
  constexpr Real most = single ? Real(0x1p126f) : Real(0x1p1020);
  const auto of = [](auto first, auto... rest) {
    R sum = math::sqr(first);
    ((sum = math::muladd(rest, rest, sum)), ...);
    return sum;
  };
  const R sum = of(x, more...);
  const auto within = math::logical_and(math::ge(sum, R(least)), math::le(sum, R(most)));
  if (!math::any(math::logical_not(within))) return {sum, R(1), false};
  constexpr Real down = single ? Real(0x1p-70f) : Real(0x1p-600);
  constexpr Real up = single ? Real(0x1p100f) : Real(0x1p600);
  const R factor = math::select(math::gt(sum, R(most)), R(down),
                                math::select(math::lt(sum, R(least)), R(up), R(1)));
  return {of(x * factor, (more * factor)...), factor, true};
}
/// Infinity where an operand is infinite, even beside a NaN; else the value.
template <class Real, class R, class... More>
KROTON_FN R infinite_or(R value, R first, More... more) {
  const R infinity = R(std::numeric_limits<Real>::infinity());
  auto infinite = math::eq(math::abs(first), infinity);
  ((infinite = math::logical_or(infinite, math::eq(math::abs(more), infinity))), ...);
  return math::select(infinite, infinity, value);
}
template <class Real, class R, class... More>
KROTON_FN R hypot(R x, More... more) {
  const auto s = formula::squares<Real>(x, more...);
  if (!s.scaled) return math::sqrt(s.sum);
  return formula::infinite_or<Real>(math::sqrt(s.sum) / s.factor, x, more...);
}
/// log(x^2 + y^2) to 5 ulp where it exceeds the square of an ulp. The sum's rounding error, which
/// log magnifies without bound next to 1, is added there to the logarithm. For it the sum is parted
/// into what comes from each square, without rounding (as in Knuth's two-sum).
template <class Real, class R>
KROTON_FN R log_of_squares(R x, R y) {
  const R sum = math::muladd(y, y, x * x), logarithm = math::log(sum);
  const auto near = math::le(math::abs(sum - R(1)), R(0.5));
  if (!math::any(near)) return logarithm;
  const R second = sum - x * x, first = sum - second;
  const R excess = math::residual(first, x, x) + math::residual(second, y, y);
  return logarithm - math::select(near, excess / sum, R(0));
}
template <class Real, class R>
KROTON_FN R loghypot(R x, R y) {
  const auto s = formula::squares<Real>(x, y);
  if (!s.scaled) return R(0.5) * formula::log_of_squares<Real>(x, y);
  const R scaled = formula::log_of_squares<Real>(x * s.factor, y * s.factor);
  return formula::infinite_or<Real>(R(0.5) * scaled - math::log(s.factor), x, y);
}

/// The smaller of x and a number; NaN stays.
template <class Real, class R>
KROTON_FN R at_most(R x, Real bound) {
  return math::select(math::gt(x, R(bound)), R(bound), x);
}

/// exp(x^2) erfc(x) for x >= 0, as (1 + u polynomial(u - 1)) / (1 + 2x) with u = 2x / (x + 3.75):
/// the numerator lies in [1, 1.24], and next to 0 an error of u is as small as u. Chebyshev
/// interpolation computed with 60 digits; truncated at 8e-18 (23rd degree) for double, 2e-9 (12th)
/// for float.
template <class Real, class R>
KROTON_FN R erfcx_positive(R x) {
  const R bounded = formula::at_most(x, Real(1e30));  // inf / inf would be NaN
  const R u = (bounded + bounded) / (bounded + R(3.75)), t = u - R(1);
  R rest = t;
  if constexpr (sizeof(Real) == 4)
    rest = math::polynomial(t, 0.237512631, -0.377753213, 0.381338651, -0.299062362, 0.190257797,
                            -0.0979499498, 0.0392616978, -0.0109110873, 0.00114639681,
                            0.000627370653, -0.000301982189, -4.96432797e-7, 2.41312529e-5);
  else
    rest = math::polynomial(
        t, 0.23751263083782758, -0.37775322942337459, 0.38133864490883951, -0.29906190641868973,
        0.19025797627692215, -0.097953655116663214, 0.039260256527307122, -0.010897979106929788,
        0.0011513995467633166, 0.00060422629666854751, -0.00031051262172745374,
        2.0358579693926704e-5, 3.1290494349244587e-5, -8.9063558235878304e-6,
        -2.5377500097954471e-6, 1.5643624930460328e-6, 1.8723734471233091e-7,
        -2.4464810544247006e-7, -1.4005353074201294e-8, 3.7403887387242191e-8,
        1.2760928061532129e-9, -5.07428260388852e-9, -1.0652100892560516e-10,
        4.2704724271849673e-10);
  // Halved, because 1 + 2x overflows before x does.
  return math::muladd(R(0.5) * u, rest, R(0.5)) / (R(0.5) + x);
}

/// exp(x^2) as power + power * more, or exp(-x^2) with the sign -1, to 1 ulp of the exact square:
/// the rounding error of x * x, which exp would magnify by x^2, is kept out by taking a short
/// number next to x and applying the rest as a factor. |x| <= 30, and 12 for float.
template <class R>
struct two_factors {
  R power, more;
};
template <class Real, int Sign = 1, class R>
KROTON_FN two_factors<R> exp_of_square(R x) {
  constexpr Real parts = sizeof(Real) == 4 ? Real(256) : Real(2097152);
  const R high = math::round(x * R(parts)) * R(1 / parts);
  // high^2 is exact; the rest of the square is at most 2^-17 (double) or 2^-5 (float), so that
  // e^rest is short.
  const R rest = R(Sign) * (x - high) * (x + high);
  return {math::exp(R(Sign) * high * high),
          rest * math::polynomial(rest, 1, 0.5, 1.0 / 6, 1.0 / 24)};
}

/// exp(-x^2) erfcx(x); for x < 0 from 2 - erfc(-x). From 28 on, for float from 10.5, it is 0.
template <class Real, class R>
KROTON_FN R erfc(R x) {
  const R magnitude = formula::at_most(math::abs(x), Real(sizeof(Real) == 4 ? 10.5 : 28));
  const auto square = formula::exp_of_square<Real, -1>(magnitude);
  const R tail = math::muladd(square.power, square.more, square.power) *
                 formula::erfcx_positive<Real>(magnitude);
  return math::select(math::lt(x, R(0)), R(2) - tail, tail);
}

/// For x < 0 from 2 exp(x^2) - erfcx(|x|), where the first term dominates; it is inf from -26.7 on.
/// The difference is taken before the last factor of the square, and halved, since 2 exp(x^2) may
/// overflow.
template <class Real, class R>
KROTON_FN R erfcx_negative(R x) {
  const auto square =
      formula::exp_of_square<Real>(math::maximum(x, R(sizeof(Real) == 4 ? -10.5 : -28)));
  const R difference =
      math::muladd(R(-0.5), formula::erfcx_positive<Real>(math::neg(x)), square.power);
  const R half = math::muladd(square.power, square.more, difference);
  // Of an infinite power nothing is taken away.
  return R(2) * math::select(math::gt(square.power, R(std::numeric_limits<Real>::max())),
                             square.power, half);
}
template <class Real, class R>
KROTON_FN R erfcx(R x) {
  return math::select(math::lt(x, R(0)), formula::erfcx_negative<Real>(math::minimum(x, R(0))),
                      formula::erfcx_positive<Real>(math::maximum(x, R(0))));
}

/// log(erfcx x) - x^2 for x >= 1/2: both terms are negative.
template <class Real, class R>
KROTON_FN R logerfc_upper(R x) {
  return math::log(formula::erfcx_positive<Real>(x)) - x * x;
}
/// Below 1/2, erfc is far from 0 and log1p takes 1 - erf.
template <class R>
KROTON_FN R logerfc_lower(R x) {
  return math::log1p(math::neg(math::erf(x)));
}
template <class Real, class R>
KROTON_FN R logerfc(R x) {
  return math::select(math::gt(x, R(0.5)), formula::logerfc_upper<Real>(math::maximum(x, R(0.5))),
                      formula::logerfc_lower(x));
}

}  // namespace kroton::math::formula
