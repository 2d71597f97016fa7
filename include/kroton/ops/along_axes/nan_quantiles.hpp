// Quantiles of the elements that are not NaN.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/along_axes/samples.hpp>
#include <kroton/ops/conditional.hpp>

#include <limits>

namespace kroton {
namespace ops {

/// The quantile along an axis of the elements that are not NaN, which come first where lines are
/// arranged around the places that are read: those of all lines, since each has its own number of
/// elements. NaN where there are none. The axes of q stand first.
constexpr term nan_quantile_along(term x, int axis, term q) {
  graph& g = *x.of;
  term const is_share = call<op::bit_and>(call<op::ge>(q, 0), call<op::le>(q, 1)),
             shares = assert_that("kt::nanquantile: a share is a number from 0 to 1", is_share, q);
  term const is_number{&g, g.cast(call<op::bit_not>(call<op::isnan>(x)).id, element::int64)},
      count = sum_over(is_number, 1ll << axis, true), last = call<op::maximum>(count - 1, 0);
  // The axis of the shares is that of the elements.
  list<int> along, rest{axis};
  list<term> extents;
  for (int d = 0; d < x.rank(); ++d) along.push_back(d == axis && q.rank() > 0 ? 0 : -1);
  for (int d = 0; d < q.rank(); ++d) extents.push_back(extent(q, d));
  for (int d = 0; d < x.rank(); ++d) {
    if (d == axis) continue;
    rest.push_back(d);
    extents.push_back(extent(x, d));
  }
  term const line = q.rank() > 1 ? reshape(shares, list<term>{count_of(q, -1)}) : shares,
             position = permute(line, along) * last;
  auto const [below, above] = neighbours_of(position, last);
  int const places = join(list<term>{in_line(below), in_line(above)}, 0).id;
  term const arranged{&g, g.apply<op::partition>({x.id, places}, {axis})};
  // Also what comes back to the shares and the elements of a line without numbers is 0.
  term const has_numbers = call<op::gt>(count, 0);
  auto const number_at = [&](term at) {
    return call<op::where>(has_numbers, take_along_axis(arranged, at, axis), 0);
  };
  term const part{&g, g.cast((position - below).id, x.element())};
  term const between = between_neighbours(number_at(below), number_at(above), part);
  term const nan{&g, g.literal(std::numeric_limits<double>::quiet_NaN(), x.element())};
  term const found =
      reshape(permute(call<op::where>(has_numbers, between, nan), rest), extents);
  // Lines without elements have no places to read.
  term const is_empty = call<op::eq>(extent(x, axis), 0);
  return {&g, choose(g, is_empty.id, alloc(nan, extents).id, found.id)};
}

}  // namespace ops

/// `quantile` of the elements that are not NaN, with its options; NaN where there are none, from
/// where gradients are 0. (numpy.nanquantile)
template <typed X, operand Q, class... Options>
constexpr auto nanquantile(X const& x, Q const& q, Options...) {
  constexpr bool are_axes = reduced_axes_are_within_the_rank<X, Options...>;
  static_assert(are_axes,
                "kt::nanquantile: takes, in either order, kt::axis<...> within the rank and "
                "kt::keepdims, as in nanquantile(x, 0.5, kt::axis<0>)");
  if constexpr (are_axes) return ops::quantile_of<X, Q, Options...>(x, q, &ops::nan_quantile_along);
  else return core::as_type<value_type_of<ops::linear_variable<0, X>>>(x);
}
/// `nanquantile` of q / 100, a number or a tensor. (numpy.nanpercentile)
template <typed X, operand Q, class... Options>
constexpr auto nanpercentile(X const& x, Q const& q, Options... options) {
  constexpr int rank = core::static_rank<Q>() > 0 ? core::static_rank<Q>() : 0;
  return nanquantile(x, variable<double, rank>(ops::as_float64(*x.of, q) / 100), options...);
}
/// The `median` of the elements that are not NaN. (numpy.nanmedian)
template <typed X, class... Options>
constexpr auto nanmedian(X const& x, Options... options) {
  return nanquantile(x, 0.5, options...);
}

}  // namespace kroton
