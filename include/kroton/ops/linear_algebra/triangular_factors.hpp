// The factors of a matrix by elimination with exchanges of rows, as a user asks for them: three
// matrices. What the optimizer shares between systems is op::lu (ops/linear_algebra/factors.hpp).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/linear_algebra/decompositions.hpp>
#include <kroton/ops/shapes/joining.hpp>

namespace kroton {
namespace op {

/// p, which exchanges rows and is real, l, lower triangular with ones on its diagonal, and u, upper
/// triangular, whose product is the matrix. The second input is the number of columns of l, the
/// smaller extent, an int64 scalar.
struct plu : operation<"plu", 2> {
  static constexpr auto own = core::own_function::typed;
  static constexpr bool takes_complex = true, is_holomorphic = false;
  static constexpr int outputs = 3;
  static constexpr tensor_type type(core::application const& a, int output) {
    if (output > 0) return ops::thin_factor_type(a, output - 1);
    std::uint32_t const rows = a.input(0).broadcast & 1u;
    return {core::real_of(a.input(0).element), 2, rows | rows << 1};
  }
  static constexpr core::extent_source extent(core::application const&, int d, int output) {
    if (output == 0) return {core::extent_source::dimension, 0, 0};
    if (d == output - 1) return {core::extent_source::dimension, 0, d};
    return {core::extent_source::value, 1, 0};
  }
  static constexpr core::gradient_list<2> pullback(core::several const& g, core::several const& y,
                                                   term a, term count);
};

// The first k rows and columns are a square matrix l1.u1; a tall matrix has rows l2.u1 below it, a
// wide one columns l1.u2 beside it. What l1 and u1 change by is l1.m and m.u1 for the parts of m =
// inv(l1).da.inv(u1) below the diagonal, and on and above it. The exchanges are constant.
constexpr core::gradient_list<2> plu::pullback(core::several const& g, core::several const& y,
                                               term a, term count) {
  term const p = y[0], l = y[1], u = y[2], none{a.of, a.of->literal(0, element::int64)};
  term const below = ops::extent(a, 0) - count, beside = ops::extent(a, 1) - count;
  term const gl = g.has(1) ? g[1] : zeros_like(l), gu = g.has(2) ? g[2] : zeros_like(u);
  auto const split = [&](term x, int axis, term rest) {
    return std::pair(ops::axis_range(x, axis, none, count), ops::axis_range(x, axis, count, rest));
  };
  auto const [l1, l2] = split(l, 0, below);
  auto const [gl1, gl2] = split(gl, 0, below);
  auto const [u1, u2] = split(u, 1, beside);
  auto const [gu1, gu2] = split(gu, 1, beside);
  auto const from_left = [&l1 = l1](term x) {
    return ops::solution<solve_triangular>(ops::adjoint(l1), x, {0, 1});
  };
  auto const from_right = [&u1 = u1](term x) {
    return ops::adjoint(ops::solution<solve_triangular>(u1, ops::adjoint(x), {0, 0}));
  };
  term const of_l = ops::dot(ops::adjoint(l1), gl1) - ops::dot(gu2, ops::adjoint(u2));
  term const of_u = ops::dot(gu1, ops::adjoint(u1)) - ops::dot(ops::adjoint(l2), gl2);
  term const middle = call<where>(ops::triangle<gt>(of_l), of_l, of_u);
  term const rest = split(split(zeros_like(a), 0, below).second, 1, beside).second;
  term const upper = ops::join({from_left(from_right(middle)), from_left(gu2)}, 1);
  term const lower = ops::join({from_right(gl2), rest}, 1);
  return {{ops::dot(p, ops::join({upper, lower}, 0)), term{}}};
}

}  // namespace op

/// The tuple p, l, u for a matrix of shape (m, n), with k the smaller extent: p of shape (m, m),
/// real, which exchanges rows, l of shape (m, k), lower triangular with ones on its diagonal and,
/// for a real matrix, no element larger than 1, and u of shape (k, n), upper triangular, with
/// dot(p, dot(l, u)) = x. Singular matrices have such factors, too, but no gradients: these throw
/// kt::linalg_error. (scipy.linalg.lu)
template <symbolic X>
  requires operand_is_a_matrix<X>
constexpr auto lu(X const& x) {
  term const node = ops::reduced_factors<op::plu>(x);
  return std::tuple(ops::real_linear_result<2, X>(node),
                    ops::linear_result<2, X>(core::output_of(node, 1)),
                    ops::linear_result<2, X>(core::output_of(node, 2)));
}

}  // namespace kroton
