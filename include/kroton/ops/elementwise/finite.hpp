// NaN and infinities among elements, and comparisons up to an error.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/along_axes/positions.hpp>
#include <kroton/ops/along_axes/reduction.hpp>
#include <kroton/ops/along_axes/scans.hpp>
#include <kroton/ops/along_axes/statistics.hpp>
#include <kroton/ops/assertion.hpp>
#include <kroton/ops/elementwise/selection.hpp>
#include <kroton/ops/refused/operators.hpp>

#include <limits>

namespace kroton {

namespace ops {

/// A bool for each element of a variable of type X.
template <class X>
constexpr auto truth_of(term x) {
  if constexpr (typed<X>) return variable<bool, rank_of<X>>(x);
  else return x;
}

}  // namespace ops

/// Whether elements differ by at most absolute + relative * abs(b), elementwise; infinities of one
/// sign are close, NaN is not. (numpy.isclose)
template <operand A, operand B>
  requires operands<A, B>
constexpr auto isclose(A const& a, B const& b, double relative = 1e-5, double absolute = 1e-8) {
  graph& g = *core::graph_of_operands(a, b);
  constexpr element f = element::float64;
  auto const distance = abs(a - b);
  term const left{&g, core::node_of(g, a, f)}, right{&g, core::node_of(g, b, f)};
  // Rules take x == x for true, and x - x for 0.
  term const bound = absolute + relative * call<op::abs>(right);
  term const same =
      call<op::bit_and>(call<op::eq>(left, right), call<op::bit_not>(call<op::isnan>(left)));
  term const near = call<op::bit_and>(call<op::le>(distance, bound), call<op::isfinite>(bound));
  return ops::truth_of<decltype(distance)>(call<op::bit_or>(same, near));
}
/// Whether all elements are close, see `isclose`. (numpy.allclose)
template <operand A, operand B>
  requires operands<A, B>
constexpr auto allclose(A const& a, B const& b, double relative = 1e-5, double absolute = 1e-8) {
  return all(isclose(a, b, relative, absolute));
}

namespace ops {

template <class X>
inline constexpr bool has_integers = false;
template <typed X>
inline constexpr bool has_integers<X> = std::is_integral_v<value_type_of<X>>;
template <class T>
constexpr double largest_finite() {
  return static_cast<double>(std::numeric_limits<T>::max());
}
template <symbolic X>
constexpr double largest_finite_of(X const& x) {
  switch (term(x).element()) {
    case element::float16: return largest_finite<half>();
    case element::bfloat16: return largest_finite<bfloat16>();
    case element::float32: return largest_finite<float>();
    default: return largest_finite<double>();
  }
}

}  // namespace ops

/// Elements with NaN replaced by a number, and infinities by the largest and smallest finite
/// numbers of their type. (numpy.nan_to_num)
template <symbolic X>
constexpr X nan_to_num(X const& given, double nan = 0) {
  // What is too large for 16 bits is infinite where it is stored.
  X const x(term{given.of, given.of->round(given.id, given.type().element)});
  constexpr bool is_integer = ops::has_integers<X>;
  if constexpr (is_integer) {
    return x;
  } else {
    double const limit = ops::largest_finite_of(x), above = std::numeric_limits<double>::infinity();
    return X(where(isnan(x), nan, where(ge(x, above), limit, where(le(x, -above), -limit, x))));
  }
}
/// The sum of the elements that are not NaN, with the options of `sum`. (numpy.nansum)
template <symbolic X, class... Options>
  requires reduced_axes_are_within_the_rank<X, Options...>
constexpr auto nansum(X const& x, Options... options) {
  return sum(where(isnan(x), 0, x), options...);
}
/// The mean of the elements that are not NaN, with the options of `mean`; NaN where there are none.
/// (numpy.nanmean)
template <symbolic X, class... Options>
  requires reduced_axes_are_within_the_rank<X, Options...>
constexpr auto nanmean(X const& x, Options... options) {
  return nansum(x, options...) / sum(~isnan(x), options...);
}
/// The product of the elements that are not NaN, with the options of `prod`. (numpy.nanprod)
template <symbolic X, class... Options>
  requires reduced_axes_are_within_the_rank<X, Options...>
constexpr auto nanprod(X const& x, Options... options) {
  return prod(where(isnan(x), 1, x), options...);
}
/// The variance of the elements that are not NaN, with the options of `var`; NaN unless there are
/// more of them than ddof. (numpy.nanvar)
template <symbolic X, class... Options>
  requires variance_options_fit_the_rank<X, Options...>
constexpr auto nanvar(X const& x, Options...) {
  using all = ops::variance_options<Options...>;
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  return [&]<class... O>(boost::mp11::mp_list<O...>) {
    auto const center = [&] {
      if constexpr (all::reduction::keep) return nanmean(x, O{}...);
      else return nanmean(x, O{}..., keepdims);
    }();
    // Of elements that are not NaN, the distance may be: the mean is infinite where one of them is.
    auto const is_number = ~isnan(x);
    auto const squares = sum(where(is_number, sqr(abs(x - center)), 0), O{}...);
    auto const count = sum(is_number, O{}...);
    if constexpr (all::ddof == 0) return squares / count;
    else return where(count > all::ddof, squares, nan) / (count - all::ddof);
  }(typename all::others{});
}
/// The square root of `nanvar`, with its options. Its gradient is 0 where all elements are equal.
/// (numpy.nanstd)
template <symbolic X, class... Options>
  requires variance_options_fit_the_rank<X, Options...>
constexpr auto nanstd(X const& x, Options... options) {
  return call<op::root>(nanvar(x, options...));
}
/// The largest element that is not NaN, with the options of `max`; NaN where there is none. Of
/// integers it is `max`. (numpy.nanmax)
template <symbolic X, class... Options>
  requires reduced_axes_are_within_the_rank<X, Options...>
constexpr auto nanmax(X const& x, Options... options) {
  if constexpr (ops::has_integers<X>) {
    return max(x, options...);
  } else {
    double const infinity = std::numeric_limits<double>::infinity();
    return where(any(~isnan(x), options...), max(where(isnan(x), -infinity, x), options...),
                 std::numeric_limits<double>::quiet_NaN());
  }
}
/// The smallest element that is not NaN, as `nanmax`. (numpy.nanmin)
template <symbolic X, class... Options>
  requires reduced_axes_are_within_the_rank<X, Options...>
constexpr auto nanmin(X const& x, Options... options) {
  if constexpr (ops::has_integers<X>) {
    return min(x, options...);
  } else {
    double const infinity = std::numeric_limits<double>::infinity();
    return where(any(~isnan(x), options...), min(where(isnan(x), infinity, x), options...),
                 std::numeric_limits<double>::quiet_NaN());
  }
}
/// The int64 position of the largest element that is not NaN, as `argmax`. Throws kt::value_error
/// where all are NaN; of NaN and minus infinities alone it is the first, as in NumPy.
/// (numpy.nanargmax)
template <symbolic X, class... Options>
constexpr auto nanargmax(X const& x, Options... options) {
  constexpr bool are_axes = reduced_axes_are_within_the_rank<X, Options...>;
  static_assert(are_axes,
                "kt::nanargmax: takes, in either order, kt::axis<...> within the rank and "
                "kt::keepdims, as in nanargmax(x, kt::axis<0>)");
  if constexpr (!are_axes) return ops::refused_operand(x);
  else if constexpr (ops::has_integers<X>) return argmax(x, options...);
  else
    return assert_that(
        "kt::nanargmax: all elements are NaN", any(~isnan(x), options...),
        argmax(where(isnan(x), -std::numeric_limits<double>::infinity(), x), options...));
}
/// The int64 position of the smallest element that is not NaN, as `nanargmax`. (numpy.nanargmin)
template <symbolic X, class... Options>
constexpr auto nanargmin(X const& x, Options... options) {
  constexpr bool are_axes = reduced_axes_are_within_the_rank<X, Options...>;
  static_assert(are_axes,
                "kt::nanargmin: takes, in either order, kt::axis<...> within the rank and "
                "kt::keepdims, as in nanargmin(x, kt::axis<0>)");
  if constexpr (!are_axes) return ops::refused_operand(x);
  else if constexpr (ops::has_integers<X>) return argmin(x, options...);
  else
    return assert_that(
        "kt::nanargmin: all elements are NaN", any(~isnan(x), options...),
        argmin(where(isnan(x), std::numeric_limits<double>::infinity(), x), options...));
}
/// Running sums in which NaN counts as 0, as `cumsum`. (numpy.nancumsum)
template <symbolic X, class... Options>
constexpr auto nancumsum(X const& x, Options... options) {
  constexpr bool is_axis = one_axis_within_the_rank<X, Options...>;
  static_assert(is_axis,
                "kt::nancumsum: takes one tensor and at most one axis within the rank, as in "
                "nancumsum(x, kt::axis<0>)");
  if constexpr (is_axis) return cumsum(where(isnan(x), 0, x), options...);
  else return ops::refused_operand(x);
}
/// Running products in which NaN counts as 1, as `cumprod`. (numpy.nancumprod)
template <symbolic X, class... Options>
constexpr auto nancumprod(X const& x, Options... options) {
  constexpr bool is_axis = one_axis_within_the_rank<X, Options...>;
  static_assert(is_axis,
                "kt::nancumprod: takes one tensor and at most one axis within the rank, as in "
                "nancumprod(x, kt::axis<0>)");
  if constexpr (is_axis) return cumprod(where(isnan(x), 1, x), options...);
  else return ops::refused_operand(x);
}
/// How many elements are not 0, an int64, with the options of `sum`. (numpy.count_nonzero)
template <symbolic X, class... Options>
  requires reduced_axes_are_within_the_rank<X, Options...>
constexpr auto count_nonzero(X const& x, Options... options) {
  return sum(neq(x, 0), options...);
}
/// The largest element less the smallest one, with the options of `max`. (numpy.ptp)
template <symbolic X, class... Options>
  requires reduced_axes_are_within_the_rank<X, Options...>
constexpr auto ptp(X const& x, Options... options) {
  return max(x, options...) - min(x, options...);
}

}  // namespace kroton
