// Sparse matrices of segments of diagonals, such as derivatives of slices.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/along_axes/reduction.hpp>
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
/// The elements, sums of those of segments. Before the length of each segment comes its vector, or
/// a scalar for all of it; the number of elements is one more operand.
struct diagonals_values : operation<"diagonals_values", -1> {
  static constexpr auto own = core::own_function::typed;
  static constexpr tensor_type type(core::application const& a) {
    return {a.input(0).element, 1, 0};
  }
  static constexpr core::extent_source extent(core::application const& a, int) {
    return {core::extent_source::value, a.count() - 1, 0};
  }
  static constexpr core::any_gradients pullback(term g, term y) {
    auto const input = [&](int i) { return term{y.of, y.of->input_of(y.id, i)}; };
    int const segments = static_cast<int>(y.of->attribute(y.id, 0));
    core::list<int> inputs;
    for (int i = 0; i <= 4 * segments; ++i)
      if (i % 4 != 0 || i == 4 * segments) inputs.push_back(input(i).id);
    core::any_gradients found;
    for (int k = 0; k < segments; ++k) {
      long long const attributes[] = {segments, k};
      term const own = ops::picked(
          g, {g.of, g.of->apply(core::identity<diagonals_places>(), inputs, attributes)});
      found.terms.push_back(input(4 * k).rank() == 0 ? ops::sum_over(own, 1, false) : own);
      for (int i = 0; i < 3; ++i) found.terms.push_back({});
    }
    found.terms.push_back({});
    found.terms.push_back({});
    return found;
  }
};

}  // namespace op

namespace ops {

/// A segment of a matrix: its vector or, for all of it, a scalar; its length, and the row and the
/// column of its first element.
struct diagonal_segment {
  term values, length, row, column;
};
constexpr sparse_parts matrix_of_diagonals(list<diagonal_segment> const& segments, term rows,
                                           term columns) {
  graph& g = *rows.of;
  list<int> places, values;
  for (diagonal_segment const& s : segments) {
    values.push_back(s.values.id);
    for (list<int>* all : {&places, &values})
      for (term const& number : {s.length, s.row, s.column}) all->push_back(number.id);
  }
  for (list<int>* all : {&places, &values}) all->push_back(rows.id);
  long long const number[] = {segments.size()};
  term const count{&g, g.apply(identity<op::diagonals_count>(), places, number)},
      bounds{&g, g.apply(identity<op::diagonals_bounds>(), places, number)};
  for (list<int>* all : {&places, &values}) all->push_back(count.id);
  return {{&g, g.apply(identity<op::diagonals_values>(), values, number)},
          {&g, g.apply(identity<op::diagonals_indices>(), places, number)},
          bounds,
          columns};
}

}  // namespace ops
}  // namespace kroton
