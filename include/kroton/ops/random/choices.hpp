// Draws of categories: multinomial and choice.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/along_axes/scans.hpp>
#include <kroton/ops/along_axes/sorting.hpp>
#include <kroton/ops/random/distributions.hpp>
#include <kroton/ops/shapes/joining.hpp>

namespace kroton {
namespace ops {

constexpr list<term> terms_of(graph& g, list<int> const& ids) {
  list<term> all;
  for (int id : ids) all.push_back({&g, id});
  return all;
}
constexpr term product_of(graph& g, list<int> const& extents) {
  long long known = 1;
  for (int e : extents) known *= g.is_literal(e) ? g.literal_bits(e) : 1;
  term count{&g, g.literal(known, element::int64)};
  for (int e : extents)
    if (!g.is_literal(e)) count = count * term{&g, e};
  return count;
}
/// x over extents, checked; a scalar is left as it is.
constexpr term over(term x, list<int> const& extents) {
  return x.rank() == 0 ? x : alloc(x, terms_of(*x.of, extents));
}
/// x with one more axis behind the others.
constexpr term with_last_axis(term x) {
  list<int> pattern;
  for (int d = 0; d < x.rank(); ++d) pattern.push_back(d);
  pattern.push_back(-1);
  return permute(x, pattern);
}

/// The counts of categories by uniform numbers: how many are below each running sum of the
/// probabilities, without those below the one before. Numbers of later trials come behind those of
/// all rows. (Theano's MultinomialFromUniform) The last category has the rest.
constexpr term counts_from_uniform(term u, term trials, term probabilities,
                                   list<int> const& extents) {
  graph& g = *u.of;
  int const last = probabilities.rank() - 1;
  term const zero{&g, g.literal(0, element::int64)}, count = extent(probabilities, last);
  term const sums{
      &g, g.apply(identity<op::cumsum>(),
                  {{axis_range(probabilities, last, zero, call<op::maximum>(count - 1, 0), 1).id}},
                  {{last, 0}})};
  term const checked =
      assert_that("kt::rng: the probabilities of all categories but the last exceed 1",
                  call<op::le>(sums, 1 + 1e-12), sums);
  list<term> shape{trials}, column;
  for (int e : extents) shape.push_back({&g, e}), column.push_back({&g, e});
  column.push_back({&g, g.literal(1, element::int64)});
  term const is_below = call<op::lt>(with_last_axis(reshape(u, shape)), checked);
  term const below = sum(term{&g, g.cast(is_below.id, element::int64)}, axis<0>);
  term const counts =
      join({below, alloc(trials, column)}, last) - join({alloc(zero, column), below}, last);
  return axis_range(counts, last, zero, count, 1);  // nothing of no categories
}

/// The arguments of choice behind the number of positions, in any order.
template <class... A>
struct choice_arguments {
  template <class X>
  static constexpr bool is_weights() {
    if constexpr (operand<X>) return static_rank<X>() == 1;
    else return false;
  }
  template <class X>
  static constexpr bool is_single_extent() {
    if constexpr (operand<X>) return is_extent<X>();
    else return false;
  }
  template <class X>
  static constexpr bool replaces =
      std::is_same_v<X, replace_t<true>> || std::is_same_v<X, replace_t<false>>;
  template <class X>
  static constexpr bool keeps_stream = std::is_same_v<X, no_default_update_t>;
  static constexpr bool are_known = ((replaces<A> || keeps_stream<A> || is_extent_pack<A> ||
                                      is_weights<A>() || is_single_extent<A>()) &&
                                     ...);
  static constexpr bool are_single = (replaces<A> + ... + 0) <= 1 &&
                                     (is_extent_pack<A> + ... + 0) <= 1 &&
                                     (is_weights<A>() + ... + 0) <= 1;
  static constexpr bool is_weighted = (is_weights<A>() || ...);
  static constexpr bool is_distinct = (std::is_same_v<A, replace_t<false>> || ...);
  static constexpr bool advances = (!std::is_same_v<A, no_default_update_t> && ...);
  template <class X>
  static constexpr int rank_given() {
    if constexpr (is_extent_pack<X>) return std::tuple_size_v<decltype(X::extents)>;
    else return is_single_extent<X>() ? 1 : 0;
  }
  static constexpr int rank = (rank_given<A>() + ... + 0);

