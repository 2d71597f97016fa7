// The sparse_chains pass: of a sparse and two dense matrices, which two are multiplied first is
// chosen by each call.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/conditional.hpp>
#include <kroton/ops/shapes/extents.hpp>
#include <kroton/ops/shapes/transposes.hpp>
#include <kroton/rewrite/engine/readers.hpp>
#include <kroton/rewrite/engine/rebuild.hpp>
#include <kroton/rewrite/rules/sparse/patterns.hpp>

namespace kroton::plan {

/// Makes dot(dot(s, x), w), for a sparse s, a choice between that and dot(s, dot(x, w)), by the
/// number of multiplications; and all other products of three matrices in which one is sparse, or
/// of a sparse and a dense one with a vector.
class sparse_chain_pass {
 public:
  constexpr explicit sparse_chain_pass(graph from)
      : from_(std::move(from)), readers_(rewrite::count_of_readers(from_)) {}

  constexpr graph run() {
    find();
    return rewrite::rebuilt(from_, [&](graph& to, int id, list<int> const& image) {
      // What a choice makes comes behind its condition; nothing else reads these.
      if (is_held_[id]) return image[from_.input_of(id, 0)];
      return chains_[id].exists() ? choice(to, chains_[id], image) : -1;
    });
  }

 private:
  // A multiplication of a sparse matrix is a gather; of dense ones many are made at once.
  static constexpr long long price_of_sparse = 4;

  /// A product of three matrices, s, x and w. Either s and x are multiplied first, and w follows;
  /// or w is multiplied first, with x, or with the transpose of s.
  struct chain {
    int sparse = -1;              // the node whose sparse matrix is s
    int x = -1, w = -1;           // w may be a vector
    bool w_meets_sparse = false;  // otherwise it meets x
    bool flips = false;           // the transposes are multiplied: w is on the left
    bool is_second = false;       // as written, w is multiplied first

    constexpr bool exists() const { return sparse >= 0; }
  };
  constexpr void find() {
    chains_ = list<chain>(from_.size());
    is_held_ = list<bool>(from_.size());
    list<bool> const live = from_.live();
    list<bool> is_factor(from_.size());  // of dense products, whose order is the pass chains'
    for (int id = from_.size() - 1; id >= 0; --id) {
      if (!live[id]) continue;
      if (from_.is<op::dot>(id) && are_matrices(id))
        for (int i : from_.inputs(id)) is_factor[i] = readers_[i] == 1 && from_.is<op::dot>(i);
      if (is_held_[id] || is_factor[id]) continue;
      chain const c = chains_[id] = chain_at(id);
      if (!c.exists()) continue;
      int const inner = c.is_second ? from_.input_of(id, 1) : c.sparse;
      is_held_[inner] = true;
      for (int i : from_.inputs(id))
        if (flipped(i) == inner) is_held_[i] = true;
    }
  }
  constexpr bool is_inner(int id) const { return readers_[id] == 1 && from_.type(id).rank == 2; }
  constexpr bool is_sparse(int id) const {
    return rewrite::rules::sparse_times_dense::is(from_, id) && is_inner(id);
  }
  /// What a transpose with one reader is the transpose of, or -1.
  constexpr int flipped(int id) const {
    return ops::is_transpose(from_, id) && readers_[id] == 1 ? from_.input_of(id, 0) : -1;
  }
  constexpr chain chain_at(int id) const {
    int const rank = from_.type(id).rank;
    if (rank != 1 && rank != 2) return {};
    if (rewrite::rules::sparse_times_dense::is(from_, id)) {
      int const inner = from_.input_of(id, 1);
      if (!from_.is<op::dot>(inner) || readers_[inner] != 1 ||
          from_.type(from_.input_of(inner, 0)).rank != 2)
        return {};
      return {id, from_.input_of(inner, 0), from_.input_of(inner, 1), false, false, true};
    }
    if (!from_.is<op::dot>(id)) return {};
    int const left = from_.input_of(id, 0), right = from_.input_of(id, 1);
    if (rank == 1)
      return from_.type(right).rank == 1 ? chain_of(left, right, false)
                                         : chain_of(right, left, true);
    int const left_source = flipped(left), right_source = flipped(right);
    if (is_sparse(left)) return {left, from_.input_of(left, 1), right};
    if (right_source >= 0 && is_sparse(right_source))
      return {right_source, from_.input_of(right_source, 1), left, false, true};
    if (left_source >= 0 && is_sparse(left_source))
      return {left_source, from_.input_of(left_source, 1), right, true};
    if (is_sparse(right)) return {right, from_.input_of(right, 1), left, true, true};
    return {};
  }
  /// Of a matrix, or of its transpose, with a vector.
  constexpr chain chain_of(int matrix, int vector, bool transposed) const {
    int const source = flipped(matrix), product = source < 0 ? matrix : source;
    if (!is_sparse(product)) return {};
    return {product, from_.input_of(product, 1), vector, transposed == (source < 0)};
  }
  constexpr bool are_matrices(int id) const {
    return from_.type(from_.input_of(id, 0)).rank == 2 &&
           from_.type(from_.input_of(id, 1)).rank == 2;
  }

