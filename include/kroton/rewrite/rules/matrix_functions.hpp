// Functions of diagonal matrices, identities and orthogonal matrices: those of the elements of the
// diagonal, or known.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/along_axes/sorting.hpp>
#include <kroton/ops/linear_algebra/matrix_functions.hpp>
#include <kroton/ops/linear_algebra/pseudoinverse.hpp>
#include <kroton/rewrite/rules/signs.hpp>
#include <kroton/rewrite/rules/structure.hpp>

#include <numbers>
#include <type_traits>

namespace kroton::rewrite::rules {

/// Whether the elements of a diagonal are known to be where a function of numbers is real, without
/// a cut: a matrix of others may be refused.
template <class Scalar>
constexpr bool is_known_to_have(graph const& g, int d) {
  if constexpr (std::is_same_v<Scalar, op::exp>) return true;
  else if (is_complex(g.type(d).element)) return false;
  else return std::is_same_v<Scalar, op::log> ? is_positive(g, d) : is_nonnegative(g, d);
}
/// The function of a diagonal matrix whose function of numbers is Scalar.
template <class Scalar>
constexpr int function_of_diagonal(rewriter& r, int id) {
  int const x = r.g.input_of(id, 0), d = on_diagonal(r, x);
  if (d < 0 || !is_known_to_have<Scalar>(r.g, d)) return -1;
  return from_diagonal_like(r, r.make<Scalar>({d}), x);
}
/// The function of an identity, which the function makes a multiple of itself.
constexpr int multiple_of_identity(rewriter& r, int id, double factor) {
  int const x = r.g.input_of(id, 0);
  if (!is_identity(r, x)) return -1;
  return factor == 1 ? x : r.make<op::mul>({x, r.literal(factor, r.g.type(x).element)});
}
constexpr int exponential_of_identity(rewriter& r, int id) {
  return multiple_of_identity(r, id, std::numbers::e);
}
constexpr int root_of_identity(rewriter& r, int id) { return multiple_of_identity(r, id, 1); }
constexpr int logarithm_of_identity(rewriter& r, int id) { return multiple_of_identity(r, id, 0); }

/// The pseudoinverse of an identity, of a matrix with orthonormal rows or columns, and of a
/// diagonal, of which small elements count as 0.
constexpr int pseudoinverse_with_structure(rewriter& r, int id) {
  graph& g = r.g;
  int const x = g.input_of(id, 0);
  element const e = g.type(x).element;
  if (is_identity(r, x)) return x;
  if (!is_complex(e) && is_orthogonal(r, x)) return flip(r, x);
  int const d = on_diagonal(r, x);
  if (d < 0) return -1;
  int const size = r.cast(r.make<op::abs>({d}), element::float64);
  int const least = r.make<op::mul>({reduced(r, identity<op::max>(), size, 1), g.input_of(id, 1)});
  int const inverse = r.make<op::div>({r.literal(1, e), d});
  // NaN is not small.
  return from_diagonal_like(
      r, r.make<op::where>({r.make<op::le>({size, least}), r.literal(0, e), inverse}), x);
}

constexpr int ones(rewriter& r, element e, int count) {
  return r.make<op::alloc>({r.literal(1, e), count});
}
/// The singular values of a diagonal are the magnitudes of its elements, those of an orthogonal
/// matrix ones, those of a transpose the same as before.
constexpr int singular_values_with_structure(rewriter& r, int id) {
  graph& g = r.g;
  int const x = g.input_of(id, 0), count = g.input_of(id, 1);
  element const e = g.type(id).element;
  if (is_identity(r, x) || is_orthogonal(r, x)) return ones(r, e, count);
  if (int const d = on_diagonal(r, x); d >= 0)
    return r.make<op::topk>({r.make<op::abs>({d}), r.extent(d, 0)}, {0});
  int const source = flipped_operand(g, x);
  return source < 0 ? -1 : r.make<op::svd>({source, count});
}
/// The eigenvalues of a diagonal are its elements, in order.
constexpr int eigenvalues_of_diagonal(rewriter& r, int id) {
  graph& g = r.g;
  int const x = g.input_of(id, 0);
  if (is_identity(r, x)) return ones(r, g.type(id).element, r.extent(x, 0));
  int const d = on_diagonal(r, x);
  if (d < 0) return -1;
  return r.make<op::sort>({is_complex(g.type(d).element) ? r.make<op::real>({d}) : d}, {0});
}

}  // namespace kroton::rewrite::rules
