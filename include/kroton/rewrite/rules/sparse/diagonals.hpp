// Rules of sparse matrices that are diagonal: products with them scale rows or columns.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/rewrite/rules/sparse/factors.hpp>

namespace kroton::rewrite::rules {

/// Whether an index vector is 0, 1 ... up to an extent.
constexpr bool counts_to(rewriter& r, int id, int extent) {
  graph& g = r.g;
  if (g.is<op::checked_indices>(id)) id = g.input_of(id, 0);
  if (g.is<op::cast>(id)) id = g.input_of(id, 0);
  return g.is<op::iota>(id) && r.extent(id, 0) == r.representative(extent);
}
/// Whether a pattern is the diagonal of a square matrix with as many lines as indices count.
constexpr bool is_diagonal(rewriter& r, line_pattern p, int inner) {
  inner = r.representative(inner);
  if (!counts_to(r, p.index, inner)) return false;
  return counts_to(r, p.start, r.make<op::add>({inner, r.g.literal(1, element::int64)}));
}

/// dot(d, x) is x with scaled rows, for a diagonal d.
constexpr int diagonal_times_dense(rewriter& r, int id) {
  auto const s = sparse_times_dense::of(r.g, id);
  if (r.g.type(s.values).rank != 1 || !is_diagonal(r, s.pattern, s.inner)) return -1;
  return r.make<op::mul>({as_column(r, s.values, s.dense), s.dense});
}

/// The bounds, the indices and the values of dot(d, a) and dot(a, d), for a diagonal d: those of a,
/// whose values are scaled.
constexpr int sparse_times_diagonal(rewriter& r, int id) {
  graph& g = r.g;
  bool const has_values = g.is<op::sparse_product>(id);
  int const first = has_values ? 2 : 0;
  line_pattern const a{g.input_of(id, first), g.input_of(id, first + 1)},
      b{g.input_of(id, first + 2), g.input_of(id, first + 3)};
  int const inner = g.input_of(id, has_values ? 8 : 4),
            between = r.make<op::add>({r.extent(b.start, 0), g.literal(-1, element::int64)});
  bool const is_first = is_diagonal(r, a, between);
  if (!is_first && !is_diagonal(r, b, inner)) return -1;
  line_pattern const p = is_first ? b : a;
  if (!has_values) return g.is<op::product_bounds>(id) ? p.start : p.index;
  if (p != line_pattern{g.input_of(id, 6), g.input_of(id, 7)}) return -1;
  int const diagonal = g.input_of(id, is_first ? 0 : 1), values = g.input_of(id, is_first ? 1 : 0),
            at = is_first ? lines_of(r, p) : indices_of(r, p);
  int const taken[] = {diagonal, at};
  long long const attributes[] = {1, 0};
  return r.make<op::mul>({values, r.make(identity<op::take>(), taken, attributes)});
}

/// Whether a number of lines is not greater than what indices count: it is that, or a minimum of
/// that and others.
constexpr bool is_at_most(rewriter& r, int count, int inner) {
  inner = r.representative(inner);
  if (r.representative(count) == inner) return true;
  bool found = false;
  if (r.g.is<op::minimum>(count))
    for (int i : r.g.inputs(count)) found = found || r.representative(i) == inner;
  return found;
}
/// The diagonal of the product of two sparse matrices needs no other element of it.
constexpr int diagonal_of_sparse_product(rewriter& r, int id) {
  graph& g = r.g;
  int placed = id, count = r.extent(id, 0);
  if (g.is<op::subtensor>(id)) {
    list<axis_selection> const axes = selection_of(g, id);
    if (axes.size() != 1 || axes[0].code != 2 || axes[0].step != 1 ||
        !g.is_literal(axes[0].first, 0))
      return -1;
    placed = g.input_of(id, 0);
  }
  if (!g.is<op::inc_take>(placed) || g[placed].input_count != 3 ||
      !g.is_literal(r.bare(g.input_of(placed, 0)), 0))
    return -1;
  int const kept = g.input_of(placed, 1), at = g.input_of(placed, 2);
  if (!g.is<op::where>(kept) || !g.is<op::line_numbers>(at)) return -1;
  int const condition = g.input_of(kept, 0), values = g.input_of(kept, 1);
  line_pattern const p{g.input_of(at, 0), g.input_of(at, 1)};
  if (!g.is<op::sparse_product>(values) || !g.is<op::eq>(condition) ||
      !g.is_literal(r.bare(g.input_of(kept, 2)), 0) ||
      p != line_pattern{g.input_of(values, 6), g.input_of(values, 7)})
    return -1;
  int const index = indices_of(r, p), first = g.input_of(condition, 0),
            second = g.input_of(condition, 1);
  bool const compares = (first == at && second == index) || (first == index && second == at);
  if (!compares || !is_at_most(r, count, g.input_of(values, 8))) return -1;
  auto const counted = [&](int n) { return r.cast(r.make<op::iota>({n}), element::int32); };
  list<int> inputs = r.inputs(values);
  inputs[6] = counted(count);
  inputs[7] = counted(r.make<op::add>({count, g.literal(1, element::int64)}));
  return r.make(identity<op::sparse_product>(), inputs);
}

}  // namespace kroton::rewrite::rules
