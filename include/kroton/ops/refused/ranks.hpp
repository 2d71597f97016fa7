// Ranks that systems of equations and joins do not support, rejected with a sentence that shows the
// ranks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/linear_algebra/batched.hpp>
#include <kroton/ops/linear_algebra/decompositions.hpp>
#include <kroton/ops/linear_algebra/diagonals.hpp>
#include <kroton/ops/linear_algebra/solving.hpp>
#include <kroton/ops/linear_algebra/sylvester.hpp>
#include <kroton/ops/refused/operators.hpp>
#include <kroton/ops/shapes/joining.hpp>

#include <tuple>

namespace kroton {
namespace ops {

template <class A, class B>
concept system_of_other_ranks =
    typed<A> && typed<B> && !(operand_is_a_matrix<A> && right_side_is_a_vector_or_a_matrix<B>);
template <class... X>
concept equation_of_other_ranks = (typed<X> && ...) && !(operand_is_a_matrix<X> && ...);

}  // namespace ops

template <int Axis = 0, typed A, typed... X>
  requires(!operands_have_one_rank<A, X...>)
constexpr A concatenate(A const& a, X const&...) {
  static_assert(is_accepted<met::rank<rank_of<A>>, met::rank<rank_of<X>>...>,
                "kt::concatenate: takes tensors of the same rank: add an axis with x(kt::newaxis)");
  a.of->fail(core::said_above);
  return a;
}
template <int Axis = 0, typed A, typed... X>
  requires(!operands_have_one_rank<A, X...>)
constexpr auto stack(A const& a, X const&...) {
  static_assert(is_accepted<met::rank<rank_of<A>>, met::rank<rank_of<X>>...>,
                "kt::stack: takes tensors of the same shape");
  return core::in_place_of<value_type_of<A>, rank_of<A> + 1>(a);
}
template <typed A, typed B>
  requires ops::system_of_other_ranks<A, B>
constexpr auto solve(A const&, B const& b) {
  static_assert(is_accepted<met::rank<rank_of<A>>, met::rank<rank_of<B>>>,
                "kt::solve: takes a matrix and, as right-hand side, a vector or a matrix");
  return core::in_place_of<value_type_of<B>, rank_of<B>>(b);
}
template <typed A, typed B>
  requires ops::system_of_other_ranks<A, B>
constexpr auto lstsq(A const&, B const& b) {
  static_assert(is_accepted<met::rank<rank_of<A>>, met::rank<rank_of<B>>>,
                "kt::lstsq: takes a matrix and, as right-hand side, a vector or a matrix");
  return core::in_place_of<value_type_of<B>, rank_of<B>>(b);
}
template <typed A, typed B>
  requires ops::system_of_other_ranks<A, B>
constexpr auto solve_triangular(A const&, B const& b, triangle) {
  static_assert(is_accepted<met::rank<rank_of<A>>, met::rank<rank_of<B>>>,
                "kt::solve_triangular: takes a matrix and, as right-hand side, a vector or a "
                "matrix");
  return core::in_place_of<value_type_of<B>, rank_of<B>>(b);
}
template <typed A, typed B>
  requires ops::system_of_other_ranks<A, B>
constexpr auto solve_triangular(A const&, B const& b, triangle, unit_diagonal_t) {
  static_assert(is_accepted<met::rank<rank_of<A>>, met::rank<rank_of<B>>>,
                "kt::solve_triangular: takes a matrix and, as right-hand side, a vector or a "
                "matrix");
  return core::in_place_of<value_type_of<B>, rank_of<B>>(b);
}
template <typed A, typed B, typed Q>
  requires ops::equation_of_other_ranks<A, B, Q>
constexpr auto solve_sylvester(A const& a, B const&, Q const&) {
  static_assert(is_accepted<met::rank<rank_of<A>>, met::rank<rank_of<B>>, met::rank<rank_of<Q>>>,
                "kt::solve_sylvester: takes three matrices");
  return core::in_place_of<value_type_of<A>, 2>(a);
}
template <typed A, typed Q>
  requires ops::equation_of_other_ranks<A, Q>
constexpr auto solve_continuous_lyapunov(A const& a, Q const&) {
  static_assert(is_accepted<met::rank<rank_of<A>>, met::rank<rank_of<Q>>>,
                "kt::solve_continuous_lyapunov: takes two matrices");
  return core::in_place_of<value_type_of<A>, 2>(a);
}
template <typed A, typed Q>
  requires ops::equation_of_other_ranks<A, Q>
constexpr auto solve_discrete_lyapunov(A const& a, Q const&) {
  static_assert(is_accepted<met::rank<rank_of<A>>, met::rank<rank_of<Q>>>,
                "kt::solve_discrete_lyapunov: takes two matrices");
  return core::in_place_of<value_type_of<A>, 2>(a);
}
template <typed X>
  requires(!diag_takes_a_vector_or_a_matrix<X>)
constexpr auto diag(X const& x, int = 0) {
  static_assert(is_accepted<met::rank<rank_of<X>>>,
                "kt::diag: takes a matrix, whose diagonal it returns, or a vector");
  return core::in_place_of<value_type_of<X>, 1>(x);
}
template <typed X>
  requires(!trace_takes_a_matrix<X>)
constexpr auto trace(X const& x) {
  static_assert(is_accepted<met::rank<rank_of<X>>, wanted::rank<2>>, "kt::trace: takes a matrix");
  return core::in_place_of<value_type_of<X>, 0>(x);
}
template <typed A, typed B>
  requires(!batched_dot_takes_operands_with_a_leading_axis<rank_of<A>, rank_of<B>>)
constexpr auto batched_dot(A const& a, B const&) {
  static_assert(
      is_accepted<met::rank<rank_of<A>>, met::rank<rank_of<B>>>,
      "kt::batched_dot: takes operands with a leading axis, which a scalar does not have");
  return core::in_place_of<value_type_of<A>, rank_of<A>>(a);
}

}  // namespace kroton
