// Lines along an axis arranged around the elements that sorting puts at some positions.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/along_axes/sorting.hpp>

namespace kroton {
namespace op {

/// The elements along the axis (the attribute), with the one that sorting would put at each
/// position in the second operand, a scalar or a vector, there, smaller ones before it and larger
/// ones behind; and their original positions.
struct partition : operation<"partition", 2> {
  static constexpr auto own = core::own_function::typed;
  static constexpr int outputs = 2;
  static constexpr tensor_type type(core::application const& a, int output) {
    tensor_type t = a.input(0);
    if (output == 1) t.element = element::int64;
    return t;
  }
  static constexpr core::extent_source extent(core::application const& a, int d, int) {
    return ops::extent_of_first(a, d);
  }
  static constexpr core::gradient_list<2> pullback(core::several const& g, core::several const& y,
                                                   term x, term) {
    return {{ops::gradient_of_picked(g, y, x).terms[0]}};
  }
};

}  // namespace op

namespace ops {

/// A position, or a vector of them.
template <class K>
constexpr bool are_positions() {
  if constexpr (static_operand<K>)
    return is_integer(static_element_of<K>()) && static_rank<K>() < 2;
  else return is_extent<K>();
}

/// Partitions along one axis: the node with both outputs.
template <class X, class K, int... Axis>
constexpr term partitioned(X const& x, K const& kth, axis_t<Axis...> axis) {
  constexpr bool is_one = sizeof...(Axis) == 1, is_position = are_positions<K>();
  static_assert(is_one, "kt::partition: takes one axis, as in partition(x, kth, kt::axis<0>)");
  static_assert(is_position,
                "kt::partition: kth must be an integer, or an integer scalar or vector");
  if constexpr (is_one && is_position) {
    graph& g = *x.of;
    int const place = g.cast(core::node_of(g, kth, element::int64), element::int64);
    if (g.type(place).rank > 1) g.fail("kt::partition: kth must be a scalar or a vector");
    return {&g, g.apply<op::partition>({x.id, place}, {one_axis(axis, x.type().rank)})};
  } else {
    return x;
  }
}

}  // namespace ops

/// The elements along the last axis, or along `kt::axis<...>`, so that the one at kth is that of
/// the sorted line, no larger ones stand before it and no smaller ones behind; in no other order.
/// kth is a number, an integer scalar, or a vector of several such positions, as `kt::constant({2,
/// 5})`. A negative one counts from the end; one beyond the line throws kt::value_error. NaN is
/// larger than every number. Gradients go to the original positions of the elements.
/// (numpy.partition)
template <symbolic X, operand K, int... Axis>
  requires one_axis_within_the_rank<X, axis_t<Axis...>>
constexpr X partition(X const& x, K const& kth, axis_t<Axis...> axis) {
  return X(ops::partitioned(x, kth, axis));
}
template <symbolic X, operand K>
  requires one_axis_within_the_rank<X, axis_t<-1>>
constexpr X partition(X const& x, K const& kth) {
  return X(ops::partitioned(x, kth, axis<-1>));
}
/// The int64 positions that `partition` takes the elements from. (numpy.argpartition)
template <symbolic X, operand K, int... Axis>
  requires one_axis_within_the_rank<X, axis_t<Axis...>>
constexpr auto argpartition(X const& x, K const& kth, axis_t<Axis...> axis) {
  term const order = core::output_of(ops::partitioned(x, kth, axis), 1);
  if constexpr (typed<X>) return variable<std::int64_t, rank_of<X>>(order);
  else return order;
}
template <symbolic X, operand K>
  requires one_axis_within_the_rank<X, axis_t<-1>>
constexpr auto argpartition(X const& x, K const& kth) {
  return argpartition(x, kth, axis<-1>);
}

}  // namespace kroton
