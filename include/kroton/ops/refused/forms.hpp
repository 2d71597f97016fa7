// Axes and extents in the forms of other libraries, such as an axis that is a number, rejected with
// the form that they have here.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/refused/arrays.hpp>

namespace kroton {

// Written without a macro, because it would appear between the sentence and the user's line. An
// ellipsis, and `anything` behind the first of several arguments, fit less than whatever else takes
// these, such as a user's own function of the name with a parameter that an argument converts to.
template <symbolic X>
constexpr X roll(X const& x, ...) {
  static_assert(
      is_accepted<met::type<X>>,
      "kt::roll: takes a tensor, a shift and at most one axis, as in roll(x, 1, kt::axis<0>)");
  return ops::first_symbolic(x);
}
template <symbolic X>
constexpr X repeat(X const& x, ...) {
  static_assert(
      is_accepted<met::type<X>>,
      "kt::repeat: takes a tensor, a count and at most one axis, as in repeat(x, 2, kt::axis<0>)");
  return ops::first_symbolic(x);
}
template <symbolic X>
constexpr X flip(X const& x, ops::anything, ...) {
  static_assert(is_accepted<met::type<X>>,
                "kt::flip: takes a tensor and at most kt::axis<...>, as in flip(x, kt::axis<0>)");
  return ops::first_symbolic(x);
}
template <symbolic X>
constexpr X squeeze(X const& x, ops::anything, ...) {
  static_assert(
      is_accepted<met::type<X>>,
      "kt::squeeze: takes a tensor and the axes to remove, as in squeeze(x, kt::axis<0>)");
  return ops::first_symbolic(x);
}
template <symbolic X>
constexpr X moveaxis(X const& x, ...) {
  static_assert(is_accepted<met::type<X>>,
                "kt::moveaxis: the axes are template arguments: moveaxis<0, 2>(x)");
  return ops::first_symbolic(x);
}
template <symbolic X>
constexpr X swapaxes(X const& x, ...) {
  static_assert(is_accepted<met::type<X>>,
                "kt::swapaxes: the axes are template arguments: swapaxes<0, 1>(x)");
  return ops::first_symbolic(x);
}
template <symbolic X>
constexpr X dimshuffle(X const& x, ops::anything, ...) {
  static_assert(is_accepted<met::type<X>>,
                "kt::dimshuffle: the axes are template arguments: dimshuffle<1, 'x', 0>(x)");
  return ops::first_symbolic(x);
}
template <symbolic X>
constexpr X transpose(X const& x, ops::anything, ...) {
  static_assert(is_accepted<met::type<X>>,
                "kt::transpose: takes a tensor, whose axes it reverses; dimshuffle<1, 0, 2>(x) "
                "gives another order");
  return ops::first_symbolic(x);
}
template <symbolic X>
constexpr X reshape(X const& x, ...) {
  static_assert(is_accepted<met::type<X>>,
                "kt::reshape: the number of axes is a template argument: reshape<2>(x, n, m)");
  return ops::first_symbolic(x);
}
template <symbolic X>
constexpr X broadcast_to(X const& x, ops::anything, ...) {
  static_assert(
      is_accepted<met::type<X>>,
      "kt::broadcast_to: takes a tensor and extents, as in broadcast_to(x, 2, y.shape(0))");
  return ops::first_symbolic(x);
}
template <symbolic X>
constexpr X tile(X const& x, ops::anything, ...) {
  static_assert(is_accepted<met::type<X>>,
                "kt::tile: takes a tensor and counts, as in tile(x, 2, 3)");
  return ops::first_symbolic(x);
}
template <symbolic X>
constexpr X take(X const& x, ...) {
  static_assert(
      is_accepted<met::type<X>>,
      "kt::take: takes a tensor, integers and at most one axis, as in take(x, i, kt::axis<0>)");
  return ops::first_symbolic(x);
}
template <symbolic X>
constexpr X take_along_axis(X const& x, ...) {
  static_assert(is_accepted<met::type<X>>,
                "kt::take_along_axis: takes a tensor, integers and an axis, as in "
                "take_along_axis(x, i, kt::axis<0>)");
  return ops::first_symbolic(x);
}
template <symbolic X>
constexpr X diff(X const& x, ops::anything, ...) {
  static_assert(
      is_accepted<met::type<X>>,
      "kt::diff: the order is a template argument, the axis an option: diff<2>(x, kt::axis<0>)");
  return ops::first_symbolic(x);
}
template <symbolic X>
constexpr X gradient(X const& x, ops::anything, ...) {
  static_assert(is_accepted<met::type<X>>,
                "kt::gradient: takes a tensor, a spacing and at most one axis: gradient(y, 0.1, "
                "kt::axis<0>)");
  return ops::first_symbolic(x);
}
template <symbolic X>
constexpr X average(X const& x, ops::anything, ...) {
  static_assert(
      is_accepted<met::type<X>>,
      "kt::average: takes a tensor, weights and options of sum: average(x, w, kt::axis<0>)");
  return ops::first_symbolic(x);
}
template <symbolic X>
constexpr X topk(X const& x, ...) {
  static_assert(
      is_accepted<met::type<X>>,
      "kt::topk: takes a tensor, a number and at most one axis, as in topk(x, 3, kt::axis<0>)");
  return ops::first_symbolic(x);
}
template <symbolic A, class V>
constexpr auto searchsorted(A const& a, V const&, ops::anything, ...) {
  static_assert(is_accepted<met::type<A>>,
                "kt::searchsorted: takes a vector, what to look for, and kt::side::left or "
                "kt::side::right");
  constexpr int rank = core::static_rank<V>();
  if constexpr (rank < 0) return ops::first_symbolic(a);
  else return core::in_place_of<std::int64_t, rank>(a);
}
template <symbolic X>
constexpr X partition(X const& x, ops::anything, ...) {
  static_assert(is_accepted<met::type<X>>,
                "kt::partition: takes a tensor, a position and at most one axis: partition(x, 3, "
                "kt::axis<0>)");
  return ops::first_symbolic(x);
}
template <symbolic X>
constexpr X nansum(X const& x, ops::anything, ...) {
  static_assert(is_accepted<met::type<X>>,
                "kt::nansum: takes a tensor and, in either order, kt::axis<...> within the rank "
                "and kt::keepdims: nansum(x, kt::axis<0>)");
  return ops::first_symbolic(x);
}
template <symbolic X>
constexpr X nanprod(X const& x, ops::anything, ...) {
  static_assert(is_accepted<met::type<X>>,
                "kt::nanprod: takes a tensor and, in either order, kt::axis<...> within the rank "
                "and kt::keepdims: nanprod(x, kt::axis<0>)");
  return ops::first_symbolic(x);
}
template <symbolic X>
constexpr X nanmean(X const& x, ops::anything, ...) {
  static_assert(is_accepted<met::type<X>>,
                "kt::nanmean: takes a tensor and, in either order, kt::axis<...> within the rank "
                "and kt::keepdims: nanmean(x, kt::axis<0>)");
  return ops::first_symbolic(x);
}
template <symbolic X>
constexpr X nanvar(X const& x, ops::anything, ...) {
  static_assert(is_accepted<met::type<X>>,
                "kt::nanvar: takes a tensor and, in any order, kt::axis<...> within the rank, "
                "kt::keepdims and kt::ddof<...>: nanvar(x, kt::axis<0>)");
  return ops::first_symbolic(x);
}
template <symbolic X>
constexpr X nanstd(X const& x, ops::anything, ...) {
  static_assert(is_accepted<met::type<X>>,
                "kt::nanstd: takes a tensor and, in any order, kt::axis<...> within the rank, "
                "kt::keepdims and kt::ddof<...>: nanstd(x, kt::axis<0>)");
  return ops::first_symbolic(x);
}
template <symbolic X>
constexpr X nanmax(X const& x, ops::anything, ...) {
  static_assert(is_accepted<met::type<X>>,
                "kt::nanmax: takes a tensor and, in either order, kt::axis<...> within the rank "
                "and kt::keepdims: nanmax(x, kt::axis<0>)");
  return ops::first_symbolic(x);
}
template <symbolic X>
constexpr X nanmin(X const& x, ops::anything, ...) {
  static_assert(is_accepted<met::type<X>>,
                "kt::nanmin: takes a tensor and, in either order, kt::axis<...> within the rank "
                "and kt::keepdims: nanmin(x, kt::axis<0>)");
  return ops::first_symbolic(x);
}
template <symbolic X>
constexpr X count_nonzero(X const& x, ops::anything, ...) {
  static_assert(is_accepted<met::type<X>>,
                "kt::count_nonzero: takes a tensor and, in either order, kt::axis<...> within the "
                "rank and kt::keepdims: count_nonzero(x, kt::axis<0>)");
  return ops::first_symbolic(x);
}
template <symbolic X>
constexpr X ptp(X const& x, ops::anything, ...) {
  static_assert(is_accepted<met::type<X>>,
                "kt::ptp: takes a tensor and, in either order, kt::axis<...> within the rank and "
                "kt::keepdims: ptp(x, kt::axis<0>)");
  return ops::first_symbolic(x);
}

}  // namespace kroton
