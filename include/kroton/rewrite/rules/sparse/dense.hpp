// Rules of sparse matrices among dense ones: products of which few elements are read, and factors
// of which few elements are not 0.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/rewrite/rules/linalg.hpp>
#include <kroton/rewrite/rules/sparse/patterns.hpp>

namespace kroton::rewrite {

constexpr bool has_sparse(graph const& g) {
  return g.has<op::line_numbers, op::csr_dot, op::csr_transposed_dot, op::sampling,
               op::sparse_product, op::united_indices>();
}

namespace rules {

/// A pattern whose places are read or written in a matrix, by its rows or by its columns.
struct dense_places {
  line_pattern pattern{};
  bool by_rows = true;

  constexpr bool exist() const { return pattern.exists(); }
};
/// The pattern that two index vectors are of: the number of its line for each value, and its index.
constexpr dense_places places_of(graph const& g, int row, int column) {
  for (bool by_rows : {true, false}) {
    int const line = by_rows ? row : column, other = by_rows ? column : row;
    if (!g.is<op::line_numbers>(line) || !g.is<op::cast>(other)) continue;
    if (g.input_of(other, 0) == g.input_of(line, 0))
      return {{g.input_of(line, 0), g.input_of(line, 1)}, by_rows};
  }
  return {};
}
/// Whether a node selects, by the operands from `first` on, single elements of a matrix.
constexpr bool selects_elements(graph const& g, int id, int first) {
  return g[id].input_count == first + 2 && g.attribute(id, 0) == 3;
}

/// The elements of a product at the places of a pattern need a row and a column each, and no
/// product. Rules do not see readers: a product that others read too is computed besides.
/// (theano.sparse: sampling_dot)
constexpr int product_on_pattern(rewriter& r, int id) {
  graph& g = r.g;
  int const x = g.input_of(id, 0);
  if (!g.is<op::dot>(x) || g.type(x).rank != 2 || !selects_elements(g, id, 1)) return -1;
  dense_places const at = places_of(g, g.input_of(id, 1), g.input_of(id, 2));
  if (!at.exist()) return -1;
  int const rows = g.input_of(x, 0), columns = flip(r, g.input_of(x, 1));
  return sampled(r, at.by_rows ? rows : columns, at.by_rows ? columns : rows, at.pattern);
}

/// The elements of a function, at the places of a pattern, are the function of such elements: few.
constexpr int function_on_pattern(rewriter& r, int id) {
  graph& g = r.g;
  int const x = g.input_of(id, 0);
  if (!g[x].op->elementwise || g[x].input_count == 0 || !selects_elements(g, id, 1)) return -1;
  int const row = g.input_of(id, 1), column = g.input_of(id, 2);
  if (!places_of(g, row, column).exist()) return -1;
  list<int> operands = r.inputs(x);
  for (int& o : operands) {
    tensor_type const t = g.type(o);
    bool const has_rows = t.spans(0, 2), has_columns = t.spans(1, 2);
    if (t.rank == 0) continue;
    list<long long> axes;
    if (has_rows) axes.push_back(0);
    if (has_columns) axes.push_back(t.rank - 1);
    list<int> inputs{make_view(r, o, axes)};
    if (has_rows) inputs.push_back(row);
    if (has_columns) inputs.push_back(column);
    if (axes.empty()) {
      o = inputs[0];
      continue;
    }
    long long const attributes[] = {(1ll << axes.size()) - 1, 0};
    o = r.make(identity<op::take>(), inputs, attributes);
  }
  return pattern_change::function_of(r, x, operands);
}

/// The product of a matrix that is 0 but for the values of a pattern is that of a sparse one.
/// (theano.sparse: structured_dot)
constexpr int product_with_placed(rewriter& r, int id) {
  graph& g = r.g;
  for (int side : {0, 1}) {
    int const placed = g.input_of(id, side), dense = g.input_of(id, 1 - side);
    if (!g.is<op::inc_take>(placed) || !selects_elements(g, placed, 2)) continue;
    int const base = g.input_of(placed, 0), values = g.input_of(placed, 1);
    if (!g.is<op::alloc>(base) || !g.is_literal(g.input_of(base, 0), 0)) continue;
    dense_places const at = places_of(g, g.input_of(placed, 2), g.input_of(placed, 3));
    if (!at.exist() || g.type(values).rank != 1 || g.type(values).broadcast != 0) continue;
    if (g.type(values).element != g.type(dense).element) continue;
    // A product with the matrix on the right is that of its transpose on the left.
    bool const turns = side == 1 && g.type(dense).rank == 2, gathers = at.by_rows == (side == 0);
    int const inner = g.input_of(base, at.by_rows ? 2 : 1), from = turns ? flip(r, dense) : dense;
    int const product = sparse_times_dense{values, from, at.pattern, inner, gathers}.made(r);
    return turns ? flip(r, product) : product;
  }
  return -1;
}

}  // namespace rules
}  // namespace kroton::rewrite
