// Products of vectors with matrices that are rows or columns joined, as kt::stack makes them: no
// matrix has to be there.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/shapes/creation.hpp>
#include <kroton/ops/shapes/transposes.hpp>
#include <kroton/rewrite/rules/join.hpp>

namespace kroton::rewrite::rules {

inline constexpr int most_joined_lines = 32;  // what one loop computes

/// The vectors that lie side by side along an axis of a matrix; none of any other.
constexpr list<int> joined_lines(rewriter& r, int matrix, int axis) {
  graph& g = r.g;
  list<int> lines;
  bool const is_flipped = ops::is_transpose(g, matrix);
  int const join = is_flipped ? g.input_of(matrix, 0) : matrix,
            along = is_flipped ? 1 - axis : axis;
  bool are_lines = g.is<op::join>(join) && g.type(join).rank == 2 && join_axis(g, join) == along &&
                   g[join].input_count <= most_joined_lines + 1;
  for (int k = 1; are_lines && k < g[join].input_count; ++k)
    are_lines = g.type(g.input_of(join, k)).broadcasts(along);
  for (int k = 1; are_lines && k < g[join].input_count; ++k)
    lines.push_back(make_view(r, g.input_of(join, k), {1 - along}));
  return lines;
}

/// A product of a vector with joined lines: a sum of multiples of these, or a sum for each line.
constexpr int dot_of_lines(rewriter& r, int id) {
  graph& g = r.g;
  int const a = g.input_of(id, 0), b = g.input_of(id, 1);
  bool const first = g.type(a).rank == 2;
  int const matrix = first ? a : b, vector = first ? b : a, summed = first ? 1 : 0;
  if (g.type(id).rank != 1 || g.type(matrix).rank != 2 || !is_float(g.type(id).element)) return -1;
  list<int> parts = joined_lines(r, matrix, summed);
  for (int k = 0; k < parts.size(); ++k) {
    list<axis_selection> const index{{1, 1, g.literal(k, element::int64), -1}};
    parts[k] = r.make<op::mul>({parts[k], r.settle(select(r, vector, index))});
  }
  if (!parts.empty()) return r.make(identity<op::add>(), parts);
  parts = joined_lines(r, matrix, 1 - summed);
  list<int> sums{g.literal(parts.size(), element::int64)};
  for (int p : parts) {
    int const product = r.make<op::mul>({p, vector});
    sums.push_back(r.make<op::sum>({product}, {1, 0}));
  }
  return parts.empty() ? -1 : r.make(identity<op::make_vector>(), sums);
}

}  // namespace kroton::rewrite::rules