  /// dot(a, b), or its transpose.
  static constexpr int product(graph& g, int a, int b, bool flips) {
    if (!flips) return g.apply<op::dot>({a, b});
    int const left = ops::transpose(g, b);
    return g.apply<op::dot>({left, ops::transpose(g, a)});
  }
  /// The product of the sparse matrix of a node, or of its transpose, with x.
  constexpr int sparse_times(graph& to, int node, int x, bool transposed,
                             list<int> const& image) const {
    list<int> inputs;
    for (int i : from_.inputs(node)) inputs.push_back(image[i]);
    inputs[1] = x;
    bool const by_lines = from_.is<op::csr_dot>(node) != transposed;
    return to.apply(by_lines ? identity<op::csr_dot>() : identity<op::csr_transposed_dot>(),
                    inputs);
  }
  constexpr int choice(graph& to, chain const& c, list<int> const& image) const {
    int const x = image[c.x], w = c.flips ? ops::transpose(to, image[c.w]) : image[c.w];
    auto const extent = [&](int node, int d) { return ops::extent_node(to, node, d); };
    auto const operand = [&](int k) { return image[from_.input_of(c.sparse, k)]; };
    int const rows = from_.is<op::csr_dot>(c.sparse)
                         ? ops::mapped(to, core::affine{1, -1, 1}, extent(operand(3), 0))
                         : operand(4),
              columns = extent(x, 0), width = extent(x, 1),
              other_width = to.type(w).rank == 1 ? to.literal(1, element::int64) : extent(w, 1),
              gather = to.literal(price_of_sparse, element::int64),
              gathers = times(to, gather, extent(operand(0), 0)),
              block = times(to, width, other_width),
              of_first = plus(to, times(to, gathers, width), times(to, rows, block)),
              of_second = plus(to, times(to, gathers, other_width), times(to, columns, block)),
              condition =
                  c.is_second ? less(to, of_first, of_second) : less(to, of_second, of_first);
    int first = 0, second = 0;
    int const by_x = sparse_times(to, c.sparse, x, false, image);
    if (c.w_meets_sparse) {
      first = product(to, ops::transpose(to, by_x), w, c.flips);
      int const back = sparse_times(to, c.sparse, w, true, image);
      second = product(to, ops::transpose(to, x), back, c.flips);
    } else {
      first = product(to, by_x, w, c.flips);
      second = sparse_times(to, c.sparse, product(to, x, w, false), false, image);
      if (c.flips) second = ops::transpose(to, second);
    }
    bool const same = rows == columns && width == other_width;
    int const written = c.is_second ? second : first, other = c.is_second ? first : second;
    return same ? written : ops::choose(to, condition, other, written);
  }
  static constexpr int times(graph& g, int a, int b) { return g.apply<op::mul>({a, b}); }
  static constexpr int plus(graph& g, int a, int b) { return g.apply<op::add>({a, b}); }
  static constexpr int less(graph& g, int a, int b) { return g.apply<op::lt>({a, b}); }

  graph from_;
  list<int> readers_;
  list<chain> chains_;
  list<bool> is_held_;  // products within chains
};

}  // namespace kroton::plan
