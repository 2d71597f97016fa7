// Types of a function's outputs, and memory for them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "arrays.hpp"

#include <tuple>
#include <type_traits>
#include <utility>

namespace fuzz {

template <class V>
struct tuple_of {
  using type = std::tuple<V>;
};
template <class... V>
struct tuple_of<std::tuple<V...>> {
  using type = std::tuple<V...>;
};
/// One output or several as a tuple.
template <class V>
using tuple_t = typename tuple_of<V>::type;

template <class... T>
std::vector<tensor> tensors_of(std::tuple<T...> const& all) {
  return std::apply([](auto const&... v) { return std::vector<tensor>{tensor_of(v)...}; }, all);
}
template <class T>
std::vector<tensor> tensors_of(T const& one) {
  return {tensor_of(one)};
}

template <class V>
auto strided_output(std::vector<long> const& shape, layout l) {
  if constexpr (kt::number<V>) return strided_number<V>(V{});
  else return strided_array<typename V::value_type, static_cast<int>(V::rank)>(shape, l);
}
/// Memory for outputs of these shapes.
template <class Outputs>
auto strided_outputs(std::vector<std::vector<long>> const& shapes, layout l) {
  return [&]<std::size_t... K>(std::index_sequence<K...>) {
    return std::tuple<decltype(strided_output<std::tuple_element_t<K, Outputs>>(shapes[K], l))...>(
        strided_output<std::tuple_element_t<K, Outputs>>(shapes[K], l)...);
  }(std::make_index_sequence<std::tuple_size_v<Outputs>>{});
}

/// The first output, no number, of the type of an argument, and that argument; -1 where there is
/// none.
template <class Outputs, class Arguments>
constexpr std::pair<int, int> first_of_one_type() {
  std::pair<int, int> found{-1, -1};
  [&]<std::size_t... O>(std::index_sequence<O...>) {
    [[maybe_unused]] auto look = [&]<std::size_t N>(std::integral_constant<std::size_t, N>) {
      using output = std::tuple_element_t<N, Outputs>;
      [&]<std::size_t... A>(std::index_sequence<A...>) {
        [[maybe_unused]] auto compare = [&](bool same, std::size_t a) {
          if (same && found.first < 0) found = {static_cast<int>(N), static_cast<int>(a)};
        };
        (compare(!kt::number<output> && std::is_same_v<output, std::tuple_element_t<A, Arguments>>,
                 A),
         ...);
      }(std::make_index_sequence<std::tuple_size_v<Arguments>>{});
    };
    (look(std::integral_constant<std::size_t, O>{}), ...);
  }(std::make_index_sequence<std::tuple_size_v<Outputs>>{});
  return found;
}

/// The N-th target, which may be an argument.
template <std::size_t N, int Output, int Argument, class Targets, class Arguments>
auto& target_at([[maybe_unused]] Targets& targets, [[maybe_unused]] Arguments& arguments) {
  if constexpr (static_cast<int>(N) == Output)
    return std::get<static_cast<std::size_t>(Argument)>(arguments);
  else return std::get<N>(targets);
}
/// Targets as references, one of them to an argument.
template <int Output, int Argument, class Targets, class Arguments>
auto tied(Targets& targets, Arguments& arguments) {
  return [&]<std::size_t... K>(std::index_sequence<K...>) {
    return std::tie(target_at<K, Output, Argument>(targets, arguments)...);
  }(std::make_index_sequence<std::tuple_size_v<Targets>>{});
}

}  // namespace fuzz
