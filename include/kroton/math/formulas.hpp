// Compound functions as formulas over any number type: the same source for a scalar, a batch and a
// device thread. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/math/arithmetic.hpp>
#include <kroton/math/elementary.hpp>
#include <kroton/math/logic.hpp>
#include <kroton/math/polynomial.hpp>
#include <kroton/math/special.hpp>

namespace kroton::math::formula {

// Both sides of a select are computed, so that lanes need no branch; a side not taken may be inf or
// NaN.

/// exp of the negative magnitude never overflows; below 0 the quotient e / (1 + e) keeps e's
/// relative accuracy.
template <class R>
KROTON_FN R sigmoid(R x) {
  const R e = math::exp(-math::abs(x));
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
  return math::maximum(x, R(0)) + math::log1p(math::exp(-math::abs(x)));
}

/// Near 0 the difference 1 - e^x is taken by expm1, far from 0 e^x is small and log1p takes it; at
/// the switch -ln 2 both are 1/2.
template <class R>
KROTON_FN R log1mexp(R x) {
  return math::select(math::gt(x, R(-0.6931471805599453)), math::log(-math::expm1(x)),
                      math::log1p(-math::exp(x)));
}

/// Equal arguments are a case of their own: inf - inf would be NaN.
template <class R>
KROTON_FN R logaddexp(R a, R b) {
  const R far = math::maximum(a, b) + math::log1p(math::exp(-math::abs(a - b)));
  return math::select(math::eq(a, b), a + R(0.6931471805599453), far);
}

/// exp(x^2) erfc(x) for x >= 0, as (polynomial in t) / (1 + 2x): the numerator lies in [1, 1.24].
/// Chebyshev interpolation computed with 60 digits; truncated at 5e-18 (24th degree) for double,
/// 1e-8 (12th) for float.
template <class Real, class R>
KROTON_FN R erfcx_positive(R x) {
  const R bounded = math::minimum(x, R(1e30));  // inf / inf would be NaN
  const R t = (bounded - R(3.75)) / (bounded + R(3.75));
  R numerator = t;
  if constexpr (sizeof(Real) == 4)
    numerator =
        math::polynomial(t, 1.23751263, -0.140240658, 0.00358549531, 0.08227842, -0.108805228,
                         0.0922907696, -0.0586854405, 0.0284092524, -0.00977008718, 0.00167591222,
                         0.000330167456, -0.000224116747, 2.20467189e-05);
  else
    numerator = math::polynomial(
        t, 1.2375126308378275, -0.14024059858554697, 0.0035854154854644293, 0.082276738490145204,
        -0.10880393014174886, 0.092304321160377484, -0.058693398589636771, 0.028362277418956406,
        -0.0097465795580292756, 0.0017556258528952954, 0.00029371366559134481,
        -0.00029015408054084172, 5.1649098892682407e-05, 2.2384239155082231e-05,
        -1.1444146237700524e-05, -9.7355989673677497e-07, 1.7516376488490621e-06,
        -5.7218230603224086e-08, -2.5866850716155884e-07, 2.3263508708859124e-08,
        3.8675334242222354e-08, -3.7442100809820183e-09, -5.1739902140113095e-09,
        3.1114333809799254e-10, 4.2514714447963895e-10);
  // Halved, because 1 + 2x overflows before x does.
  return (R(0.5) * numerator) / (R(0.5) + x);
}

/// exp(x^2) to 1 ulp of the exact square: the rounding error of x * x, which exp would magnify by
/// x^2, is found by splitting x in two halves of the significand and applied as a factor. |x|
/// <= 30.
template <class Real, class R>
KROTON_FN R exp_of_square(R x) {
  const R scaled = x * R(sizeof(Real) == 4 ? Real(4097) : Real(134217729));
  const R high = scaled - (scaled - x);
  // high^2 is exact; the rest of the square is at most 2^-26 x^2 (double) or 2^-11 x^2 (float), so
  // e^rest is short.
  const R rest = (x - high) * (x + high);
  return math::exp(high * high) * math::polynomial(rest, 1, 1, 0.5, 1.0 / 6, 1.0 / 24);
}

/// For x < 0 from 2 exp(x^2) - erfcx(|x|), where the first term dominates; it is inf from -26.7 on.
template <class Real, class R>
KROTON_FN R erfcx_negative(R x) {
  return R(2) * formula::exp_of_square<Real>(math::maximum(x, R(-28))) -
         formula::erfcx_positive<Real>(-x);
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
  return math::log1p(-math::erf(x));
}
template <class Real, class R>
KROTON_FN R logerfc(R x) {
  return math::select(math::gt(x, R(0.5)), formula::logerfc_upper<Real>(math::maximum(x, R(0.5))),
                      formula::logerfc_lower(x));
}

}  // namespace kroton::math::formula
