// The largest and the smallest elements of sparse matrices; zeros that are not stored count.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/along_axes/positions.hpp>
#include <kroton/ops/sparse/selections.hpp>

namespace kroton {
namespace ops {

/// What extreme elements are looked for in.
enum class extrema_of : long long { lines, indices, everything };

}  // namespace ops

namespace op {

/// Extreme elements of a sparse matrix: the first attribute is 1 for the smallest, the second an
/// `extrema_of`. Operands: values, indices, bounds of lines, the number of what indices count.
/// Outputs: the elements, in a vector; of each of them the index (the line, if each index has one)
/// of the first that is equal, or of the first NaN; and its number among the values, -1 if it is
/// not stored. Of everything the number alone is found.
struct sparse_extremum : operation<"sparse_extremum", 4> {
  static constexpr auto own = core::own_function::typed;
  static constexpr int outputs = 3;
  static constexpr tensor_type type(core::application const& a, int output) {
    std::uint32_t const is_one =
        a.attribute(1) == static_cast<long long>(ops::extrema_of::everything);
    return {output == 0 ? a.input(0).element : element::int64, 1, is_one};
  }
  static constexpr core::extent_source extent(core::application const& a, int, int) {
    switch (static_cast<ops::extrema_of>(a.attribute(1))) {
      case ops::extrema_of::lines: return ops::lines_of(2);
      case ops::extrema_of::indices: return {core::extent_source::value, 3, 0};
      default: return {};
    }
  }
  // Every line must have an element.
  static constexpr void constraints(core::application const& a,
                                    core::list<core::extent_pair>& pairs) {
    using from = core::extent_source;
    auto const of = static_cast<ops::extrema_of>(a.attribute(1));
    if (of != ops::extrema_of::indices)
      pairs.push_back({{from::zero}, {from::value, 3, 0}, core::condition::index});
    if (of != ops::extrema_of::lines)
      pairs.push_back({{from::zero}, ops::lines_of(2), core::condition::index});
    pairs.push_back({{from::dimension, 0, 0}, {from::dimension, 1, 0}});
  }
  static constexpr core::gradient_list<4> pullback(core::several const& g, core::several const& y,
                                                   term values, term index, term start, term);
};

constexpr core::gradient_list<4> sparse_extremum::pullback(core::several const& g,
                                                           core::several const& y, term values,
                                                           term index, term start, term) {
  if (!g.has(0)) return {};
  graph& of = *values.of;
  auto const which = static_cast<ops::extrema_of>(of.attribute(y[0].id, 1));
  auto const own = [&](term x) {
    if (which == ops::extrema_of::everything) return ops::permute(x, {});
    if (which == ops::extrema_of::lines)
      return ops::picked(x, {&of, of.apply<line_numbers>({index.id, start.id})});
    return ops::picked(x, {&of, of.cast(index.id, element::int64)});
  };
  term const number = ops::iota(ops::extent(values, 0));
  return {{call<where>(call<eq>(number, own(y[2])), own(g[0]), 0)}};
}

}  // namespace op

namespace ops {

template <sparse A>
constexpr term extremum_of(A const& a, bool smallest, extrema_of which) {
  graph& g = *a.value.of;
  long long const attributes[] = {smallest, static_cast<long long>(which)};
  int const operands[] = {a.value.id, a.index.id, a.start.id, a.inner.id};
  return {&g, g.apply(identity<op::sparse_extremum>(), operands, attributes)};
}
template <sparse A, int Axis>
constexpr term extrema_along(A const& a, bool smallest) {
  constexpr bool is_known = Axis == 0 || Axis == 1 || Axis == -1 || Axis == -2;
  static_assert(is_known, "kt: max, min, argmax and argmin of a sparse matrix: it has the axes 0 "
                          "and 1");
  constexpr bool of_rows = Axis == 1 || Axis == -1;
  return extremum_of(a, smallest, of_rows == A::by_rows ? extrema_of::lines : extrema_of::indices);
}
template <sparse A>
constexpr auto extremum(A const& a, bool smallest) {
  return scalar<typename A::value_type>(
      permute(extremum_of(a, smallest, extrema_of::everything), {}));
}
/// The first of the rows with an extreme element, and its place in that.
template <bool Smallest, sparse A>
constexpr lscalar position_of_extremum(A const& a) {
  term const rows = extrema_along<A, 1>(a, Smallest);
  vector<typename A::value_type> const elements(rows);
  lvector const columns(output_of(rows, 1));
  auto const row = [&] {
    if constexpr (Smallest) return argmin(elements);
    else return argmax(elements);
  }();
  return row * a.shape(1) + columns(row);
}

}  // namespace ops

/// The largest element of a sparse matrix, also of those that are not stored, which are 0; NaN
/// wins; the gradient goes to the first of equals. Throws kt::value_error if there are no elements.
/// (scipy.sparse: a.max())
template <sparse A>
constexpr auto max(A const& a) {
  return ops::extremum(a, false);
}
/// The smallest element.
template <sparse A>
constexpr auto min(A const& a) {
  return ops::extremum(a, true);
}
/// The largest elements of columns (`kt::axis<0>`) or of rows (`kt::axis<1>`), a dense vector.
template <sparse A, int Axis>
constexpr auto max(A const& a, axis_t<Axis>) {
  return vector<typename A::value_type>(ops::extrema_along<A, Axis>(a, false));
}
/// The smallest elements of columns or of rows.
template <sparse A, int Axis>
constexpr auto min(A const& a, axis_t<Axis>) {
  return vector<typename A::value_type>(ops::extrema_along<A, Axis>(a, true));
}
/// The int64 position of the largest element in row-major order: the first of equals, or the first
/// NaN. (scipy.sparse: a.argmax())
template <sparse A>
constexpr auto argmax(A const& a) {
  return ops::position_of_extremum<false>(a);
}
/// That of the smallest element.
template <sparse A>
constexpr auto argmin(A const& a) {
  return ops::position_of_extremum<true>(a);
}
/// Of each column (`kt::axis<0>`) the row, or of each row (`kt::axis<1>`) the column of its largest
/// element.
template <sparse A, int Axis>
constexpr auto argmax(A const& a, axis_t<Axis>) {
  return lvector(ops::output_of(ops::extrema_along<A, Axis>(a, false), 1));
}
/// Those of the smallest elements.
template <sparse A, int Axis>
constexpr auto argmin(A const& a, axis_t<Axis>) {
  return lvector(ops::output_of(ops::extrema_along<A, Axis>(a, true), 1));
}

}  // namespace kroton
