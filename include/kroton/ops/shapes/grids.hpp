// Numbers at equal distances, and differences and integrals of functions on such grids.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/along_axes/reduction.hpp>
#include <kroton/ops/assertion.hpp>
#include <kroton/ops/elementwise/exponential.hpp>
#include <kroton/ops/linear_algebra/solving.hpp>
#include <kroton/ops/shapes/creation.hpp>
#include <kroton/ops/shapes/rearranging.hpp>

namespace kroton {

namespace ops {

/// made(k, gaps) for k = 0, 1 ... n - 1, with the number of gaps between them; the last of several
/// is `last` exactly.
template <class Formula>
constexpr term from_first_to_last(term last, term n, Formula made) {
  term const k = iota(call<op::maximum>(n, 0));
  term const is_last = call<op::bit_and>(call<op::eq>(k, n - 1), call<op::gt>(n, 1));
  return call<op::where>(is_last, last, made(k, call<op::maximum>(n - 1, 1)));
}
template <class A, class B, class N>
inline constexpr bool are_ends_and_a_count =
    (symbolic<A> || symbolic<B> || symbolic<N>) && is_extent<N>() && static_rank<A>() <= 0 &&
    static_rank<B>() <= 0;

}  // namespace ops

/// The ends are numbers or scalars, and the count is an integer or an integer scalar; one of them
/// belongs to an expression.
template <class A, class B, class N>
concept ends_and_a_count_of_an_expression = ops::are_ends_and_a_count<A, B, N>;

/// n numbers at equal distances from `first` to `last`, both of which are among them, as float64.
/// (numpy.linspace)
template <operand A, operand B, operand N>
  requires ends_and_a_count_of_an_expression<A, B, N>
constexpr dvector linspace(A const& first, B const& last, N const& n) {
  graph& g = *core::graph_of_operands(first, last, n);
  term const a = ops::as_float64(g, first), b = ops::as_float64(g, last);
  return dvector(ops::from_first_to_last(
      b, ops::as_int64(g, n), [&](term k, term gaps) { return a + k * ((b - a) / gaps); }));
}
/// Powers of a base, whose exponents are `linspace(first, last, n)`. (numpy.logspace)
template <operand A, operand B, operand N>
  requires ends_and_a_count_of_an_expression<A, B, N>
constexpr dvector logspace(A const& first, B const& last, N const& n, double base = 10) {
  return pow(base, linspace(first, last, n));
}
/// n numbers with equal quotients from `first` to `last`, which have one sign. (numpy.geomspace)
template <operand A, operand B, operand N>
  requires ends_and_a_count_of_an_expression<A, B, N>
constexpr dvector geomspace(A const& first, B const& last, N const& n) {
  graph& g = *core::graph_of_operands(first, last, n);
  term const a = ops::as_float64(g, first), b = ops::as_float64(g, last);
  return dvector(ops::from_first_to_last(b, ops::as_int64(g, n), [&](term k, term gaps) {
    return a * call<op::exp>(k * (call<op::log>(b / a) / gaps));
  }));
}

namespace ops {

/// What the grids are made of where there is no expression yet.
template <class Made>
struct grid_of_numbers {
  double first, last;
  std::int64_t n;
  constexpr term operator()(graph& g) const {
    return Made{}(first, last, lscalar(term{&g, g.literal(n, element::int64)}));
  }
};
struct linear_grid {
  constexpr term operator()(double a, double b, lscalar n) const { return linspace(a, b, n); }
};
struct geometric_grid {
  constexpr term operator()(double a, double b, lscalar n) const { return geomspace(a, b, n); }
};
struct powers_of_ten {
  constexpr term operator()(double a, double b, lscalar n) const { return logspace(a, b, n); }
};
template <class... X>
concept plain_numbers = (std::is_arithmetic_v<X> && ...);

}  // namespace ops

/// Of numbers alone: they join the graph of the first variable that they are combined with.
template <class A, class B, std::integral N>
  requires ops::plain_numbers<A, B>
constexpr auto linspace(A first, B last, N n) {
  return unplaced<double, 1, ops::grid_of_numbers<ops::linear_grid>>{
      {static_cast<double>(first), static_cast<double>(last), static_cast<std::int64_t>(n)}};
}
template <class A, class B, std::integral N>
  requires ops::plain_numbers<A, B>
constexpr auto geomspace(A first, B last, N n) {
  return unplaced<double, 1, ops::grid_of_numbers<ops::geometric_grid>>{
      {static_cast<double>(first), static_cast<double>(last), static_cast<std::int64_t>(n)}};
}
template <class A, class B, std::integral N>
  requires ops::plain_numbers<A, B>
constexpr auto logspace(A first, B last, N n) {
  return unplaced<double, 1, ops::grid_of_numbers<ops::powers_of_ten>>{
      {static_cast<double>(first), static_cast<double>(last), static_cast<std::int64_t>(n)}};
}

/// The coordinates of a grid of points: two matrices, the first with x along its rows, the second
/// with y along its columns. (numpy.meshgrid)
template <typed X, typed Y>
constexpr auto meshgrid(X const& x, Y const& y) {
  constexpr bool are_vectors = rank_of<X> == 1 && rank_of<Y> == 1;
  static_assert(are_vectors, "kt::meshgrid: takes two vectors");
  core::list<term> extents;
  extents.push_back(ops::extent(y, 0)), extents.push_back(ops::extent(x, 0));
  return std::tuple(variable<value_type_of<X>, 2>(ops::alloc(ops::permute(x, {-1, 0}), extents)),
                    variable<value_type_of<Y>, 2>(ops::alloc(ops::permute(y, {0, -1}), extents)));
}

/// The values of f at the points of a grid of extents n...: f gets the coordinates along each axis
/// as float64 tensors that broadcast, `fromfunction([](auto i, auto j) { return i + 2 * j; }, n,
/// m)`. One of the extents belongs to an expression. (numpy.fromfunction)
template <class F, operand... N>
  requires(symbolic<N> || ...)
constexpr auto fromfunction(F const& f, N const&... n) {
  static_assert((ops::is_extent<N>() && ...),
                "kt::fromfunction: an extent is an integer or an integer scalar");
  constexpr int rank = sizeof...(N);
  graph& g = *core::graph_of_operands(n...);
  core::list<term> extents;
  (extents.push_back(ops::as_int64(g, n)), ...);
  auto const coordinate = [&](int d) {
    core::list<int> pattern(rank, -1);
    pattern[d] = 0;
    return variable<double, rank>(ops::permute(ops::as_float64(g, ops::iota(extents[d])), pattern));
  };
  auto const values = [&]<std::size_t... D>(std::index_sequence<D...>) {
    return f(coordinate(static_cast<int>(D))...);
  }(std::index_sequence_for<N...>{});
  using value = std::remove_const_t<decltype(values)>;
  if constexpr (typed<value>)
    return variable<value_type_of<value>, rank>(ops::alloc(values, extents));
  else
    return variable<value, rank>(
        ops::alloc({&g, g.literal(values, core::element_of<value>())}, extents));
}

/// Rejects extents that are numbers alone: no graph would hold the values.
template <class F, class... N>
  requires(!(operand<N> && ...) || !(symbolic<N> || ...))
constexpr core::refused_value fromfunction(F const&, N const&...) {
  static_assert(is_accepted<met::type<N>...>,
                "kt::fromfunction: takes a callable and the extents of a grid, of which one must "
                "belong to an expression, such as x.shape(0)");
  return {};
}

namespace ops {

/// The elements of an axis but the first, and those but the last.
struct neighbours {
  term next, before;
};
constexpr neighbours neighbours_along(term x, int axis) {
  term const rest = call<op::maximum>(extent(x, axis) - 1, 0);
  return {axis_range(x, axis, integer(*x.of, 1), rest, 1),
          axis_range(x, axis, integer(*x.of, 0), rest, 1)};
}

}  // namespace ops

/// Differences of neighbours along the last axis, or along `kt::axis<...>`, taken N times; the axis
/// has N elements less, or none. (numpy.diff)
template <int N = 1, typed X, int Axis = -1>
constexpr X diff(X const& x, axis_t<Axis> = {}) {
  static_assert(axis_is_within_the_rank<rank_of<X>, Axis>,
                "kt::diff: the axis is outside the rank of the operand");
  static_assert(N >= 1, "kt::diff: differences are taken at least once");
  static_assert(
      !std::is_same_v<value_type_of<X>, bool>,
      "kt::diff: truth values have no differences: use x(slice(1, none)) ^ x(slice(0, -1))");
  term y = x;
  for (int k = 0; k < N; ++k) {
    auto const [next, before] = ops::neighbours_along(y, ops::from_front(Axis, rank_of<X>));
    y = next - before;
  }
  return X(y);
}

/// Derivatives of a function on a grid of distance `spacing` along the last axis, or along
/// `kt::axis<...>`: central differences, at the ends those of the first order. An axis has at least
/// two elements, otherwise kt::value_error. (numpy.gradient with one axis)
template <typed Y, operand H = double, int Axis = -1>
constexpr auto gradient(Y const& y, H const& spacing = 1.0, axis_t<Axis> = {}) {
  static_assert(axis_is_within_the_rank<rank_of<Y>, Axis>,
                "kt::gradient: the axis is outside the rank of the operand");
  static_assert(core::static_rank<H>() == 0, "kt::gradient: the spacing is a number");
  constexpr int axis = ops::from_front(Axis, rank_of<Y>);
  using values = ops::linear_variable<rank_of<Y>, Y>;
  term const given = ops::linear_operand(y), n = ops::extent(given, axis);
  term const x =
      assert_that("kt::gradient: an axis has fewer than two elements", call<op::ge>(n, 2), given);
  graph& g = *y.of;
  auto const part = [&](term begin, term count) {
    return ops::axis_range(x, axis, begin, count, 1);
  };
  // The extents of parts are there before the assertion is.
  term const zero = ops::integer(g, 0), one = ops::integer(g, 1),
             between = call<op::maximum>(n - 2, 0);
  term const inner = (part(ops::integer(g, 2), between) - part(zero, between)) * 0.5;
  term const first = part(one, one) - part(zero, one), last = part(n - 1, one) - part(n - 2, one);
  return concatenate<axis>(values(first), values(inner), values(last)) / spacing;
}
template <typed Y, int Axis>
constexpr auto gradient(Y const& y, axis_t<Axis> along) {
  return gradient(y, 1.0, along);
}

namespace op {

/// Not the op of any node: it names the condition that there is a position for each element.
struct trapezoid : core::named_condition<"trapezoid"> {};

}  // namespace op

/// The integral of a function on a grid along the last axis, or along `kt::axis<...>`, by
/// trapezoids: `spacing` is the distance of neighbours, or the vector of the positions.
/// (numpy.trapz)
template <typed Y, operand H = double, int Axis = -1>
constexpr auto trapz(Y const& y, H const& spacing = 1.0, axis_t<Axis> = {}) {
  constexpr bool is_array = rank_of<Y> >= 1, has_positions = core::static_rank<H>() == 1;
  static_assert(is_array, "kt::trapz: takes an array");
  static_assert(axis_is_within_the_rank<rank_of<Y>, Axis>,
                "kt::trapz: the axis is outside the rank of the operand");
  static_assert(has_positions || core::static_rank<H>() == 0,
                "kt::trapz: the spacing is a number, or the vector of the positions");
  constexpr int along = ops::from_front(Axis, rank_of<Y>);
  graph& g = *y.of;
  int const conditions = g.constraints().size();
  auto const [next, before] = ops::neighbours_along(ops::linear_operand(y), along);
  term const areas = (next + before) * 0.5;
  using mean = ops::linear_variable<rank_of<Y>, Y>;
  if constexpr (has_positions) {
    auto const positions = core::placed(g, spacing);
    g.constraints().push_back(core::extent_constraint{ops::extent(y, along).id,
                                                      ops::extent(positions, 0).id,
                                                      core::identity<op::trapezoid>()});
    auto const widths = diff(positions);
    core::list<int> axes{0};
    for (int d = along + 1; d < rank_of<Y>; ++d) axes.push_back(-1);
    using across = variable<value_type_of<decltype(widths)>, rank_of<Y> - along>;
    auto const integral = sum(mean(areas) * across(ops::permute(widths, axes)), axis<along>);
    ops::take_conditions(integral, conditions);
    return integral;
  } else return sum(mean(areas), axis<along>) * spacing;
}
template <typed Y, int Axis>
constexpr auto trapz(Y const& y, axis_t<Axis> along) {
  return trapz(y, 1.0, along);
}
/// `trapz` under the name that it has since NumPy 2. (numpy.trapezoid)
template <typed Y, operand H = double, int Axis = -1>
constexpr auto trapezoid(Y const& y, H const& spacing = 1.0, axis_t<Axis> along = {}) {
  return trapz(y, spacing, along);
}
template <typed Y, int Axis>
constexpr auto trapezoid(Y const& y, axis_t<Axis> along) {
  return trapz(y, 1.0, along);
}

}  // namespace kroton
