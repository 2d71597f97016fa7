// Operands and options in the forms of other libraries, rejected with the form that they have here.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/elementwise/selection.hpp>
#include <kroton/ops/refused/arrays.hpp>
#include <kroton/ops/shapes/ranges.hpp>

#include <concepts>

namespace kroton {

// As in refused_forms.hpp: whatever else takes the arguments fits better.
template <symbolic X>
constexpr X dot(X const& x, ...) {
  static_assert(is_accepted<met::type<X>>,
                "kt::dot: takes two operands: of dot(dot(a, b), c) the cheapest order is taken");
  return ops::first_symbolic(x);
}
template <symbolic X>
constexpr X unique(X const& x, ops::anything, ...) {
  static_assert(is_accepted<met::type<X>>,
                "kt::unique: takes a tensor alone; the distinct elements are a vector");
  return ops::first_symbolic(x);
}
template <symbolic X>
constexpr X histogram(X const& x, ...) {
  static_assert(
      is_accepted<met::type<X>>,
      "kt::histogram: takes the edges of the bins, as in histogram(x, linspace(low, high, 11))");
  return ops::first_symbolic(x);
}
template <symbolic X>
constexpr X interp(X const& x, ...) {
  static_assert(is_accepted<met::type<X>>,
                "kt::interp: takes positions, and the points as two vectors: interp(x, xp, fp)");
  return ops::first_symbolic(x);
}
template <symbolic X>
constexpr X pad(X const& x, ...) {
  static_assert(is_accepted<met::type<X>>,
                "kt::pad: takes kt::padding<...>, and what stands there: pad(x, kt::padding<2>, "
                "kt::extend::edge)");
  return ops::first_symbolic(x);
}
template <symbolic X>
constexpr X clip(X const& x, ...) {
  static_assert(is_accepted<met::type<X>>,
                "kt::clip: takes both bounds: clip(x, low, high); with one, maximum(x, low), "
                "minimum(x, high)");
  return ops::first_symbolic(x);
}
template <class... A>
  requires ops::other_form<A...>
constexpr auto linspace(A const&... a) {
  static_assert(is_accepted<met::type<A>...>,
                "kt::linspace: takes two numbers or scalars and a count: linspace(0, 1, n)");
  return ops::first_symbolic(a...);
}
template <class... A>
  requires ops::other_form<A...>
constexpr auto convolve(A const&... a) {
  static_assert(is_accepted<met::type<A>...>,
                "kt::convolve: takes two vectors and kt::border::full, half or valid");
  return ops::first_symbolic(a...);
}
template <class... A>
  requires ops::other_form<A...>
constexpr auto correlate(A const&... a) {
  static_assert(is_accepted<met::type<A>...>,
                "kt::correlate: takes two vectors and kt::border::full, half or valid");
  return ops::first_symbolic(a...);
}
template <class... A>
  requires ops::other_form<A...>
constexpr auto trapezoid(A const&... a) {
  static_assert(is_accepted<met::type<A>...>,
                "kt::trapezoid: takes an array, the distance of its elements or the vector of "
                "their positions, and at most one axis: trapezoid(y, x, kt::axis<0>)");
  return ops::first_symbolic(a...);
}
template <symbolic X>
constexpr X outer(X const& x, ...) {
  static_assert(is_accepted<met::type<X>>,
                "kt::outer: takes two tensors; a number is multiplied with *");
  return ops::first_symbolic(x);
}
template <symbolic X>
constexpr X kron(X const& x, ...) {
  static_assert(is_accepted<met::type<X>>,
                "kt::kron: takes two matrices; a number is multiplied with *");
  return ops::first_symbolic(x);
}
template <symbolic X>
constexpr X solve(X const& x, ...) {
  static_assert(is_accepted<met::type<X>>,
                "kt::solve: takes a matrix and, as right-hand side, a vector or a matrix");
  return ops::first_symbolic(x);
}
template <symbolic X>
constexpr X solve_triangular(X const& x, ...) {
  static_assert(
      is_accepted<met::type<X>>,
      "kt::solve_triangular: takes a matrix, a right-hand side and kt::lower or kt::upper");
  return ops::first_symbolic(x);
}
/// Rejects bounds and steps that are not real scalars.
template <class T = void, class... A>
  requires ops::other_form<A...> && (!ops::is_bound<A>() || ...)
constexpr auto arange(A const&... a) {
  static_assert(is_accepted<met::type<A>...>,
                "kt::arange: takes real numbers and scalars: where to begin, to end and a step");
  return ops::first_symbolic(a...);
}
/// Rejects exponents that would be cut off.
template <symbolic X, class N>
  requires std::floating_point<N> || symbolic<N>
constexpr X matrix_power(X const& x, N const&) {
  static_assert(is_accepted<met::type<X>, met::type<N>>,
                "kt::matrix_power: takes a matrix and an integer; the square root is sqrtm(a), "
                "other powers are expm(p * logm(a))");
  return ops::first_symbolic(x);
}
/// Rejects numbers of diagonals that would be cut off.
template <symbolic X, class N>
  requires std::floating_point<N> || symbolic<N>
constexpr X diag(X const& x, N const&) {
  static_assert(is_accepted<met::type<X>, met::type<N>>,
                "kt::diag: takes a vector or a matrix, and the number of a diagonal: diag(x, 1)");
  return ops::first_symbolic(x);
}

}  // namespace kroton
