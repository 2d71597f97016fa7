// Pseudoinverses, and what singular values say of a matrix: its rank.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/along_axes/reduction.hpp>
#include <kroton/ops/elementwise/selection.hpp>
#include <kroton/ops/linear_algebra/decompositions.hpp>
#include <kroton/ops/shapes/creation.hpp>

#include <limits>

namespace kroton {
namespace op {

/// The pseudoinverse of a matrix, by singular values. The second input, a float64 scalar, is the
/// part of the largest singular value up to which others count as 0.
struct pinv : operation<"pinv", 2> {
  static constexpr auto own = core::own_function::typed;
  static constexpr bool takes_complex = true, is_holomorphic = false;
  static constexpr tensor_type type(core::application const& a) {
    tensor_type t = a.input(0);
    t.broadcast = (t.broadcast & 1u) << 1 | (t.broadcast & 2u) >> 1;
    return t;
  }
  static constexpr core::extent_source extent(core::application const&, int d) {
    return {core::extent_source::dimension, 0, 1 - d};
  }
  static constexpr core::gradient_list<2> pullback(term g, term p, term a, term rcond);
};

// p changes by -p.da.p + p.p*.da*.(1 - a.p) + (1 - p.a).da*.p*.p wherever the rank of a is constant
// (Golub and Pereyra 1973, SIAM J. Numer. Anal. 10).
constexpr core::gradient_list<2> pinv::pullback(term g, term p, term a, term) {
  term const across = ops::adjoint(g), back = ops::adjoint(p);
  term const left = ops::dot(across, ops::dot(p, back));
  term const right = ops::dot(ops::dot(back, p), across);
  term const inside = ops::dot(ops::dot(back, g), back);
  return {{left - ops::dot(a, ops::dot(p, left)) + right - ops::dot(ops::dot(right, p), a) - inside,
           term{}}};
}

}  // namespace op

namespace ops {

/// The larger extent times the machine's precision, a float64 scalar.
constexpr term rounding_of_rank(term x, element e) {
  double const precision = computed_as(real_of(e)) == element::float32
                               ? static_cast<double>(std::numeric_limits<float>::epsilon())
                               : std::numeric_limits<double>::epsilon();
  term const longest = call<op::maximum>(extent(x, 0), extent(x, 1));
  return term{x.of, x.of->cast(longest.id, element::float64)} *
         term{x.of, x.of->literal(precision, element::float64)};
}
constexpr term pseudoinverse(term x, term rcond) {
  return {x.of, x.of->apply<op::pinv>({linear_operand(x).id, rcond.id})};
}

}  // namespace ops

/// The pseudoinverse of a matrix of shape (m, n), of shape (n, m): of all p for which dot(a, p) is
/// closest to the identity, the smallest. Singular values up to the largest times rcond, a number
/// or a scalar, count as 0; by default, as for `lstsq` and `matrix_rank`, rcond is the larger
/// extent times the machine's precision. Its gradient is that for matrices of the same rank. An
/// element that is not finite throws kt::linalg_error. (numpy.linalg.pinv with rtol=None,
/// scipy.linalg.pinv)
template <symbolic X>
  requires operand_is_a_matrix<X>
constexpr auto pinv(X const& x) {
  element const e = ops::linear_element(x.type().element);
  return ops::linear_result<2, X>(ops::pseudoinverse(x, ops::rounding_of_rank(x, e)));
}
template <symbolic X, symbolic C>
  requires operand_is_a_matrix<X> && (!typed<C> || core::static_rank<C>() == 0)
constexpr auto pinv(X const& x, C const& rcond) {
  return ops::linear_result<2, X>(ops::pseudoinverse(x, ops::as_float64(*x.of, rcond)));
}
template <symbolic X>
  requires operand_is_a_matrix<X>
constexpr auto pinv(X const& x, double rcond) {
  return ops::linear_result<2, X>(ops::pseudoinverse(x, ops::as_float64(*x.of, rcond)));
}

/// The singular values of a matrix, real and in descending order: those of `svd`, of which the
/// vectors are only computed for a gradient. (numpy.linalg.svdvals)
template <symbolic X>
  requires operand_is_a_matrix<X>
constexpr auto svdvals(X const& x) {
  return ops::real_linear_result<1, X>(ops::reduced_factors<op::svd>(x));
}
/// The eigenvalues of a symmetric or Hermitian matrix, real and in ascending order: those of
/// `eigh`, of which the vectors are only computed for a gradient. (numpy.linalg.eigvalsh)
template <symbolic X>
  requires operand_is_a_matrix<X>
constexpr auto eigvalsh(X const& x) {
  return ops::real_linear_result<1, X>(
      {x.of, x.of->template apply<op::eigh>({ops::linear_operand(x).id})});
}

/// The rank of a matrix, int64: how many singular values are larger than tol, a number or a scalar;
/// by default the largest one times the larger extent and the machine's precision. It is constant
/// almost everywhere and has no gradient. (numpy.linalg.matrix_rank)
template <typed X>
  requires operand_is_a_matrix<X>
constexpr variable<std::int64_t, 0> matrix_rank(X const& x) {
  auto const s = cast<double>(svdvals(x));
  term const part = ops::rounding_of_rank(x, ops::linear_element(x.type().element));
  return sum(cast<std::int64_t>(s > max(s) * variable<double, 0>(part)));
}
template <typed X, class Tol>
  requires operand_is_a_matrix<X> && (number<Tol> || (typed<Tol> && core::static_rank<Tol>() == 0))
constexpr variable<std::int64_t, 0> matrix_rank(X const& x, Tol const& tol) {
  return sum(cast<std::int64_t>(cast<double>(svdvals(x)) > tol));
}

}  // namespace kroton
