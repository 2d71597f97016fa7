// The sparse_pairs pass: of two sparse matrices and a dense one, which two are multiplied first is
// chosen by each call.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/sparse/orders.hpp>
#include <kroton/rewrite/engine/readers.hpp>
#include <kroton/rewrite/engine/rebuild.hpp>
#include <kroton/rewrite/rules/sparse/patterns.hpp>

namespace kroton::plan {

/// Makes one op of dot(a, dot(b, x)), for sparse a and b and a dense matrix x. Of more sparse
/// matrices, the pairs from the right.
class sparse_pair_pass {
 public:
  constexpr explicit sparse_pair_pass(graph from)
      : from_(std::move(from)), readers_(rewrite::count_of_readers(from_)) {}

  constexpr graph run() {
    return rewrite::rebuilt(from_, [&](graph& to, int id, list<int> const& image) {
      if (!is_product(id)) return -1;
      int const inner = from_.input_of(id, 1);
      bool const is_pair = is_product(inner) && readers_[inner] == 1 &&
                           !to.is<op::sparse_pair_dot>(image[inner]);
      return is_pair ? pair(to, id, inner, image) : -1;
    });
  }

 private:
  /// With a matrix of several columns.
  constexpr bool is_product(int id) const {
    return rewrite::rules::sparse_times_dense::is(from_, id) && from_.type(id).rank == 2 &&
           from_.type(id).spans(1, 2);
  }
  constexpr int pair(graph& to, int id, int inner, list<int> const& image) const {
    long long const turned[] = {from_.is<op::csr_transposed_dot>(id),
                                from_.is<op::csr_transposed_dot>(inner)};
    auto const of = [&](int node, int k) { return image[from_.input_of(node, k)]; };
    list<int> operands{of(id, 0), of(inner, 0), of(inner, 1)};
    for (int node : {id, inner})
      for (int k : {2, 3, 4}) operands.push_back(of(node, k));
    return to.apply(identity<op::sparse_pair_dot>(), operands, turned);
  }

  graph from_;
  list<int> readers_;
};

}  // namespace kroton::plan
