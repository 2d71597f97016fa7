// Functions of streams: a kt::rng counts as one parameter for each state that its draws need.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/function/default_update.hpp>
#include <kroton/function/streams.hpp>

#include <boost/mp11/algorithm.hpp>

#include <array>
#include <tuple>

namespace kroton::functions {

template <class X>
inline constexpr bool is_stream = false;
template <>
inline constexpr bool is_stream<philox_streams> = true;
template <>
inline constexpr bool is_stream<random_streams> = true;
template <>
inline constexpr bool is_stream<mrg_random_streams> = true;

/// Whether an option changes the lambda before anything is bound: a shared variable with a default
/// update, or kt::givens.
template <class X>
inline constexpr bool extends_function = has_default_update<X>;

/// A kt::rng that is bound to a stream of a generator.
template <ops::generator G>
struct rng_of : rng {
  static constexpr ops::generator generator = G;
  constexpr explicit rng_of(term t) : rng(t, G) {}
};
template <class P>
inline constexpr bool is_bound_rng = false;
template <ops::generator G>
inline constexpr bool is_bound_rng<rng_of<G>> = true;

/// The lambda F on its parameters and on the states of further draws from streams of MRG31k3p,
/// which follow: `Further` of them for each parameter.
template <class F, class Parameters, int... Further>
struct drawing_from;
template <class F, class... P, int... Further>
struct drawing_from<F, std::tuple<P...>, Further...> {
  template <class... Hidden>
  static std::type_identity<std::tuple<P..., Hidden...>> joined(std::tuple<Hidden...>*);
  template <std::size_t... I>
  static std::tuple<std::enable_if_t<(I >= 0), vector<std::uint32_t>>...> hidden(
      std::index_sequence<I...>);
  static constexpr auto count = static_cast<std::size_t>((Further + ... + 0));
  using parameters = typename decltype(joined(
      static_cast<decltype(hidden(std::make_index_sequence<count>{}))*>(nullptr)))::type;

  template <class... X>
  constexpr auto operator()(X const&... x) const {
    auto const all = std::tie(x...);
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return F{}(with_states<I>(std::get<I>(all))...);
    }(std::index_sequence_for<P...>{});
  }

 private:
  template <std::size_t I, class X>
  static constexpr decltype(auto) with_states(X const& x) {
    if constexpr (is_bound_rng<X>) {
      constexpr int further[] = {Further...};
      int at = static_cast<int>((core::leaf_count<P>() + ... + std::size_t{0}));
      for (std::size_t k = 0; k < I; ++k) at += further[k];
      return rng(x, X::generator, at, further[I]);
    } else {
      return (x);
    }
  }
};

template <class F, class Parameters, int... Further>
inline constexpr bool makes_default_updates<drawing_from<F, Parameters, Further...>> =
    makes_default_updates<F>;

template <class Flat>
constexpr void record_leaves(graph& g) {
  []<class... V>(graph& in, std::type_identity<std::tuple<V...>>) {
    record_call<Flat, V...>(in);
  }(g, std::type_identity<typename Flat::parameters>{});
}

/// The number of draws from the streams of MRG31k3p among the parameters, one for each of them.
template <class F, class... P>
constexpr auto count_draws(std::type_identity<std::tuple<P...>>) {
  std::array<int, sizeof...(P) + 1> counts{};
  graph g;
  if constexpr (any_structured<P...>) record_leaves<flattened<F, P...>>(g);
  else record_call<F, P...>(g);
  int position = 0;
  std::size_t k = 0;
  auto count = [&]<class X>(std::type_identity<X>) {
    if constexpr (std::is_same_v<X, rng_of<ops::generator::mrg>>)
      counts[k] = ops::stream_entry(g, position).draws;
    position += static_cast<int>(core::leaf_count<X>());
    ++k;
  };
  (count(std::type_identity<P>{}), ...);
  return counts;
}

template <class F, class Parameters>
concept has_counted_draws = call_on<F, Parameters>::is_defined && requires {
  typename std::bool_constant<(count_draws<F>(std::type_identity<Parameters>{})[0] >= 0)>;
};
template <class F, class Parameters>
constexpr auto counted_draws() {
  constexpr bool draws_from_mrg =
      boost::mp11::mp_contains<Parameters, rng_of<ops::generator::mrg>>::value;
  if constexpr (!draws_from_mrg || !has_counted_draws<F, Parameters>)
    return std::array<int, std::tuple_size_v<Parameters> + 1>{};
  else return count_draws<F>(std::type_identity<Parameters>{});
}

/// The parameter that an option is bound to: for a stream, a kt::rng of its generator.
template <class P, class Option>
struct bound_parameter {
  using type = P;
};
template <class Option>
  requires is_stream<Option>
struct bound_parameter<rng, Option> {
  using type = rng_of<Option::generator>;
};
template <class Parameters, class... S>
struct bound_parameters {
  static constexpr std::size_t skip = std::tuple_size_v<Parameters> - sizeof...(S);
  template <std::size_t I>
  static auto at() {
    using parameter = std::tuple_element_t<I, Parameters>;
    if constexpr (I < skip) return std::type_identity<parameter>{};
    else
      return std::type_identity<typename bound_parameter<
          parameter, std::tuple_element_t<I - skip, std::tuple<S...>>>::type>{};
  }
  template <std::size_t... I>
  static std::tuple<typename decltype(at<I>())::type...> all(std::index_sequence<I...>);
  using type = decltype(all(std::make_index_sequence<std::tuple_size_v<Parameters>>{}));
  /// The first stream for a parameter that is not a kt::rng, or -1.
  static constexpr int misplaced() {
    int found = -1, position = static_cast<int>(skip);
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      ((found = found < 0 && is_stream<S> &&
                        !std::is_same_v<std::tuple_element_t<I + skip, Parameters>, rng>
                    ? position
                    : found,
        ++position),
       ...);
    }(std::index_sequence_for<S...>{});
    return found;
  }
};

/// The states that a function with so many draws is bound to for one option.
template <int Draws, class Option>
auto states_of(Option const& option) {
  if constexpr (!is_stream<Option>) return std::array<Option, 1>{option};
  else if constexpr (Draws > 0 || Option::generator != ops::generator::mrg)
    return option.template bind<(Draws > 0 ? Draws : 1)>();
  else return std::array<stream_words, 1>{stream_words(words_of({0}))};  // nothing is drawn
}
template <std::size_t From, class X, std::size_t N>
auto states_from(std::array<X, N> const& states) {
  return [&]<std::size_t... K>(std::index_sequence<K...>) {
    return std::make_tuple(states[From + K]...);
  }(std::make_index_sequence<N - From>{});
}

/// Whether options of kt::function name streams, and how many options are not a mode.
template <class... O>
concept binds_streams = (is_stream<O> || ...) && !(extends_function<O> || ...);
template <class... O>
inline constexpr std::size_t count_of_bound = (static_cast<std::size_t>(!is_mode<O>) + ... + 0);
template <std::size_t First, class Options>
auto last_options(Options const& all) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return std::make_tuple(std::get<First + I>(all)...);
  }(std::make_index_sequence<std::tuple_size_v<Options> - First>{});
}

/// For a function that is rejected anyway: a stream as a shared variable.
template <class Option>
auto stand_in_for(Option const& option) {
  if constexpr (is_stream<Option>) return stream_words(words_of({0}));
  else return option;
}

}  // namespace kroton::functions
