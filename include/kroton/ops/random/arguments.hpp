// The arguments of a draw: parameters, then extents, then what becomes of the stream.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/shapes/size.hpp>

#include <tuple>
#include <utility>

namespace kroton {

/// As the last argument of a draw, leaves the stream where it is: the next draw gets the same
/// numbers. Called with a shared variable, gives it without its default update. (Theano's
/// no_default_updates)
struct no_default_update_t {
  template <class Shared>
  auto operator()(Shared const& shared) const {
    if constexpr (requires { shared.plain(); }) return shared.plain();
    else return shared;
  }
};
inline constexpr no_default_update_t no_default_update{};

/// Whether `choice` may choose a position more than once: `kt::replace<false>`.
template <bool May>
struct replace_t {};
template <bool May>
inline constexpr replace_t<May> replace{};

namespace ops {

template <class P>
constexpr bool is_parameter_of_draw() {
  if constexpr (typed<P>) return !core::is_complex(core::element_of<value_type_of<P>>());
  else return operand<P>;
}

/// The arguments of a draw, sorted.
template <class Parameters, class Extents, bool Sized, bool Advances>
struct draw_arguments;
template <class... P, class... E, bool Sized, bool Advances>
struct draw_arguments<std::tuple<P...>, std::tuple<E...>, Sized, Advances> {
  std::tuple<P...> parameters;
  std::tuple<E...> extents;

  static constexpr bool advances = Advances;
  static constexpr int count = static_cast<int>(sizeof...(P));
  static constexpr bool are_parameters = (is_parameter_of_draw<P>() && ...);
  static constexpr int rank_of_parameters() {
    int most = 0;
    ((most = static_rank<P>() > most ? static_rank<P>() : most), ...);
    return most;
  }
  /// The rank of the result, whose last `own` axes the parameters have alone.
  static constexpr int rank = Sized ? static_cast<int>(sizeof...(E)) : rank_of_parameters();
  static constexpr bool is_sized = Sized;
  /// Whether the parameters are integers, as numbers of positions are.
  static constexpr bool takes_count = (is_extent<P>() && ...);

  template <std::size_t K>
  constexpr term parameter(graph& g, element e) const {
    return {&g, g.cast(node_of(g, std::get<K>(parameters), e), e)};
  }
  /// The extents of the result: those given, or those of the parameters together.
  constexpr list<int> extents_in(graph& g) const {
    list<int> all;
    if constexpr (Sized) {
      std::apply([&](auto const&... e) { (all.push_back(extent_in(g, e).id), ...); }, extents);
    } else if constexpr (sizeof...(P) > 0) {
      term together{};
      auto add = [&](term p) { together = together.exists() ? together + p : p; };
      [&]<std::size_t... K>(std::index_sequence<K...>) {
        (add(parameter<K>(g, element::float64)), ...);
      }(std::index_sequence_for<P...>{});
      for (int d = 0; d < together.rank(); ++d) all.push_back(extent(together, d).id);
    }
    return all;
  }
};

template <std::size_t Count, class... A>
constexpr auto first_arguments(std::tuple<A...> const& all) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return std::tuple<std::tuple_element_t<I, std::tuple<A...>>...>(std::get<I>(all)...);
  }(std::make_index_sequence<Count>{});
}

/// Sorts the arguments. Integers alone are extents, unless the law needs parameters.
template <bool NeedsParameters, bool Advances, class... A>
constexpr auto sorted_arguments(std::tuple<A...> const& all) {
  constexpr std::size_t count = sizeof...(A);
  if constexpr (count == 0) {
    return draw_arguments<std::tuple<>, std::tuple<>, true, Advances>{};
  } else {
    using last = std::tuple_element_t<count - 1, std::tuple<A...>>;
    if constexpr (std::is_same_v<last, no_default_update_t>) {
      return sorted_arguments<NeedsParameters, false>(first_arguments<count - 1>(all));
    } else if constexpr (is_extent_pack<last>) {
      auto const parameters = first_arguments<count - 1>(all);
      auto const extents = std::get<count - 1>(all).extents;
      return draw_arguments<std::remove_const_t<decltype(parameters)>,
                            std::remove_const_t<decltype(extents)>, true, Advances>{parameters,
                                                                                    extents};
    } else if constexpr (!NeedsParameters && (is_extent<A>() && ...)) {
      return draw_arguments<std::tuple<>, std::tuple<A...>, true, Advances>{{}, all};
    } else {
      return draw_arguments<std::tuple<A...>, std::tuple<>, false, Advances>{all, {}};
    }
  }
}

/// Whether a draw accepts its arguments; those that it does not are rejected with a sentence.
template <int Least, int Most, class Arguments>
constexpr bool takes_arguments() {
  constexpr bool are_parameters = Arguments::are_parameters;
  static_assert(are_parameters,
                "kt::rng: the arguments of a draw are parameters, numbers or real variables, then "
                "kt::size(extents...), then kt::no_default_update");
  constexpr bool has_parameters = Arguments::count >= Least && Arguments::count <= Most;
  static_assert(has_parameters,
                "kt::rng: wrong number of parameters of this distribution; extents stand alone, as "
                "in r.uniform(n, m), or behind the parameters, as in r.normal(mean, deviation, "
                "kt::size(n, m))");
  constexpr bool fit = !are_parameters || Arguments::rank_of_parameters() <= Arguments::rank;
  static_assert(fit, "kt::rng: a parameter has more dimensions than the draw has extents");
  return are_parameters && has_parameters && fit && core::is_rank<Arguments::rank>;
}

}  // namespace ops
}  // namespace kroton
