// The sparse_places pass: values of pieces of lines, and of lines side by side, are copied line by
// line, not taken one by one; values at the places of a union are spread over it by its marks, and
// those at the places that two patterns have gathered by them.
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
      if (from_.is<op::inc_take>(id)) return spread(to, id, image);
      return from_.is<op::take>(id) ? copied(to, id, image) : -1;
    });
  }

 private:
  /// Which of two matrices the places of a union, or of what both have, are of that an index vector
  /// gives: 1 or 2, or 0.
  template <class Indices>
  constexpr int matrix_of(int at) const {
    bool const are_places = from_.is<op::item>(at) && from_.is<Indices>(from_.input_of(at, 0));
    return are_places ? static_cast<int>(from_.attribute(at, 0)) : 0;
  }
  constexpr bool is_zero(int id) const {
    if (from_.is<op::alloc>(id)) id = from_.input_of(id, 0);
    return from_.is_literal(id, 0);
  }
  constexpr bool fits(int values, element e) const {
    tensor_type const type = from_.type(values);
    return type.rank == 1 && type.broadcast == 0 && type.element == e;
  }
  constexpr int copied(graph& to, int id, list<int> const& image) const {
    if (from_[id].input_count != 2) return -1;
    int const values = from_.input_of(id, 0), at = from_.input_of(id, 1);
    if (from_.type(values).rank != 1 || !from_.is<op::item>(at)) return -1;
    int const places = from_.input_of(at, 0);
    auto const of = [&](int k) { return image[from_.input_of(places, k)]; };
    int const of_union = matrix_of<op::united_indices>(at),
              of_both = matrix_of<op::common_indices>(at);
    if (of_union != 0 || of_both != 0) {
      if (from_.type(values).broadcast != 0) return -1;
      if (of_both != 0)
        return to.apply<op::common_values>({image[values], of(5), of(4)}, {of_both - 1});
      return to.apply<op::values_of_united>({image[values], of(5), of(2 * of_union - 2)},
                                            {of_union - 1});
    }
    if (from_.attribute(at, 0) != 1) return -1;
    if (from_.is<op::piece_places>(places))
      return to.apply<op::piece_values>({image[values], of(1), of(2), of(3)});
    bool const are_two = from_.is<op::beside_places>(places) && from_.is<op::join>(values) &&
                         from_[values].input_count == 3;
    if (!are_two) return -1;
    auto const part = [&](int k) { return image[from_.input_of(values, k)]; };
    return to.apply<op::beside_values>({part(1), of(1), part(2), of(4), of(6)});
  }
  /// What is added at the places of one of two matrices is a sum with zeros between its values,
  /// which the loop that adds makes: of several matrices nothing is written but the sum.
  constexpr int spread(graph& to, int id, list<int> const& image) const {
    if (from_[id].input_count != 3) return -1;
    int const base = from_.input_of(id, 0), at = from_.input_of(id, 2),
              which = matrix_of<op::united_indices>(at);
    int values = from_.input_of(id, 1);
    if (which == 0 || !fits(values, from_.type(id).element)) return -1;
    // A finite factor may follow: 0 remains 0.
    bool const is_negative = from_.is<op::neg>(values);
    int const factor = is_negative ? -1 : finite_factor(values);
    if (is_negative) values = from_.input_of(values, 0);
    else if (factor >= 0) values = other_factor(values, factor);
    int const places = from_.input_of(at, 0);
    int const inputs[] = {image[values], image[from_.input_of(places, 5)],
                          image[from_.input_of(places, 4)]};
    long long const attributes[] = {which - 1};
    int result = to.apply(identity<op::united_values>(), inputs, attributes);
    if (is_negative) result = to.apply<op::neg>({result});
    else if (factor >= 0) result = to.apply<op::mul>({image[factor], result});
    return is_zero(base) ? result : to.apply<op::add>({image[base], result});
  }
  constexpr int finite_factor(int id) const {
    if (!from_.is<op::mul>(id) || from_[id].input_count != 2) return -1;
    for (int i : from_.inputs(id)) {
      if (!from_.is_literal(i)) continue;
      double const value = from_.literal_value(i);
      if (value - value == 0 && fits(other_factor(id, i), from_.type(id).element)) return i;
    }
    return -1;
  }
  constexpr int other_factor(int id, int factor) const {
    return from_.input_of(id, from_.input_of(id, 0) == factor ? 1 : 0);
  }

  graph from_;
};

}  // namespace kroton::plan
