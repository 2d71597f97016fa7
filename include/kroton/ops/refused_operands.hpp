// Operands and options in the forms of other libraries, rejected with the form that they have here.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/refused_arrays.hpp>
#include <kroton/ops/selection.hpp>

#include <concepts>

namespace kroton {

// Written without a macro, because it would appear between the sentence and the user's line. Not
// for functions with parameters that arguments convert to: those would fit less than these do.
template <class... A>
  requires ops::other_form<A...>
constexpr auto dot(A const&... a) {
  static_assert(is_accepted<met::type<A>...>,
                "kt::dot: takes two operands: of dot(dot(a, b), c) the cheapest order is taken");
  return ops::first_symbolic(a...);
}
template <class... A>
  requires ops::other_form<A...>
constexpr auto unique(A const&... a) {
  static_assert(is_accepted<met::type<A>...>,
                "kt::unique: takes a tensor alone; the distinct elements are a vector");
  return ops::first_symbolic(a...);
}
template <class... A>
  requires ops::other_form<A...>
constexpr auto histogram(A const&... a) {
  static_assert(
      is_accepted<met::type<A>...>,
      "kt::histogram: takes the edges of the bins, as in histogram(x, linspace(low, high, 11))");
  return ops::first_symbolic(a...);
}
template <class... A>
  requires ops::other_form<A...>
constexpr auto interp(A const&... a) {
  static_assert(is_accepted<met::type<A>...>,
                "kt::interp: takes positions, and the points as two vectors: interp(x, xp, fp)");
  return ops::first_symbolic(a...);
}
template <class... A>
  requires ops::other_form<A...>
constexpr auto pad(A const&... a) {
  static_assert(is_accepted<met::type<A>...>,
                "kt::pad: takes kt::padding<...>, and what stands there: pad(x, kt::padding<2>, "
                "kt::extend::edge)");
  return ops::first_symbolic(a...);
}
template <class... A>
  requires ops::other_form<A...>
constexpr auto clip(A const&... a) {
  static_assert(is_accepted<met::type<A>...>,
                "kt::clip: takes both bounds: clip(x, low, high); with one, maximum(x, low), "
                "minimum(x, high)");
  return ops::first_symbolic(a...);
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
constexpr auto outer(A const&... a) {
  static_assert(is_accepted<met::type<A>...>,
                "kt::outer: takes two tensors; a number is multiplied with *");
  return ops::first_symbolic(a...);
}
template <class... A>
  requires ops::other_form<A...>
constexpr auto kron(A const&... a) {
  static_assert(is_accepted<met::type<A>...>,
                "kt::kron: takes two matrices; a number is multiplied with *");
  return ops::first_symbolic(a...);
}
template <class... A>
  requires ops::other_form<A...>
constexpr auto solve(A const&... a) {
  static_assert(is_accepted<met::type<A>...>,
                "kt::solve: takes a matrix and, as right-hand side, a vector or a matrix");
  return ops::first_symbolic(a...);
}
template <class... A>
  requires ops::other_form<A...>
constexpr auto solve_triangular(A const&... a) {
  static_assert(
      is_accepted<met::type<A>...>,
      "kt::solve_triangular: takes a matrix, a right-hand side and kt::lower or kt::upper");
  return ops::first_symbolic(a...);
}
/// Rejects steps and ends that are not integers.
template <class... A>
  requires ops::other_form<A...> && (ops::is_continuous_operand<A>() || ...)
constexpr auto arange(A const&... a) {
  static_assert(is_accepted<met::type<A>...>,
                "kt::arange: takes integers; others are first + step * arange(n)");
  return ops::first_symbolic(a...);
}
/// Rejects exponents that would be cut off.
template <class... A>
  requires ops::other_form<A...> && (!std::integral<A> && ...)
constexpr auto matrix_power(A const&... a) {
  static_assert(is_accepted<met::type<A>...>,
                "kt::matrix_power: takes a matrix and an integer; the square root is sqrtm(a), "
                "other powers are expm(p * logm(a))");
  return ops::first_symbolic(a...);
}
/// Rejects numbers of diagonals that would be cut off.
template <class... A>
  requires ops::other_form<A...> && (!std::integral<A> && ...)
constexpr auto diag(A const&... a) {
  static_assert(is_accepted<met::type<A>...>,
                "kt::diag: takes a vector or a matrix, and the number of a diagonal: diag(x, 1)");
  return ops::first_symbolic(a...);
}

}  // namespace kroton
