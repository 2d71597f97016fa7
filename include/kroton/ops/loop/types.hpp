// The types with which a scan calls its body.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/outputs.hpp>
#include <kroton/core/signature.hpp>
#include <kroton/ops/loop/arguments.hpp>

#include <boost/mp11/algorithm.hpp>
#include <boost/mp11/list.hpp>

#include <initializer_list>

namespace kroton::ops {

/// A start or a non-sequence that is a plain number, as a scalar of element type T.
template <class T, class N>
struct number_start {
  using value_type = T;
  N value;
};
template <class X>
inline constexpr bool is_number_start = false;
template <class T, class N>
inline constexpr bool is_number_start<number_start<T, N>> = true;

/// X without `Axes` leading axes.
template <class X, int Axes>
struct element_variable {
  using type = term;
};
template <typed X, int Axes>
  requires(rank_of<X> >= Axes)
struct element_variable<X, Axes> {
  using type = variable<value_type_of<X>, rank_of<X> - Axes>;
};
template <placeable X, int Axes>
struct element_variable<X, Axes> : element_variable<core::placed_type<X>, Axes> {};

constexpr bool differ(std::initializer_list<int> all) {
  for (int const* i = all.begin(); i != all.end(); ++i)
    for (int const* k = all.begin(); k != i; ++k)
      if (*i == *k) return false;
  return true;
}
/// The steps of an argument that a body reads: for a plain sequence the current one, for a plain
/// state the one before.
template <class X>
struct taps_of {
  using of = X;
  static constexpr bool given = false;
  static constexpr int count = 1;
};
template <class X, int... Steps>
struct taps_of<tapped<X, Steps...>> {
  using of = X;
  static constexpr bool given = true;
  static constexpr int count = static_cast<int>(sizeof...(Steps));
  static constexpr int steps[sizeof...(Steps) + 1] = {Steps..., 0};
  static constexpr bool all_negative = ((Steps < 0) && ...);
  static constexpr bool all_differ = differ({Steps...});
  /// A state that reads the step before and no other starts from a value, not from rows.
  static constexpr bool is_one_step_back = count == 1 && ((Steps == -1) && ...);
};

template <class Tuple>
inline constexpr bool any_symbolic = false;
template <class... X>
inline constexpr bool any_symbolic<std::tuple<X...>> = (symbolic<typename taps_of<X>::of> || ...);

/// The parameters of a body for one argument.
template <class X>
struct sequence_parameters {
  using of = taps_of<X>;
  using type =
      boost::mp11::mp_repeat_c<std::tuple<typename element_variable<typename of::of, 1>::type>,
                               of::count>;
};
template <class X>
struct state_parameters {
  using type = std::tuple<typename element_variable<X, 0>::type>;
};
template <>
struct state_parameters<none_t> {
  using type = std::tuple<>;
};
template <class T, class N>
struct state_parameters<number_start<T, N>> {
  using type = std::tuple<variable<T, 0>>;
};
template <class X, int... Steps>
struct state_parameters<tapped<X, Steps...>> {
  using of = taps_of<tapped<X, Steps...>>;
  using type = boost::mp11::mp_repeat_c<
      std::tuple<typename element_variable<X, of::is_one_step_back ? 0 : 1>::type>, of::count>;
};
template <class X>
struct constant_parameters : state_parameters<X> {};

template <class Sequences, class Outputs, class Constants>
struct body_parameters;
template <class... S, class... O, class... C>
struct body_parameters<std::tuple<S...>, std::tuple<O...>, std::tuple<C...>> {
  using type = boost::mp11::mp_append<std::tuple<>, typename sequence_parameters<S>::type...,
                                      typename state_parameters<O>::type...,
                                      typename constant_parameters<C>::type...>;
};

/// Calls a body on variables of the given types for the nodes.
template <class Parameters>
struct body_call;
template <class... P>
struct body_call<std::tuple<P...>> {
  template <class Body>
  static constexpr bool is_possible = std::is_invocable_v<Body const&, P const&...>;
  template <class Body>
  using returned = std::remove_cvref_t<std::invoke_result_t<Body const&, P const&...>>;
  /// Without the condition that stops the loop.
  template <class Body>
  using result = typename without_condition<returned<Body>>::type;
  template <class Body>
  static constexpr returned<Body> run(Body const& body, graph& g, int const* nodes) {
    [[maybe_unused]] int k = 0;
    std::tuple<P...> const parameters{P(term{&g, nodes[k++]})...};
    return std::apply(body, parameters);
  }
};

template <class R>
inline constexpr bool gives_updates = false;
template <class... V>
inline constexpr bool gives_updates<output_list<V...>> = true;

/// The variables that a body returns, as a tuple.
template <class R>
constexpr auto body_results(graph& g, R const& result) {
  if constexpr (typed<R>) {
    return std::tuple<variable<value_type_of<R>, rank_of<R>>>(result);
  } else if constexpr (symbolic<R>) {
    return std::tuple<term>(result);
  } else if constexpr (placeable<R>) {
    return std::tuple(result.in(g));
  } else if constexpr (structured<R>) {
    return body_results(g, core::leaves(result));
  } else if constexpr (gives_updates<R>) {
    return body_results(g, result.values());
  } else {
    return std::apply([&](auto const&... part) { return std::tuple_cat(body_results(g, part)...); },
                      result);
  }
}
/// Whether a result belongs to a graph.
template <class R>
inline constexpr bool can_name_graph = symbolic<R> || structured<R> || gives_updates<R>;
template <class... R>
inline constexpr bool can_name_graph<std::tuple<R...>> = (can_name_graph<R> || ...);

template <class Body, class Parameters>
using results_of_body = decltype(body_results(
    std::declval<graph&>(),
    std::declval<typename body_call<Parameters>::template result<Body> const&>()));

/// The element type of a state that starts from a number: that of the body's parameter, or else the
/// number's own, promoted with what a step makes of it.
template <class Body, std::size_t Position, class N>
struct number_state {
  using type =
      std::conditional_t<std::is_integral_v<N> && !std::is_same_v<N, bool>, std::int64_t, N>;
};
template <class P>
inline constexpr bool is_scalar_variable = false;
template <typed P>
inline constexpr bool is_scalar_variable<P> = rank_of<P> == 0;
template <core::has_signature Body, std::size_t Position, class N>
  requires(Position < std::tuple_size_v<core::parameters_of<Body>> &&
           is_scalar_variable<
               std::remove_cvref_t<std::tuple_element_t<Position, core::parameters_of<Body>>>>)
struct number_state<Body, Position, N> {
  using type =
      value_type_of<std::remove_cvref_t<std::tuple_element_t<Position, core::parameters_of<Body>>>>;
};

}  // namespace kroton::ops
