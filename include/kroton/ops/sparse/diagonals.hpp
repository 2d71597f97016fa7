// Sparse matrices of segments of diagonals, such as derivatives of slices.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/sparse/patterns.hpp>

namespace kroton {
namespace op {

/// Base of what describes a matrix whose elements are on segments of diagonals, which may overlap.
/// Operands: of each segment its length, and the row and the column of its first element; the
/// number of rows; further ones. All are int64 scalars. The first attribute is the number of
/// segments.
template <text Name>
struct of_diagonals : operation<Name, -1> {
  static constexpr auto pullback = no_gradient;
};
/// The number of elements.
struct diagonals_count : of_diagonals<"diagonals_count"> {
  static constexpr auto own = core::own_function::untyped;
  static constexpr tensor_type type(core::application const&) { return {element::int64, 0, 0}; }
};
/// Where rows begin.
struct diagonals_bounds : of_diagonals<"diagonals_bounds"> {
  static constexpr auto own = core::own_function::untyped;
  static constexpr tensor_type type(core::application const&) { return {element::int32, 1, 0}; }
  static constexpr core::extent_source extent(core::application const& a, int) {
    return {core::extent_source::value, a.count() - 1, 0, core::affine{1, 1, 1}};
  }
};
/// The column of each element; the number of elements is one more operand.
struct diagonals_indices : of_diagonals<"diagonals_indices"> {
  static constexpr auto own = core::own_function::untyped;
  static constexpr tensor_type type(core::application const&) { return {element::int32, 1, 0}; }
  static constexpr core::extent_source extent(core::application const& a, int) {
    return {core::extent_source::value, a.count() - 1, 0};
  }
};
/// Among the elements, those of a segment, whose number is the second attribute.
struct diagonals_places : of_diagonals<"diagonals_places"> {
  static constexpr auto own = core::own_function::untyped;
  static constexpr tensor_type type(core::application const&) { return {element::int64, 1, 0}; }
  static constexpr core::extent_source extent(core::application const& a, int) {
    return {core::extent_source::value, 3 * static_cast<int>(a.attribute(1)), 0};
  }
};
/// The elements, sums of those of segments. In the place of its length, each segment has its
/// vector; the number of elements is one more operand.
struct diagonals_values : operation<"diagonals_values", -1> {
  static constexpr auto own = core::own_function::typed;
  static constexpr tensor_type type(core::application const& a) {
    return {a.input(0).element, 1, 0};
  }
  static constexpr core::extent_source extent(core::application const& a, int) {
    return {core::extent_source::value, a.count() - 1, 0};
  }
  static constexpr core::any_gradients pullback(term g, term y) {
    core::list<int> inputs;
    int const segments = ((*y.of)[y.id].input_count - 2) / 3;
    for (int i = 0; i <= 3 * segments; ++i) {
      int const in = y.of->input_of(y.id, i);
      inputs.push_back(i % 3 == 0 && i < 3 * segments ? ops::extent({y.of, in}, 0).id : in);
    }
    core::any_gradients found;
    for (int k = 0; k < segments; ++k) {
      long long const attributes[] = {segments, k};
      found.terms.push_back(ops::picked(
          g, {g.of, g.of->apply(core::identity<diagonals_places>(), inputs, attributes)}));
      found.terms.push_back({});
      found.terms.push_back({});
    }
    found.terms.push_back({});
    found.terms.push_back({});
    return found;
  }
};

}  // namespace op

namespace ops {

/// The matrix of segments: their vectors, and the rows and columns of the first elements.
constexpr sparse_parts matrix_of_diagonals(list<term> const& vectors, list<term> const& rows,
                                           list<term> const& columns, term row_count,
                                           term column_count) {
  graph& g = *row_count.of;
  list<int> places, values;
  for (int k = 0; k < vectors.size(); ++k) {
    places.push_back(extent(vectors[k], 0).id);
    values.push_back(vectors[k].id);
    for (list<int>* all : {&places, &values}) {
      all->push_back(rows[k].id);
      all->push_back(columns[k].id);
    }
  }
  for (list<int>* all : {&places, &values}) all->push_back(row_count.id);
  long long const segments[] = {vectors.size()};
  term const count{&g, g.apply(identity<op::diagonals_count>(), places, segments)},
      bounds{&g, g.apply(identity<op::diagonals_bounds>(), places, segments)};
  for (list<int>* all : {&places, &values}) all->push_back(count.id);
  return {{&g, g.apply(identity<op::diagonals_values>(), values, segments)},
          {&g, g.apply(identity<op::diagonals_indices>(), places, segments)},
          bounds,
          column_count};
}

}  // namespace ops
}  // namespace kroton
