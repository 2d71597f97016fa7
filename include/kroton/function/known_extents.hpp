// Extents that are known from types: results that allocate nothing, and arguments that cannot
// match.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/call/arrays/containers.hpp>
#include <kroton/freeze/program.hpp>

#include <xtensor/xfixed.hpp>

namespace kroton::functions {

/// The container of output K of a program: one with fixed extents if all of them are numbers.
template <class Program, int V, class T, class Axes>
struct known_container;
template <class Program, int V, class T, std::size_t... D>
struct known_container<Program, V, T, std::index_sequence<D...>> {
  static constexpr planned_extent const& extent(std::size_t d) {
    return Program::extents[static_cast<std::size_t>(
        Program::values[static_cast<std::size_t>(V)].extents[d])];
  }
  static constexpr bool is_known = ((extent(D).from == planned_extent::number) && ...);
  using type = std::conditional_t<
      is_known,
      xt::xtensor_fixed<T,
                        xt::xshape<(is_known ? static_cast<std::size_t>(extent(D).which) : 0)...>>,
      container_t<T, static_cast<int>(sizeof...(D))>>;
};

/// The return type of a function for output K, a variable of type V.
template <class F, class Mode, int Bound, std::size_t K, class V, class... P>
constexpr auto output_container() {
  using T = value_type_of<V>;
  using target = typename Mode::target;
  using usual = std::type_identity<typename target::template container<T, rank_of<V>>>;
  if constexpr (target::is_host && rank_of < V >> 0 && (false || ... || has_known_extents<P>)) {
    using p = program<F, Mode, Bound, P...>;
    if constexpr (p::made.error.empty())
      return std::type_identity<typename known_container<
          p, p::outputs[K], T,
          std::make_index_sequence<static_cast<std::size_t>(rank_of<V>)>>::type>{};
    else
      return usual{};
  } else {
    return usual{};
  }
}

/// Whether a shape's type contains other extents than those of a parameter.
template <class P, class Shape>
inline constexpr bool differs = false;
template <class P, std::size_t... N>
inline constexpr bool differs<P, xt::fixed_shape<N...>> = [] {
  bool found = sizeof...(N) != static_cast<std::size_t>(rank_of<P>);
  int d = 0;
  ((found = found || static_cast<std::size_t>(P::known_extents[d]) != N, ++d), ...);
  return found;
}();

/// The number of elements of a range if its type contains it, or -1.
template <class A>
constexpr long long known_count() {
  if constexpr (std::is_bounded_array_v<A>)
    return static_cast<long long>(std::extent_v<A>);
  else if constexpr (requires { std::tuple_size<A>::value; })
    return static_cast<long long>(std::tuple_size<A>::value);
  else if constexpr (requires { std::integral_constant<std::size_t, A::extent>{}; })
    return A::extent == static_cast<std::size_t>(-1) ? -1 : static_cast<long long>(A::extent);
  else
    return -1;
}

/// Whether an argument of type A has the extents of a parameter, as far as both types contain them.
template <class P, class A>
constexpr bool extents_fit() {
  if constexpr (!has_known_extents<P>) {
    return true;
  } else if constexpr (number_range<A>) {
    return known_count<A>() < 0 || rank_of<P> != 1 || known_count<A>() == P::known_extents[0];
  } else if constexpr (xtensor_expression<A>) {
    return !differs<P, typename A::shape_type>;
  } else {
    return true;
  }
}

}  // namespace kroton::functions
