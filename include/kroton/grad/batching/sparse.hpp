// How products of sparse matrices with dense ones are batched: as products with more columns.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/grad/batching/slices.hpp>
#include <kroton/ops/sparse/products.hpp>

namespace kroton::calculus {

class sparse_batching : batching_rule {
 public:
  using batching_rule::batching_rule;

  // The batch axes of the dense operand become columns. Where the matrix is mapped, slice by slice.
  constexpr lanes by_dense() const {
    for (int i : {0, 2, 3, 4})
      if (pass_.at(input(i)).batched) return slice_batching(pass_, id_).each();
    term const dense = pass_.dense(input(1));
    list<int> lines_first{axes_}, batch_first;
    list<term> others;
    term count{&g_, g_.literal(1, element::int64)};
    for (int d = 0; d < dense.rank(); ++d) {
      if (d == axes_) continue;
      lines_first.push_back(d);
      others.push_back(extent(dense, d));
      count = count * others.back();
    }
    term const flat =
        ops::reshape(permute(dense, lines_first), list<term>{extent(dense, axes_), count});
    int inputs[5];
    for (int i = 0; i < 5; ++i) inputs[i] = i == 1 ? flat.id : pass_.at(input(i)).node;
    term const product{&g_, g_.apply(g_[id_].op, inputs)};
    list<term> extents{extent(product, 0)};
    for (term const& e : others) extents.push_back(e);
    for (int d = 1; d <= axes_; ++d) batch_first.push_back(d);
    batch_first.push_back(0);
    if (dense.rank() > axes_ + 1) batch_first.push_back(axes_ + 1);
    return {permute(ops::reshape(product, extents), batch_first).id, 0, true, true};
  }
};

}  // namespace kroton::calculus
