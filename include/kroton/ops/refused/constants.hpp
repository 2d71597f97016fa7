// Functions of constants alone, which are in no graph yet: rejected with a sentence.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/refused/arrays.hpp>

namespace kroton {

// The functions are written without a macro, which would appear between the sentence and the user's
// line.
#define KROTON_CONSTANT_ALONE                                                              \
  "kt: a constant alone is in no graph that a function could be recorded in: compute its " \
  "values in C++, or combine it with a variable first, as in exp(zeros_like(x) + c)"
template <placeable X>
constexpr X exp(X const& x) {
  static_assert(is_accepted<X>, KROTON_CONSTANT_ALONE);
  return x;
}
template <placeable X>
constexpr X exp2(X const& x) {
  static_assert(is_accepted<X>, KROTON_CONSTANT_ALONE);
  return x;
}
template <placeable X>
constexpr X expm1(X const& x) {
  static_assert(is_accepted<X>, KROTON_CONSTANT_ALONE);
  return x;
}
template <placeable X>
constexpr X log(X const& x) {
  static_assert(is_accepted<X>, KROTON_CONSTANT_ALONE);
  return x;
}
template <placeable X>
constexpr X log2(X const& x) {
  static_assert(is_accepted<X>, KROTON_CONSTANT_ALONE);
  return x;
}
template <placeable X>
constexpr X log10(X const& x) {
  static_assert(is_accepted<X>, KROTON_CONSTANT_ALONE);
  return x;
}
template <placeable X>
constexpr X log1p(X const& x) {
  static_assert(is_accepted<X>, KROTON_CONSTANT_ALONE);
  return x;
}
template <placeable X>
constexpr X sqrt(X const& x) {
  static_assert(is_accepted<X>, KROTON_CONSTANT_ALONE);
  return x;
}
template <placeable X>
constexpr X cbrt(X const& x) {
  static_assert(is_accepted<X>, KROTON_CONSTANT_ALONE);
  return x;
}
template <placeable X>
constexpr X sqr(X const& x) {
  static_assert(is_accepted<X>, KROTON_CONSTANT_ALONE);
  return x;
}
template <placeable X>
constexpr X inv(X const& x) {
  static_assert(is_accepted<X>, KROTON_CONSTANT_ALONE);
  return x;
}
template <placeable X>
constexpr X sin(X const& x) {
  static_assert(is_accepted<X>, KROTON_CONSTANT_ALONE);
  return x;
}
template <placeable X>
constexpr X cos(X const& x) {
  static_assert(is_accepted<X>, KROTON_CONSTANT_ALONE);
  return x;
}
template <placeable X>
constexpr X tan(X const& x) {
  static_assert(is_accepted<X>, KROTON_CONSTANT_ALONE);
  return x;
}
template <placeable X>
constexpr X asin(X const& x) {
  static_assert(is_accepted<X>, KROTON_CONSTANT_ALONE);
  return x;
}
template <placeable X>
constexpr X acos(X const& x) {
  static_assert(is_accepted<X>, KROTON_CONSTANT_ALONE);
  return x;
}
template <placeable X>
constexpr X atan(X const& x) {
  static_assert(is_accepted<X>, KROTON_CONSTANT_ALONE);
  return x;
}
template <placeable X>
constexpr X sinh(X const& x) {
  static_assert(is_accepted<X>, KROTON_CONSTANT_ALONE);
  return x;
}
template <placeable X>
constexpr X cosh(X const& x) {
  static_assert(is_accepted<X>, KROTON_CONSTANT_ALONE);
  return x;
}
template <placeable X>
constexpr X tanh(X const& x) {
  static_assert(is_accepted<X>, KROTON_CONSTANT_ALONE);
  return x;
}
template <placeable X>
constexpr X asinh(X const& x) {
  static_assert(is_accepted<X>, KROTON_CONSTANT_ALONE);
  return x;
}
template <placeable X>
constexpr X acosh(X const& x) {
  static_assert(is_accepted<X>, KROTON_CONSTANT_ALONE);
  return x;
}
template <placeable X>
constexpr X atanh(X const& x) {
  static_assert(is_accepted<X>, KROTON_CONSTANT_ALONE);
  return x;
}
template <placeable X>
constexpr X abs(X const& x) {
  static_assert(is_accepted<X>, KROTON_CONSTANT_ALONE);
  return x;
}
template <placeable X>
constexpr X sgn(X const& x) {
  static_assert(is_accepted<X>, KROTON_CONSTANT_ALONE);
  return x;
}
template <placeable X>
constexpr X floor(X const& x) {
  static_assert(is_accepted<X>, KROTON_CONSTANT_ALONE);
  return x;
}
template <placeable X>
constexpr X ceil(X const& x) {
  static_assert(is_accepted<X>, KROTON_CONSTANT_ALONE);
  return x;
}
template <placeable X>
constexpr X round(X const& x) {
  static_assert(is_accepted<X>, KROTON_CONSTANT_ALONE);
  return x;
}
template <placeable X>
constexpr X trunc(X const& x) {
  static_assert(is_accepted<X>, KROTON_CONSTANT_ALONE);
  return x;
}
template <placeable X>
constexpr X erf(X const& x) {
  static_assert(is_accepted<X>, KROTON_CONSTANT_ALONE);
  return x;
}
template <placeable X>
constexpr X erfc(X const& x) {
  static_assert(is_accepted<X>, KROTON_CONSTANT_ALONE);
  return x;
}
template <placeable X>
constexpr X gamma(X const& x) {
  static_assert(is_accepted<X>, KROTON_CONSTANT_ALONE);
  return x;
}
template <placeable X>
constexpr X gammaln(X const& x) {
  static_assert(is_accepted<X>, KROTON_CONSTANT_ALONE);
  return x;
}
template <placeable X>
constexpr X sigmoid(X const& x) {
  static_assert(is_accepted<X>, KROTON_CONSTANT_ALONE);
  return x;
}
template <placeable X>
constexpr X softplus(X const& x) {
  static_assert(is_accepted<X>, KROTON_CONSTANT_ALONE);
  return x;
}
template <placeable X, class... Options>
constexpr X sum(X const& x, Options const&...) {
  static_assert(is_accepted<X>, KROTON_CONSTANT_ALONE);
  return x;
}
template <placeable X, class... Options>
constexpr X prod(X const& x, Options const&...) {
  static_assert(is_accepted<X>, KROTON_CONSTANT_ALONE);
  return x;
}
template <placeable X, class... Options>
constexpr X mean(X const& x, Options const&...) {
  static_assert(is_accepted<X>, KROTON_CONSTANT_ALONE);
  return x;
}
template <placeable X, class... Options>
constexpr X max(X const& x, Options const&...) {
  static_assert(is_accepted<X>, KROTON_CONSTANT_ALONE);
  return x;
}
template <placeable X, class... Options>
constexpr X min(X const& x, Options const&...) {
  static_assert(is_accepted<X>, KROTON_CONSTANT_ALONE);
  return x;
}
#undef KROTON_CONSTANT_ALONE

}  // namespace kroton
