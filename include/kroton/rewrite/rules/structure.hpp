// Matrices of which more is known than their elements: identities, orthogonal ones, and the
// diagonals of those and of triangles.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/rewrite/rules/triangular.hpp>

namespace kroton::rewrite::rules {

/// Whether the columns of a real matrix are orthonormal: those of qr and eigh, and the left ones of
/// svd; or the rows, as the right ones of svd are.
constexpr bool is_orthonormal(rewriter& r, int id, bool rows) {
  graph& g = r.g;
  if (int const source = flipped_operand(g, id); source >= 0)
    return is_orthonormal(r, source, !rows);
  if (applies<op::qr>(g, id)) return !rows;
  if (!applies<op::item>(g, id)) return false;
  int const of = g.input_of(id, 0);
  long long const output = g.attribute(id, 0);  // of svd the values stand first
  return rows ? applies<op::svd>(g, of) && output == 2
              : (applies<op::svd>(g, of) || applies<op::eigh>(g, of)) && output == 1;
}
/// Of a square matrix that is the same.
constexpr bool is_orthogonal(rewriter& r, int id) {
  return is_orthonormal(r, id, false) || is_orthonormal(r, id, true);
}
/// A product with the identity, or of an orthogonal matrix and its transpose.
constexpr int product_with_identity(rewriter& r, int id) {
  graph& g = r.g;
  int const a = g.input_of(id, 0), b = g.input_of(id, 1);
  if (is_identity(r, a)) return b;
  if (is_identity(r, b)) return a;
  if (is_complex(g.type(id).element) || g.type(id).rank != 2) return -1;
  if (flipped_operand(g, a) != b && flipped_operand(g, b) != a) return -1;
  bool const square = r.extent(a, 0) == r.extent(a, 1);
  if (!is_orthonormal(r, a, true) && !(square && is_orthonormal(r, a, false))) return -1;
  return identity_in_place_of(r, id);
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
