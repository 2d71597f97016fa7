// Matrices of which more is known than their elements: identities, orthogonal ones, and the
// diagonals of those and of triangles.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/rewrite/rules/triangular.hpp>

namespace kroton::rewrite::rules {

/// Whether the columns of a real matrix are orthonormal: those of qr and eigh, and the left ones of
/// svd; or the rows, as the right ones of svd are, and those of eigh. Those of a product are if
/// those of its factors are.
constexpr bool is_orthonormal(rewriter& r, int id, bool rows, int depth = 5) {
  graph& g = r.g;
  if (depth == 0 || is_complex(g.type(id).element)) return false;
  if (int const source = flipped_operand(g, id); source >= 0)
    return is_orthonormal(r, source, !rows, depth - 1);
  if (g.is<op::dot>(id) && g.type(g.input_of(id, 0)).rank == g.type(g.input_of(id, 1)).rank)
    return is_orthonormal(r, g.input_of(id, 0), rows, depth - 1) &&
           is_orthonormal(r, g.input_of(id, 1), rows, depth - 1);
  if (applies<op::qr>(g, id)) return !rows;
  if (!applies<op::item>(g, id)) return false;
  int const of = g.input_of(id, 0);
  bool const is_second = g.attribute(id, 0) == 1;  // of svd the values stand between the factors
  return applies<op::eigh>(g, of)  ? is_second
         : applies<op::svd>(g, of) ? (rows ? g.attribute(id, 0) == 2 : is_second)
                                   : false;
}
/// Of a square matrix that is the same.
constexpr bool is_orthogonal(rewriter& r, int id) {
  return is_orthonormal(r, id, false) || is_orthonormal(r, id, true);
}
/// Whether a matrix has as many rows as columns at every call: an output of eigh has no extents of
/// its own.
constexpr bool is_square(rewriter& r, int id) {
  graph& g = r.g;
  if (int const source = flipped_operand(g, id); source >= 0) return is_square(r, source);
  if (applies<op::item>(g, id) && applies<op::eigh>(g, g.input_of(id, 0))) return true;
  return r.extent(id, 0) == r.extent(id, 1);
}
/// Whether the product of two matrices is the identity: of one with orthonormal rows and its
/// transpose.
constexpr bool makes_identity(rewriter& r, int a, int b) {
  graph& g = r.g;
  if (g.type(a).rank != 2 || (flipped_operand(g, a) != b && flipped_operand(g, b) != a))
    return false;
  return is_orthonormal(r, a, true) || (is_orthonormal(r, a, false) && is_square(r, a));
}
/// A product with the identity, or of an orthogonal matrix and its transpose, also where one stands
/// next to the other in a product of three.
constexpr int product_with_identity(rewriter& r, int id) {
  graph& g = r.g;
  int const a = g.input_of(id, 0), b = g.input_of(id, 1);
  if (is_identity(r, a)) return b;
  if (is_identity(r, b)) return a;
  if (makes_identity(r, a, b)) return identity_in_place_of(r, id);
  if (g.is<op::dot>(a) && makes_identity(r, g.input_of(a, 1), b)) return g.input_of(a, 0);
  if (g.is<op::dot>(b) && makes_identity(r, a, g.input_of(b, 0))) return g.input_of(b, 1);
  return -1;
}
constexpr int solve_with_orthogonal(rewriter& r, int id) {
  graph& g = r.g;
  int const a = g.input_of(id, 0);
  if (is_complex(g.type(id).element) || !is_orthogonal(r, a)) return -1;
  return r.make<op::dot>({flip(r, a), g.input_of(id, 1)});
}
constexpr int inverse_of_orthogonal(rewriter& r, int id) {
  int const a = r.g.input_of(id, 0);
  return !is_complex(r.g.type(id).element) && is_orthogonal(r, a) ? flip(r, a) : -1;
}

/// A matrix whose columns are scaled by a vector, also by numbers; or -1.
struct scaled_columns {
  int matrix = -1, by = -1;
};
constexpr scaled_columns split_columns(rewriter& r, int id) {
  graph& g = r.g;
  scaled_columns found;
  list<int> scales;
  if (!g.is<op::mul>(id)) return found;
  for (int f : r.inputs(id)) {
    if (g.type(f).element != g.type(id).element) return {};
    if (g.type(f).rank < 2) scales.push_back(f);
    else if (found.matrix < 0 && g.type(f) == g.type(id)) found.matrix = f;
    else return {};
  }
  if (found.matrix >= 0)
    found.by = scales.size() == 1 ? scales[0] : r.make(identity<op::mul>(), scales);
  return found;
}
/// Whether solving with a matrix takes no factors: with triangles, orthogonal matrices, and those
/// with columns that are scaled.
constexpr bool is_solved_easily(rewriter& r, int id) {
  if (r.g.type(id).rank != 2) return false;
  int const m = split_columns(r, id).matrix, base = m >= 0 && is_orthogonal(r, m) ? m : id;
  return is_square(r, base) && (triangle_of(r, id) != no_part || is_orthogonal(r, base));
}
/// Solving with a product of such matrices, as l @ l.T and v @ diag(w) @ v.T are.
constexpr int solve_with_product(rewriter& r, int id) {
  graph& g = r.g;
  int const a = g.input_of(id, 0), b = g.input_of(id, 1);
  if (scaled_columns const c = split_columns(r, a); c.matrix >= 0 && is_orthogonal(r, c.matrix)) {
    int const solved = r.make<op::solve>({c.matrix, b});
    return g.type(c.by).rank == 0 ? r.make<op::div>({solved, c.by})
                                  : scaled_rows(r, identity<op::div>(), solved, c.by);
  }
  if (!g.is<op::dot>(a)) return -1;
  int const left = g.input_of(a, 0), right = g.input_of(a, 1);
  if (!is_solved_easily(r, left) || !is_solved_easily(r, right)) return -1;
  int const half = r.make<op::solve>({left, b});
  return r.make<op::solve>({right, half});
}
constexpr int inverse_of_product(rewriter& r, int id) {
  graph& g = r.g;
  int const a = g.input_of(id, 0);
  if (!g.is<op::dot>(a) || !is_solved_easily(r, g.input_of(a, 0)) ||
      !is_solved_easily(r, g.input_of(a, 1)))
    return -1;
  return r.make<op::solve>({a, identity_in_place_of(r, a)});
}

/// Whether a comparison of the numbers of rows and columns holds on the main diagonal; -1 for any
/// other condition.
constexpr int holds_on_diagonal(graph const& g, int c) {
  bool const holds = g.is<op::eq>(c) || g.is<op::le>(c);
  if (!holds && !g.is<op::lt>(c) && !g.is<op::neq>(c)) return -1;
  int rows = 0, columns = 0;
  for (int i : g.inputs(c)) {
    bool const row = g.is<op::dimshuffle>(i) && g[i].attribute_count == 2 &&
                     g.attribute(i, 0) == 0 && g.attribute(i, 1) == -1;
    if (!applies<op::iota>(g, row ? g.input_of(i, 0) : i)) return -1;
    ++(row ? rows : columns);
  }
  return rows != 1 || columns != 1 ? -1 : holds ? 1 : 0;
}
/// The main diagonal of a diagonal matrix, an identity, and of a choice by the numbers of rows and
/// columns, as triangles are.
constexpr int known_diagonal(rewriter& r, int id, int like) {
  graph& g = r.g;
  if (g.type(id).rank != 2) return -1;
  if (int const d = on_diagonal(r, id); d >= 0) return d;
  if (g.is<op::cast>(id)) {
    int const holds = holds_on_diagonal(g, g.input_of(id, 0));
    return holds < 0 ? -1 : r.literal(holds, g.type(id).element);
  }
  int const holds = g.is<op::where>(id) ? holds_on_diagonal(g, g.input_of(id, 0)) : -1;
  if (holds < 0) return -1;
  int const kept = r.bare(g.input_of(id, holds == 1 ? 1 : 2));
  if (g.type(kept).rank == 0) return kept;
  if (g.type(kept) != g.type(id)) return -1;
  return r.make(identity<op::diagonal>(), list<int>{kept, g.input_of(like, 1)},
                r.attributes(like));
}
/// The diagonal of a transpose lies on the other side; others may be known.
constexpr int diagonal_of_view(rewriter& r, int id) {
  graph& g = r.g;
  int const x = g.input_of(id, 0);
  if (g.type(x).rank != 2) return -1;
  list<long long> attributes = r.attributes(id);
  if (int const source = flipped_operand(g, x); source >= 0) {
    attributes[2] = -attributes[2];
    return r.make(identity<op::diagonal>(), list<int>{source, g.input_of(id, 1)}, attributes);
  }
  return attributes[2] == 0 ? known_diagonal(r, x, id) : -1;
}
/// The diagonal of a sum or a product of matrices of which some have a diagonal that is known.
constexpr int diagonal_of_elementwise(rewriter& r, int id) {
  graph& g = r.g;
  int const x = g.input_of(id, 0);
  if (!(g.is<op::add>(x) || g.is<op::mul>(x)) || g.attribute(id, 2) != 0 || g.type(x).rank != 2)
    return -1;
  bool any = false;
  list<int> operands = r.inputs(x);
  for (int& o : operands) {
    if (g.type(o).rank == 0) continue;
    if (g.type(o) != g.type(x)) return -1;
    o = r.make(identity<op::diagonal>(), list<int>{o, g.input_of(id, 1)}, r.attributes(id));
    any = any || !applies<op::diagonal>(g, o);
  }
  return any ? r.make(g[x].op, operands) : -1;
}

}  // namespace kroton::rewrite::rules
