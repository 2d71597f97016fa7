// Eigenvalues and eigenvectors of any square matrix, which are complex.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/along_axes/reduction.hpp>
#include <kroton/ops/linear_algebra/decompositions.hpp>

namespace kroton {
namespace op {

/// The eigenvalues of a square matrix and the right eigenvectors as columns of norm 1, both
/// complex.
struct eig : operation<"eig", 1> {
  static constexpr auto own = core::own_function::typed;
  static constexpr bool takes_complex = true, is_holomorphic = false;
  static constexpr int outputs = 2;
  static constexpr tensor_type type(core::application const& a, int output) {
    tensor_type t = ops::square_type(a);
    t.element = core::complex_of(t.element);
    return output == 0 ? tensor_type{t.element, 1, t.broadcast & 1u} : t;
  }
  static constexpr core::extent_source extent(core::application const&, int d, int) {
    return {core::extent_source::dimension, 0, d};
  }
  static constexpr void constraints(core::application const& a,
                                    core::list<core::extent_pair>& pairs) {
    ops::require_square(a, pairs);
  }
  static constexpr core::gradient_list<1> pullback(core::several const& g, core::several const& y,
                                                   term a);
};

// With m = inv(v).da.v the values change by the diagonal of m, and the vectors by v times
// m[i, j] / (w[j] - w[i]), less what would change their norms. Source: Boeddeker et al. 2017,
// arXiv:1701.00392.
constexpr core::gradient_list<1> eig::pullback(core::several const& g, core::several const& y,
                                               term a) {
  term const w = y[0], v = y[1], across = ops::adjoint(v);
  term middle = zeros_like(v);
  if (g.has(0)) middle = ops::diagonal_matrix(g[0]);
  if (g.has(1)) {
    term const lengths = call<real>(ops::sum_over(call<conj>(v) * g[1], 1, true));
    term const turned = ops::dot(across, g[1] - v * lengths);
    middle = middle + ops::over_differences(turned, call<conj>(w));
  }
  term const of_a = ops::solution<solve>(across, ops::dot(middle, across), {});
  return {{core::is_complex(a.element()) ? of_a : call<real>(of_a)}};
}

}  // namespace op

namespace ops {

/// A result that is complex even if the operand is real; untyped if the operand is.
template <int Rank, class X>
constexpr auto complex_linear_result(term result) {
  if constexpr (typed<X>)
    return variable<value_t<complex_of(static_linear_element<X>())>, Rank>(result);
  else return result;
}

}  // namespace ops

/// The tuple w, v of a square matrix: the eigenvalues, in no order, and the eigenvectors as columns
/// of norm 1, complex even if the matrix and they are real, with dot(x, v) = v * w. Vectors that
/// nothing uses are not computed. An element that is not finite throws kt::linalg_error. The
/// vectors are unique except for a phase; gradients are those of costs that do not depend on it,
/// for matrices whose eigenvalues differ. (numpy.linalg.eig)
template <symbolic X>
  requires operand_is_a_matrix<X>
constexpr auto eig(X const& x) {
  term const node{x.of, x.of->template apply<op::eig>({ops::linear_operand(x).id})};
  return std::tuple(ops::complex_linear_result<1, X>(node),
                    ops::complex_linear_result<2, X>(core::output_of(node, 1)));
}
/// The eigenvalues of a square matrix: those of `eig`, of which the vectors are only computed for a
/// gradient. (numpy.linalg.eigvals)
template <symbolic X>
  requires operand_is_a_matrix<X>
constexpr auto eigvals(X const& x) {
  return ops::complex_linear_result<1, X>(
      {x.of, x.of->template apply<op::eig>({ops::linear_operand(x).id})});
}

}  // namespace kroton
