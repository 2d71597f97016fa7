// Functions of square matrices that are not taken element by element.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/joining.hpp>
#include <kroton/ops/solving.hpp>

namespace kroton {
namespace op {

/// Base of the functions of one square matrix, of its type and extents.
template <text Name>
struct matrix_function : operation<Name, 1> {
  static constexpr bool takes_complex = true;
  static constexpr tensor_type type(core::application const& a) { return ops::square_type(a); }
  static constexpr core::extent_source extent(core::application const&, int d) {
    return {core::extent_source::dimension, 0, d};
  }
  static constexpr void constraints(core::application const& a,
                                    core::list<core::extent_pair>& pairs) {
    ops::require_square(a, pairs);
  }
};

/// The sum of the powers of a square matrix, each divided by the factorial of its exponent.
struct expm : matrix_function<"expm"> {
  static constexpr auto own = core::own_function::typed;
  static constexpr core::gradient_list<1> pullback(term g, term y, term a);
};

/// The matrix whose square is the matrix, with eigenvalues of no negative real part.
struct sqrtm : matrix_function<"sqrtm"> {
  static constexpr auto own = core::own_function::typed;
  static constexpr core::gradient_list<1> pullback(term g, term y, term a);
};

}  // namespace op

namespace ops {

/// The upper right block of Op of the matrix with a in both blocks of the diagonal and e above: how
/// a function of matrices changes at a in the direction e (Mathias 1996, SIAM J. Matrix Anal. Appl.
/// 17).
template <class Op>
constexpr term change_of_function(term a, term e) {
  term const side = extent(a, 0);
  term const none = expand_like({a.of, a.of->literal(0, a.element())}, a);
  term const both = join({join({a, e}, 1), join({none, a}, 1)}, 0);
  term const of_both{a.of, a.of->apply<Op>({both.id})};
  return axis_range(axis_range(of_both, 0, integer(*a.of, 0), side), 1, side, side);
}

}  // namespace ops

namespace op {

// The adjoint of the change at a is the change at the adjoint of a.
constexpr core::gradient_list<1> expm::pullback(term g, term, term a) {
  return {{ops::change_of_function<expm>(ops::flipped(a), g)}};
}
constexpr core::gradient_list<1> sqrtm::pullback(term g, term, term a) {
  return {{ops::change_of_function<sqrtm>(ops::flipped(a), g)}};
}

}  // namespace op

/// The exponential of a square matrix, the solution at time 1 of x' = dot(a, x) that begins with
/// the identity; `exp` takes that of each element. By scaling and squaring with Pade approximants
/// (Higham 2005, SIAM J. Matrix Anal. Appl. 26). Extents that differ throw kt::shape_error, and an
/// element that is not finite throws kt::linalg_error. (scipy.linalg.expm)
template <symbolic X>
  requires operand_is_a_matrix<X>
constexpr auto expm(X const& x) {
  return ops::linear_result<2, X>(
      {x.of, x.of->template apply<op::expm>({ops::linear_operand(x).id})});
}

/// The principal square root of a square matrix: dot(y, y) = x, and no eigenvalue of y has a
/// negative real part; `sqrt` takes that of each element. By the triangular form (Bjorck and
/// Hammarling 1983, Linear Algebra Appl. 52/53). That of a real matrix is real: a negative
/// eigenvalue, unless it is 0 but for rounding, throws kt::linalg_error, as does a matrix that has
/// no square root; complex ones have it. Extents that differ throw kt::shape_error. Singular
/// matrices have no gradient. (scipy.linalg.sqrtm)
template <symbolic X>
  requires operand_is_a_matrix<X>
constexpr auto sqrtm(X const& x) {
  return ops::linear_result<2, X>(
      {x.of, x.of->template apply<op::sqrtm>({ops::linear_operand(x).id})});
}

}  // namespace kroton
