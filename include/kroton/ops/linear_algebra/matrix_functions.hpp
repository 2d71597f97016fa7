// Functions of square matrices that are not taken element by element.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/along_axes/reduction.hpp>
#include <kroton/ops/elementwise/selection.hpp>
#include <kroton/ops/linear_algebra/solving.hpp>
#include <kroton/ops/linear_algebra/sylvester.hpp>
#include <kroton/ops/shapes/joining.hpp>
#include <kroton/ops/stop_gradient.hpp>

#include <limits>

namespace kroton {
namespace op {

/// Base of the functions of a square matrix, of its type and extents.
template <text Name, int Operands = 1>
struct matrix_function : operation<Name, Operands> {
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

/// The matrix whose exponential is the matrix, with eigenvalues of imaginary parts up to pi.
struct logm : matrix_function<"logm"> {
  static constexpr auto own = core::own_function::typed;
  static constexpr core::gradient_list<1> pullback(term g, term y, term a);
};

/// How the logarithm changes at a matrix in the direction of another one.
struct logm_change : matrix_function<"logm_change", 2> {
  static constexpr auto own = core::own_function::typed;
  static constexpr void constraints(core::application const& a,
                                    core::list<core::extent_pair>& pairs) {
    using core::extent_source;
    ops::require_square(a, pairs);
    for (int d : {0, 1})
      pairs.push_back({{extent_source::dimension, 0, d}, {extent_source::dimension, 1, d}});
  }
  static constexpr core::gradient_list<2> pullback(term g, term y, term a, term e);
};

}  // namespace op

namespace ops {

/// The sum of the magnitudes of e over that of a, or 1 where that is no normal number, as a
/// constant.
constexpr term relative_size(term e, term a) {
  auto const number = [&](double x) {
    return term{a.of, a.of->literal(x, core::real_of(a.element()))};
  };
  auto const size = [](term x) { return sum_over(call<op::abs>(x), 3, false); };
  bool const is_single = core::computed_as(core::real_of(a.element())) == element::float32;
  double const least = is_single ? static_cast<double>(std::numeric_limits<float>::min())
                                 : std::numeric_limits<double>::min();
  term const of_a = size(a);
  term const s = size(e) / call<op::where>(call<op::ge>(of_a, number(least)), of_a, number(1));
  term const is_normal =
      call<op::bit_and>(call<op::ge>(s, number(least)), call<op::le>(s, number(1 / least)));
  return call<op::stop_gradient>(call<op::where>(is_normal, s, number(1)));
}

/// Block number (i, j) of a matrix of two rows of blocks of the extents of a.
constexpr term block_of(term both, int i, int j, term a) {
  term const side = extent(a, 0), none = integer(*a.of, 0);
  return axis_range(axis_range(both, 0, i == 0 ? none : side, side), 1, j == 0 ? none : side, side);
}

/// How the exponential changes at a in the direction e: the upper right block of that of the matrix
/// with a in both blocks of the diagonal and e above (Mathias 1996, SIAM J. Matrix Anal. Appl. 17).
/// It is linear in e, which is as large as a there whatever the cost is multiplied by: otherwise
/// the rounding of one would drown the other. So derivatives of the scale cancel, and it is a
/// constant.
constexpr term change_of_exponential(term a, term e) {
  term const scale = relative_size(e, a);
  term const both = join({join({a, e / scale}, 1), join({zeros_like(a), a}, 1)}, 0);
  return scale * block_of({a.of, a.of->apply<op::expm>({both.id})}, 0, 1, a);
}

}  // namespace ops

namespace op {

// The adjoint of the change at a is the change at the adjoint of a.
constexpr core::gradient_list<1> expm::pullback(term g, term, term a) {
  return {{ops::change_of_exponential(ops::flipped(a), g)}};
}
// dy with dot(dy, y) + dot(y, dy) = da.
constexpr core::gradient_list<1> sqrtm::pullback(term g, term y, term) {
  return {{solve_sylvester::solution(ops::flipped(y), ops::flipped(y), g)}};
}
constexpr core::gradient_list<1> logm::pullback(term g, term, term a) {
  return {{{a.of, a.of->apply<logm_change>({ops::flipped(a).id, g.id})}}};
}
// The change is the upper right block of the logarithm of the matrix with a in both blocks of the
// diagonal and e above, as large as a. So its gradient is a change of that.
constexpr core::gradient_list<2> logm_change::pullback(term g, term, term a, term e) {
  term const scale = ops::relative_size(e, a), none = zeros_like(a), turned = ops::flipped(a);
  term const both =
      ops::join({ops::join({turned, none}, 1), ops::join({ops::flipped(e) / scale, turned}, 1)}, 0);
  term const above = ops::join({ops::join({none, g}, 1), ops::join({none, none}, 1)}, 0);
  term const change{a.of, a.of->apply<logm_change>({both.id, above.id})};
  return {{scale * (ops::block_of(change, 0, 0, a) + ops::block_of(change, 1, 1, a)),
           {a.of, a.of->apply<logm_change>({turned.id, g.id})}}};
}

}  // namespace op

/// The exponential of a square matrix, the solution at time 1 of x' = dot(a, x) that begins with
/// the identity; `exp` takes that of each element. By scaling and squaring with Pade approximants,
/// scaled by the size of powers of the balanced matrix, not by its norm (Al-Mohy and Higham 2009,
/// SIAM J. Matrix Anal. Appl. 31), so that elements of unlike sizes keep their digits; that of a
/// triangle is a triangle. Extents that differ throw kt::shape_error, and an
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

/// The principal logarithm of a square matrix: expm(y) = x, and no eigenvalue of y has an imaginary
/// part beyond pi; `log` takes that of each element. By roots and Pade approximants of the
/// triangular form (Al-Mohy and Higham 2012, SIAM J. Sci. Comput. 34). That of a real matrix is
/// real: an eigenvalue that is not positive throws kt::linalg_error, as does a singular matrix;
/// complex ones have it. Extents that differ throw kt::shape_error. (scipy.linalg.logm)
template <symbolic X>
  requires operand_is_a_matrix<X>
constexpr auto logm(X const& x) {
  return ops::linear_result<2, X>(
      {x.of, x.of->template apply<op::logm>({ops::linear_operand(x).id})});
}

}  // namespace kroton
