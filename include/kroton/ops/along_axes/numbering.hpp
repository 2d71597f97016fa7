// Numbers of elements: positions in several dimensions and in one, orders by several keys, elements
// replaced at positions along an axis.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/along_axes/sorting.hpp>
#include <kroton/ops/assertion.hpp>
#include <kroton/ops/indexing.hpp>
#include <kroton/ops/shapes/creation.hpp>
#include <kroton/ops/shapes/rearranging.hpp>

#include <tuple>

namespace kroton {
namespace op {

/// Not the ops of any node: they name the conditions that keys have one length, that positions
/// have the extents of the tensor, and a count is not negative.
struct lexsort : core::named_condition<"lexsort"> {};
struct put_along_axis : core::named_condition<"put_along_axis"> {};
struct bincount : core::named_condition<"bincount"> {};

}  // namespace op
/// The indices in an array of extents n... of elements that are numbered row by row, as a tuple
/// with one int64 tensor for each extent: `auto [i, j] = unravel_index(k, rows, columns)`. A number
/// outside of the array throws kt::value_error. (numpy.unravel_index)
template <symbolic I, operand... N>
  requires(sizeof...(N) >= 1)
constexpr auto unravel_index(I const& number, N const&... n) {
  constexpr bool are_integers = !ops::is_continuous_operand<I>() && (ops::is_extent<N>() && ...);
  static_assert(are_integers,
                "kt::unravel_index: takes integers, and the extents of the array after them");
  auto const from = cast<std::int64_t>(number);
  using index = std::remove_const_t<decltype(from)>;
  graph& g = *number.of;
  term const extents[] = {ops::as_int64(g, n)...};
  constexpr int rank = sizeof...(N);
  term count = extents[0];
  for (int d = 1; d < rank; ++d) count = count * extents[d];
  term rest = ops::asserted_positions("kt::unravel_index: a number is outside of the array",
                                      term(from), count);
  term found[sizeof...(N)];
  for (int d = rank - 1; d >= 0; --d) {
    found[d] = d == 0 ? rest : call<op::mod>(rest, extents[d]);
    rest = call<op::floordiv>(rest, extents[d]);
  }
  return [&]<std::size_t... D>(std::index_sequence<D...>) {
    return std::tuple((static_cast<void>(D), index(found[D]))...);
  }(std::index_sequence_for<N...>{});
}

/// The numbers, row by row, of elements of an array of extents n..., from a tuple of their indices,
/// which broadcast: `ravel_multi_index(std::tuple(i, j), rows, columns)`. An index out of range
/// throws kt::value_error. (numpy.ravel_multi_index with mode="raise")
template <symbolic... I, operand... N>
  requires(sizeof...(I) >= 1)
constexpr auto ravel_multi_index(std::tuple<I...> const& indices, N const&... n) {
  constexpr bool fits = sizeof...(I) == sizeof...(N) && (!ops::is_continuous_operand<I>() && ...) &&
                        (ops::is_extent<N>() && ...);
  static_assert(
      fits, "kt::ravel_multi_index: takes a tuple of integers, and as many extents of the array");
  if constexpr (fits) {
    graph& g = *std::get<0>(indices).of;
    term const extents[] = {ops::as_int64(g, n)...};
    term number;
    int d = 0;
    auto const add = [&](term index) {
      index = ops::asserted_positions("kt::ravel_multi_index: an index is outside of the array",
                                      index, extents[d]);
      number = d == 0 ? index : number * extents[d] + index;
      ++d;
    };
    std::apply([&](I const&... index) { (add(cast<std::int64_t>(index)), ...); }, indices);
    return decltype((cast<std::int64_t>(std::declval<I const&>()) + ...))(number);
  } else {
    return std::get<0>(indices);
  }
}

/// The int64 positions that sort vectors of equal length, otherwise kt::shape_error, by several
/// keys, of which the last one counts first; equal elements keep their order. (numpy.lexsort)
template <symbolic K, symbolic... More>
constexpr auto lexsort(K const& key, More const&... more) {
  constexpr bool are_vectors =
      core::static_rank<K>() == 1 && ((core::static_rank<More>() == 1) && ...);
  static_assert(are_vectors, "kt::lexsort: takes vectors");
  int const conditions = key.of->constraints().size();
  auto const same_length = [&](term other) {
    int const lengths[] = {ops::extent(other, 0).id, ops::extent(key, 0).id};
    if (lengths[0] != lengths[1])
      key.of->constraints().push_back({lengths[0], lengths[1], core::identity<op::lexsort>()});
  };
  (same_length(more), ...);
  auto order = argsort(key);
  ((order = take(order, argsort(take(more, order)))), ...);
  ops::take_conditions(order, conditions);
  return order;
}

/// x with the elements at the positions along an axis replaced: z(positions(i, j), j) = v(i, j) for
/// axis 0. Positions are integers of the rank of x, whose other extents are those of x, otherwise
/// kt::shape_error; negative ones count from the end, and one out of range throws kt::value_error.
/// Values broadcast to the positions; of several at one position the last one counts.
/// (numpy.put_along_axis, which writes in place)
template <typed X, typed I, operand V, int Axis>
constexpr X put_along_axis(X const& x, I const& positions, V const& values, axis_t<Axis>) {
  constexpr bool fits = rank_of<X> == rank_of<I> && !ops::is_continuous_operand<I>() &&
                        axis_is_within_the_rank<rank_of<X>, Axis>;
  static_assert(fits,
                "kt::put_along_axis: positions must be integers of the tensor's rank, and "
                "the axis one of its axes");
  if constexpr (fits) {
    constexpr int rank = rank_of<X>, along = Axis < 0 ? Axis + rank : Axis;
    graph& g = *x.of;
    int const conditions = g.constraints().size();
    term const given = cast<std::int64_t>(positions), n = ops::extent(x, along);
    for (int d = 0; d < rank; ++d)
      if (int const i = ops::extent(given, d).id, j = ops::extent(x, d).id; d != along && i != j)
        g.constraints().push_back({i, j, core::identity<op::put_along_axis>()});
    term const is_inside = call<op::bit_and>(call<op::ge>(given, -n), call<op::lt>(given, n));
    term const wrapped =
        assert_that("kt::put_along_axis: a position is outside of the axis", is_inside,
                    call<op::where>(call<op::lt>(given, 0), given + n, given));
    // The number of each element in x, row by row.
    term number = ops::integer(g, 0);
    for (int d = 0; d < rank; ++d) {
      core::list<int> pattern(rank, -1);
      pattern[d] = 0;
      term const index = d == along ? wrapped : ops::permute(ops::iota(ops::extent(x, d)), pattern);
      number = number * ops::extent(x, d) + index;
    }
    variable<std::int64_t, rank> const at(number);
    term const value{&g, g.cast(core::node_of(g, values, x.type().element), x.type().element)};
    variable<value_type_of<X>, rank> const spread(ops::expand_like(value, at));
    core::list<term> extents;
    for (int d = 0; d < rank; ++d) extents.push_back(ops::extent(x, d));
    X const z(ops::reshape(set_subtensor(flatten(x)(flatten(at)), flatten(spread)), extents));
    ops::take_conditions(z, conditions);
    return z;
  } else {
    return x;
  }
}
/// Rejects a call that leaves out the axis.
template <typed X, symbolic I, operand V>
constexpr X put_along_axis(X const& x, I const&, V const&) {
  static_assert(is_accepted<X>,
                "kt::put_along_axis: takes an axis: "
                "put_along_axis(x, positions, values, kt::axis<0>)");
  return x;
}

}  // namespace kroton
