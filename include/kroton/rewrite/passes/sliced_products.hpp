// Slices of products with sparse matrices: products with some lines.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/indexing.hpp>
#include <kroton/ops/sparse/products.hpp>
#include <kroton/rewrite/engine/readers.hpp>
#include <kroton/rewrite/engine/rebuild.hpp>

namespace kroton::rewrite {

/// dot(a, x)(i : k) and dot(a, x)(i), where nothing else reads the product of a sparse matrix by
/// lines, compute these rows alone: the bounds of lines are selected in their place.
class sliced_products {
 public:
  constexpr explicit sliced_products(graph from) : from_(std::move(from)) {}

  constexpr graph run() {
    list<int> const readers = count_of_readers(from_);
    list<bool> const live = from_.live();
    list<bool> is_sliced(from_.size());
    bool any = false;
    for (int id = 0; id < from_.size(); ++id) {
      is_sliced[id] = live[id] && selects_rows(id) && readers[from_.input_of(id, 0)] == 1;
      any = any || is_sliced[id];
    }
    if (!any) return std::move(from_);
    return rebuilt(from_, [&](graph& to, int id, list<int> const& image) {
      return is_sliced[id] ? product_of_rows(to, id, image) : -1;
    });
  }

 private:
  constexpr bool selects_rows(int id) const {
    return from_.is<op::subtensor>(id) && from_.is<op::csr_dot>(from_.input_of(id, 0)) &&
           (from_.attribute(id, 0) == 1 ||
            (from_.attribute(id, 0) == 2 && from_.attribute(id, 1) == 1));
  }
  constexpr int product_of_rows(graph& to, int id, list<int> const& image) const {
    bool const is_one = from_.attribute(id, 0) == 1;
    int const one = to.literal(1, element::int64), zero = to.literal(0, element::int64);
    int const begin = image[from_.input_of(id, 1)],
              count = is_one ? one : image[from_.input_of(id, 2)],
              bounds = to.apply<op::add>({count, one});
    list<int> operands;
    for (int i : from_.inputs(from_.input_of(id, 0))) operands.push_back(image[i]);
    operands[3] = to.apply(identity<op::subtensor>(), list<int>{operands[3], begin, bounds},
                           list<long long>{2, 1});
    int const rows = to.apply(identity<op::csr_lines_dot>(), operands);
    // What is selected along the other axis, and the row of one
    list<int> rest{rows};
    if (is_one) rest.push_back(zero);
    for (int k = is_one ? 2 : 3; k < from_[id].input_count; ++k)
      rest.push_back(image[from_.input_of(id, k)]);
    if (rest.size() == 1) return rows;
    list<long long> attributes(from_.attribute_data(id), from_[id].attribute_count);
    if (!is_one) attributes[0] = 0;
    return to.apply(identity<op::subtensor>(), rest, attributes);
  }

  graph from_;
};

}  // namespace kroton::rewrite
