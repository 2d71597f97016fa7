// Running sums and products along an axis, and the ops that their gradients need.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/along_axes/reduction.hpp>
#include <kroton/ops/indexing/along_axis.hpp>

namespace kroton {
namespace ops {

/// A scan's node: the attributes are the axis, and 1 to run from the end.
template <class Op>
constexpr term scan_along(term x, int axis, bool backwards) {
  return {x.of, x.of->apply<Op>({x.id}, {axis, backwards})};
}

}  // namespace ops

namespace op {

struct cumsum : operation<"cumsum", 1> {
  static constexpr auto own = core::own_function::typed;
  static constexpr bool takes_complex = true;
  static constexpr tensor_type type(core::application const& a) { return a.input(0); }
  static constexpr core::extent_source extent(core::application const& a, int d) {
    return ops::extent_of_first(a, d);
  }
  static constexpr core::gradient_list<1> pullback(term g, term y, term) {
    return {{term{g.of, g.of->apply<cumsum>(
                            {g.id}, {y.of->attribute(y.id, 0), 1 - y.of->attribute(y.id, 1)})}}};
  }
};

/// Elements shifted by one along the axis (the first attribute), forward, or backward if the second
/// attribute is 1. The vacated place is filled with 0, or with 1 if the third attribute says so.
struct shift : operation<"shift", 1> {
  static constexpr auto own = core::own_function::typed;
  static constexpr bool takes_complex = true;
  static constexpr tensor_type type(core::application const& a) { return a.input(0); }
  static constexpr core::extent_source extent(core::application const& a, int d) {
    return ops::extent_of_first(a, d);
  }
  static constexpr core::gradient_list<1> pullback(term g, term y, term) {
    return {{term{g.of, g.of->apply<shift>(
                            {g.id}, {y.of->attribute(y.id, 0), 1 - y.of->attribute(y.id, 1), 0})}}};
  }
};

/// y(i) = v(i) + x(i) y(i-1) along the axis (the first attribute); if the second attribute is 1,
/// y(i) = v(i) + x(i+1) y(i+1). Each is the transpose of the other with respect to v.
struct recurrence : operation<"recurrence", 2> {
  static constexpr auto own = core::own_function::typed;
  static constexpr bool takes_complex = true;
  static constexpr tensor_type type(core::application const& a) {
    tensor_type t = a.input(0);
    t.broadcast &= a.input(1).broadcast;
    return t;
  }
  static constexpr core::extent_source extent(core::application const& a, int d) {
    if (!a.input(0).broadcasts(d)) return {core::extent_source::dimension, 0, d};
    return a.input(1).broadcasts(d) ? core::extent_source{}
                                    : core::extent_source{core::extent_source::dimension, 1, d};
  }
  static constexpr void constraints(core::application const& a,
                                    core::list<core::extent_pair>& pairs) {
    ops::equal_but_along(a, 0, 1, -1, pairs);
  }
  static constexpr core::gradient_list<2> pullback(term g, term y, term, term x) {
    long long const axis = y.of->attribute(y.id, 0), backwards = y.of->attribute(y.id, 1);
    term const to_v{g.of, g.of->apply<recurrence>({g.id, x.id}, {axis, 1 - backwards})};
    // x(i) has multiplied y(i-1) into y(i), or y(i) into y(i-1).
    term const into = backwards != 0 ? to_v : y;
    term const before{g.of, g.of->apply<shift>({into.id}, {axis, 0, 0})};
    return {{to_v, (backwards != 0 ? y : to_v) * before}};
  }
};

// The gradient does not divide by elements: the product of the elements before an element is again
// a running product, and the contribution of later ones follows from R(i) = g(i) + x(i+1) R(i+1).
struct cumprod : operation<"cumprod", 1> {
  static constexpr auto own = core::own_function::typed;
  static constexpr bool takes_complex = true;
  static constexpr tensor_type type(core::application const& a) { return a.input(0); }
  static constexpr core::extent_source extent(core::application const& a, int d) {
    return ops::extent_of_first(a, d);
  }
  static constexpr core::gradient_list<1> pullback(term g, term y, term x) {
    long long const axis = y.of->attribute(y.id, 0);
    term const before{g.of, g.of->apply<shift>({y.id}, {axis, 0, 1})};
    term const after{g.of, g.of->apply<recurrence>({g.id, x.id}, {axis, 1})};
    return {{before * after}};
  }
};

}  // namespace op

namespace ops {

/// Records a scan along one axis, or of all elements as one line.
template <class Op, class X, class... Options>
constexpr auto scanned(X const& x, Options...) {
  using options = reduction_options<Options...>;
  int const rank = x.type().rank;
  term const wide{x.of, x.of->cast(x.id, accumulated(x.type().element))};
  long long const axes = options::axes(rank);
  term const line = options::everything && rank != 1 ? reshape(wide, {count_of(wide, axes)}) : wide;
  int const axis =
      options::everything ? 0 : std::countr_zero(static_cast<unsigned long long>(axes));
  term const result{x.of, x.of->apply(identity<Op>(), {{line.id}}, {{axis, 0}})};
  if constexpr (typed<X>) {
    static_assert(
        options::everything ||
            std::popcount(static_cast<unsigned long long>(options::axes(rank_of<X>))) == 1,
        "kt: cumsum and cumprod run along one axis, or over all elements in row-major order");
    return variable<value_t<accumulated(element_of<value_type_of<X>>())>,
                    options::everything ? 1 : rank_of<X>>(result);
  } else {
    return result;
  }
}

}  // namespace ops

/// Running sums along `kt::axis<...>`, or of all elements in row-major order as a vector; bools and
/// signed integers give int64, unsigned uint64. (numpy.cumsum)
template <symbolic X, class... Options>
  requires one_axis_within_the_rank<X, Options...>
constexpr auto cumsum(X const& x, Options... options) {
  return ops::scanned<op::cumsum>(x, options...);
}
/// Running products, as `cumsum`; gradients are correct even if elements are 0. (numpy.cumprod)
template <symbolic X, class... Options>
  requires one_axis_within_the_rank<X, Options...>
constexpr auto cumprod(X const& x, Options... options) {
  return ops::scanned<op::cumprod>(x, options...);
}

}  // namespace kroton
