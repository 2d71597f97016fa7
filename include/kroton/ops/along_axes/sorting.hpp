// Sorted lines, the positions that sort them, the k largest elements, and insertion points in
// sorted vectors. NaN is larger than every number.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/indexing/along_axis.hpp>

namespace kroton {

/// Where `searchsorted` inserts among equal elements: before the first, or after the last.
enum class side { left, right };

namespace ops {

/// The gradient with respect to x of elements picked from x at positions along an axis.
constexpr gradient_list<1> gradient_of_picked(several const& g, several const& y, term x) {
  if (!g.has(0)) return {};
  term const zeros = expand_like({x.of, x.of->literal(0, x.element())}, x);
  return {{term{x.of, x.of->apply<op::add_along_axis>({zeros.id, g[0].id, y[1].id},
                                                      {x.of->attribute(y[0].id, 0)})}}};
}

}  // namespace ops

namespace op {

/// The elements along the axis (the attribute) in ascending order, and their original positions;
/// equal ones keep their order.
struct sort : operation<"sort", 1> {
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
  static constexpr core::gradient_list<1> pullback(core::several const& g, core::several const& y,
                                                   term x) {
    return ops::gradient_of_picked(g, y, x);
  }
};

/// The k largest along the axis (the attribute) in descending order, and their positions; equal
/// elements keep their order.
struct topk : operation<"topk", 2> {
  static constexpr auto own = core::own_function::typed;
  static constexpr int outputs = 2;
  static constexpr tensor_type type(core::application const& a, int output) {
    tensor_type t = a.input(0);
    if (output == 1) t.element = element::int64;
    std::uint32_t const bit = 1u << a.attribute(0);
    t.broadcast = a.of->is_literal(a.inputs[1], 1) ? t.broadcast | bit : t.broadcast & ~bit;
    return t;
  }
  static constexpr core::extent_source extent(core::application const& a, int d, int) {
    if (d == a.attribute(0)) return {core::extent_source::value, 1, 0};
    return ops::extent_of_first(a, d);
  }
  static constexpr core::gradient_list<2> pullback(core::several const& g, core::several const& y,
                                                   term x, term) {
    return {{ops::gradient_of_picked(g, y, x).terms[0]}};
  }
};

/// The insertion point of each element of the second operand in the first, a vector in ascending
/// order: before equal elements, or after them if the attribute is 1.
struct searchsorted : operation<"searchsorted", 2> {
  static constexpr auto own = core::own_function::typed;
  static constexpr tensor_type type(core::application const& a) {
    tensor_type t = a.input(1);
    t.element = element::int64;
    return t;
  }
  static constexpr core::extent_source extent(core::application const& a, int d) {
    if (a.input(1).broadcasts(d)) return {};
    return {core::extent_source::dimension, 1, d};
  }
  static constexpr auto pullback = no_gradient;
};

}  // namespace op

namespace ops {

/// Sorts along one axis: the node with both outputs.
template <class X, int... Axis>
constexpr term sorted(X const& x, axis_t<Axis...> axis) {
  constexpr bool is_one = sizeof...(Axis) == 1;
  static_assert(is_one,
                "kt::sort: sorts along one axis, as in sort(x, kt::axis<0>); flatten(x) has one");
  if constexpr (is_one)
    return {x.of, x.of->template apply<op::sort>({x.id}, {one_axis(axis, x.type().rank)})};
  else return x;
}

}  // namespace ops

/// The elements along the last axis, or along `kt::axis<...>`, in ascending order, NaN last.
/// Gradients go to the original positions of the elements. (numpy.sort)
template <symbolic X, int... Axis>
  requires one_axis_within_the_rank<X, axis_t<Axis...>>
constexpr X sort(X const& x, axis_t<Axis...> axis) {
  return X(ops::sorted(x, axis));
}
template <symbolic X>
  requires one_axis_within_the_rank<X, axis_t<-1>>
constexpr X sort(X const& x) {
  return X(ops::sorted(x, axis<-1>));
}
/// The int64 positions that sort the last axis, or `kt::axis<...>`; equal elements keep their
/// order, NaN comes last. (numpy.argsort with kind="stable")
template <symbolic X, int... Axis>
  requires one_axis_within_the_rank<X, axis_t<Axis...>>
constexpr auto argsort(X const& x, axis_t<Axis...> axis) {
  term const order = core::output_of(ops::sorted(x, axis), 1);
  if constexpr (typed<X>) return variable<std::int64_t, rank_of<X>>(order);
  else return order;
}
template <symbolic X>
  requires one_axis_within_the_rank<X, axis_t<-1>>
constexpr auto argsort(X const& x) {
  return argsort(x, axis<-1>);
}
/// The k largest elements along the last axis, or along `kt::axis<...>`, the largest first, and
/// their positions: a std::tuple of values and int64 indices. k is a number or an integer scalar; a
/// k larger than the extent throws kt::value_error. NaN is the largest; equal elements keep their
/// order. Gradients go to the original positions of the elements. (theano.tensor.topk_and_argtopk)
template <symbolic X, operand K, int... Axis>
  requires one_axis_within_the_rank<X, axis_t<Axis...>>
constexpr auto topk(X const& x, K const& k, axis_t<Axis...> axis) {
  constexpr bool is_one = sizeof...(Axis) == 1, is_count = ops::is_extent<K>();
  static_assert(is_one, "kt::topk: takes one axis, as in topk(x, k, kt::axis<0>)");
  static_assert(is_count, "kt::topk: k must be an integer or an integer scalar");
  auto const pair = [&](term values, term positions) {
    if constexpr (typed<X>)
      return std::tuple(X(values), variable<std::int64_t, rank_of<X>>(positions));
    else return std::tuple(values, positions);
  };
  if constexpr (!is_one || !is_count) {
    return pair(x, x);
  } else {
    graph& g = *x.of;
    if constexpr (number<K>)
      if (k < K{}) g.fail("kt::topk: k must not be negative");
    int const count = g.cast(core::node_of(g, k, element::int64), element::int64);
    term const node{&g, g.apply<op::topk>({x.id, count}, {ops::one_axis(axis, x.type().rank)})};
    return pair(node, core::output_of(node, 1));
  }
}
template <symbolic X, operand K>
  requires one_axis_within_the_rank<X, axis_t<-1>>
constexpr auto topk(X const& x, K const& k) {
  return topk(x, k, axis<-1>);
}
/// The int64 insertion point of v, a number or a tensor, in the ascending vector a: before equal
/// elements, or after them with `kt::side::right`. (numpy.searchsorted)
template <symbolic A, operand V>
constexpr auto searchsorted(A const& a, V const& v, side where = side::left) {
  graph& g = *a.of;
  int const value = core::node_of(g, v, a.type().element);
  element const common = core::promote(a.type().element, g.type(value).element);
  term const result{&g, g.apply<op::searchsorted>({g.cast(a.id, common), g.cast(value, common)},
                                                  {where == side::right})};
  if constexpr (typed<A>) {
    constexpr bool is_vector = rank_of<A> == 1;
    static_assert(is_vector,
                  "kt::searchsorted: the sequence to search must be a vector in ascending order");
  }
  if constexpr (core::any_term<A, V>) return result;
  else return variable<std::int64_t, core::static_rank<V>()>(result);
}

}  // namespace kroton
