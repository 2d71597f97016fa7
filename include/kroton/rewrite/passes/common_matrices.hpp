// Sums of products with one sparse matrix: one product with a sum.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/rewrite/engine/readers.hpp>
#include <kroton/rewrite/engine/rebuild.hpp>
#include <kroton/rewrite/rules/sparse/patterns.hpp>

namespace kroton::rewrite {

/// Replaces c * dot(a, x) + d * dot(a, y) of a graph in normal form by dot(a, c * x + d * y), for
/// numbers c and d and vectors x and y, where nothing else reads the products. The sum of matrices
/// may have more elements than are read.
class common_matrices {
 public:
  constexpr explicit common_matrices(graph const& from)
      : from_(from), readers_(count_of_readers(from)) {}

  /// Whether there are any.
  constexpr bool find() {
    list<bool> const live = from_.live();
    for (int id = 0; id < from_.size(); ++id) {
      if (!live[id] || !from_.is<op::add>(id)) continue;
      list<int> const terms(from_.input_data(id), from_[id].input_count);
      for (int i = 1; i < terms.size(); ++i)
        for (int k = 0; k < i; ++k)
          if (are_alike(product_in(terms[i]), product_in(terms[k]))) {
            sums_.push_back(id);
            i = k = terms.size();
          }
    }
    return !sums_.empty();
  }
  /// The graph with one product for those of each matrix.
  constexpr graph run() const {
    graph with = from_;
    list<int> instead(from_.size(), -1);
    for (int id : sums_) instead[id] = gathered(with, id);
    return substituted(with, instead);
  }

 private:
  /// The product with a sparse matrix that a term is, or is a multiple of by numbers; else -1.
  constexpr int product_in(int term) const {
    if (readers_[term] != 1) return -1;
    if (rules::sparse_times_dense::is(from_, term)) return term;
    if (!from_.is<op::mul>(term)) return -1;
    int found = -1;
    for (int f : from_.inputs(term)) {
      if (from_.type(f).rank == 0) continue;
      if (found >= 0 || readers_[f] != 1 || !rules::sparse_times_dense::is(from_, f)) return -1;
      found = f;
    }
    return found;
  }
  constexpr bool are_alike(int a, int b) const {
    if (a < 0 || b < 0 || from_[a].op->key != from_[b].op->key) return false;
    for (int k : {0, 2, 3, 4})
      if (from_.input_of(a, k) != from_.input_of(b, k)) return false;
    return from_.type(a) == from_.type(b) && from_.type(a).rank == 1;
  }
  constexpr int gathered(graph& with, int sum) const {
    list<int> terms(from_.input_data(sum), from_[sum].input_count), rest;
    while (!terms.empty()) {
      int const term = terms.back(), product = product_in(term);
      terms.pop_back();
      list<int> multiples{scaled(with, term, product)};
      for (int k = terms.size() - 1; k >= 0; --k) {
        if (!are_alike(product_in(terms[k]), product)) continue;
        multiples.push_back(scaled(with, terms[k], product_in(terms[k])));
        terms.erase(k);
      }
      if (multiples.size() == 1) {
        rest.push_back(term);
        continue;
      }
      list<int> operands(with.input_data(product), with[product].input_count);
      operands[1] = with.apply(identity<op::add>(), multiples);
      rest.push_back(with.apply(from_[product].op, operands));
    }
    return rest.size() == 1 ? rest[0] : with.apply(identity<op::add>(), rest);
  }
  /// What a term multiplies with the matrix: the dense operand, times its numbers.
  constexpr int scaled(graph& with, int term, int product) const {
    if (product < 0) return term;
    int const dense = from_.input_of(product, 1);
    if (term == product) return dense;
    list<int> factors(from_.input_data(term), from_[term].input_count);
    for (int& f : factors)
      if (f == product) f = dense;
    return with.apply(identity<op::mul>(), factors);
  }

  graph const& from_;
  list<int> readers_, sums_;
};

}  // namespace kroton::rewrite
