// Statistics of samples: averages with weights, quantiles, covariances, counts, interpolation.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/along_axes/numbering.hpp>
#include <kroton/ops/along_axes/partition.hpp>
#include <kroton/ops/along_axes/statistics.hpp>
#include <kroton/ops/assertion.hpp>
#include <kroton/ops/indexing.hpp>
#include <kroton/ops/linear_algebra/diagonals.hpp>
#include <kroton/ops/linear_algebra/products.hpp>
#include <kroton/ops/refused/operators.hpp>
#include <kroton/ops/shapes/grids.hpp>

#include <bit>
#include <limits>
#include <utility>

namespace kroton {

namespace ops {

/// Which axis a vector of weights lies along: the one that is reduced, otherwise the last.
constexpr int axis_of_weights(int rank, long long reduced) {
  auto const axes = static_cast<unsigned long long>(reduced);
  return std::has_single_bit(axes) ? std::countr_zero(axes) : rank - 1;
}
constexpr term weights_along(term weights, int rank, int axis) {
  list<int> pattern{0};
  for (int d = axis + 1; d < rank; ++d) pattern.push_back(-1);
  return permute(weights, pattern);
}
template <class X, class W, class... Options>
constexpr auto average_of(X const& x, W const& weights, Options... options) {
  return sum(x * weights, options...) / sum(weights, options...);
}

}  // namespace ops

/// The mean with weights of the shape of x, or one that broadcasts to it, with the options of
/// `sum`. A vector of weights belongs to the axis that is reduced, if it is one. (numpy.average)
template <symbolic X, symbolic W, class... Options>
  requires reduced_axes_are_within_the_rank<X, Options...>
constexpr auto average(X const& x, W const& weights, Options... options) {
  if constexpr (typed<X> && typed<W>) {
    constexpr int rank = rank_of<X>;
    constexpr long long reduced = ops::reduction_options<Options...>::axes(rank);
    constexpr int along = ops::axis_of_weights(rank, reduced);
    if constexpr (rank_of<W> == 1 && along < rank - 1) {
      using placed = variable<value_type_of<W>, rank - along>;
      return average(x, placed(ops::weights_along(weights, rank, along)), options...);
    } else return ops::average_of(x, weights + zeros_like(x), options...);
  } else return ops::average_of(x, weights + zeros_like(x), options...);
}

namespace ops {

/// The elements at one index of an axis, which is removed.
constexpr term elements_at(term x, int axis, term index) {
  list<long long> attributes;
  for (int d = 0; d < x.rank(); ++d) {
    attributes.push_back(d == axis ? 1 : 0);
    attributes.push_back(1);
  }
  int const inputs[] = {x.id, index.id};
  return {x.of, x.of->apply(identity<op::subtensor>(), inputs, attributes)};
}
/// The elements at each of the indices into an axis: the axes of the indices stand first.
constexpr term elements_at_each(term x, int axis, term indices) {
  return indices.rank() == 0 ? elements_at(x, axis, indices)
                             : take(x, 1ll << axis, 0, list<term>{indices});
}
/// An array of which one axis, `along`, has all elements along the given axes of x.
constexpr term merged_along(term x, long long axes, int& along) {
  if (std::has_single_bit(static_cast<unsigned long long>(axes))) {
    along = std::countr_zero(static_cast<unsigned long long>(axes));
    return x;
  }
  list<int> pattern;
  list<term> extents;
  for (int is_merged : {0, 1})
    for (int d = 0; d < x.rank(); ++d) {
      if ((axes >> d & 1) != is_merged) continue;
      pattern.push_back(d);
      if (is_merged == 0) extents.push_back(extent(x, d));
    }
  along = extents.size();
  extents.push_back(count_of(x, axes));
  return reshape(permute(x, pattern), extents);
}
/// A reduced array with an axis that broadcasts in the place of each of the given ones.
constexpr term with_axes_kept(term reduced, long long axes) {
  list<int> pattern;
  for (int d = 0, next = 0; next < reduced.rank() || axes >> d != 0; ++d)
    pattern.push_back((axes >> d & 1) != 0 ? -1 : next++);
  return permute(reduced, pattern);
}
/// What lies at a part, from 0 to 1, of the way from a to b: interpolated from the nearer of them,
/// so that the value at an element is that element. Infinities are not interpolated; between those
/// of both signs lies NaN.
constexpr term between_neighbours(term a, term b, term part) {
  term const nearer =
      call<op::where>(call<op::lt>(part, 0.5), a + (b - a) * part, b - (b - a) * (1 - part));
  term const is_infinite = call<op::bit_or>(call<op::isinf>(a), call<op::isinf>(b)),
             is_before = call<op::bit_and>(call<op::isinf>(a), call<op::lt>(part, 1)),
             is_at_a = call<op::bit_or>(call<op::eq>(part, 0), is_before);
  term const is_between = call<op::bit_and>(call<op::gt>(part, 0), call<op::lt>(part, 1)),
             is_undefined = call<op::bit_and>(is_between, call<op::isnan>(a + b));
  term const nan{a.of, a.of->literal(std::numeric_limits<double>::quiet_NaN(), a.element())};
  term const chosen = call<op::where>(is_undefined, nan, call<op::where>(is_at_a, a, b));
  return call<op::where>(is_infinite, chosen, nearer);
}
/// The elements of a scalar or a tensor as a vector.
constexpr term in_line(term x) {
  if (x.rank() == 0) return permute(x, list<int>{-1});
  return reshape(x, list<term>{count_of(x, -1)});
}
/// The elements between which a position lies. Behind the last one nothing lies that the slope at
/// share 1 could lead to.
constexpr std::pair<term, term> neighbours_of(term position, term last) {
  graph& g = *position.of;
  term const floor{&g, g.cast(call<op::floor>(position).id, element::int64)},
      below = call<op::maximum>(call<op::minimum>(floor, last - 1), 0);
  return {below, call<op::minimum>(below + 1, last)};
}
/// The quantile of an array along an axis; NaN, which comes last, makes it NaN. The axes of q stand
/// first.
constexpr term quantile_along(term x, int axis, term q) {
  graph& g = *x.of;
  term const count = extent(x, axis);
  term const last =
      assert_that("kt::quantile: there are no elements", call<op::ge>(count, 1), count) - 1;
  term const is_share = call<op::bit_and>(call<op::ge>(q, 0), call<op::le>(q, 1));
  term const position =
      assert_that("kt::quantile: a share is a number from 0 to 1", is_share, q) * last;
  auto const [below, above] = neighbours_of(position, last);
  int const places = join(list<term>{in_line(below), in_line(above), in_line(last)}, 0).id;
  term const arranged{&g, g.apply<op::partition>({x.id, places}, {axis})};
  term const a = elements_at_each(arranged, axis, below),
             b = elements_at_each(arranged, axis, above),
             end = elements_at(arranged, axis, last);
  list<int> leading;
  for (int d = 0; q.rank() > 0 && d < a.rank(); ++d) leading.push_back(d < q.rank() ? d : -1);
  term const part = permute({&g, g.cast((position - below).id, x.element())}, leading);
  term const between = between_neighbours(a, b, part);
  return call<op::where>(call<op::isnan>(end), end, between);
}
/// Quantiles with the options of reductions, by a function of an array, an axis and the shares.
template <class X, class Q, class... Options>
constexpr auto quantile_of(X const& x, Q const& q, term (*along_axis)(term, int, term)) {
  using T = value_type_of<linear_variable<0, X>>;
  using options = reduction_options<Options...>;
  constexpr int of_shares = core::static_rank<Q>() > 0 ? core::static_rank<Q>() : 0;
  constexpr auto axes = static_cast<unsigned long long>(options::axes(rank_of<X>));
  int along = 0;
  term const line = merged_along(core::as_type<T>(x), axes, along);
  term const found = along_axis(line, along, as_float64(*x.of, q));
  if constexpr (options::keep)
    return variable<T, of_shares + rank_of<X>>(with_axes_kept(found, axes << of_shares));
  else return variable<T, of_shares + rank_of<X> - std::popcount(axes)>(found);
}

}  // namespace ops

/// The value below which a share q of the elements lies, a number in [0, 1]: of all elements, or
/// along `kt::axis<...>`, with the options of `sum`; linear between elements. Of a tensor of shares
/// its axes stand first. NaN if there is one, and between infinities of both signs; float64 for
/// integers. The gradient by a share at
/// which there is an element is the slope to the next one, and to the one before it at share 1.
/// Throws kt::value_error for an array without elements and for a share outside [0, 1].
/// (numpy.quantile)
template <typed X, operand Q, class... Options>
constexpr auto quantile(X const& x, Q const& q, Options...) {
  constexpr bool are_axes = reduced_axes_are_within_the_rank<X, Options...>;
  static_assert(are_axes,
                "kt::quantile: takes, in either order, kt::axis<...> within the rank and "
                "kt::keepdims, as in quantile(x, 0.5, kt::axis<0>)");
  if constexpr (are_axes) return ops::quantile_of<X, Q, Options...>(x, q, &ops::quantile_along);
  else return core::as_type<value_type_of<ops::linear_variable<0, X>>>(x);
}
/// `quantile` of q / 100, a number or a tensor. (numpy.percentile)
template <typed X, operand Q, class... Options>
constexpr auto percentile(X const& x, Q const& q, Options... options) {
  constexpr int rank = core::static_rank<Q>() > 0 ? core::static_rank<Q>() : 0;
  return quantile(x, variable<double, rank>(ops::as_float64(*x.of, q) / 100), options...);
}
/// The middle element, or the mean of the two in the middle: `quantile` of a half. (numpy.median)
template <typed X, class... Options>
constexpr auto median(X const& x, Options... options) {
  return quantile(x, 0.5, options...);
}

/// The covariances of variables whose samples are the rows of a matrix; sums are divided by the
/// number of samples less `ddof`. (numpy.cov)
template <typed X>
constexpr auto cov(X const& samples, int ddof = 1) {
  constexpr bool is_matrix = rank_of<X> == 2;
  static_assert(is_matrix, "kt::cov: takes a matrix, whose rows are variables");
  if constexpr (is_matrix) {
    auto const distance = samples - mean(samples, axis<1>, keepdims);
    return dot(distance, conj(distance.T())) / (samples.shape(1) - ddof);
  } else {
    samples.of->fail(ops::said_above);
    return ops::linear_variable<2, X>(ops::linear_operand(samples));
  }
}
/// The correlations of variables whose samples are the rows of a matrix. (numpy.corrcoef)
template <typed X>
constexpr auto corrcoef(X const& samples) {
  auto const c = cov(samples, 0);
  auto const deviation = sqrt(real(diag(c)));
  return c / (dimshuffle<0, 'x'>(deviation) * deviation);
}

namespace ops {

constexpr lvector counts_from(graph& g, term n) {
  list<term> extents;
  extents.push_back(n);
  return lvector(alloc({&g, g.literal(0, element::int64)}, extents));
}

}  // namespace ops

/// How often each of 0, 1 ... n - 1 occurs in a vector of integers, as an int64 vector of n.
/// Throws kt::value_error for an integer beyond. (numpy.bincount with minlength n)
template <typed X, operand N>
constexpr lvector bincount(X const& x, N const& n) {
  constexpr bool are_integers = rank_of<X> == 1 && std::is_integral_v<value_type_of<X>> &&
                                !std::is_same_v<value_type_of<X>, bool>;
  static_assert(are_integers, "kt::bincount: takes a vector of integers");
  static_assert(ops::is_extent<N>(), "kt::bincount: the count is an integer or an integer scalar");
  graph& g = *x.of;
  term const count = ops::as_int64(g, n);
  if (!g.is_literal(count.id))
    g.constraints().push_back({count.id, ops::integer(g, 0).id, core::identity<op::bincount>(),
                               core::condition::at_least});
  else if (g.literal_bits(count.id) < 0) g.fail("kt::bincount: the count is negative");
  lvector const zeros = ops::counts_from(g, count);
  if constexpr (are_integers && ops::is_extent<N>())
    return inc_subtensor(zeros(assert_that("kt::bincount: an integer is negative", ge(x, 0), x)),
                         1);
  else return zeros;
}
/// Which of the intervals between ascending edges an element is in: the number of edges that are
/// not above it; with `kt::side::right`, of those below it. (numpy.digitize; `side::right` is
/// right=True)
template <operand X, symbolic E>
constexpr auto digitize(X const& x, E const& edges, side closed = side::left) {
  return searchsorted(edges, x, closed == side::left ? side::right : side::left);
}
/// How many elements lie between neighbouring edges, a vector in ascending order: m counts of m + 1
/// edges, each with its lower edge, the last one also with its upper one. Others are not counted.
/// (numpy.histogram)
template <typed X, typed E>
constexpr lvector histogram(X const& x, E const& edges) {
  constexpr bool is_vector = rank_of<E> == 1;
  static_assert(is_vector, "kt::histogram: the edges are a vector in ascending order");
  auto const values = flatten(x);
  auto const bins = edges.shape(0) - 1;
  auto const first = edges(0), last = edges(-1);
  auto const bin = where(eq(values, last), bins - 1, searchsorted(edges, values, side::right) - 1);
  auto const inside = ge(values, first) & le(values, last);
  return inc_subtensor(ops::counts_from(*x.of, bins)(clip(bin, 0, bins - 1)),
                       cast<std::int64_t>(inside));
}
/// The piecewise linear function through the points (xp, fp), at x; before the first and behind the
/// last point it is constant. xp is a vector in ascending order, of at least two. (numpy.interp)
template <operand X, typed P, typed F>
constexpr auto interp(X const& x, P const& xp, F const& fp) {
  constexpr bool are_vectors = rank_of<P> == 1 && rank_of<F> == 1;
  static_assert(are_vectors, "kt::interp: the points are two vectors");
  graph& g = *xp.of;
  int const conditions = g.constraints().size();
  term const points = ops::extent(xp, 0);
  g.constraints().push_back(core::extent_constraint{points.id, ops::extent(fp, 0).id,
                                                    core::identity<op::searchsorted>()});
  g.constraints().push_back(core::extent_constraint{points.id, g.literal(2, element::int64),
                                                    core::identity<op::searchsorted>(),
                                                    core::condition::at_least});
  auto const before = clip(searchsorted(xp, x, side::right) - 1, 0, xp.shape(0) - 2);
  auto const from = xp(before), to = xp(before + 1);
  auto const part = (x - from) / where(eq(from, to), 1, to - from);
  auto const y = fp(before) + (fp(before + 1) - fp(before)) * where(ge(x, to), 1, clip(part, 0, 1));
  ops::take_conditions(y, conditions);
  return y;
}

}  // namespace kroton
