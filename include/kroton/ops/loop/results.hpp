// What a body returns, and what a scan makes of it: structs, outputs with updates.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/loop/structs.hpp>

#include <array>
#include <utility>

namespace kroton::ops {

/// For each result of type R of a body the number of its variables if it is a struct, or else 0.
template <class R>
struct result_sizes {
  static constexpr std::size_t of = structured<R> ? core::leaf_count<R>() : 0;
  using type = std::tuple<boost::mp11::mp_size_t<of>>;
};
template <class... R>
struct result_sizes<std::tuple<R...>> {
  using type = boost::mp11::mp_append<std::tuple<>, typename result_sizes<R>::type...>;
};
template <class A, class B>
struct result_sizes<std::pair<A, B>> : result_sizes<std::tuple<A, B>> {};
template <class R, std::size_t N>
struct result_sizes<std::array<R, N>> : result_sizes<boost::mp11::mp_repeat_c<std::tuple<R>, N>> {};
template <class... V>
struct result_sizes<output_list<V...>> : result_sizes<std::tuple<V...>> {};

/// The starts of a body's results with as many times kt::none as a struct has members where one
/// stands for a struct.
template <class Sizes>
struct starts_of_structs;
template <class... Size>
struct starts_of_structs<std::tuple<Size...>> {
  template <class... X>
  static constexpr auto of(std::tuple<X...> const& starts) {
    constexpr auto order = entries<X...>();
    return [&]<std::size_t... K>(std::index_sequence<K...>) {
      return std::tuple(std::get<order.first[K]>(starts)...);
    }(std::make_index_sequence<order.second>{});
  }

 private:
  template <class... X>
  static constexpr auto entries() {
    bool const is_none[] = {std::is_same_v<X, none_t>..., false};
    constexpr std::size_t most = sizeof...(X) + (Size::value + ... + 0) + 1;
    std::pair<std::array<std::size_t, most>, std::size_t> found{};
    std::size_t next = 0;
    auto take = [&](std::size_t size) {
      if (next < sizeof...(X) && is_none[next]) {
        for (std::size_t k = 0; k < (size > 0 ? size : 1); ++k) found.first[found.second++] = next;
        ++next;
      } else {
        for (std::size_t k = 0; k < (size > 0 ? size : 1) && next < sizeof...(X); ++k)
          found.first[found.second++] = next++;
      }
    };
    (take(Size::value), ...);
    while (next < sizeof...(X)) found.first[found.second++] = next++;
    return found;
  }
};

template <class R>
inline constexpr std::size_t result_count =
    std::tuple_size_v<decltype(body_results(std::declval<graph&>(), std::declval<R const&>()))>;
template <class R, std::size_t K>
constexpr std::size_t results_before() {
  return [&]<std::size_t... J>(std::index_sequence<J...>) {
    return (result_count<std::tuple_element_t<J, R>> + ... + std::size_t{0});
  }(std::make_index_sequence<K>{});
}

/// What a scan makes of a result of type R of its body, whose first variable has number `At`, as a
/// tuple. A struct of last values is a struct again; the stacks of its members are a tuple, or
/// separate unless `Nested`.
template <class R, std::size_t At, class Made, bool Nested = true, class Flat>
constexpr auto in_form_of_result(Flat const& variables) {
  if constexpr (structured<R>) {
    return [&]<std::size_t... M>(std::index_sequence<M...>) {
      if constexpr (Made::template is_last<At>)
        return std::make_tuple(built_from<R>(std::get<At + M>(variables)...));
      else if constexpr (Nested)
        return std::make_tuple(std::make_tuple(std::get<At + M>(variables)...));
      else return std::make_tuple(std::get<At + M>(variables)...);
    }(std::make_index_sequence<result_count<R>>{});
  } else if constexpr (symbolic<R> || placeable<R>) {
    return std::make_tuple(std::get<At>(variables));
  } else {
    return [&]<std::size_t... K>(std::index_sequence<K...>) {
      return std::tuple_cat(
          in_form_of_result<std::tuple_element_t<K, R>, At + results_before<R, K>(), Made, Nested>(
              variables)...);
    }(std::make_index_sequence<std::tuple_size_v<R>>{});
  }
}

template <class... V>
constexpr auto with_updates(graph& g, std::tuple<V...> const& values,
                            list<core::update> const& updates) {
  return output_list<V...>(values, &g, updates);
}

/// The graph that a result belongs to; null if it says none.
template <class R>
constexpr graph* graph_of_result(R const& result) {
  if constexpr (symbolic<R>) {
    return result.of;
  } else if constexpr (structured<R>) {
    return graph_of_result(core::leaves(result));
  } else if constexpr (gives_updates<R>) {
    graph* const found = graph_of_result(result.values());
    return found != nullptr ? found : result.of();
  } else if constexpr (can_name_graph<R>) {
    graph* found = nullptr;
    std::apply(
        [&](auto const&... part) {
          ((found = found != nullptr ? found : graph_of_result(part)), ...);
        },
        result);
    return found;
  } else {
    return nullptr;
  }
}

}  // namespace kroton::ops
