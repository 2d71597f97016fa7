// The sparse_pairs pass: of two sparse matrices and a dense one, which two are multiplied first is
// chosen by each call.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/conditional.hpp>
#include <kroton/ops/extents.hpp>
#include <kroton/ops/sparse/orders.hpp>
#include <kroton/rewrite/engine/readers.hpp>
#include <kroton/rewrite/engine/rebuild.hpp>
#include <kroton/rewrite/rules/sparse_patterns.hpp>

namespace kroton::plan {

/// Makes dot(a, dot(b, x)), for sparse a and b and a dense matrix x, a choice between that and
/// dot(dot(a, b), x). Of more sparse matrices, the pairs from the left are looked at.
class sparse_pair_pass {
 public:
  constexpr explicit sparse_pair_pass(graph from)
      : from_(std::move(from)), readers_(rewrite::count_of_readers(from_)) {}

  constexpr graph run() {
    find();
    return rewrite::rebuilt(from_, [&](graph& to, int id, list<int> const& image) {
      // What a choice makes comes behind its condition; nothing else reads these.
      if (is_held_[id]) return image[from_.input_of(id, 1)];
      return is_outer_[id] ? choice(to, id, image) : -1;
    });
  }

 private:
  constexpr void find() {
    is_outer_ = list<bool>(from_.size());
    is_held_ = list<bool>(from_.size());
    list<bool> const live = from_.live();
    for (int id = from_.size() - 1; id >= 0; --id) {
      if (!live[id] || is_held_[id] || !is_product(id)) continue;
      int const inner = from_.input_of(id, 1);
      if (!is_product(inner) || readers_[inner] != 1) continue;
      is_outer_[id] = is_held_[inner] = true;
    }
  }
  /// With a matrix of several columns.
  constexpr bool is_product(int id) const {
    return rewrite::rules::sparse_times_dense::is(from_, id) && from_.type(id).rank == 2 &&
           from_.type(id).spans(1, 2);
  }
  constexpr int choice(graph& to, int id, list<int> const& image) const {
    int const inner = from_.input_of(id, 1), x = image[from_.input_of(inner, 1)];
    long long const turned[] = {from_.is<op::csr_transposed_dot>(id),
                                from_.is<op::csr_transposed_dot>(inner)};
    auto const of = [&](int node, int k) { return image[from_.input_of(node, k)]; };
    list<int> pattern;
    for (int node : {id, inner})
      for (int k : {2, 3, 4}) pattern.push_back(of(node, k));
    list<int> asked{ops::extent_node(to, x, 1)}, operands{of(id, 0), of(inner, 0), x};
    asked.append(pattern.data(), pattern.size());
    operands.append(pattern.data(), pattern.size());
    int const condition = to.apply(identity<op::sparse_pair_first>(), asked, turned),
              first = to.apply(identity<op::sparse_pair_dot>(), operands, turned),
              second = product(to, id, product(to, inner, x, image), image);
    return ops::choose(to, condition, first, second);
  }
  constexpr int product(graph& to, int node, int x, list<int> const& image) const {
    list<int> inputs;
    for (int i : from_.inputs(node)) inputs.push_back(image[i]);
    inputs[1] = x;
    return to.apply(from_[node].op, inputs);
  }

  graph from_;
  list<int> readers_;
  list<bool> is_outer_;
  list<bool> is_held_;  // products within others
};

}  // namespace kroton::plan
