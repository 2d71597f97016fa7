// Differences of squares as products, in which less cancels.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/elementwise/arithmetic.hpp>
#include <kroton/rewrite/engine/readers.hpp>
#include <kroton/rewrite/engine/rebuild.hpp>

namespace kroton::rewrite {

/// a*a - b*b of a lowered graph is (a + b) * (a - b), as many operations without the digits that
/// cancel, where nothing else reads the squares.
class square_difference_pass {
 public:
  constexpr explicit square_difference_pass(graph from) : from_(std::move(from)) {}

  constexpr graph run() {
    readers_ = count_of_readers(from_);
    list<bool> const live = from_.live();
    bool any = false;
    for (int id = 0; id < from_.size() && !any; ++id) any = live[id] && is_difference(id);
    if (!any) return std::move(from_);
    return rebuilt(from_, [&](graph& to, int id, list<int> const& image) {
      if (!is_difference(id)) return -1;
      int const a = image[from_.input_of(from_.input_of(id, 0), 0)];
      int const b = image[from_.input_of(from_.input_of(id, 1), 0)];
      return to.apply<op::mul>({to.apply<op::add>({a, b}), to.apply<op::sub>({a, b})});
    });
  }

 private:
  constexpr bool is_square(int id, tensor_type const& type) const {
    return from_.is<op::sqr>(id) && readers_[id] == 1 && from_.type(id) == type;
  }
  constexpr bool is_difference(int id) const {
    tensor_type const& type = from_.type(id);
    return from_.is<op::sub>(id) && is_float(type.element) &&
           is_square(from_.input_of(id, 0), type) && is_square(from_.input_of(id, 1), type);
  }

  graph from_;
  list<int> readers_;
};

}  // namespace kroton::rewrite
