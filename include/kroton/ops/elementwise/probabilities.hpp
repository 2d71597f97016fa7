// Products with logarithms that are 0 where their factor is, entropies, the normal distribution,
// and other formulas that need care at one point.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/as_it_stands.hpp>
#include <kroton/ops/elementwise/exponential.hpp>
#include <kroton/ops/elementwise/selection.hpp>
#include <kroton/ops/elementwise/special.hpp>
#include <kroton/ops/elementwise/trigonometric.hpp>

#include <limits>
#include <numbers>

namespace kroton {
namespace ops {

/// A value whose parts no rule moves into other terms.
template <symbolic X>
constexpr X kept(X const& x) {
  return X(call<op::as_it_stands>(x));
}

}  // namespace ops

/// x log(y), elementwise, and 0 where x is 0, whatever y is. Its gradient by x is log(y), but 0
/// where x is 0 and the logarithm is not finite. (scipy.special.xlogy)
template <operand X, operand Y>
  requires operands<X, Y>
constexpr auto xlogy(X const& x, Y const& y) {
  auto const [a, b] = core::as_variables(x, y);
  return ops::zero_where_is(a, a * log(b));
}
/// x log(1 + y), elementwise, and 0 where x is 0, with a gradient as that of `xlogy`.
/// (scipy.special.xlog1py)
template <operand X, operand Y>
  requires operands<X, Y>
constexpr auto xlog1py(X const& x, Y const& y) {
  auto const [a, b] = core::as_variables(x, y);
  return ops::zero_where_is(a, a * log1p(b));
}
/// log(p / (1 - p)), elementwise, the inverse of `sigmoid`: -infinity at 0, infinity at 1, else NaN
/// outside of (0, 1). (scipy.special.logit)
template <symbolic P>
constexpr auto logit(P const& p) {
  // Next to 1/2 the quotient's distance from 1, of which the numerator is exact.
  auto const is_near = lt(abs(p - 0.5), 0.25);
  auto const q = where(is_near, p, 0.5);
  return where(is_near, log1p(ops::kept(2 * q - 1) / (1 - q)), log(p / (1 - p)));
}
/// The entropy -x log(x) of a probability, elementwise: 0 at 0, -infinity below.
/// (scipy.special.entr)
template <symbolic X>
constexpr auto entr(X const& x) {
  return where(lt(x, 0), -std::numeric_limits<double>::infinity(), -xlogy(x, x));
}
/// The relative entropy x log(x / y), elementwise: 0 where x is 0 and y is not negative, infinity
/// where x or y is negative, or y is 0 and x is not. Where it is 0 or infinite its gradients are 0,
/// also that by x at 0, where its slope is without bound. (scipy.special.rel_entr)
template <operand X, operand Y>
  requires operands<X, Y>
constexpr auto rel_entr(X const& given, Y const& other_given) {
  auto const [x, y] = core::as_variables(given, other_given);
  auto const defined = gt(x, 0) & gt(y, 0);
  auto const a = where(defined, x, 1.0), b = where(defined, y, 1.0);
  // The difference of numbers that are close is exact; their quotient is not.
  auto const is_near = lt(abs(a - b), 0.5 * b);
  auto const from_one = ops::kept(where(is_near, a - b, 0)) / b;
  auto const value = x * where(is_near, log1p(from_one), log(a / b));
  auto const other = where(isnan(x + y), x + y, std::numeric_limits<double>::infinity());
  return where(defined, value, where(eq(x, 0) & ge(y, 0), 0.0, other));
}

/// The distribution function of the standard normal distribution, elementwise; without cancellation
/// where it is small. (scipy.special.ndtr)
template <symbolic X>
constexpr auto ndtr(X const& x) {
  return erfc(x * -(std::numbers::sqrt2 / 2)) * 0.5;
}
/// The logarithm of `ndtr`, elementwise, also where that underflows or rounds to 1.
/// (scipy.special.log_ndtr)
template <symbolic X>
constexpr auto log_ndtr(X const& x) {
  constexpr double half_root = std::numbers::sqrt2 / 2;
  auto const is_positive = gt(x, 0);
  auto const beyond = erfc(where(is_positive, x, 1) * half_root);
  return where(is_positive, log1p(beyond * -0.5), logerfc(x * -half_root) - std::numbers::ln2);
}

/// sin(pi x) / (pi x), elementwise, and 1 at 0. (numpy.sinc)
template <symbolic X>
constexpr auto sinc(X const& x) {
  // Near 0 its series, of which derivatives are exact, too: those of the quotient cancel there.
  auto const square = sqr(x * std::numbers::pi);
  auto const is_near = lt(square, 1);
  auto series = 1 - square / 342;
  for (int n = 16; n > 0; n -= 2) series = 1 - square / (n * (n + 1)) * series;
  auto const far = where(is_near, 1, x);
  // The sine of the distance from an integer, which is exact: that of a rounded multiple of pi has
  // no digits next to its zeros.
  auto const nearest = round(far), half = nearest * 0.5;
  auto const wave = sin((far - nearest) * std::numbers::pi) / (far * std::numbers::pi);
  return where(is_near, series, where(neq(half, floor(half)), -wave, wave));
}
/// 0 for negative elements, 1 for positive ones, `at_zero` at 0. (numpy.heaviside)
template <symbolic X, operand H>
constexpr auto heaviside(X const& x, H const& at_zero) {
  return where(eq(x, 0), at_zero, where(gt(x, 0), 1.0, where(lt(x, 0), 0.0, x)));
}
/// Degrees as radians, elementwise. (numpy.deg2rad)
template <symbolic X>
constexpr auto deg2rad(X const& x) {
  return x * (std::numbers::pi / 180);
}
/// Radians as degrees, elementwise. (numpy.rad2deg)
template <symbolic X>
constexpr auto rad2deg(X const& x) {
  return x * (180 / std::numbers::pi);
}

}  // namespace kroton
