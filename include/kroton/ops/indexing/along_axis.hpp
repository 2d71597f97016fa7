// Elements picked along an axis by an array of positions, and the transpose of that operation:
// elements added at those positions.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/along_axes/reduction.hpp>
#include <kroton/ops/elementwise/selection.hpp>

namespace kroton {
namespace ops {

/// The extent of every dimension of the first operand.
constexpr extent_source extent_of_first(application const& a, int d) {
  if (a.input(0).broadcasts(d)) return {};
  return {extent_source::dimension, 0, d};
}
/// Requires that two operands have the same extents in every dimension except `axis`.
constexpr void equal_but_along(application const& a, int left, int right, int axis,
                               list<extent_pair>& pairs) {
  for (int d = 0; d < a.input(left).rank; ++d)
    if (d != axis)
      pairs.push_back({{extent_source::dimension, left, d}, {extent_source::dimension, right, d}});
}

}  // namespace ops

namespace op {

/// The elements of the first operand along the axis (the attribute), at the positions in the second
/// operand.
struct take_along_axis : operation<"take_along_axis", 2> {
  static constexpr bool takes_stored = true;
  static constexpr auto own = core::own_function::untyped;
  static constexpr bool takes_complex = true, by_rows = true;
  static constexpr tensor_type type(core::application const& a) {
    tensor_type t = a.input(1);
    t.element = a.input(0).element;
    return t;
  }
  static constexpr core::extent_source extent(core::application const& a, int d) {
    if (a.input(1).broadcasts(d)) return {};
    return {core::extent_source::dimension, 1, d};
  }
  static constexpr void constraints(core::application const& a,
                                    core::list<core::extent_pair>& pairs) {
    ops::equal_but_along(a, 0, 1, static_cast<int>(a.attribute(0)), pairs);
  }
  static constexpr core::gradient_list<2> pullback(term g, term y, term x, term positions);
};

/// The first operand with elements of the second added along the axis (the attribute), at the
/// positions in the third operand.
struct add_along_axis : operation<"add_along_axis", 3> {
  static constexpr auto own = core::own_function::typed;
  static constexpr bool takes_complex = true, by_rows = true;
  static constexpr int overwrites = 0;
  static constexpr tensor_type type(core::application const& a) { return a.input(0); }
  static constexpr core::extent_source extent(core::application const& a, int d) {
    return ops::extent_of_first(a, d);
  }
  static constexpr void constraints(core::application const& a,
                                    core::list<core::extent_pair>& pairs) {
    ops::equal_but_along(a, 1, 2, -1, pairs);
    ops::equal_but_along(a, 0, 1, static_cast<int>(a.attribute(0)), pairs);
  }
  static constexpr core::gradient_list<3> pullback(term g, term y, term, term, term positions) {
    return {{g, term{g.of, g.of->apply<take_along_axis>({g.id, positions.id},
                                                        {y.of->attribute(y.id, 0)})}}};
  }
};

constexpr core::gradient_list<2> take_along_axis::pullback(term g, term y, term x, term positions) {
  term const zeros = ops::expand_like({x.of, x.of->literal(0, x.element())}, x);
  return {{term{g.of, g.of->apply<add_along_axis>({zeros.id, g.id, positions.id},
                                                  {y.of->attribute(y.id, 0)})}}};
}

}  // namespace op

/// Exactly one axis, within the rank.
template <class X, class... Options>
concept one_axis_within_the_rank =
    sizeof...(Options) <= 1 && reduced_axes_are_within_the_rank<X, Options...>;

namespace ops {

/// The one given axis, counted from the front.
template <int Axis>
constexpr int one_axis(axis_t<Axis>, int rank) {
  return Axis < 0 ? Axis + rank : Axis;
}

/// Spreads x to the extents of `like` where x broadcasts, except along `axis`.
constexpr term spread_but_along(term x, term like, int axis) {
  list<term> extents;
  bool same = true;
  for (int d = 0; d < x.rank(); ++d) {
    bool const spread = d != axis && x.type().broadcasts(d) && !like.type().broadcasts(d);
    same = same && !spread;
    extents.push_back(extent(spread ? like : x, d));
  }
  return same ? x : alloc(x, extents);
}

constexpr term take_along_axis(term x, term positions, int axis) {
  positions.id = x.of->cast(positions.id, element::int64);
  if (x.rank() != positions.rank()) {
    x.of->fail(
        "kt::take_along_axis: the positions must have the rank of the tensor");
    return x;
  }
  term const from = spread_but_along(x, positions, axis), at = spread_but_along(positions, x, axis);
  return {x.of, x.of->apply<op::take_along_axis>({from.id, at.id}, {axis})};
}

}  // namespace ops

/// The elements of x at the positions along an axis: y(i, j) = x(positions(i, j), j) for axis 0.
/// Positions are integers of the rank of x; negative ones count from the end, and one out of range
/// throws kt::value_error. Along the other axes, extents must be equal or broadcast. Gradients of
/// an element that is taken more than once add up. (numpy.take_along_axis)
template <symbolic X, operand I, int... Axis>
  requires one_axis_within_the_rank<X, axis_t<Axis...>> && (!number<I>)
constexpr X take_along_axis(X const& x, I const& positions, axis_t<Axis...> axis) {
  constexpr bool is_one = sizeof...(Axis) == 1, are_integers = !ops::is_continuous_operand<I>();
  static_assert(
      is_one,
      "kt::take_along_axis: takes one axis, as in take_along_axis(x, positions, kt::axis<0>)");
  static_assert(are_integers, "kt::take_along_axis: positions must be integers");
  if constexpr (typed<X> && core::static_operand<I>) {
    constexpr bool is_one_rank = rank_of<X> == core::static_rank<I>();
    static_assert(
        is_one_rank,
        "kt::take_along_axis: the positions must have the rank of the tensor");
  }
  if constexpr (is_one && are_integers) {
    term const at{x.of, core::node_of(*x.of, positions, element::int64)};
    return X(ops::take_along_axis(x, at, ops::one_axis(axis, x.type().rank)));
  } else {
    return x;
  }
}

}  // namespace kroton
