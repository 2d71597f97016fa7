// How elements of matrices and of their diagonals follow from each other.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/linear_algebra/diagonals.hpp>
#include <kroton/rewrite/scalars/moves.hpp>

namespace kroton::rewrite {

/// Where the diagonal of two axes is, `offset` right of the main one.
constexpr list<int> on_diagonal_of(scalar_replacement& r, int id, list<int> index) {
  graph const& g = r.from();
  int const first = static_cast<int>(g.attribute(id, 0)),
            second = static_cast<int>(g.attribute(id, 1)),
            offset = static_cast<int>(g.attribute(id, 2));
  int const k = index.back();
  index.pop_back();
  int const row = offset < 0 ? k - offset : k, column = offset > 0 ? k + offset : k;
  index.insert(first < second ? first : second, first < second ? row : column);
  index.insert(first < second ? second : first, first < second ? column : row);
  return index;
}
constexpr void elements_of_diagonal(scalar_replacement& r, int id, list<int>& elements) {
  move_elements(r, id, 0, elements,
                [&](list<int> const& index) { return on_diagonal_of(r, id, index); });
}
constexpr void elements_of_from_diagonal(scalar_replacement& r, int id, list<int>& elements) {
  small_array const& diagonal = r.operand(id, 0);
  list<int> const& extents = r.extents(id);
  elements.extend(r.array(id).count(), r.zero(r.from().type(id).element));
  int next = 0;
  for_each_index(diagonal.extents, [&](list<int> const& index) {
    elements[flat_index(extents, on_diagonal_of(r, id, index))] = diagonal.elements[next++];
  });
}

constexpr void elements_of_from_diagonals(scalar_replacement& r, int id, list<int>& elements) {
  element const e = r.from().type(id).element;
  int const columns = r.extents(id)[1];
  list<int> found(r.array(id).count(), r.zero(e));
  for (int k = 0; k + 2 < r.from()[id].input_count; k += 3) {
    long long const row = r.number(id, k + 1), column = r.number(id, k + 2);
    if (row < 0 || column < 0) return;
    int at = static_cast<int>(row * columns + column);
    for (int added : r.operand(id, k).elements) {
      found[at] = r.sum_of(list<int>{found[at], added});
      at += columns + 1;
    }
  }
  elements = found;
}

}  // namespace kroton::rewrite
