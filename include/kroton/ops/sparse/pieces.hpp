// Which of their values matrices that are made of others have: pieces of lines, chosen indices,
// lines side by side. No gradients: only values have some.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/sparse/patterns.hpp>

namespace kroton {
namespace op {

/// Base of the bounds of pieces: of each of some lines values that stand behind each other.
/// Outputs: the bounds of the pieces when they are put behind each other, and where each of them
/// begins among the values of the whole matrix.
template <text Name, int Operands>
struct bounds_of_pieces : operation<Name, Operands> {
  static constexpr auto pullback = no_gradient;
  static constexpr int outputs = 2;
  static constexpr tensor_type type(core::application const&, int) {
    return {element::int32, 1, 0};
  }
};
/// Lines that a vector lists, which may repeat and stand in any order. Operands: indices, bounds of
/// lines; the list, int64, of which negative numbers count from the end.
struct listed_bounds : bounds_of_pieces<"listed_bounds", 3> {
  static constexpr auto own = core::own_function::untyped;
  static constexpr core::extent_source extent(core::application const&, int, int output) {
    if (output == 0) return {core::extent_source::dimension, 2, 0, core::affine{1, 1, 1}};
    return {core::extent_source::dimension, 2, 0};
  }
};
/// Of each line the values whose indices lie in a range, which is shifted by the number of the line
/// if the attribute is 1. Operands: indices, bounds of lines; the first index and the end.
struct range_bounds : bounds_of_pieces<"range_bounds", 4> {
  static constexpr auto own = core::own_function::untyped;
  static constexpr core::extent_source extent(core::application const&, int, int output) {
    if (output == 0) return {core::extent_source::dimension, 1, 0};
    return ops::lines_of(1);
  }
};
/// The indices of pieces, counted from a number, and of each value its number among those of the
/// whole matrix. Operands: indices; of the pieces the bounds and where they begin; their number of
/// values; the number that is subtracted.
struct piece_places : operation<"piece_places", 5> {
  static constexpr auto own = core::own_function::untyped;
  static constexpr auto pullback = no_gradient;
  static constexpr int outputs = 2;
  static constexpr tensor_type type(core::application const&, int output) {
    return {output == 0 ? element::int32 : element::int64, 1, 0};
  }
  static constexpr core::extent_source extent(core::application const&, int, int) {
    return {core::extent_source::value, 3, 0};
  }
};
/// The values of pieces: what values(piece_places) is. Operands: values, bounds, where pieces
/// begin, their number of values. The optimizer makes it when gradients are known.
struct piece_values : operation<"piece_values", 4> {
  static constexpr bool takes_complex = true, takes_stored = true;
  static constexpr auto own = core::own_function::untyped;
  static constexpr tensor_type type(core::application const& a) {
    return {a.input(0).element, 1, 0};
  }
  static constexpr core::extent_source extent(core::application const&, int) {
    return {core::extent_source::value, 3, 0};
  }
};

/// The matrix of the indices that a vector lists, which may repeat and stand in any order: its
/// bounds of lines. Operands: indices, bounds of lines; the list, int64, of which negative ones
/// count from the end; the number of what indices count. Further outputs, which `chosen_places`
/// reads: the places in the list, by what they name, and where those of each index begin.
struct chosen_bounds : operation<"chosen_bounds", 4> {
  static constexpr auto own = core::own_function::untyped;
  static constexpr auto pullback = no_gradient;
  static constexpr int outputs = 3;
  static constexpr tensor_type type(core::application const& a, int output) {
    return {element::int32, 1, output == 1 ? a.input(2).broadcast : 0u};
  }
  static constexpr core::extent_source extent(core::application const&, int, int output) {
    if (output == 0) return {core::extent_source::dimension, 1, 0};
    if (output == 1) return {core::extent_source::dimension, 2, 0};
    return {core::extent_source::value, 3, 0, core::affine{1, 1, 1}};
  }
};
/// Its indices, and of each value its number among those of the whole matrix. Operands: indices,
/// bounds of lines; the outputs of `chosen_bounds`; the number of values.
struct chosen_places : operation<"chosen_places", 6> {
  static constexpr auto own = core::own_function::untyped;
  static constexpr auto pullback = no_gradient;
  static constexpr int outputs = 2;
  static constexpr tensor_type type(core::application const&, int output) {
    return {output == 0 ? element::int32 : element::int64, 1, 0};
  }
  static constexpr core::extent_source extent(core::application const&, int, int) {
    return {core::extent_source::value, 5, 0};
  }
};

/// The matrix of every n-th index, n being the attribute: its bounds of lines. Operands: indices,
/// bounds of lines; the first index, how many are chosen, the number of what indices count.
struct stepped_bounds : operation<"stepped_bounds", 5> {
  static constexpr auto own = core::own_function::untyped;
  static constexpr auto pullback = no_gradient;
  static constexpr tensor_type type(core::application const&) { return {element::int32, 1, 0}; }
  static constexpr core::extent_source extent(core::application const&, int) {
    return {core::extent_source::dimension, 1, 0};
  }
};
/// Its indices, and of each value its number among those of the whole matrix. Operands: indices;
/// the first index, how many are chosen; the number of values.
struct stepped_places : operation<"stepped_places", 4> {
  static constexpr auto own = core::own_function::untyped;
  static constexpr auto pullback = no_gradient;
  static constexpr int outputs = 2;
  static constexpr tensor_type type(core::application const&, int output) {
    return {output == 0 ? element::int32 : element::int64, 1, 0};
  }
  static constexpr core::extent_source extent(core::application const&, int, int) {
    return {core::extent_source::value, 3, 0};
  }
};

/// The bounds of lines that are those of one matrix, each with that of another one behind it.
/// Operands: the bounds of each.
struct beside_bounds : operation<"beside_bounds", 2> {
  static constexpr auto own = core::own_function::untyped;
  static constexpr auto pullback = no_gradient;
  static constexpr tensor_type type(core::application const&) { return {element::int32, 1, 0}; }
  static constexpr core::extent_source extent(core::application const&, int) {
    return {core::extent_source::dimension, 0, 0};
  }
  static constexpr void constraints(core::application const&,
                                    core::list<core::extent_pair>& pairs) {
    pairs.push_back(
        {{core::extent_source::dimension, 0, 0}, {core::extent_source::dimension, 1, 0}});
  }
};
/// Their indices; of each value its number among those of the first matrix and, behind them, of the
/// second one; and of each value of the first and of the second one its place. Operands: of each
/// its indices, its bounds and the number of what its indices count; the number of values.
struct beside_places : operation<"beside_places", 7> {
  static constexpr auto own = core::own_function::untyped;
  static constexpr auto pullback = no_gradient;
  static constexpr int outputs = 4;
  static constexpr tensor_type type(core::application const& a, int output) {
    return {output == 0 ? element::int32 : element::int64, 1,
            output < 2 ? 0u : a.input(output == 2 ? 0 : 3).broadcast};
  }
  static constexpr core::extent_source extent(core::application const&, int, int output) {
    if (output < 2) return {core::extent_source::value, 6, 0};
    return {core::extent_source::dimension, output == 2 ? 0 : 3, 0};
  }
};
/// The values: what those of the first and, behind them, of the second one are at these places.
/// Operands: values and bounds of each, the number of values. The optimizer makes it when gradients
/// are known.
struct beside_values : operation<"beside_values", 5> {
  static constexpr bool takes_complex = true, takes_stored = true;
  static constexpr auto own = core::own_function::untyped;
  static constexpr tensor_type type(core::application const& a) {
    return {a.input(0).element, 1, 0};
  }
  static constexpr core::extent_source extent(core::application const&, int) {
    return {core::extent_source::value, 4, 0};
  }
  static constexpr void constraints(core::application const&,
                                    core::list<core::extent_pair>& pairs) {
    pairs.push_back(
        {{core::extent_source::dimension, 1, 0}, {core::extent_source::dimension, 3, 0}});
  }
};

/// The bounds of lines of a Kronecker product. Operands: the bounds of each factor, and how many
/// there are.
struct kron_bounds : operation<"kron_bounds", 3> {
  static constexpr auto own = core::own_function::untyped;
  static constexpr auto pullback = no_gradient;
  static constexpr tensor_type type(core::application const&) { return {element::int32, 1, 0}; }
  static constexpr core::extent_source extent(core::application const&, int) {
    return {core::extent_source::value, 2, 0};
  }
};
/// Its indices, and of each value those of the first and of the second factor that it is the
/// product of. Operands: indices and bounds of each, the number of what indices of the second
/// count, the number of values.
struct kron_places : operation<"kron_places", 6> {
  static constexpr auto own = core::own_function::untyped;
  static constexpr auto pullback = no_gradient;
  static constexpr int outputs = 3;
  static constexpr tensor_type type(core::application const&, int output) {
    return {output == 0 ? element::int32 : element::int64, 1, 0};
  }
  static constexpr core::extent_source extent(core::application const&, int, int) {
    return {core::extent_source::value, 5, 0};
  }
};

}  // namespace op

namespace ops {

/// The pieces with some bounds. `shift` is subtracted from their indices, which count `inner`.
constexpr sparse_parts pieces_of(sparse_parts const& a, term bounds, term shift, term inner) {
  graph& g = a.of();
  term const places{
      &g, g.apply<op::piece_places>({a.index.id, bounds.id, output_of(bounds, 1).id,
                                     count_of_values(bounds).id, shift.id})};
  return {values_at(a, output_of(places, 1)), places, bounds, inner};
}
/// Lines of numbers that may repeat and stand in any order.
constexpr sparse_parts listed_lines(sparse_parts const& a, term lines) {
  graph& g = a.of();
  term const bounds{&g, g.apply<op::listed_bounds>({a.index.id, a.start.id, lines.id})};
  return pieces_of(a, bounds, integer(g, 0), a.inner);
}
/// The values whose indices, or, if it is so, whose differences of index and line lie in a range.
constexpr sparse_parts values_between(sparse_parts const& a, term first, term end,
                                      bool of_diagonals) {
  graph& g = a.of();
  term const bounds{&g, g.apply<op::range_bounds>({a.index.id, a.start.id, first.id, end.id},
                                                  {of_diagonals})};
  if (of_diagonals) return pieces_of(a, bounds, integer(g, 0), a.inner);
  return pieces_of(a, bounds, first, end - first);
}
/// The values whose indices a vector lists.
constexpr sparse_parts chosen_of(sparse_parts const& a, term list) {
  graph& g = a.of();
  term const bounds{&g, g.apply<op::chosen_bounds>({a.index.id, a.start.id, list.id, a.inner.id})},
      places{&g, g.apply<op::chosen_places>({a.index.id, a.start.id, bounds.id,
                                             output_of(bounds, 1).id, output_of(bounds, 2).id,
                                             count_of_values(bounds).id})};
  return {values_at(a, output_of(places, 1)), places, bounds, extent(list, 0)};
}
/// The values of every `step`-th index from `first` on, of so many.
constexpr sparse_parts stepped_of(sparse_parts const& a, term first, term count, long long step) {
  graph& g = a.of();
  term const bounds{&g, g.apply<op::stepped_bounds>(
                            {a.index.id, a.start.id, first.id, count.id, a.inner.id}, {step})},
      places{&g, g.apply<op::stepped_places>(
                     {a.index.id, first.id, count.id, count_of_values(bounds).id}, {step})};
  return {values_at(a, output_of(places, 1)), places, bounds, count};
}

}  // namespace ops
}  // namespace kroton