  static constexpr list<int> extents(graph& g, A const&... a) {
    list<int> all;
    auto add = [&](auto const& x) {
      using X = std::remove_cvref_t<decltype(x)>;
      if constexpr (is_extent_pack<X>)
        std::apply([&](auto const&... e) { (all.push_back(extent_in(g, e).id), ...); }, x.extents);
      else if constexpr (is_single_extent<X>()) all.push_back(extent_in(g, x).id);
    };
    (add(a), ...);
    return all;
  }
  static constexpr term weights(graph& g, A const&... a) {
    term found{};
    auto look = [&](auto const& x) {
      if constexpr (is_weights<std::remove_cvref_t<decltype(x)>>())
        found = {&g, g.cast(node_of(g, x, element::float64), element::float64)};
    };
    (look(a), ...);
    return found;
  }
  /// How far the sum of the weights may be from 1: the root of the precision of their type.
  static constexpr double tolerance() {
    double most = 1.5e-8;
    auto look = [&]<class X>(std::type_identity<X>) {
      if constexpr (typed<X> && is_weights<X>())
        if (core::element_of<value_type_of<X>>() == element::float32) most = 3.5e-4;
    };
    (look(std::type_identity<A>{}), ...);
    return most;
  }
};

/// Weights that are checked: not negative, and of sum 1 within a tolerance. (NumPy's)
constexpr term checked_weights(term weights, double tolerance) {
  constexpr std::string_view message =
      "kt::rng: the weights of choice are not negative and add up to 1";
  term const positive = assert_that(message, call<op::ge>(weights, 0), weights);
  return assert_that(message, call<op::lt>(call<op::abs>(sum(positive) - 1), tolerance), positive);
}

}  // namespace ops

template <class T, class... A>
constexpr auto rng::drawn_multinomial(A const&... a) const {
  auto const given = ops::sorted_arguments<true, true>(std::tuple<A...>(a...));
  using arguments = std::remove_const_t<decltype(given)>;
  constexpr bool has_both = arguments::are_parameters && arguments::count == 2;
  static_assert(has_both,
                "kt::rng: multinomial takes the number of trials and probabilities, then "
                "kt::size(...) for more rows of counts");
  if constexpr (!has_both) {
    return core::in_place_of<T, 1>(*this);
  } else {
    using parameters = decltype(given.parameters);
    constexpr int of_trials = core::static_rank<std::tuple_element_t<0, parameters>>(),
                  of_rows = core::static_rank<std::tuple_element_t<1, parameters>>() - 1,
                  rows = arguments::is_sized ? arguments::rank
                                             : (of_trials > of_rows ? of_trials : of_rows);
    constexpr bool fit = of_rows >= 0 && of_rows <= rows && of_trials <= rows;
    static_assert(fit,
                  "kt::rng: the last axis of the probabilities of multinomial is that of the "
                  "categories; the others, and those of the trials, broadcast to kt::size");
    if constexpr (!fit) {
      return core::in_place_of<T, 1>(*this);
    } else {
      graph& g = *of;
      term n = given.template parameter<0>(g, element::int64);
      term const p = given.template parameter<1>(g, element::float64);
      core::list<int> extents;
      if constexpr (arguments::is_sized) {
        extents = given.extents_in(g);
      } else {
        term const together = ops::with_last_axis(n) + p;
        for (int d = 0; d < rows; ++d) extents.push_back(ops::extent(together, d).id);
      }
      core::list<int> all = extents;
      all.push_back(ops::extent(p, of_rows).id);
      term counts{};
      constexpr std::string_view negative =
          "kt::rng: the number of trials of a multinomial distribution is negative";
      ops::require_not_negative(n, negative);
      if (generator_ == ops::generator::mrg && !arguments::is_sized && of_trials == 0) {
        n = ops::not_negative(n, negative);
        core::list<int> const length{(n * ops::product_of(g, extents)).id};
        counts = ops::counts_from_uniform(
            draw<ops::distribution::uniform>(element::float64, {}, length, arguments::advances), n,
            ops::probability(p), extents);
      } else {
        int const probabilities = of_rows == 0 ? p.id : ops::over(p, all).id;
        counts = draw<ops::distribution::multinomial>(
            element::int64, {ops::over(n, extents).id, probabilities}, all, arguments::advances);
      }
      return variable<T, rows + 1>(term{&g, g.cast(counts.id, core::element_of<T>())});
    }
  }
}

template <class T, class N, class... A>
constexpr auto rng::drawn_choice(N const& n, A const&... a) const {
  using arguments = ops::choice_arguments<A...>;
  constexpr bool is_count = ops::is_extent<N>(),
                 are_known = arguments::are_known && arguments::are_single;
  static_assert(is_count, "kt::rng: choice takes the number of positions first, an integer");
  static_assert(are_known,
                "kt::rng: behind the number of positions choice takes kt::size(...), "
                "kt::replace<false>, weights, which are a vector, each at most once");
  using result = variable<T, arguments::rank>;
  if constexpr (!is_count || !are_known) {
    return core::in_place_of<T, arguments::rank>(*this);
  } else {
    graph& g = *of;
    term const count = ops::extent_in(g, n);
    core::list<int> const extents = arguments::extents(g, a...);
    term weights = arguments::weights(g, a...);
    if (weights.exists())
      weights = ops::checked_weights(ops::alloc(weights, {count}), arguments::tolerance());
    term chosen{};
    if constexpr (arguments::is_distinct) {
      term const wanted = ops::product_of(g, extents);
      constexpr std::string_view too_many =
          "kt::rng: choice of more distinct positions than there are";
      if (g.is_literal(wanted.id) && g.is_literal(count.id) &&
          g.literal_bits(wanted.id) > g.literal_bits(count.id))
        g.fail(too_many);
      core::list<int> const length{arguments::is_weighted ? wanted.id : count.id};
      core::list<int> parameters;
      if (weights.exists()) parameters.push_back(weights.id);
      if constexpr (arguments::is_weighted)
        chosen = draw<ops::distribution::selection>(element::int64, parameters, length,
                                                    arguments::advances);
      else
        chosen = ops::axis_range(draw<ops::distribution::permutation>(element::int64, parameters,
                                                                      length, arguments::advances),
                                 0, term{&g, g.literal(0, element::int64)}, wanted, 1);
      chosen = assert_that(too_many, call<op::le>(wanted, count),
                           ops::reshape(chosen, ops::terms_of(g, extents)));
    } else if constexpr (arguments::is_weighted) {
      term const sums{&g, g.apply(ops::identity<op::cumsum>(), {{weights.id}}, {{0, 0}})};
      term const one{&g, g.literal(1, element::int64)},
          all = ops::axis_range(sums, 0, count - 1, one, 1);
      chosen = searchsorted(
          sums / all,
          draw<ops::distribution::uniform>(element::float64, {}, extents, arguments::advances),
          side::right);
    } else {
      ops::require_of_literal(
          count, [](double most) { return most >= 1; }, "kt::rng: choice from no positions");
      chosen = draw<ops::distribution::randint>(
          element::int64, {g.literal(0, element::int64), count.id}, extents, arguments::advances);
    }
    return result(term{&g, g.cast(chosen.id, core::element_of<T>())});
  }
}

}  // namespace kroton
