// How systems of equations are batched: with one matrix for all slices they are one system.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/grad/batching/slices.hpp>
#include <kroton/ops/linear_algebra/solving.hpp>
#include <kroton/ops/shapes/shape.hpp>

namespace kroton::calculus {

class system_batching : batching_rule {
 public:
  using batching_rule::batching_rule;

  /// The right-hand sides of all slices are the columns of one: the matrix is factored once.
  constexpr lanes solve() const {
    lanes const matrix = first();
    if (matrix.batched) return slice_batching(pass_, id_).each();
    list<int> forth{axes_}, back = batch_axes();
    forth.append(back.data(), back.size());
    for (int& axis : back) ++axis;
    back.push_back(0);
    if (rank_ == 2) {
      forth.push_back(axes_ + 1);
      back.push_back(axes_ + 1);
    }
    term right = ops::permute(pass_.dense(input(1)), forth);
    list<term> const extents = pass_.extents_of(right);
    bool const is_matrix = right.rank() == 2;
    if (!is_matrix) {
      term columns = extents[1];
      for (int d = 2; d < extents.size(); ++d) columns = columns * extents[d];
      right = ops::reshape(right, list<term>{extents[0], columns});
    }
    term const all{&g_, pass_.again(id_, list<int>{matrix.node, right.id})};
    return {ops::permute(is_matrix ? all : ops::reshape(all, extents), back).id, 0, true, true};
  }
};

}  // namespace kroton::calculus
