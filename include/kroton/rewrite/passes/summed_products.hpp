// Sums over rows or columns of products of matrices: products with a vector.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/along_axes/reduction.hpp>
#include <kroton/ops/linear_algebra/products.hpp>
#include <kroton/rewrite/engine/readers.hpp>
#include <kroton/rewrite/engine/rebuild.hpp>

namespace kroton::rewrite {

/// Replaces sum(x + c * dot(a, b), axis<1>) of a graph in normal form by sum(x, axis<1>) + c *
/// dot(a, sum(b, axis<1>)), for numbers c and matrices a and b, and likewise over the first axis or
/// both, where nothing else reads the product.
class summed_products {
 public:
  constexpr explicit summed_products(graph const& from)
      : from_(from), readers_(count_of_readers(from)) {}

  /// Whether there are any.
  constexpr bool find() {
    list<bool> const live = from_.live();
    for (int id = 0; id < from_.size(); ++id) {
      if (!live[id] || !from_.is<op::sum>(id) || from_.attribute(id, 1) != 0) continue;
      // The remaining terms must span the sum's full shape.
      int products = 0, others = 0, whole = 0;
      for (int term : terms_of(id)) {
        bool const is_whole = from_.type(term) == from_.type(from_.input_of(id, 0));
        if (product_in(term) >= 0) ++products;
        else ++others, whole += is_whole ? 1 : 0;
      }
      if (products > 0 && (whole > 0 || others == 0)) sums_.push_back(id);
    }
    return !sums_.empty();
  }
  constexpr graph run() const {
    graph with = from_;
    list<int> instead(from_.size(), -1);
    for (int id : sums_) instead[id] = apart(with, id);
    return substituted(with, instead);
  }

 private:
  /// What a sum adds up, where nothing else reads it.
  constexpr list<int> terms_of(int sum) const {
    int const x = from_.input_of(sum, 0);
    list<int> terms;
    if (readers_[x] != 1 || from_.type(x).rank != 2) return terms;
    if (!from_.is<op::add>(x)) terms.push_back(x);
    else
      for (int term : from_.inputs(x)) terms.push_back(term);
    return terms;
  }
  constexpr bool is_product(int id) const {
    return from_.is<op::dot>(id) && readers_[id] == 1 && is_continuous(from_.type(id).element) &&
           from_.type(from_.input_of(id, 0)).rank == 2 &&
           from_.type(from_.input_of(id, 1)).rank == 2;
  }
  /// The product that a term of a matrix is, or is a multiple of by numbers; else -1.
  constexpr int product_in(int term) const {
    if (is_product(term)) return term;
    if (readers_[term] != 1 || !from_.is<op::mul>(term)) return -1;
    int found = -1;
    for (int f : from_.inputs(term)) {
      if (from_.type(f).rank == 0) continue;
      if (found >= 0 || !is_product(f)) return -1;
      found = f;
    }
    return found;
  }
  /// The sum without its products, and what they add to it.
  constexpr int apart(graph& with, int sum) const {
    long long const axes = from_.attribute(sum, 0);
    list<int> parts, rest;
    for (int term : terms_of(sum)) {
      int const product = product_in(term);
      if (product < 0) {
        rest.push_back(term);
        continue;
      }
      int left = from_.input_of(product, 0), right = from_.input_of(product, 1);
      if ((axes & 1) != 0) left = with.apply<op::sum>({left}, {1, 0});
      if ((axes & 2) != 0) right = with.apply<op::sum>({right}, {2, 0});
      list<int> factors{with.apply<op::dot>({left, right})};
      if (term != product)
        for (int f : from_.inputs(term))
          if (f != product) factors.push_back(f);
      parts.push_back(factors.size() == 1 ? factors[0]
                                          : with.apply(identity<op::mul>(), factors));
    }
    if (!rest.empty()) {
      int const added = rest.size() == 1 ? rest[0] : with.apply(identity<op::add>(), rest);
      parts.push_back(with.apply<op::sum>({added}, {axes, 0}));
    }
    return parts.size() == 1 ? parts[0] : with.apply(identity<op::add>(), parts);
  }

  graph const& from_;
  list<int> readers_, sums_;
};

}  // namespace kroton::rewrite
