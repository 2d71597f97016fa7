// Rules of matrix products: scalars leave, transposes and indices enter, zeros and extents of 1
// need no product.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/rewrite/form/multiple.hpp>
#include <kroton/rewrite/rules/view.hpp>

#include <bit>

namespace kroton::rewrite::rules {

/// dot(c * x, y) is c * dot(x, y) for scalars c.
constexpr int dot_of_multiple(rewriter& r, int id) {
  graph& g = r.g;
  list<int> scalars, operands = r.inputs(id);
  for (int& o : operands) {
    if (g.is<op::add>(o)) {
      summand const t = split_multiple(r, o);
      if (t.node != o) scalars.push_back(r.literal(t.times));
      o = t.node;
    }
    if (!g.is<op::mul>(o)) continue;
    list<int> rest;
    for (int f : r.inputs(o)) (g.type(f).rank == 0 ? scalars : rest).push_back(f);
    if (rest.size() < g[o].input_count && !rest.empty())
      o = rest.size() == 1 ? rest[0] : r.make(identity<op::mul>(), rest);
  }
  if (scalars.empty()) return -1;
  scalars.push_back(r.make<op::dot>({operands[0], operands[1]}));
  return r.make(identity<op::mul>(), scalars);
}

/// Part of a product is the product of parts: dot(a, b)[i, j] reads one row and one column.
constexpr int part_of_dot(rewriter& r, int id) {
  graph& g = r.g;
  int const x = g.input_of(id, 0);
  if (!g.is<op::dot>(x)) return -1;
  list<axis_selection> const axes = selection_of(g, id);
  int const a = g.input_of(x, 0), b = g.input_of(x, 1);
  list<axis_selection> left(g.type(a).rank, {}), right(g.type(b).rank, {});
  int next = 0;
  if (g.type(a).rank == 2) left[0] = axes[next++];
  if (g.type(b).rank == 2) right[1] = axes[next++];
  int const rows = r.settle(select(r, a, left));
  return r.make<op::dot>({rows, r.settle(select(r, b, right))});
}

/// A product with zeros is zeros.
constexpr int dot_with_zeros(rewriter& r, int id) {
  graph& g = r.g;
  for (int o : r.inputs(id))
    if (g.is<op::alloc>(o) && g.is_literal(r.bare(o), 0)) return r.literal(0, g.type(id).element);
  return -1;
}

/// A product that sums over one element only is an elementwise one.
constexpr int dot_over_one(rewriter& r, int id) {
  graph& g = r.g;
  int const a = g.input_of(id, 0), b = g.input_of(id, 1);
  if (!g.type(a).broadcasts(g.type(a).rank - 1) && !g.type(b).broadcasts(0)) return -1;
  list<long long> left, right;
  if (g.type(a).rank == 2) left.push_back(0);
  if (g.type(b).rank == 2) right.push_back(1);
  if (g.type(a).rank == 2 && g.type(b).rank == 2) left.push_back(-1);
  if (!g.type(a).broadcasts(g.type(a).rank - 1) || !g.type(b).broadcasts(0)) return -1;
  int const column = make_view(r, a, left);
  return r.make<op::mul>({column, make_view(r, b, right)});
}

/// A product with one row or one column is that of a vector, as a row or a column.
constexpr int dot_of_column(rewriter& r, int id) {
  graph& g = r.g;
  int const a = g.input_of(id, 0), b = g.input_of(id, 1);
  bool const row = g.type(a).rank == 2 && g.type(a).broadcasts(0);
  bool const column = g.type(b).rank == 2 && g.type(b).broadcasts(1);
  if (!row && !column) return -1;
  list<long long> axes;
  int next = 0;
  if (g.type(a).rank == 2) axes.push_back(row ? -1 : next++);
  if (g.type(b).rank == 2) axes.push_back(column ? -1 : next++);
  int const left = row ? make_view(r, a, {1}) : a;
  int const right = column ? make_view(r, b, {0}) : b;
  return make_view(r, r.make<op::dot>({left, right}), axes);
}

/// A product with what is the same along one of its axes is one with a vector, or a sum, which are
/// then the same along an axis too.
constexpr int dot_of_repeated(rewriter& r, int id) {
  graph& g = r.g;
  for (int side : {0, 1}) {
    int const o = g.input_of(id, side), other = g.input_of(id, 1 - side);
    if (!g.is<op::alloc>(o) || !is_continuous(g.type(id).element)) continue;
    int const v = r.bare(o), rank = g.type(o).rank, own = g.type(v).rank,
              summed = side == 0 ? rank - 1 : 0;
    bool const is_summed = g.type(v).spans(summed, rank),
               is_free = rank == 2 && g.type(v).spans(1 - summed, rank);
    if (is_summed && (is_free || rank == 1)) continue;
    list<long long> column;  // the axes of a matrix whose rows are all that is left
    column.push_back(0);
    column.push_back(-1);
    bool const has_rows = side == 1 && g.type(other).rank == 2;
    if (is_summed) {
      int const vector = make_view(r, v, {side == 1 ? 0 : own - 1});
      int const product = side == 0 ? r.make<op::dot>({vector, other})
                                    : r.make<op::dot>({other, vector});
      return has_rows ? make_view(r, product, column) : product;
    }
    int const over = side == 0 ? 0 : g.type(other).rank - 1;
    int const sum = r.make<op::sum>({other}, {1ll << over, 0});
    // Of the axis that is left: a row of the right factor, a column of the left one.
    bool const is_column = side == 0 && g.type(other).rank == 2;
    int const value = !is_free    ? make_view(r, v, {})
                      : is_column ? v
                                  : make_view(r, v, {side == 0 ? 0 : own - 1});
    return r.make<op::mul>({has_rows && rank == 2 ? make_view(r, sum, column) : sum, value});
  }
  return -1;
}

/// A batch of products that sum over one element only is an elementwise product.
constexpr int batched_dot_over_one(rewriter& r, int id) {
  graph& g = r.g;
  int const a = g.input_of(id, 0), b = g.input_of(id, 1);
  if (!is_float(g.type(id).element) || !g.type(a).broadcasts(2) || !g.type(b).broadcasts(1))
    return -1;
  return r.make<op::mul>({a, b});
}

/// Whether loops compute a node of three axes, or that of which it is a view, of arrays of which
/// each lacks one of them, as they do the differences of all pairs of points.
constexpr bool is_made_of_smaller(graph const& g, int id) {
  while (g.is<op::dimshuffle>(id)) id = g.input_of(id, 0);
  list<int> nodes{id};
  list<bool> seen(g.size(), false);
  for (int k = 0; k < nodes.size(); ++k) {
    if (!g[nodes[k]].op->elementwise || g[nodes[k]].input_count == 0) return false;
    for (int i : g.inputs(nodes[k])) {
      bool const is_smaller = g.type(i).rank - std::popcount(g.type(i).broadcast) < 3;
      if (!is_smaller && !seen[i]) nodes.push_back(i);
      seen[i] = true;
    }
  }
  return true;
}
/// A batch of products of one row, or with one column, reads each element of the matrices once. It
/// is a sum in the loop that computes these, where that reads much less than it makes.
constexpr int batched_dot_of_row(rewriter& r, int id) {
  graph& g = r.g;
  int const a = g.input_of(id, 0), b = g.input_of(id, 1);
  bool const row = g.type(a).broadcasts(1), column = g.type(b).broadcasts(2);
  if (!is_float(g.type(id).element) || row == column || !is_made_of_smaller(g, row ? b : a))
    return -1;
  int const vector = row ? make_view(r, a, {0, 2, -1}) : make_view(r, b, {0, -1, 1});
  int const product = r.make<op::mul>({vector, row ? b : a});
  int const sum = r.make<op::sum>({product}, {row ? 2 : 4, 0});
  return row ? make_view(r, sum, {0, -1, 1}) : make_view(r, sum, {0, 1, -1});
}

}  // namespace kroton::rewrite::rules
