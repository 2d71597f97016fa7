// Functions of std called on variables, rejected with a sentence: std::exp(x) instead of exp(x).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/refused/operators.hpp>

#include <algorithm>
#include <cmath>

// Overloads in std that accept only variables. The pack that is always empty makes them worse
// matches than Kroton's own functions, so that `using std::exp; exp(x)`, which works for numbers
// and variables, calls Kroton's. They are written without a macro, which would appear between the
// sentence and the user's line.
namespace std {

template <kroton::symbolic X, kroton::ops::nothing... None>
constexpr X exp(X const& x, None...) {
  static_assert(kroton::is_accepted<X>, "kt: std::exp takes numbers: for a variable write exp(x)");
  return kroton::ops::refused_operand(x);
}
template <kroton::symbolic X, kroton::ops::nothing... None>
constexpr X exp2(X const& x, None...) {
  static_assert(kroton::is_accepted<X>,
                "kt: std::exp2 takes numbers: for a variable write exp2(x)");
  return kroton::ops::refused_operand(x);
}
template <kroton::symbolic X, kroton::ops::nothing... None>
constexpr X expm1(X const& x, None...) {
  static_assert(kroton::is_accepted<X>,
                "kt: std::expm1 takes numbers: for a variable write expm1(x)");
  return kroton::ops::refused_operand(x);
}
template <kroton::symbolic X, kroton::ops::nothing... None>
constexpr X log(X const& x, None...) {
  static_assert(kroton::is_accepted<X>, "kt: std::log takes numbers: for a variable write log(x)");
  return kroton::ops::refused_operand(x);
}
template <kroton::symbolic X, kroton::ops::nothing... None>
constexpr X log2(X const& x, None...) {
  static_assert(kroton::is_accepted<X>,
                "kt: std::log2 takes numbers: for a variable write log2(x)");
  return kroton::ops::refused_operand(x);
}
template <kroton::symbolic X, kroton::ops::nothing... None>
constexpr X log10(X const& x, None...) {
  static_assert(kroton::is_accepted<X>,
                "kt: std::log10 takes numbers: for a variable write log10(x)");
  return kroton::ops::refused_operand(x);
}
template <kroton::symbolic X, kroton::ops::nothing... None>
constexpr X log1p(X const& x, None...) {
  static_assert(kroton::is_accepted<X>,
                "kt: std::log1p takes numbers: for a variable write log1p(x)");
  return kroton::ops::refused_operand(x);
}
template <kroton::symbolic X, kroton::ops::nothing... None>
constexpr X sqrt(X const& x, None...) {
  static_assert(kroton::is_accepted<X>,
                "kt: std::sqrt takes numbers: for a variable write sqrt(x)");
  return kroton::ops::refused_operand(x);
}
template <kroton::symbolic X, kroton::ops::nothing... None>
constexpr X sin(X const& x, None...) {
  static_assert(kroton::is_accepted<X>, "kt: std::sin takes numbers: for a variable write sin(x)");
  return kroton::ops::refused_operand(x);
}
template <kroton::symbolic X, kroton::ops::nothing... None>
constexpr X cos(X const& x, None...) {
  static_assert(kroton::is_accepted<X>, "kt: std::cos takes numbers: for a variable write cos(x)");
  return kroton::ops::refused_operand(x);
}
template <kroton::symbolic X, kroton::ops::nothing... None>
constexpr X tan(X const& x, None...) {
  static_assert(kroton::is_accepted<X>, "kt: std::tan takes numbers: for a variable write tan(x)");
  return kroton::ops::refused_operand(x);
}
template <kroton::symbolic X, kroton::ops::nothing... None>
constexpr X asin(X const& x, None...) {
  static_assert(kroton::is_accepted<X>,
                "kt: std::asin takes numbers: for a variable write asin(x)");
  return kroton::ops::refused_operand(x);
}
template <kroton::symbolic X, kroton::ops::nothing... None>
constexpr X acos(X const& x, None...) {
  static_assert(kroton::is_accepted<X>,
                "kt: std::acos takes numbers: for a variable write acos(x)");
  return kroton::ops::refused_operand(x);
}
template <kroton::symbolic X, kroton::ops::nothing... None>
constexpr X atan(X const& x, None...) {
  static_assert(kroton::is_accepted<X>,
                "kt: std::atan takes numbers: for a variable write atan(x)");
  return kroton::ops::refused_operand(x);
}
template <kroton::symbolic X, kroton::ops::nothing... None>
constexpr X sinh(X const& x, None...) {
  static_assert(kroton::is_accepted<X>,
                "kt: std::sinh takes numbers: for a variable write sinh(x)");
  return kroton::ops::refused_operand(x);
}
template <kroton::symbolic X, kroton::ops::nothing... None>
constexpr X cosh(X const& x, None...) {
  static_assert(kroton::is_accepted<X>,
                "kt: std::cosh takes numbers: for a variable write cosh(x)");
  return kroton::ops::refused_operand(x);
}
template <kroton::symbolic X, kroton::ops::nothing... None>
constexpr X tanh(X const& x, None...) {
  static_assert(kroton::is_accepted<X>,
                "kt: std::tanh takes numbers: for a variable write tanh(x)");
  return kroton::ops::refused_operand(x);
}
template <kroton::symbolic X, kroton::ops::nothing... None>
constexpr X asinh(X const& x, None...) {
  static_assert(kroton::is_accepted<X>,
                "kt: std::asinh takes numbers: for a variable write asinh(x)");
  return kroton::ops::refused_operand(x);
}
template <kroton::symbolic X, kroton::ops::nothing... None>
constexpr X acosh(X const& x, None...) {
  static_assert(kroton::is_accepted<X>,
                "kt: std::acosh takes numbers: for a variable write acosh(x)");
  return kroton::ops::refused_operand(x);
}
template <kroton::symbolic X, kroton::ops::nothing... None>
constexpr X atanh(X const& x, None...) {
  static_assert(kroton::is_accepted<X>,
                "kt: std::atanh takes numbers: for a variable write atanh(x)");
  return kroton::ops::refused_operand(x);
}
template <kroton::symbolic X, kroton::ops::nothing... None>
constexpr X abs(X const& x, None...) {
  static_assert(kroton::is_accepted<X>, "kt: std::abs takes numbers: for a variable write abs(x)");
  return kroton::ops::refused_operand(x);
}
template <kroton::symbolic X, kroton::ops::nothing... None>
constexpr X floor(X const& x, None...) {
  static_assert(kroton::is_accepted<X>,
                "kt: std::floor takes numbers: for a variable write floor(x)");
  return kroton::ops::refused_operand(x);
}
template <kroton::symbolic X, kroton::ops::nothing... None>
constexpr X ceil(X const& x, None...) {
  static_assert(kroton::is_accepted<X>,
                "kt: std::ceil takes numbers: for a variable write ceil(x)");
  return kroton::ops::refused_operand(x);
}
template <kroton::symbolic X, kroton::ops::nothing... None>
constexpr X trunc(X const& x, None...) {
  static_assert(kroton::is_accepted<X>,
                "kt: std::trunc takes numbers: for a variable write trunc(x)");
  return kroton::ops::refused_operand(x);
}
template <kroton::symbolic X, kroton::ops::nothing... None>
constexpr X round(X const& x, None...) {
  static_assert(kroton::is_accepted<X>,
                "kt: std::round takes numbers: for a variable write round(x)");
  return kroton::ops::refused_operand(x);
}
template <kroton::symbolic X, kroton::ops::nothing... None>
constexpr X erf(X const& x, None...) {
  static_assert(kroton::is_accepted<X>, "kt: std::erf takes numbers: for a variable write erf(x)");
  return kroton::ops::refused_operand(x);
}
template <kroton::symbolic X, kroton::ops::nothing... None>
constexpr X erfc(X const& x, None...) {
  static_assert(kroton::is_accepted<X>,
                "kt: std::erfc takes numbers: for a variable write erfc(x)");
  return kroton::ops::refused_operand(x);
}
template <kroton::symbolic X, kroton::ops::nothing... None>
constexpr X cbrt(X const& x, None...) {
  static_assert(kroton::is_accepted<X>,
                "kt: std::cbrt takes numbers: for a variable write cbrt(x)");
  return kroton::ops::refused_operand(x);
}
template <kroton::symbolic X, kroton::ops::nothing... None>
constexpr X fabs(X const& x, None...) {
  static_assert(kroton::is_accepted<X>, "kt: std::fabs takes numbers: for a variable write abs(x)");
  return kroton::ops::refused_operand(x);
}
template <kroton::symbolic X, kroton::ops::nothing... None>
constexpr X rint(X const& x, None...) {
  static_assert(kroton::is_accepted<X>,
                "kt: std::rint takes numbers: for a variable write round(x)");
  return kroton::ops::refused_operand(x);
}
template <kroton::symbolic X, kroton::ops::nothing... None>
constexpr X lgamma(X const& x, None...) {
  static_assert(kroton::is_accepted<X>,
                "kt: std::lgamma takes numbers: for a variable write gammaln(x)");
  return kroton::ops::refused_operand(x);
}
template <kroton::symbolic X, kroton::ops::nothing... None>
constexpr X tgamma(X const& x, None...) {
  static_assert(kroton::is_accepted<X>,
                "kt: std::tgamma takes numbers: for a variable write gamma(x)");
  return kroton::ops::refused_operand(x);
}
template <kroton::symbolic X, kroton::ops::nothing... None>
constexpr X isnan(X const& x, None...) {
  static_assert(kroton::is_accepted<X>,
                "kt: std::isnan takes numbers: for a variable write isnan(x)");
  return kroton::ops::refused_operand(x);
}
template <kroton::symbolic X, kroton::ops::nothing... None>
constexpr X isinf(X const& x, None...) {
  static_assert(kroton::is_accepted<X>,
                "kt: std::isinf takes numbers: for a variable write isinf(x)");
  return kroton::ops::refused_operand(x);
}
template <kroton::symbolic X, kroton::ops::nothing... None>
constexpr X isfinite(X const& x, None...) {
  static_assert(kroton::is_accepted<X>,
                "kt: std::isfinite takes numbers: for a variable write isfinite(x)");
  return kroton::ops::refused_operand(x);
}
template <kroton::symbolic X, kroton::ops::nothing... None>
constexpr X signbit(X const& x, None...) {
  static_assert(kroton::is_accepted<X>,
                "kt: std::signbit takes numbers: for a variable write signbit(x)");
  return kroton::ops::refused_operand(x);
}

template <class A, class B, kroton::ops::nothing... None>
  requires kroton::operands<A, B>
constexpr kroton::result_of<kroton::op::maximum, A, B> pow(A const& a, B const& b, None...) {
  static_assert(kroton::is_accepted<A, B>,
                "kt: std::pow takes numbers: for variables write pow(x, y)");
  return kroton::ops::refused_operands(a, b);
}
template <class A, class B, kroton::ops::nothing... None>
  requires kroton::operands<A, B>
constexpr kroton::result_of<kroton::op::maximum, A, B> atan2(A const& a, B const& b, None...) {
  static_assert(kroton::is_accepted<A, B>,
                "kt: std::atan2 takes numbers: for variables write atan2(y, x)");
  return kroton::ops::refused_operands(a, b);
}
template <class A, class B, kroton::ops::nothing... None>
  requires kroton::operands<A, B>
constexpr kroton::result_of<kroton::op::maximum, A, B> hypot(A const& a, B const& b, None...) {
  static_assert(kroton::is_accepted<A, B>,
                "kt: std::hypot takes numbers: for variables write hypot(x, y)");
  return kroton::ops::refused_operands(a, b);
}
template <class A, class B, kroton::ops::nothing... None>
  requires kroton::operands<A, B>
constexpr kroton::result_of<kroton::op::maximum, A, B> fmod(A const& a, B const& b, None...) {
  static_assert(
      kroton::is_accepted<A, B>,
      "kt: std::fmod takes numbers: for variables write mod(x, y), which has the sign of y");
  return kroton::ops::refused_operands(a, b);
}
template <class A, class B, kroton::ops::nothing... None>
  requires kroton::operands<A, B>
constexpr kroton::result_of<kroton::op::maximum, A, B> fmax(A const& a, B const& b, None...) {
  static_assert(kroton::is_accepted<A, B>,
                "kt: std::fmax takes numbers: for variables write fmax(x, y)");
  return kroton::ops::refused_operands(a, b);
}
template <class A, class B, kroton::ops::nothing... None>
  requires kroton::operands<A, B>
constexpr kroton::result_of<kroton::op::maximum, A, B> fmin(A const& a, B const& b, None...) {
  static_assert(kroton::is_accepted<A, B>,
                "kt: std::fmin takes numbers: for variables write fmin(x, y)");
  return kroton::ops::refused_operands(a, b);
}
template <class A, class B, kroton::ops::nothing... None>
  requires kroton::operands<A, B>
constexpr kroton::result_of<kroton::op::maximum, A, B> copysign(A const& a, B const& b, None...) {
  static_assert(kroton::is_accepted<A, B>,
                "kt: std::copysign takes numbers: for variables write copysign(x, y)");
  return kroton::ops::refused_operands(a, b);
}
template <class A, class B, kroton::ops::nothing... None>
  requires kroton::operands<A, B>
constexpr kroton::result_of<kroton::op::maximum, A, B> max(A const& a, B const& b, None...) {
  static_assert(kroton::is_accepted<A, B>,
                "kt: std::max takes numbers: for variables write maximum(x, y)");
  return kroton::ops::refused_operands(a, b);
}
template <class A, class B, kroton::ops::nothing... None>
  requires kroton::operands<A, B>
constexpr kroton::result_of<kroton::op::maximum, A, B> min(A const& a, B const& b, None...) {
  static_assert(kroton::is_accepted<A, B>,
                "kt: std::min takes numbers: for variables write minimum(x, y)");
  return kroton::ops::refused_operands(a, b);
}

// As in std, both operands have the same type.
template <kroton::symbolic X>
constexpr X const& max(X const& a, X const&) {
  static_assert(kroton::is_accepted<X>,
                "kt: std::max takes numbers: for variables write maximum(x, y)");
  a.of->fail(kroton::core::said_above);
  return a;
}
template <kroton::symbolic X>
constexpr X const& min(X const& a, X const&) {
  static_assert(kroton::is_accepted<X>,
                "kt: std::min takes numbers: for variables write minimum(x, y)");
  a.of->fail(kroton::core::said_above);
  return a;
}

}  // namespace std
