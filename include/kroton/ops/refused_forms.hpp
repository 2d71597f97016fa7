// Axes and extents in the forms of other libraries, such as an axis that is a number, rejected with
// the form that they have here.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/refused_arrays.hpp>

namespace kroton {

// Written without a macro, because it would appear between the sentence and the user's line. Not
// for functions with parameters that arguments convert to: those would fit less than these do.
template <class... A>
  requires ops::other_form<A...>
constexpr auto roll(A const&... a) {
  static_assert(
      is_accepted<met::type<A>...>,
      "kt::roll: takes a tensor, a shift and at most one axis, as in roll(x, 1, kt::axis<0>)");
  return ops::first_symbolic(a...);
}
template <class... A>
  requires ops::other_form<A...>
constexpr auto repeat(A const&... a) {
  static_assert(
      is_accepted<met::type<A>...>,
      "kt::repeat: takes a tensor, a count and at most one axis, as in repeat(x, 2, kt::axis<0>)");
  return ops::first_symbolic(a...);
}
template <class... A>
  requires ops::other_form<A...>
constexpr auto flip(A const&... a) {
  static_assert(is_accepted<met::type<A>...>,
                "kt::flip: takes a tensor and at most kt::axis<...>, as in flip(x, kt::axis<0>)");
  return ops::first_symbolic(a...);
}
template <class... A>
  requires ops::other_form<A...>
constexpr auto squeeze(A const&... a) {
  static_assert(
      is_accepted<met::type<A>...>,
      "kt::squeeze: takes a tensor and the axes to remove, as in squeeze(x, kt::axis<0>)");
  return ops::first_symbolic(a...);
}
template <class... A>
  requires ops::other_form<A...>
constexpr auto moveaxis(A const&... a) {
  static_assert(is_accepted<met::type<A>...>,
                "kt::moveaxis: the axes are template arguments: moveaxis<0, 2>(x)");
  return ops::first_symbolic(a...);
}
template <class... A>
  requires ops::other_form<A...>
constexpr auto swapaxes(A const&... a) {
  static_assert(is_accepted<met::type<A>...>,
                "kt::swapaxes: the axes are template arguments: swapaxes<0, 1>(x)");
  return ops::first_symbolic(a...);
}
template <class... A>
  requires ops::other_form<A...>
constexpr auto dimshuffle(A const&... a) {
  static_assert(is_accepted<met::type<A>...>,
                "kt::dimshuffle: the axes are template arguments: dimshuffle<1, 'x', 0>(x)");
  return ops::first_symbolic(a...);
}
template <class... A>
  requires ops::other_form<A...>
constexpr auto transpose(A const&... a) {
  static_assert(is_accepted<met::type<A>...>,
                "kt::transpose: takes a tensor, whose axes it reverses; dimshuffle<1, 0, 2>(x) "
                "gives another order");
  return ops::first_symbolic(a...);
}
template <class... A>
  requires ops::other_form<A...>
constexpr auto reshape(A const&... a) {
  static_assert(is_accepted<met::type<A>...>,
                "kt::reshape: the number of axes is a template argument: reshape<2>(x, n, m)");
  return ops::first_symbolic(a...);
}
template <class... A>
  requires ops::other_form<A...>
constexpr auto broadcast_to(A const&... a) {
  static_assert(
      is_accepted<met::type<A>...>,
      "kt::broadcast_to: takes a tensor and extents, as in broadcast_to(x, 2, y.shape(0))");
  return ops::first_symbolic(a...);
}
template <class... A>
  requires ops::other_form<A...>
constexpr auto tile(A const&... a) {
  static_assert(is_accepted<met::type<A>...>,
                "kt::tile: takes a tensor and counts, as in tile(x, 2, 3)");
  return ops::first_symbolic(a...);
}
template <class... A>
  requires ops::other_form<A...>
constexpr auto take(A const&... a) {
  static_assert(
      is_accepted<met::type<A>...>,
      "kt::take: takes a tensor, integers and at most one axis, as in take(x, i, kt::axis<0>)");
  return ops::first_symbolic(a...);
}
template <class... A>
  requires ops::other_form<A...>
constexpr auto take_along_axis(A const&... a) {
  static_assert(is_accepted<met::type<A>...>,
                "kt::take_along_axis: takes a tensor, integers and an axis, as in "
                "take_along_axis(x, i, kt::axis<0>)");
  return ops::first_symbolic(a...);
}
template <class... A>
  requires ops::other_form<A...>
constexpr auto diff(A const&... a) {
  static_assert(
      is_accepted<met::type<A>...>,
      "kt::diff: the order is a template argument, the axis an option: diff<2>(x, kt::axis<0>)");
  return ops::first_symbolic(a...);
}
template <class... A>
  requires ops::other_form<A...>
constexpr auto gradient(A const&... a) {
  static_assert(is_accepted<met::type<A>...>,
                "kt::gradient: takes a tensor, a spacing and at most one axis: gradient(y, 0.1, "
                "kt::axis<0>)");
  return ops::first_symbolic(a...);
}
template <class... A>
  requires ops::other_form<A...>
constexpr auto average(A const&... a) {
  static_assert(
      is_accepted<met::type<A>...>,
      "kt::average: takes a tensor, weights and options of sum: average(x, w, kt::axis<0>)");
  return ops::first_symbolic(a...);
}
template <class... A>
  requires ops::other_form<A...>
constexpr auto topk(A const&... a) {
  static_assert(
      is_accepted<met::type<A>...>,
      "kt::topk: takes a tensor, a number and at most one axis, as in topk(x, 3, kt::axis<0>)");
  return ops::first_symbolic(a...);
}
template <class... A>
  requires ops::other_form<A...>
constexpr auto partition(A const&... a) {
  static_assert(is_accepted<met::type<A>...>,
                "kt::partition: takes a tensor, a position and at most one axis: partition(x, 3, "
                "kt::axis<0>)");
  return ops::first_symbolic(a...);
}
template <class... A>
  requires ops::other_form<A...>
constexpr auto nansum(A const&... a) {
  static_assert(is_accepted<met::type<A>...>,
                "kt::nansum: takes a tensor and, in either order, kt::axis<...> and kt::keepdims: "
                "nansum(x, kt::axis<0>)");
  return ops::first_symbolic(a...);
}
template <class... A>
  requires ops::other_form<A...>
constexpr auto nanprod(A const&... a) {
  static_assert(is_accepted<met::type<A>...>,
                "kt::nanprod: takes a tensor and, in either order, kt::axis<...> and kt::keepdims: "
                "nanprod(x, kt::axis<0>)");
  return ops::first_symbolic(a...);
}
template <class... A>
  requires ops::other_form<A...>
constexpr auto nanmean(A const&... a) {
  static_assert(is_accepted<met::type<A>...>,
                "kt::nanmean: takes a tensor and, in either order, kt::axis<...> and kt::keepdims: "
                "nanmean(x, kt::axis<0>)");
  return ops::first_symbolic(a...);
}
template <class... A>
  requires ops::other_form<A...>
constexpr auto nanvar(A const&... a) {
  static_assert(is_accepted<met::type<A>...>,
                "kt::nanvar: takes a tensor and, in either order, kt::axis<...> and kt::keepdims: "
                "nanvar(x, kt::axis<0>)");
  return ops::first_symbolic(a...);
}
template <class... A>
  requires ops::other_form<A...>
constexpr auto nanstd(A const&... a) {
  static_assert(is_accepted<met::type<A>...>,
                "kt::nanstd: takes a tensor and, in either order, kt::axis<...> and kt::keepdims: "
                "nanstd(x, kt::axis<0>)");
  return ops::first_symbolic(a...);
}
template <class... A>
  requires ops::other_form<A...>
constexpr auto nanmax(A const&... a) {
  static_assert(is_accepted<met::type<A>...>,
                "kt::nanmax: takes a tensor and, in either order, kt::axis<...> and kt::keepdims: "
                "nanmax(x, kt::axis<0>)");
  return ops::first_symbolic(a...);
}
template <class... A>
  requires ops::other_form<A...>
constexpr auto nanmin(A const&... a) {
  static_assert(is_accepted<met::type<A>...>,
                "kt::nanmin: takes a tensor and, in either order, kt::axis<...> and kt::keepdims: "
                "nanmin(x, kt::axis<0>)");
  return ops::first_symbolic(a...);
}
template <class... A>
  requires ops::other_form<A...>
constexpr auto count_nonzero(A const&... a) {
  static_assert(is_accepted<met::type<A>...>,
                "kt::count_nonzero: takes a tensor and, in either order, kt::axis<...> and "
                "kt::keepdims: count_nonzero(x, kt::axis<0>)");
  return ops::first_symbolic(a...);
}
template <class... A>
  requires ops::other_form<A...>
constexpr auto ptp(A const&... a) {
  static_assert(is_accepted<met::type<A>...>,
                "kt::ptp: takes a tensor and, in either order, kt::axis<...> and kt::keepdims: "
                "ptp(x, kt::axis<0>)");
  return ops::first_symbolic(a...);
}

}  // namespace kroton
