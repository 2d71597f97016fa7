// Which matrices are block-diagonal: rows of blocks and zeros, joined.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/shapes/shape.hpp>

namespace kroton::ops {

/// The attribute with which kt::block_diagonal marks a join of rows: what asks for a square matrix
/// asks for square blocks.
inline constexpr long long is_block_diagonal = 1;

/// Whether a tensor consists of zeros, also of several such parts.
constexpr bool is_zero(graph const& g, int id) {
  if (g.is<op::alloc>(id) || g.is<op::dimshuffle>(id)) return is_zero(g, g.input_of(id, 0));
  if (!g[id].op->concatenates) return g.is_literal(id) && g.is_literal(id, 0);
  for (int k = 1; k < g[id].input_count; ++k)
    if (!is_zero(g, g.input_of(id, k))) return false;
  return true;
}
/// The blocks of a matrix that is joined of as many rows as there are parts in each of them, with
/// zeros off the diagonal; none of any other node. The parts of a column are as wide as each other
/// if their extents say so.
constexpr list<int> diagonal_blocks(graph const& g, int id) {
  auto const joins = [&](int node, int axis) {
    return g[node].op->concatenates && g.type(node).rank == 2 && g.attribute(node, 0) == axis;
  };
  list<int> blocks;
  if (!joins(id, 0)) return {};
  int const count = g[id].input_count - 1;
  for (int k = 1; k <= count; ++k) {
    int const row = g.input_of(id, k);
    if (!joins(row, 1) || g[row].input_count - 1 != count) return {};
    for (int j = 1; j <= count; ++j)
      if (j == k) blocks.push_back(g.input_of(row, j));
      else if (!is_zero(g, g.input_of(row, j))) return {};
  }
  return blocks;
}
/// Those of which square ones are asked for where the matrix has to be square, also below
/// transposes.
constexpr list<int> marked_blocks(graph const& g, int id) {
  while (g.is<op::dimshuffle>(id) && g.type(id).rank == 2 && g.type(g.input_of(id, 0)).rank == 2)
    id = g.input_of(id, 0);
  bool const is_marked = g[id].op->concatenates && g[id].attribute_count == 2 &&
                         g.attribute(id, 1) == is_block_diagonal;
  if (!is_marked) return {};
  return diagonal_blocks(g, id);
}

}  // namespace kroton::ops
