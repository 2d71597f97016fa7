// Triangles and identities, as tril, triu and eye write them: determinants, solutions and inverses
// of them need no factors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/shapes/creation.hpp>
#include <kroton/rewrite/rules/linalg.hpp>

namespace kroton::rewrite::rules {

/// What counts the rows or the columns of a square matrix of this extent: 0 for columns, 1 for
/// rows, -1 for anything else.
constexpr int counted_axis(rewriter& r, int id, int side) {
  graph& g = r.g;
  bool rows = false;
  if (g.is<op::dimshuffle>(id)) {
    int const rank = g[id].attribute_count;
    rows = rank == 2 && g.attribute(id, 0) == 0 && g.attribute(id, 1) == -1;
    bool const columns = rank == 2 && g.attribute(id, 0) == -1 && g.attribute(id, 1) == 0;
    if (!rows && !columns) return -1;
    id = g.input_of(id, 0);
  }
  if (!applies<op::iota>(g, id) || r.representative(g.input_of(id, 0)) != side) return -1;
  return rows ? 1 : 0;
}
/// Whether a node is the identity matrix.
constexpr bool is_identity(rewriter& r, int id) {
  graph& g = r.g;
  if (!g.is<op::cast>(id) || g.type(id).rank != 2 || !g.is<op::eq>(g.input_of(id, 0))) return false;
  int const c = g.input_of(id, 0), side = r.extent(id, 0);
  if (side != r.extent(id, 1)) return false;
  int const first = counted_axis(r, g.input_of(c, 0), side),
            second = counted_axis(r, g.input_of(c, 1), side);
  return first >= 0 && second >= 0 && first != second;
}
/// Outside which triangles of a square matrix there are zeros; of a diagonal matrix outside of
/// both.
using matrix_part = int;
inline constexpr matrix_part no_part = 0, lower_part = 1, upper_part = 2, diagonal_part = 3;
/// The triangle that a choice by the numbers of rows and columns keeps.
constexpr matrix_part kept_triangle(rewriter& r, int id) {
  graph& g = r.g;
  int const side = r.extent(id, 0);
  if (side != r.extent(id, 1)) return no_part;
  int const c = g.input_of(id, 0), kept = g.is_literal(r.bare(g.input_of(id, 2)), 0) ? 1 : 2;
  if (!g.is_literal(r.bare(g.input_of(id, 3 - kept)), 0) || !(g.is<op::le>(c) || g.is<op::lt>(c)))
    return no_part;
  int const first = counted_axis(r, g.input_of(c, 0), side),
            second = counted_axis(r, g.input_of(c, 1), side);
  // Where the condition holds on the diagonal, the branch taken has it; else the other one.
  if (first < 0 || second < 0 || first == second || g.is<op::le>(c) != (kept == 1)) return no_part;
  return (first == 0) == (kept == 1) ? lower_part : upper_part;
}
/// Whether a node is the factor r of qr.
constexpr bool is_triangular_factor(graph const& g, int id) {
  return applies<op::item>(g, id) && g.attribute(id, 0) == 1 &&
         applies<op::qr>(g, g.input_of(id, 0));
}
/// The triangles of a square matrix outside which a node has zeros: of a factor, of what tril, triu
/// and diag give, of their inverses and cofactors, of products of these with anything element by
/// element, and of sums and matrix products of them.
constexpr matrix_part triangle_of(rewriter& r, int id, int depth = 5) {
  graph& g = r.g;
  if (g.type(id).rank != 2 || depth == 0) return no_part;
  if (applies<op::cholesky>(g, id)) return lower_part;
  if (is_upper_factor(g, id) || is_triangular_factor(g, id)) return upper_part;
  if (is_identity(r, id) || on_diagonal(r, id) >= 0) return diagonal_part;
  if (g.is<op::where>(id)) return kept_triangle(r, id);
  if (int const source = flipped_operand(g, id); source >= 0) {
    matrix_part const part = triangle_of(r, source, depth - 1);
    return part == lower_part || part == upper_part ? diagonal_part - part : part;
  }
  if (applies<op::solve_triangular>(g, id) && is_identity(r, g.input_of(id, 1)))
    return g.attribute(id, 0) != 0 ? lower_part : upper_part;
  if (applies<op::cofactors>(g, id)) {
    matrix_part const part = triangle_of(r, g.input_of(id, 0), depth - 1);
    return part == lower_part || part == upper_part ? diagonal_part - part : part;
  }
  bool const product = g.is<op::mul>(id), all = g.is<op::add>(id) || g.is<op::dot>(id);
  if (!product && !all) return no_part;
  matrix_part common = all ? diagonal_part : no_part;
  for (int i : r.inputs(id)) {
    matrix_part const part =
        g.is<op::dot>(id) || g.type(i) == g.type(id) ? triangle_of(r, i, depth - 1) : no_part;
    common = all ? common & part : common | part;
    if (common == (all ? no_part : diagonal_part)) break;
  }
  return common;
}
/// The identity matrix in the place of a square one.
constexpr int identity_in_place_of(rewriter& r, int id) {
  graph& g = r.g;
  int const columns = r.make<op::iota>({r.extent(id, 0)}),
            rows = make_view(r, columns, list<long long>{0, -1});
  return r.cast(r.make<op::eq>({rows, columns}), g.type(id).element);
}
constexpr int main_diagonal(rewriter& r, int x) {
  return r.make(identity<op::diagonal>(), list<int>{x, r.extent(x, 0)},
                list<long long>{0, 1, 0, 0});
}

/// Of a triangle, the same triangle is the whole, and the other one has a diagonal alone.
constexpr int triangle_of_triangle(rewriter& r, int id) {
  graph& g = r.g;
  if (g.type(id).rank != 2) return -1;
  matrix_part const kept = kept_triangle(r, id);
  if (kept == no_part) return -1;
  int const x = g.input_of(id, g.is_literal(r.bare(g.input_of(id, 2)), 0) ? 1 : 2);
  matrix_part const part = g.type(x) == g.type(id) ? triangle_of(r, x) : no_part;
  if ((part & kept) == kept) return x;
  if (part == no_part) return -1;
  int const side = r.extent(id, 0);
  return r.make(identity<op::from_diagonal>(), list<int>{main_diagonal(r, x), side, side},
                list<long long>{0, 1, 0, 0});
}
/// For each element of a vector the product of the others, of which some may be 0.
constexpr int products_of_others(rewriter& r, int d) {
  element const e = r.g.type(d).element;
  int const none = r.literal(0, e), is_zero = r.make<op::eq>({d, none}),
            count = reduced(r, identity<op::sum>(), r.cast(is_zero, element::int64), 1),
            factors = r.make<op::where>({is_zero, r.literal(1, e), d}),
            product = reduced(r, identity<op::prod>(), factors, 1);
  auto const if_zeros_are = [&](int number, int value) {
    int const are = r.make<op::eq>({count, r.literal(number, element::int64)});
    return r.make<op::where>({are, value, none});
  };
  return r.make<op::where>({is_zero, if_zeros_are(1, product),
                            if_zeros_are(0, r.make<op::div>({product, factors}))});
}
/// The diagonal of the inverse of a triangle, and that of its cofactors.
constexpr int diagonal_of_inverse_of_triangle(rewriter& r, int id) {
  graph& g = r.g;
  int const x = g.input_of(id, 0);
  bool const is_main = g.type(x).rank == 2 && g.attribute(id, 2) == 0,
             inverts = is_main && applies<op::solve_triangular>(g, x) &&
                       is_identity(r, g.input_of(x, 1)) && g.attribute(x, 1) == 0,
             differentiates = is_main && applies<op::cofactors>(g, x);
  if (!inverts && !differentiates) return -1;
  int const a = g.input_of(x, 0);
  if (inverts) return r.make<op::div>({r.literal(1, g.type(a).element), main_diagonal(r, a)});
  return triangle_of(r, a) == no_part ? -1 : products_of_others(r, main_diagonal(r, a));
}

/// The determinant of a triangle is the product of its diagonal.
constexpr int det_of_triangle(rewriter& r, int id) {
  int const x = r.g.input_of(id, 0);
  if (is_identity(r, x)) return r.literal(1, r.g.type(id).element);
  if (triangle_of(r, x) == no_part) return -1;
  return reduced(r, identity<op::prod>(), main_diagonal(r, x), 1);
}
constexpr int solved_triangle(rewriter& r, int a, int b) {
  matrix_part const part = triangle_of(r, a);
  if (part == no_part) return -1;
  return r.make<op::solve_triangular>({a, b}, {part != upper_part, 0});
}
constexpr int solve_with_triangle(rewriter& r, int id) {
  int const a = r.g.input_of(id, 0), b = r.g.input_of(id, 1);
  return is_identity(r, a) ? b : solved_triangle(r, a, b);
}
constexpr int inverse_of_triangle(rewriter& r, int id) {
  int const a = r.g.input_of(id, 0);
  return is_identity(r, a) ? a : solved_triangle(r, a, identity_in_place_of(r, a));
}
/// A product with the inverse of a triangle solves with it.
constexpr int product_with_inverse_of_triangle(rewriter& r, int id) {
  graph& g = r.g;
  int const a = g.input_of(id, 0), b = g.input_of(id, 1);
  auto is_inverse = [&](int x) {
    return applies<op::solve_triangular>(g, x) && is_identity(r, g.input_of(x, 1));
  };
  if (is_inverse(a))
    return r.make<op::solve_triangular>({g.input_of(a, 0), b},
                                        {g.attribute(a, 0), g.attribute(a, 1)});
  if (!is_inverse(b)) return -1;
  int const transposed = flip(r, g.input_of(b, 0)), left = g.type(a).rank == 1 ? a : flip(r, a);
  int const solved =
      r.make<op::solve_triangular>({transposed, left}, {g.attribute(b, 0) == 0, g.attribute(b, 1)});
  return g.type(a).rank == 1 ? solved : flip(r, solved);
}
/// The sign of the determinant of a triangle, and the logarithm of its absolute value: the two
/// outputs of slogdet.
constexpr int sign_of_triangle(rewriter& r, int id) {
  int const a = r.g.input_of(id, 0);
  if (is_identity(r, a)) return r.literal(1, r.g.type(id).element);
  if (triangle_of(r, a) == no_part) return -1;
  return reduced(r, identity<op::prod>(), r.make<op::sgn>({main_diagonal(r, a)}), 1);
}
constexpr int log_of_triangle(rewriter& r, int id) {
  graph& g = r.g;
  int const x = g.input_of(id, 0);
  if (!applies<op::slogdet>(g, x) || g.attribute(id, 0) != 1) return -1;
  int const a = g.input_of(x, 0);
  if (!is_identity(r, a) && triangle_of(r, a) == no_part) return -1;
  return reduced(r, identity<op::sum>(), r.make<op::log>({r.make<op::abs>({main_diagonal(r, a)})}),
                 1);
}
/// The Cholesky factor of the identity.
constexpr int cholesky_of_identity(rewriter& r, int id) {
  int const a = r.g.input_of(id, 0);
  return is_identity(r, a) ? a : -1;
}
/// The logarithm of a product of a diagonal by the logarithms of its elements: a determinant
/// overflows early. NaN where it is negative.
constexpr int log_of_diagonal(rewriter& r, int id) {
  graph& g = r.g;
  int x = g.input_of(id, 0);
  element const e = g.type(id).element;
  bool const magnitude = g.is<op::abs>(x);
  if (magnitude) x = g.input_of(x, 0);
  if (!is_float(e) || !g.is<op::prod>(x) || keeps_axes(g, x) ||
      !applies<op::diagonal>(g, g.input_of(x, 0)))
    return -1;
  int const d = g.input_of(x, 0);
  int const size =
      reduced(r, identity<op::sum>(), r.make<op::log>({r.make<op::abs>({d})}), g.attribute(x, 0));
  if (magnitude) return size;
  int const sign = reduced(r, identity<op::prod>(), r.make<op::sgn>({d}), g.attribute(x, 0));
  int const negative = r.make<op::lt>({sign, r.literal(0, e)});
  return r.make<op::where>(
      {negative, r.literal(std::numeric_limits<double>::quiet_NaN(), e), size});
}

}  // namespace kroton::rewrite::rules
