// Rules of sums and sparse matrices: sums of matrices in products, sums of products, and what
// gradients add up by rows and columns.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/rewrite/rules/sparse/chains.hpp>

namespace kroton::rewrite::rules {

/// The output of united_indices that gives the places of the first (1) or second (2) matrix, or 0.
constexpr int matrix_of_places(graph const& g, int at, line_pattern united) {
  bool const is_one = g.is<op::item>(at) && g.input_of(at, 0) == united.index;
  return is_one ? static_cast<int>(g.attribute(at, 0)) : 0;
}

/// dot(a + b, x) is dot(a, x) + dot(b, x), for matrices of different patterns.
constexpr int product_of_sparse_sum(rewriter& r, int id) {
  graph& g = r.g;
  auto const s = sparse_times_dense::of(g, id);
  two_patterns const of = two_patterns::of_union(g, s.pattern);
  if (!of.first.exists()) return -1;
  list<int> terms;
  int values = s.values;
  for (; g.is<op::inc_take>(values); values = g.input_of(values, 0)) {
    int const which =
        g[values].input_count == 3 ? matrix_of_places(g, g.input_of(values, 2), s.pattern) : 0;
    if (which == 0) return -1;
    line_pattern const p = which == 1 ? of.first : of.second;
    int own = g.input_of(values, 1);
    if (g.type(own).rank == 0) own = r.make<op::alloc>({own, r.extent(p.index, 0)});
    terms.push_back(sparse_times_dense{own, s.dense, p, s.inner, s.is_by_lines}.made(r));
  }
  if (terms.empty() || !g.is_literal(r.bare(values), 0)) return -1;
  return terms.size() == 1 ? terms[0] : r.make(identity<op::add>(), terms);
}
/// The gradient of a sum by one of the matrices: elements of a product at its places.
constexpr int sampling_of_union(rewriter& r, int id) {
  graph& g = r.g;
  int const at = g[id].input_count == 2 ? g.input_of(id, 1) : -1;
  if (at < 0 || !g.is<op::item>(at) || !g.is<op::united_indices>(g.input_of(at, 0))) return -1;
  int const united = g.input_of(at, 0);
  // The bounds of the union are those that its indices were counted by.
  for (int x = g.input_of(id, 0), depth = 0; depth < most_unshuffled; ++depth) {
    if (g.is<op::sampling>(x)) {
      line_pattern const p{g.input_of(x, 2), g.input_of(x, 3)};
      two_patterns const of = two_patterns::of_union(g, p);
      int const which = of.first.exists() ? matrix_of_places(g, at, p) : 0;
      if (p.index != united || which == 0) return -1;
      return pattern_change{p, which == 1 ? of.first : of.second, false}.values(r,
                                                                                g.input_of(id, 0));
    }
    if (!g[x].op->elementwise || g[x].input_count == 0) return -1;
    int next = -1;
    for (int i : g.inputs(x))
      if (g.type(i).rank == 1) next = i;
    if (next < 0) return -1;
    x = next;
  }
  return -1;
}

/// The gradient by the values of a matrix, of one that was made of it by lines of the other kind.
constexpr int values_turned_back(rewriter& r, int id) {
  graph& g = r.g;
  if (g[id].input_count != 3 || !g.is_literal(r.bare(g.input_of(id, 0)), 0)) return -1;
  int const at = g.input_of(id, 2), node = g.is<op::item>(at) ? g.input_of(at, 0) : -1;
  if (node < 0 || !g.is<op::turned_pattern>(node) || g.attribute(at, 0) != 2) return -1;
  int const index = r.make<op::item>({node}, {1});
  line_pattern const from{index, node}, to{g.input_of(node, 0), g.input_of(node, 1)};
  return pattern_change{from, to, true}.values(r, g.input_of(id, 1));
}

/// What is added up by rows or by columns of elements of dot(u, v.T()), times others, is u times
/// the product of the others with v, or the other way around: the gradients of factors.
constexpr int sums_of_sampling(rewriter& r, int id) {
  graph& g = r.g;
  if (g[id].input_count != 3 || g.attribute(id, 0) != 1 || g.type(id).rank != 1) return -1;
  int const base = g.input_of(id, 0), at = g.input_of(id, 2), values = g.input_of(id, 1);
  list<int> factors{values};
  if (g.is<op::mul>(values)) factors = r.inputs(values);
  for (int k = 0; k < factors.size(); ++k) {
    int const f = factors[k];
    if (!g.is<op::sampling>(f)) continue;
    line_pattern const p{g.input_of(f, 2), g.input_of(f, 3)};
    bool const by_lines = at == lines_of(r, p);
    if (!by_lines && at != indices_of(r, p)) continue;
    factors.erase(k);
    int const left = g.input_of(f, 0), right = g.input_of(f, 1), own = by_lines ? left : right,
              other = by_lines ? right : left;
    int const rest = r.conform(values_of(r, factors, g.type(f).element, p), f);
    sparse_times_dense const s{rest, other, p, r.extent(right, 0), by_lines};
    int result = scaled_result(r, s.made(r), list<int>{own});
    if (g.type(own).rank == 2) result = reduced(r, identity<op::sum>(), result, 2);
    return g.is_literal(r.bare(base), 0) ? result : r.make<op::add>({base, result});
  }
  return -1;
}

/// The sum of all values of a product of sparse matrices is the product of sums.
constexpr int sum_of_sparse_product(rewriter& r, int id) {
  graph& g = r.g;
  int const x = g.input_of(id, 0);
  element const e = g.type(x).element;
  if (keeps_axes(g, id) || g.type(id).element != e) return -1;
  if (!g.is<op::sparse_product>(x)) return -1;
  sparse_factor_pair const f = factors_of_product(r, x, {g.input_of(x, 6), g.input_of(x, 7)});
  if (!f.exists) return -1;
  int const left = f.first.transposed_times(
      r,
      ones(r, e,
           r.make<op::add>({r.extent(f.first.pattern.start, 0), g.literal(-1, element::int64)})));
  return r.make<op::dot>({left, f.second.times(r, ones(r, e, f.second.inner))});
}
/// The sum of what values are added to is the sum of both.
constexpr int sum_of_added_values(rewriter& r, int id) {
  graph& g = r.g;
  int const x = g.input_of(id, 0);
  if (keeps_axes(g, id) || !g.is<op::inc_take>(x) || g.type(x).rank != 1) return -1;
  // Only what rules made of patterns: indices of others are checked where they are used.
  int const at = g.input_of(x, 2), of = g.is<op::item>(at) ? g.input_of(at, 0) : at;
  if (!g.is<op::united_indices>(of) && !g.is<op::line_numbers>(of)) return -1;
  // A value that broadcasts is added more than once.
  tensor_type const value = g.type(g.input_of(x, 1)), index = g.type(g.input_of(x, 2));
  if (value.rank != 1 || index.rank != 1 || value.broadcast != 0) return -1;
  int const base = reduced(r, identity<op::sum>(), g.input_of(x, 0), 1);
  return r.make<op::add>({base, reduced(r, identity<op::sum>(), g.input_of(x, 1), 1)});
}

}  // namespace kroton::rewrite::rules
