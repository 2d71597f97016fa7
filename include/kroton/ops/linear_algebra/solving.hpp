// Systems of linear equations and inverses. LAPACK computes them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/item.hpp>
#include <kroton/ops/elementwise/complex.hpp>
#include <kroton/ops/linear_algebra/diagonals.hpp>
#include <kroton/ops/linear_algebra/products.hpp>

#include <concepts>

namespace kroton {
namespace ops {

/// Both axes of a square matrix broadcast if one does.
constexpr tensor_type square_type(application const& a) {
  tensor_type t = a.input(0);
  if (t.broadcast != 0) t.broadcast = 3;
  return t;
}
constexpr void require_square(application const&, list<extent_pair>& pairs) {
  pairs.push_back({{extent_source::dimension, 0, 0}, {extent_source::dimension, 0, 1}});
}

constexpr term flipped(term m) { return permute(m, {1, 0}); }
/// The conjugate transpose of a matrix; for a real one, the transpose. It is used in pullbacks of
/// ops that are not holomorphic; for the others (solutions, inverses and determinants) a transpose
/// suffices, since the library conjugates their gradients.
constexpr term adjoint(term m) { return conj(flipped(m)); }

/// LAPACK's element types.
template <class T>
concept linear_number = std::floating_point<T> || is_complex_number<T>;

/// The gradient with respect to the matrix of a linear system, from the gradient b with respect to
/// its right-hand side: -b.x' for the solution x.
constexpr term gradient_of_matrix(term b, term x) {
  if (x.rank() == 1) return -(permute(b, {0, -1}) * permute(x, {-1, 0}));
  return -dot(b, flipped(x));
}

}  // namespace ops

namespace op {

/// Base of the solvers: a square matrix and a right-hand side, which is a vector or a matrix.
template <text Name>
struct linear_system : operation<Name, 2> {
  static constexpr bool takes_complex = true;
  static constexpr tensor_type type(core::application const& a) {
    tensor_type t = a.input(1);
    if (a.input(0).broadcast != 0) t.broadcast |= 1u;
    return t;
  }
  static constexpr core::extent_source extent(core::application const&, int d) {
    return {core::extent_source::dimension, d == 0 ? 0 : 1, d};
  }
  static constexpr void constraints(core::application const& a,
                                    core::list<core::extent_pair>& pairs) {
    ops::require_square(a, pairs);
    pairs.push_back(
        {{core::extent_source::dimension, 0, 1}, {core::extent_source::dimension, 1, 0}});
  }
};

/// The x with dot(a, x) = b, by LU factors.
struct solve : linear_system<"solve"> {
  static constexpr auto own = core::own_function::typed;
  static constexpr core::gradient_list<2> pullback(term g, term x, term a, term) {
    term const b{a.of, a.of->apply<solve>({ops::flipped(a).id, g.id})};
    return {{ops::gradient_of_matrix(b, x), b}};
  }
};

/// The same for a triangle of a. Attributes: whether it is the lower one, and whether its diagonal
/// counts as ones.
struct solve_triangular : linear_system<"solve_triangular"> {
  static constexpr auto own = core::own_function::typed;
  static constexpr core::gradient_list<2> pullback(term g, term x, term a, term) {
    bool const lower = x.of->attribute(x.id, 0) != 0, unit = x.of->attribute(x.id, 1) != 0;
    term const b{a.of, a.of->apply<solve_triangular>({ops::flipped(a).id, g.id}, {!lower, unit})};
    term const full = ops::gradient_of_matrix(b, x);
    auto const inside = [&] {
      if (lower) return unit ? ops::triangle<gt>(a) : ops::triangle<ge>(a);
      return unit ? ops::triangle<lt>(a) : ops::triangle<le>(a);
    };
    return {{call<where>(inside(), full, 0), b}};
  }
};

struct matrix_inverse : operation<"matrix_inverse", 1> {
  static constexpr auto own = core::own_function::typed;
  static constexpr bool takes_complex = true;
  static constexpr tensor_type type(core::application const& a) { return ops::square_type(a); }
  static constexpr core::extent_source extent(core::application const&, int d) {
    return {core::extent_source::dimension, 0, d};
  }
  static constexpr void constraints(core::application const& a,
                                    core::list<core::extent_pair>& pairs) {
    ops::require_square(a, pairs);
  }
  static constexpr core::gradient_list<1> pullback(term g, term x, term) {
    return {{-ops::dot(ops::dot(ops::flipped(x), g), ops::flipped(x))}};
  }
};

}  // namespace op

/// The triangle of a matrix to use; the other elements are not read.
enum class triangle : bool { upper, lower };
inline constexpr triangle lower = triangle::lower, upper = triangle::upper;
/// The diagonal of a triangle counts as ones and is not read.
struct unit_diagonal_t {};
inline constexpr unit_diagonal_t unit_diagonal{};

/// Linear algebra needs matrices.
template <class X>
concept operand_is_a_matrix = symbolic<X> && (!typed<X> || core::static_rank<X>() == 2);
/// A right-hand side is a vector, or a matrix whose columns are right-hand sides.
template <class X>
concept right_side_is_a_vector_or_a_matrix =
    symbolic<X> && (!typed<X> || core::static_rank<X>() == 1 || core::static_rank<X>() == 2);

namespace ops {

/// Integers and bools are computed as float64, as in NumPy.
constexpr element linear_element(element e) { return is_continuous(e) ? e : element::float64; }
constexpr element linear_element(element a, element b) {
  return promote(linear_element(a), linear_element(b));
}
constexpr term linear_operand(term x) {
  return {x.of, x.of->cast(x.id, linear_element(x.element()))};
}

/// The element type of a result computed from typed operands.
template <class... X>
constexpr element static_linear_element() {
  constexpr element found[] = {linear_element(element_of<value_type_of<X>>())...};
  return promote_all(found, sizeof...(X));
}
/// A variable of that element type.
template <int Rank, class... X>
using linear_variable = variable<value_t<static_linear_element<X...>()>, Rank>;
/// A result of that element type and the given rank; untyped if an operand is.
template <int Rank, class... X>
constexpr auto linear_result(term result) {
  if constexpr ((typed<X> && ...))
    return variable<value_t<static_linear_element<X...>()>, Rank>(result);
  else return result;
}
/// The same for a result that is real even if the operand is complex.
template <int Rank, class X>
constexpr auto real_linear_result(term result) {
  if constexpr (typed<X>)
    return variable<value_t<real_of(static_linear_element<X>())>, Rank>(result);
  else return result;
}

/// Records a solver.
template <class Op>
constexpr term solution(term a, term b, std::initializer_list<long long> attributes) {
  element const common = linear_element(a.element(), b.element());
  return {a.of, a.of->apply<Op>({a.of->cast(a.id, common), a.of->cast(b.id, common)}, attributes)};
}

}  // namespace ops

/// The x with dot(a, x) = b for a square matrix; b is a vector, or a matrix of several right-hand
/// sides. A singular matrix throws kt::linalg_error, extents that do not match throw
/// kt::shape_error. (numpy.linalg.solve)
template <symbolic A, symbolic B>
  requires operand_is_a_matrix<A> && right_side_is_a_vector_or_a_matrix<B>
constexpr auto solve(A const& a, B const& b) {
  return ops::linear_result<core::static_rank<B>(), A, B>(ops::solution<op::solve>(a, b, {}));
}
/// `solve` for a triangle of a, kt::lower or kt::upper; a 0 on its diagonal throws
/// kt::linalg_error. With kt::unit_diagonal the diagonal counts as ones.
/// (scipy.linalg.solve_triangular)
template <symbolic A, symbolic B>
  requires operand_is_a_matrix<A> && right_side_is_a_vector_or_a_matrix<B>
constexpr auto solve_triangular(A const& a, B const& b, triangle part) {
  return ops::linear_result<core::static_rank<B>(), A, B>(
      ops::solution<op::solve_triangular>(a, b, {part == lower, 0}));
}
template <symbolic A, symbolic B>
  requires operand_is_a_matrix<A> && right_side_is_a_vector_or_a_matrix<B>
constexpr auto solve_triangular(A const& a, B const& b, triangle part, unit_diagonal_t) {
  return ops::linear_result<core::static_rank<B>(), A, B>(
      ops::solution<op::solve_triangular>(a, b, {part == lower, 1}));
}

/// The inverse of a square matrix; a singular one throws kt::linalg_error. (numpy.linalg.inv)
template <symbolic X>
  requires operand_is_a_matrix<X>
constexpr auto matrix_inverse(X const& x) {
  return ops::linear_result<2, X>(
      {x.of, x.of->template apply<op::matrix_inverse>({ops::linear_operand(x).id})});
}
}  // namespace kroton
