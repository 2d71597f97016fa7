// kt::function with streams of random numbers among what parameters are bound to.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/function/bound_streams.hpp>
#include <kroton/function/function.hpp>

#include <tuple>

namespace kroton {

namespace functions {

/// kt::function of F on parameters of these types and on what they are bound to.
template <class F, class Parameters, auto Draws, class Bound>
auto function_on_states(Bound const& bound) {
  return [&]<class... P, std::size_t... I>(std::type_identity<std::tuple<P...>>,
                                           std::index_sequence<I...>) {
    constexpr bool has_more = ((Draws[I] > 1) || ...);
    return std::apply(
        [](auto const&... each) {
          if constexpr (has_more)
            return kroton::function(
                drawing_from<F, Parameters, (Draws[I] > 1 ? Draws[I] - 1 : 0)...>{}, each...);
          else return kroton::function<P...>(F{}, each...);
        },
        bound);
  }(std::type_identity<Parameters>{}, std::make_index_sequence<std::tuple_size_v<Parameters>>{});
}

}  // namespace functions

/// The same with streams of random numbers: kt::philox_streams, kt::mrg_random_streams or
/// kt::random_streams, to which parameters of type kt::rng are bound.
template <class... P, class F, class... O>
  requires functions::binds_streams<O...>
auto function(F const& f, O const&... options) {
  using parameters = typename decltype(functions::given_parameters<F, P...>())::type;
  constexpr std::size_t count = functions::count_of_bound<O...>;
  if constexpr (!std::is_empty_v<F> || std::tuple_size_v<parameters> < count) {
    return kroton::function<P...>(f, functions::stand_in_for(options)...);
  } else {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      auto const all = std::tie(options...);
      using binding =
          functions::bound_parameters<parameters,
                                      std::remove_cvref_t<decltype(std::get<I>(all))>...>;
      constexpr int misplaced = binding::misplaced();
      static_assert(misplaced < 0,
                    "kt::function: a random stream is bound to a parameter that is not a kt::rng");
      if constexpr (misplaced >= 0) {
        return core::refused_function{};
      } else {
        using types = typename binding::type;
        constexpr auto draws = functions::counted_draws<F, types>();
        auto const states =
            std::tuple(functions::states_of<draws[binding::skip + I]>(std::get<I>(all))...);
        auto const bound = std::tuple_cat(std::tuple(std::get<0>(std::get<I>(states))...),
                                          functions::states_from<1>(std::get<I>(states))...,
                                          functions::last_options<count>(all));
        return functions::function_on_states<F, types, draws>(bound);
      }
    }(std::make_index_sequence<count>{});
  }
}

}  // namespace kroton
