// Linear equations of matrices, with a factor on either side of the unknown.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/linear_algebra/solving.hpp>
#include <kroton/ops/shapes/creation.hpp>

namespace kroton {
namespace op {

/// The x with dot(a, x) + dot(x, b) = q, by the triangular forms of a and b.
struct solve_sylvester : operation<"solve_sylvester", 3> {
  static constexpr auto own = core::own_function::typed;
  static constexpr bool takes_complex = true;
  static constexpr tensor_type type(core::application const& a) {
    tensor_type t = a.input(2);
    if (a.input(0).broadcast != 0) t.broadcast |= 1u;
    if (a.input(1).broadcast != 0) t.broadcast |= 2u;
    return t;
  }
  static constexpr core::extent_source extent(core::application const&, int d) {
    return {core::extent_source::dimension, d, 0};
  }
  static constexpr void constraints(core::application const& a,
                                    core::list<core::extent_pair>& pairs) {
    using core::extent_source;
    ops::require_square(a, pairs);
    pairs.push_back({{extent_source::dimension, 1, 0}, {extent_source::dimension, 1, 1}});
    pairs.push_back({{extent_source::dimension, 0, 1}, {extent_source::dimension, 2, 0}});
    pairs.push_back({{extent_source::dimension, 1, 0}, {extent_source::dimension, 2, 1}});
  }
  static constexpr core::gradient_list<3> pullback(term g, term x, term a, term b, term) {
    term const z = solution(ops::flipped(a), ops::flipped(b), g);
    return {{-ops::dot(z, ops::flipped(x)), -ops::dot(ops::flipped(x), z), z}};
  }
  static constexpr term solution(term a, term b, term q) {
    return {a.of, a.of->apply<solve_sylvester>({a.id, b.id, q.id})};
  }
};

}  // namespace op

namespace ops {

/// Records the op for operands of one element type.
constexpr term sylvester_solution(term a, term b, term q) {
  element const common = promote(linear_element(a.element(), b.element()), q.element());
  auto const of_type = [&](term x) { return term{x.of, x.of->cast(x.id, common)}; };
  return op::solve_sylvester::solution(of_type(a), of_type(b), of_type(q));
}

}  // namespace ops

/// The x with dot(a, x) + dot(x, b) = q for square matrices a, of the rows of q, and b, of its
/// columns. By the triangular forms of a and b (Bartels and Stewart 1972, Commun. ACM 15). Throws
/// kt::linalg_error if an eigenvalue of a is the negative of one of b, so that x is not unique, or
/// an element of a or b is not finite, and kt::shape_error for extents that do not match.
/// (scipy.linalg.solve_sylvester)
template <symbolic A, symbolic B, symbolic Q>
  requires operand_is_a_matrix<A> && operand_is_a_matrix<B> && operand_is_a_matrix<Q>
constexpr auto solve_sylvester(A const& a, B const& b, Q const& q) {
  return ops::linear_result<2, A, B, Q>(ops::sylvester_solution(a, b, q));
}

/// The x with dot(a, x) + dot(x, a') = q, where a' is the conjugate transpose of the square matrix
/// a: the covariance of the states of a linear system, driven by noise of covariance -q. Where the
/// conjugate of an eigenvalue is the negative of one it throws kt::linalg_error.
/// (scipy.linalg.solve_continuous_lyapunov)
template <symbolic A, symbolic Q>
  requires operand_is_a_matrix<A> && operand_is_a_matrix<Q>
constexpr auto solve_continuous_lyapunov(A const& a, Q const& q) {
  return ops::linear_result<2, A, Q>(ops::sylvester_solution(a, ops::adjoint(a), q));
}

/// The x with x = dot(dot(a, x), a') + q, where a' is the conjugate transpose of the square matrix
/// a: the covariance of the states of a linear recurrence, driven by noise of covariance q. By
/// Cayley's transform to the continuous equation, as SciPy's method "bilinear". Where an eigenvalue
/// and the conjugate of one have the product 1 it throws kt::linalg_error.
/// (scipy.linalg.solve_discrete_lyapunov)
template <symbolic A, symbolic Q>
  requires operand_is_a_matrix<A> && operand_is_a_matrix<Q>
constexpr auto solve_discrete_lyapunov(A const& a, Q const& q) {
  term const matrix = ops::linear_operand(a);
  term const one = identity_like(matrix);
  auto const over_sum = [&](term right) {
    return ops::solution<op::solve>(matrix + one, right, {});
  };
  term const c = over_sum(matrix - one);
  term const half = over_sum(ops::linear_operand(q));
  term const both = over_sum(ops::adjoint(half));
  return ops::linear_result<2, A, Q>(
      ops::sylvester_solution(c, ops::adjoint(c), -2 * ops::adjoint(both)));
}

}  // namespace kroton
