// Functions of sparse matrices that are 0 at 0: of the values alone.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/elementwise/complex.hpp>
#include <kroton/ops/elementwise/exponential.hpp>
#include <kroton/ops/elementwise/special.hpp>
#include <kroton/ops/elementwise/trigonometric.hpp>
#include <kroton/ops/sparse/matrix.hpp>

// Each function of the pattern's values is one loop with what follows it. A function that is not 0
// at 0 would make the matrix dense.

namespace kroton {

/// Real parts, imaginary parts, conjugates and angles of the elements, on the same pattern. The
/// conjugate transpose is conj(a.T()), which is conj(a).T().
template <sparse A>
constexpr auto real(A const& a) {
  return a.with_data(real(a.data()));
}
template <sparse A>
constexpr auto imag(A const& a) {
  return a.with_data(imag(a.data()));
}
template <sparse A>
constexpr auto conj(A const& a) {
  return a.with_data(conj(a.data()));
}
template <sparse A>
constexpr auto angle(A const& a) {
  return a.with_data(angle(a.data()));
}
template <sparse A>
constexpr auto abs(A const& a) {
  return a.with_data(abs(a.data()));
}
template <sparse A>
constexpr auto sgn(A const& a) {
  return a.with_data(sgn(a.data()));
}
template <sparse A>
constexpr auto sqr(A const& a) {
  return a.with_data(sqr(a.data()));
}
template <sparse A>
constexpr auto sqrt(A const& a) {
  return a.with_data(sqrt(a.data()));
}
template <sparse A>
constexpr auto sin(A const& a) {
  return a.with_data(sin(a.data()));
}
template <sparse A>
constexpr auto tan(A const& a) {
  return a.with_data(tan(a.data()));
}
template <sparse A>
constexpr auto asin(A const& a) {
  return a.with_data(asin(a.data()));
}
template <sparse A>
constexpr auto atan(A const& a) {
  return a.with_data(atan(a.data()));
}
template <sparse A>
constexpr auto sinh(A const& a) {
  return a.with_data(sinh(a.data()));
}
template <sparse A>
constexpr auto tanh(A const& a) {
  return a.with_data(tanh(a.data()));
}
template <sparse A>
constexpr auto asinh(A const& a) {
  return a.with_data(asinh(a.data()));
}
template <sparse A>
constexpr auto atanh(A const& a) {
  return a.with_data(atanh(a.data()));
}
template <sparse A>
constexpr auto expm1(A const& a) {
  return a.with_data(expm1(a.data()));
}
template <sparse A>
constexpr auto log1p(A const& a) {
  return a.with_data(log1p(a.data()));
}
template <sparse A>
constexpr auto floor(A const& a) {
  return a.with_data(floor(a.data()));
}
template <sparse A>
constexpr auto ceil(A const& a) {
  return a.with_data(ceil(a.data()));
}
template <sparse A>
constexpr auto round(A const& a) {
  return a.with_data(round(a.data()));
}
template <sparse A>
constexpr auto trunc(A const& a) {
  return a.with_data(trunc(a.data()));
}
template <sparse A>
constexpr auto erf(A const& a) {
  return a.with_data(erf(a.data()));
}

namespace ops {

template <class A>
constexpr A refused_dense_function(A const& a) {
  constexpr bool is_zero_at_zero = !sparse<A>;
  static_assert(is_zero_at_zero,
                "kt: a function that is not 0 at 0 makes a sparse matrix dense: write "
                "f(dense_from_sparse(a)) for all elements, or a.with_data(f(a.data())) for those "
                "that are stored");
  return a;
}

}  // namespace ops

// Rejected with a sentence.
template <sparse A>
constexpr auto exp(A const& a) {
  return ops::refused_dense_function(a);
}
template <sparse A>
constexpr auto exp2(A const& a) {
  return ops::refused_dense_function(a);
}
template <sparse A>
constexpr auto log(A const& a) {
  return ops::refused_dense_function(a);
}
template <sparse A>
constexpr auto log2(A const& a) {
  return ops::refused_dense_function(a);
}
template <sparse A>
constexpr auto log10(A const& a) {
  return ops::refused_dense_function(a);
}
template <sparse A>
constexpr auto cos(A const& a) {
  return ops::refused_dense_function(a);
}
template <sparse A>
constexpr auto cosh(A const& a) {
  return ops::refused_dense_function(a);
}
template <sparse A>
constexpr auto acos(A const& a) {
  return ops::refused_dense_function(a);
}
template <sparse A>
constexpr auto acosh(A const& a) {
  return ops::refused_dense_function(a);
}
template <sparse A>
constexpr auto inv(A const& a) {
  return ops::refused_dense_function(a);
}
template <sparse A>
constexpr auto erfc(A const& a) {
  return ops::refused_dense_function(a);
}
template <sparse A>
constexpr auto sigmoid(A const& a) {
  return ops::refused_dense_function(a);
}
template <sparse A>
constexpr auto softplus(A const& a) {
  return ops::refused_dense_function(a);
}

}  // namespace kroton
