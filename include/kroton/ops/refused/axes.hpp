// Axes that a tensor does not have, rejected with a sentence that shows the axes and the rank; and
// positions and orders that are missing or not known before a call.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/along_axes/positions.hpp>
#include <kroton/ops/along_axes/scans.hpp>
#include <kroton/ops/along_axes/softmax.hpp>
#include <kroton/ops/along_axes/sorting.hpp>
#include <kroton/ops/along_axes/statistics.hpp>
#include <kroton/ops/indexing/along_axis.hpp>
#include <kroton/ops/linear_algebra/norms.hpp>
#include <kroton/ops/refused/operators.hpp>

namespace kroton {
namespace ops {

template <class X, class... Options>
concept misses_axes = typed<X> && !reduced_axes_are_within_the_rank<X, Options...>;
/// The same for functions that run along the last axis by default.
template <class X, class... Options>
concept misses_its_axis = typed<X> && (rank_of<X> == 0 || !one_axis_within_the_rank<X, Options...>);
template <class... Options>
concept reduction_options_are_known = reduction_options<Options...>::known;

/// The result of a rejected reduction: without the axes that it names, so that no second error
/// follows.
template <class T, class options, class X>
constexpr auto refused_by(X const& x) {
  constexpr int named = options::everything ? rank_of<X> : options::named;
  constexpr int rank = options::keep ? rank_of<X> : named > rank_of<X> ? 0 : rank_of<X> - named;
  return in_place_of<T, rank>(x);
}
template <class T, class X, class... Options>
constexpr auto refused_reduction(X const& x, Options...) {
  return refused_by<T, reduction_options<Options...>>(x);
}

template <class X, class... Options>
concept misses_axes_of_variance = typed<X> && !variance_options_fit_the_rank<X, Options...>;

}  // namespace ops

// Each function contains its own sentence, because clang prints the instantiation stack after an
// error.
template <symbolic X, class... Options>
  requires ops::misses_axes<X, Options...>
constexpr auto sum(X const& x, Options... options) {
  if constexpr (ops::reduction_options_are_known<Options...>)
    static_assert(is_accepted<X, Options...>,
                  "kt::sum: an axis is outside the rank: a tensor of rank n has the axes 0 to n - "
                  "1, or -n to -1 from the end");
  else
    static_assert(is_accepted<X, Options...>,
                  "kt::sum: a reduction takes one tensor and, in either order, kt::axis<...> and "
                  "kt::keepdims, as in sum(x, kt::axis<0>)");
  return ops::refused_reduction<value_type_of<X>>(x, options...);
}
template <symbolic X, class... Options>
  requires ops::misses_axes<X, Options...>
constexpr auto prod(X const& x, Options... options) {
  if constexpr (ops::reduction_options_are_known<Options...>)
    static_assert(is_accepted<X, Options...>,
                  "kt::prod: an axis is outside the rank: a tensor of rank n has the axes 0 to n - "
                  "1, or -n to -1 from the end");
  else
    static_assert(is_accepted<X, Options...>,
                  "kt::prod: a reduction takes one tensor and, in either order, kt::axis<...> and "
                  "kt::keepdims, as in prod(x, kt::axis<0>)");
  return ops::refused_reduction<value_type_of<X>>(x, options...);
}
template <symbolic X, class... Options>
  requires ops::misses_axes<X, Options...>
constexpr auto all(X const& x, Options... options) {
  if constexpr (ops::reduction_options_are_known<Options...>)
    static_assert(is_accepted<X, Options...>,
                  "kt::all: an axis is outside the rank: a tensor of rank n has the axes 0 to n - "
                  "1, or -n to -1 from the end");
  else
    static_assert(is_accepted<X, Options...>,
                  "kt::all: a reduction takes one tensor and, in either order, kt::axis<...> and "
                  "kt::keepdims, as in all(x, kt::axis<0>)");
  return ops::refused_reduction<bool>(x, options...);
}
template <symbolic X, class... Options>
  requires ops::misses_axes<X, Options...>
constexpr auto any(X const& x, Options... options) {
  if constexpr (ops::reduction_options_are_known<Options...>)
    static_assert(is_accepted<X, Options...>,
                  "kt::any: an axis is outside the rank: a tensor of rank n has the axes 0 to n - "
                  "1, or -n to -1 from the end");
  else
    static_assert(is_accepted<X, Options...>,
                  "kt::any: a reduction takes one tensor and, in either order, kt::axis<...> and "
                  "kt::keepdims, as in any(x, kt::axis<0>)");
  return ops::refused_reduction<bool>(x, options...);
}
template <symbolic X, class... Options>
  requires ops::misses_axes<X, Options...>
constexpr auto mean(X const& x, Options... options) {
  if constexpr (ops::reduction_options_are_known<Options...>)
    static_assert(is_accepted<X, Options...>,
                  "kt::mean: an axis is outside the rank: a tensor of rank n has the axes 0 to n - "
                  "1, or -n to -1 from the end");
  else
    static_assert(is_accepted<X, Options...>,
                  "kt::mean: a reduction takes one tensor and, in either order, kt::axis<...> and "
                  "kt::keepdims, as in mean(x, kt::axis<0>)");
  return ops::refused_reduction<value_type_of<X>>(x, options...);
}
template <symbolic X, class... Options>
  requires ops::misses_axes_of_variance<X, Options...>
constexpr auto var(X const& x, Options...) {
  if constexpr (ops::variance_options<Options...>::known)
    static_assert(is_accepted<X, Options...>,
                  "kt::var: an axis is outside the rank: a tensor of rank n has the axes 0 to n - "
                  "1, or -n to -1 from the end");
  else
    static_assert(is_accepted<X, Options...>,
                  "kt::var: takes one tensor and, in any order, kt::axis<...>, kt::keepdims and "
                  "kt::ddof<...>, as in var(x, kt::axis<0>, kt::ddof<1>)");
  using options = typename ops::variance_options<Options...>::reduction;
  return ops::refused_by<value_type_of<X>, options>(x);
}
template <symbolic X, class... Options>
  requires ops::misses_axes_of_variance<X, Options...>
constexpr auto stddev(X const& x, Options...) {
  if constexpr (ops::variance_options<Options...>::known)
    static_assert(is_accepted<X, Options...>,
                  "kt::stddev: an axis is outside the rank: a tensor of rank n has the axes 0 to n "
                  "- 1, or -n to -1 from the end");
  else
    static_assert(is_accepted<X, Options...>,
                  "kt::stddev: takes one tensor and, in any order, kt::axis<...>, kt::keepdims and "
                  "kt::ddof<...>, as in stddev(x, kt::axis<0>, kt::ddof<1>)");
  using options = typename ops::variance_options<Options...>::reduction;
  return ops::refused_by<value_type_of<X>, options>(x);
}
template <symbolic X, class... Options>
  requires ((!ops::norm_order<Options> && !symbolic<Options>) && ...) &&
           ops::misses_axes<X, Options...>
constexpr auto norm(X const& x, Options... options) {
  if constexpr (ops::reduction_options_are_known<Options...>)
    static_assert(is_accepted<X, Options...>,
                  "kt::norm: an axis is outside the rank: a tensor of rank n has the axes 0 to n - "
                  "1, or -n to -1 from the end");
  else
    static_assert(is_accepted<X, Options...>,
                  "kt::norm: a reduction takes one tensor and, in either order, kt::axis<...> and "
                  "kt::keepdims, as in norm(x, kt::axis<0>)");
  return ops::refused_reduction<value_type_of<X>>(x, options...);
}
template <typed X, symbolic P, class... Options>
constexpr auto norm(X const& x, P const&, Options... options) {
  static_assert(is_accepted<met::type<P>>,
                "kt::norm: the order is a number, kt::fro or kt::nuc; that of an expression p is "
                "written pow(sum(pow(abs(x), p)), 1 / p)");
  return ops::refused_reduction<value_type_of<X>>(x, options...);
}
template <symbolic X, class... Options>
  requires ops::misses_axes<X, Options...>
constexpr auto logsumexp(X const& x, Options... options) {
  if constexpr (ops::reduction_options_are_known<Options...>)
    static_assert(is_accepted<X, Options...>,
                  "kt::logsumexp: an axis is outside the rank: a tensor of rank n has the axes 0 "
                  "to n - 1, or -n to -1 from the end");
  else
    static_assert(is_accepted<X, Options...>,
                  "kt::logsumexp: a reduction takes one tensor and, in either order, kt::axis<...> "
                  "and kt::keepdims, as in logsumexp(x, kt::axis<0>)");
  return ops::refused_reduction<value_type_of<X>>(x, options...);
}
template <symbolic X, class... Options>
  requires (!operand<Options> && ...) && ops::misses_axes<X, Options...>
constexpr auto max(X const& x, Options... options) {
  if constexpr (ops::reduction_options_are_known<Options...>)
    static_assert(is_accepted<X, Options...>,
                  "kt::max: an axis is outside the rank: a tensor of rank n has the axes 0 to n - "
                  "1, or -n to -1 from the end");
  else
    static_assert(is_accepted<X, Options...>,
                  "kt::max: a reduction takes one tensor and, in either order, kt::axis<...> and "
                  "kt::keepdims, as in max(x, kt::axis<0>)");
  return ops::refused_reduction<value_type_of<X>>(x, options...);
}
template <symbolic X, class... Options>
  requires (!operand<Options> && ...) && ops::misses_axes<X, Options...>
constexpr auto min(X const& x, Options... options) {
  if constexpr (ops::reduction_options_are_known<Options...>)
    static_assert(is_accepted<X, Options...>,
                  "kt::min: an axis is outside the rank: a tensor of rank n has the axes 0 to n - "
                  "1, or -n to -1 from the end");
  else
    static_assert(is_accepted<X, Options...>,
                  "kt::min: a reduction takes one tensor and, in either order, kt::axis<...> and "
                  "kt::keepdims, as in min(x, kt::axis<0>)");
  return ops::refused_reduction<value_type_of<X>>(x, options...);
}
template <symbolic X, class... Options>
  requires ops::misses_axes<X, Options...>
constexpr auto argmax(X const& x, Options... options) {
  if constexpr (ops::reduction_options_are_known<Options...>)
    static_assert(is_accepted<X, Options...>,
                  "kt::argmax: an axis is outside the rank: a tensor of rank n has the axes 0 to n "
                  "- 1, or -n to -1 from the end");
  else
    static_assert(is_accepted<X, Options...>,
                  "kt::argmax: a reduction takes one tensor and, in either order, kt::axis<...> "
                  "and kt::keepdims, as in argmax(x, kt::axis<0>)");
  return ops::refused_reduction<std::int64_t>(x, options...);
}
template <symbolic X, class... Options>
  requires ops::misses_axes<X, Options...>
constexpr auto argmin(X const& x, Options... options) {
  if constexpr (ops::reduction_options_are_known<Options...>)
    static_assert(is_accepted<X, Options...>,
                  "kt::argmin: an axis is outside the rank: a tensor of rank n has the axes 0 to n "
                  "- 1, or -n to -1 from the end");
  else
    static_assert(is_accepted<X, Options...>,
                  "kt::argmin: a reduction takes one tensor and, in either order, kt::axis<...> "
                  "and kt::keepdims, as in argmin(x, kt::axis<0>)");
  return ops::refused_reduction<std::int64_t>(x, options...);
}
template <symbolic X, class... Options>
  requires(typed<X> && !one_axis_within_the_rank<X, Options...>)
constexpr X cumsum(X const& x, Options...) {
  if constexpr (ops::reduction_options_are_known<Options...>)
    static_assert(is_accepted<X, Options...>,
                  "kt::cumsum: the axis is outside the rank: a tensor of rank n has the axes 0 to "
                  "n - 1, or -n to -1 from the end");
  else
    static_assert(
        is_accepted<X, Options...>,
        "kt::cumsum: takes one tensor and at most one axis, as in cumsum(x, kt::axis<0>)");
  return ops::refused_operand(x);
}
template <symbolic X, class... Options>
  requires(typed<X> && !one_axis_within_the_rank<X, Options...>)
constexpr X cumprod(X const& x, Options...) {
  if constexpr (ops::reduction_options_are_known<Options...>)
    static_assert(is_accepted<X, Options...>,
                  "kt::cumprod: the axis is outside the rank: a tensor of rank n has the axes 0 to "
                  "n - 1, or -n to -1 from the end");
  else
    static_assert(
        is_accepted<X, Options...>,
        "kt::cumprod: takes one tensor and at most one axis, as in cumprod(x, kt::axis<0>)");
  return ops::refused_operand(x);
}
template <symbolic X, class... Options>
  requires ops::misses_its_axis<X, Options...>
constexpr X softmax(X const& x, Options...) {
  if constexpr (ops::reduction_options_are_known<Options...>)
    static_assert(is_accepted<X, Options...>,
                  "kt::softmax: the axis is outside the rank: a tensor of rank n has the axes 0 to "
                  "n - 1, or -n to -1 from the end");
  else
    static_assert(
        is_accepted<X, Options...>,
        "kt::softmax: takes one tensor and at most one axis, as in softmax(x, kt::axis<0>)");
  return ops::refused_operand(x);
}
template <symbolic X, class... Options>
  requires ops::misses_its_axis<X, Options...>
constexpr X log_softmax(X const& x, Options...) {
  if constexpr (ops::reduction_options_are_known<Options...>)
    static_assert(is_accepted<X, Options...>,
                  "kt::log_softmax: the axis is outside the rank: a tensor of rank n has the axes "
                  "0 to n - 1, or -n to -1 from the end");
  else
    static_assert(is_accepted<X, Options...>,
                  "kt::log_softmax: takes one tensor and at most one axis, as in log_softmax(x, "
                  "kt::axis<0>)");
  return ops::refused_operand(x);
}
template <symbolic X, class... Options>
  requires ops::misses_its_axis<X, Options...>
constexpr X sort(X const& x, Options...) {
  if constexpr (ops::reduction_options_are_known<Options...>)
    static_assert(is_accepted<X, Options...>,
                  "kt::sort: the axis is outside the rank: a tensor of rank n has the axes 0 to n "
                  "- 1, or -n to -1 from the end");
  else
    static_assert(is_accepted<X, Options...>,
                  "kt::sort: takes one tensor and at most one axis, as in sort(x, kt::axis<0>)");
  return ops::refused_operand(x);
}
template <symbolic X, class... Options>
  requires ops::misses_its_axis<X, Options...>
constexpr X argsort(X const& x, Options...) {
  if constexpr (ops::reduction_options_are_known<Options...>)
    static_assert(is_accepted<X, Options...>,
                  "kt::argsort: the axis is outside the rank: a tensor of rank n has the axes 0 to "
                  "n - 1, or -n to -1 from the end");
  else
    static_assert(
        is_accepted<X, Options...>,
        "kt::argsort: takes one tensor and at most one axis, as in argsort(x, kt::axis<0>)");
  return ops::refused_operand(x);
}
template <symbolic X, operand K, int... Axis>
  requires(typed<X> && !one_axis_within_the_rank<X, axis_t<Axis...>>)
constexpr X partition(X const& x, K const&, axis_t<Axis...>) {
  static_assert(is_accepted<X, axis_t<Axis...>>,
                "kt::partition: the axis is outside the rank: a tensor of rank n has the axes 0 to "
                "n - 1, or -n to -1 from the end");
  return ops::refused_operand(x);
}
template <symbolic X, operand K, int... Axis>
  requires(typed<X> && !one_axis_within_the_rank<X, axis_t<Axis...>>)
constexpr auto argpartition(X const& x, K const&, axis_t<Axis...>) {
  static_assert(is_accepted<X, axis_t<Axis...>>,
                "kt::argpartition: the axis is outside the rank: a tensor of rank n has the axes 0 "
                "to n - 1, or -n to -1 from the end");
  return core::in_place_of<std::int64_t, rank_of<X>>(x);
}
template <symbolic X>
constexpr X partition(X const& x) {
  static_assert(is_accepted<met::type<X>, wanted::arguments<2>>,
                "kt::partition: takes a tensor and kth, the position whose element is to be that "
                "of the sorted line, as in partition(x, 2)");
  return ops::refused_operand(x);
}
template <symbolic X>
constexpr auto argpartition(X const& x) {
  static_assert(is_accepted<met::type<X>, wanted::arguments<2>>,
                "kt::argpartition: takes a tensor and kth, the position whose element is to be "
                "that of the sorted line, as in argpartition(x, 2)");
  if constexpr (typed<X>) return core::in_place_of<std::int64_t, rank_of<X>>(x);
  else return ops::refused_operand(x);
}
template <symbolic X, operand K, int... Axis>
  requires(typed<X> && !one_axis_within_the_rank<X, axis_t<Axis...>>)
constexpr auto topk(X const& x, K const&, axis_t<Axis...>) {
  static_assert(is_accepted<X, axis_t<Axis...>>,
                "kt::topk: the axis is outside the rank: a tensor of rank n has the axes 0 to n - "
                "1, or -n to -1 from the end");
  return std::tuple(ops::refused_operand(x), core::in_place_of<std::int64_t, rank_of<X>>(x));
}
template <symbolic X, operand I, int... Axis>
  requires(typed<X> && !one_axis_within_the_rank<X, axis_t<Axis...>>)
constexpr X take_along_axis(X const& x, I const&, axis_t<Axis...>) {
  static_assert(is_accepted<X, axis_t<Axis...>>,
                "kt::take_along_axis: the axis is outside the rank: a tensor of rank n has "
                "the axes 0 to n - 1, or -n to -1 from the end");
  return ops::refused_operand(x);
}

}  // namespace kroton
