// Rules of linear algebra: inverses become solutions, factors and diagonals are made use of,
// determinants of products fall apart.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/each.hpp>
#include <kroton/core/item.hpp>
#include <kroton/ops/linear_algebra/decompositions.hpp>
#include <kroton/ops/linear_algebra/determinants.hpp>
#include <kroton/ops/linear_algebra/matrix_functions.hpp>
#include <kroton/ops/linear_algebra/pseudoinverse.hpp>
#include <kroton/ops/shapes/creation.hpp>
#include <kroton/ops/shapes/transposes.hpp>
#include <kroton/rewrite/rules/reduction.hpp>
#include <kroton/rewrite/rules/selections.hpp>

namespace kroton::rewrite {

/// Whether any rule of linear algebra could apply: most graphs are spared them.
constexpr bool has_linear_algebra(graph const& g) {
  return g.has<op::matrix_inverse, op::solve, op::solve_triangular, op::cholesky, op::det,
               op::cofactors, op::slogdet, op::diagonal, op::from_diagonal, op::qr, op::svd,
               op::eigh, op::pinv, op::expm, op::sqrtm, op::logm, op::each<op::solve>,
               op::each<op::solve_triangular>>() ||
         (g.has<op::dot>() && (g.has<op::iota>() || g.has<op::join>()));
}

namespace rules {

constexpr int flip(rewriter& r, int m) { return make_view(r, m, list<long long>{1, 0}); }
/// What a transpose is the transpose of, or -1.
constexpr int flipped_operand(graph const& g, int id) {
  return ops::is_transpose(g, id) ? g.input_of(id, 0) : -1;
}
/// The same where the transpose has sunk below functions of elements.
constexpr int flipped_form(rewriter& r, int id) {
  if (!r.g[id].op->elementwise) return flipped_operand(r.g, id);
  list<long long> const pattern = common_permutation(r.g, id);
  return pattern.size() == 2 && pattern[0] == 1 ? unshuffled(r, id, pattern) : -1;
}
/// What a conjugate transpose is that of, or -1; of a real matrix a transpose.
constexpr int adjoint_operand(graph const& g, int id) {
  if (!is_complex(g.type(id).element)) return flipped_operand(g, id);
  return g.is<op::conj>(id) ? flipped_operand(g, g.input_of(id, 0)) : -1;
}
/// The matrix of which a node is the inverse, also behind a transpose or a conjugate; or -1.
constexpr int inverted(rewriter& r, int id) {
  graph& g = r.g;
  if (applies<op::matrix_inverse>(g, id)) return g.input_of(id, 0);
  bool const conjugates = g.is<op::conj>(id);
  int const source = conjugates ? g.input_of(id, 0) : flipped_operand(g, id);
  int const m = source < 0 ? -1 : inverted(r, source);
  if (m < 0) return -1;
  return conjugates ? r.make<op::conj>({m}) : flip(r, m);
}
/// The vector that makes a node a square diagonal matrix, or -1.
constexpr int on_diagonal(rewriter& r, int id) {
  graph& g = r.g;
  if (!applies<op::from_diagonal>(g, id) || g.attribute(id, 2) != 0 || g.type(id).rank != 2)
    return -1;
  int const x = g.input_of(id, 0), side = r.extent(x, 0);
  return r.representative(g.input_of(id, 1)) == side && r.representative(g.input_of(id, 2)) == side
             ? x
             : -1;
}
constexpr int from_diagonal_like(rewriter& r, int diagonal, int like) {
  list<int> const inputs{diagonal, r.g.input_of(like, 1), r.g.input_of(like, 2)};
  return r.make(identity<op::from_diagonal>(), inputs, r.attributes(like));
}
/// The Cholesky factor l of a product of l and its conjugate transpose, or -1.
constexpr int factor_of_product(graph const& g, int id) {
  if (!g.is<op::dot>(id)) return -1;
  int const l = g.input_of(id, 0);
  return applies<op::cholesky>(g, l) && adjoint_operand(g, g.input_of(id, 1)) == l ? l : -1;
}
/// Whether a node is the transpose or the conjugate transpose of a Cholesky factor.
constexpr bool is_upper_factor(graph const& g, int id) {
  int const source = flipped_operand(g, g.is<op::conj>(id) ? g.input_of(id, 0) : id);
  return source >= 0 && applies<op::cholesky>(g, source);
}
/// A vector, or the rows of a matrix, scaled by the elements of d.
constexpr int scaled_rows(rewriter& r, op_info const* op, int x, int d) {
  int const column = r.g.type(x).rank == 1 ? d : make_view(r, d, list<long long>{0, -1});
  return r.make(op, list<int>{x, column});
}

/// The inverse of a transpose is the transpose of the inverse.
constexpr int inverse_of_transpose(rewriter& r, int id) {
  int const source = flipped_form(r, r.g.input_of(id, 0));
  return source < 0 ? -1 : flip(r, r.make<op::matrix_inverse>({source}));
}
constexpr int inverse_of_diagonal(rewriter& r, int id) {
  int const x = r.g.input_of(id, 0), d = on_diagonal(r, x);
  return d < 0 ? -1
               : from_diagonal_like(r, r.make<op::div>({r.literal(1, r.g.type(d).element), d}), x);
}

/// dot(inv(a), b) solves with a, and so does dot(b, inv(a)) with its transpose.
constexpr int product_with_inverse(rewriter& r, int id) {
  graph& g = r.g;
  int const a = g.input_of(id, 0), b = g.input_of(id, 1);
  if (int const m = inverted(r, a); m >= 0) return r.make<op::solve>({m, b});
  int const m = inverted(r, b);
  if (m < 0) return -1;
  int const transposed = flip(r, m);
  if (g.type(a).rank == 1) return r.make<op::solve>({transposed, a});
  return flip(r, r.make<op::solve>({transposed, flip(r, a)}));
}
/// A product with a diagonal matrix scales rows or columns.
constexpr int product_with_diagonal(rewriter& r, int id) {
  graph& g = r.g;
  int const a = g.input_of(id, 0), b = g.input_of(id, 1);
  if (int const d = on_diagonal(r, a); d >= 0) return scaled_rows(r, identity<op::mul>(), b, d);
  int const d = on_diagonal(r, b);
  return d < 0 ? -1 : r.make<op::mul>({a, d});
}

/// Solving with a factor, with a product of factors, with an inverse, with a diagonal.
constexpr int solve_with_structure(rewriter& r, int id) {
  graph& g = r.g;
  int const a = g.input_of(id, 0), b = g.input_of(id, 1);
  if (applies<op::cholesky>(g, a)) return r.make<op::solve_triangular>({a, b}, {1, 0});
  if (is_upper_factor(g, a)) return r.make<op::solve_triangular>({a, b}, {0, 0});
  if (int const l = factor_of_product(g, a); l >= 0) {
    int const right = g.input_of(a, 1), half = r.make<op::solve_triangular>({l, b}, {1, 0});
    return r.make<op::solve_triangular>({right, half}, {0, 0});
  }
  if (int const m = inverted(r, a); m >= 0) return r.make<op::dot>({m, b});
  int const d = on_diagonal(r, a);
  return d < 0 ? -1 : scaled_rows(r, identity<op::div>(), b, d);
}
/// The determinant of a diagonal, a factor, and of a product of square matrices.
constexpr int det_with_structure(rewriter& r, int id) {
  graph& g = r.g;
  int const x = g.input_of(id, 0);
  if (int const d = on_diagonal(r, x); d >= 0) return reduced(r, identity<op::prod>(), d, 1);
  if (applies<op::cholesky>(g, x))
    return reduced(r, identity<op::prod>(), r.make<op::diagonal>({x, r.extent(x, 0)}, {0, 1, 0, 0}),
                   1);
  if (!g.is<op::dot>(x)) return -1;
  int const a = g.input_of(x, 0), b = g.input_of(x, 1);
  if (r.extent(a, 0) != r.extent(a, 1) || r.extent(b, 0) != r.extent(b, 1)) return -1;
  int const left = r.make<op::det>({a});
  return r.make<op::mul>({left, r.make<op::det>({b})});
}

/// The logarithm of a number of a magnitude whose logarithm is known: NaN where it is negative, and
/// with its angle as the imaginary part where it is complex.
constexpr int log_of_signed(rewriter& r, int sign, int size, element e) {
  if (is_complex(e)) return r.make<op::complex>({size, r.make<op::angle>({sign})});
  int const negative = r.make<op::lt>({sign, r.literal(0, e)});
  return r.make<op::where>(
      {negative, r.literal(std::numeric_limits<double>::quiet_NaN(), e), size});
}
/// The logarithm of a determinant, or of a product of them, by the logarithms of the pivots:
/// determinants leave the range early. log(abs(...)) is the same without the sign.
constexpr int log_of_det(rewriter& r, int id) {
  graph& g = r.g;
  int x = g.input_of(id, 0);
  bool const magnitude = g.is<op::abs>(x);
  if (magnitude) x = g.input_of(x, 0);
  list<int> factors{x}, signs, sizes;
  if (g.is<op::mul>(x)) factors = r.inputs(x);
  for (int factor : factors) {
    if (!applies<op::det>(g, factor)) return -1;
    int const both = r.with_outputs(g.apply<op::slogdet>({g.input_of(factor, 0)}));
    signs.push_back(r.settle(both));
    sizes.push_back(r.make<op::item>({both}, {1}));
  }
  auto const all = [&](op_info const* op, list<int> const& each) {
    return each.size() == 1 ? each[0] : r.make(op, each);
  };
  int const size = all(identity<op::add>(), sizes);
  if (magnitude) return size;
  return log_of_signed(r, all(identity<op::mul>(), signs), size, g.type(id).element);
}
/// The logarithm of a product of pivots is the sum of theirs, which are positive, also among
/// complex numbers.
constexpr int log_of_factors(rewriter& r, int id) {
  graph& g = r.g;
  int const x = g.input_of(id, 0);
  if (!g.is<op::prod>(x) || keeps_axes(g, x) || !applies<op::diagonal>(g, g.input_of(x, 0)) ||
      !applies<op::cholesky>(g, g.input_of(g.input_of(x, 0), 0)))
    return -1;
  return reduced(r, identity<op::sum>(), r.make<op::log>({g.input_of(x, 0)}), g.attribute(x, 0));
}

/// The diagonal of a product needs a row and a column for each element, and no product.
constexpr int diagonal_of_product(rewriter& r, int id) {
  graph& g = r.g;
  int const x = g.input_of(id, 0);
  if (!g.is<op::dot>(x) || g.type(x).rank != 2 || g.attribute(id, 2) != 0) return -1;
  int const zero = g.literal(0, element::int64), length = r.representative(g.input_of(id, 1));
  axis_selection const front{2, 1, zero, length};
  int const rows = r.settle(select(r, g.input_of(x, 0), {front, {}}));
  int const columns = r.settle(select(r, g.input_of(x, 1), {{}, front}));
  return reduced(r, identity<op::sum>(), r.make<op::mul>({rows, flip(r, columns)}), 2);
}

}  // namespace rules
}  // namespace kroton::rewrite
