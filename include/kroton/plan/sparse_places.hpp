// The sparse_places pass: values of pieces of lines, and of lines side by side, are copied line by
// line, not taken one by one.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/item.hpp>
#include <kroton/ops/indexing.hpp>
#include <kroton/ops/sparse/pieces.hpp>
#include <kroton/rewrite/engine/rebuild.hpp>

namespace kroton::plan {

/// Values at places that are known line by line need no places: nothing else reads these, unless
/// gradients do.
class sparse_places {
 public:
  constexpr explicit sparse_places(graph from) : from_(std::move(from)) {}

  constexpr graph run() {
    return rewrite::rebuilt(from_, [&](graph& to, int id, list<int> const& image) {
      if (!from_.is<op::take>(id) || from_[id].input_count != 2) return -1;
      int const values = from_.input_of(id, 0), at = from_.input_of(id, 1);
      if (from_.type(values).rank != 1 || !from_.is<op::item>(at) || from_.attribute(at, 0) != 1)
        return -1;
      int const places = from_.input_of(at, 0);
      auto const of = [&](int k) { return image[from_.input_of(places, k)]; };
      if (from_.is<op::piece_places>(places))
        return to.apply<op::piece_values>({image[values], of(1), of(2), of(3)});
      bool const are_two = from_.is<op::beside_places>(places) && from_.is<op::join>(values) &&
                           from_[values].input_count == 3;
      if (!are_two) return -1;
      auto const part = [&](int k) { return image[from_.input_of(values, k)]; };
      return to.apply<op::beside_values>({part(1), of(1), part(2), of(4), of(6)});
    });
  }

 private:
  graph from_;
};

}  // namespace kroton::plan
