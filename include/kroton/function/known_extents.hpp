// Extents that are known from types: results that allocate nothing, and arguments that cannot
// match.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/call/arrays/containers.hpp>
#include <kroton/freeze/program.hpp>
#include <kroton/function/mode.hpp>

#include <xtensor/xfixed.hpp>

#include <array>

namespace kroton::functions {

/// The extents of outputs as numbers, -1 where only a call tells.
template <std::size_t Outputs>
using extents_of_outputs = std::array<std::array<long long, max_rank>, Outputs>;

/// Those in the plan of a program.
template <class Program>
inline constexpr auto planned_extents = [] {
  extents_of_outputs<Program::outputs.size()> extents{};
  for (std::size_t k = 0; k < extents.size(); ++k) {
    value_info const& value = Program::values[static_cast<std::size_t>(Program::outputs[k])];
    for (std::size_t d = 0; d < static_cast<std::size_t>(value.rank); ++d) {
      planned_extent const& e = Program::extents[static_cast<std::size_t>(value.extents[d])];
      extents[k][d] = e.from == planned_extent::number ? e.which : -1;
    }
  }
  return extents;
}();
/// The same without a plan: what is interpreted is not optimized in the compiler, but for its
/// extents.
template <class F, class Mode, class... P>
inline constexpr auto traced_extents = [] {
  using results = core::result_variables_t<decltype(std::declval<F>()(std::declval<P>()...))>;
  extents_of_outputs<std::tuple_size_v<results>> extents{};
  for (auto& each : extents) each.fill(-1);
  graph g = trace<F, P...>();
  collect_constraints(g);
  list<int> const outputs = g.results();
  g.results().clear();
  g.updates().clear();
  for (int output : outputs)
    for (int d = 0; d < g.type(output).rank; ++d) g.results().push_back(extent_node(g, output, d));
  if (!g.error().empty()) return extents;
  graph const made = Mode::prepare(g);
  for (int k = 0, next = 0; k < outputs.size(); ++k)
    for (int d = 0; d < g.type(outputs[k]).rank; ++d)
      if (int const node = made.results()[next++]; made.is_literal(node))
        extents[static_cast<std::size_t>(k)][static_cast<std::size_t>(d)] = made.literal_bits(node);
  return extents;
}();
/// The container of output K, with fixed extents if all of them are numbers.
template <auto const& Extents, std::size_t K, class T, class Axes>
struct container_of_extents;
template <auto const& Extents, std::size_t K, class T, std::size_t... D>
struct container_of_extents<Extents, K, T, std::index_sequence<D...>> {
  static constexpr bool is_known = ((Extents[K][D] >= 0) && ...);
  using type = std::conditional_t<
      is_known,
      xt::xtensor_fixed<T, xt::xshape<(is_known ? static_cast<std::size_t>(Extents[K][D]) : 0)...>>,
      container_t<T, static_cast<int>(sizeof...(D))>>;
};

/// The return type of a function for output K, a variable of type V.
template <class F, class Mode, int Bound, std::size_t K, class V, class... P>
constexpr auto output_container() {
  using T = value_type_of<V>;
  using target = typename Mode::target;
  using usual = std::type_identity<typename target::template container<T, rank_of<V>>>;
  using axes = std::make_index_sequence<static_cast<std::size_t>(rank_of<V>)>;
  if constexpr (target::is_host && rank_of < V >> 0 && (false || ... || has_known_extents<P>)) {
    if constexpr (Mode::run == execution::interpreted) {
      return container_of_extents<traced_extents<F, Mode, P...>, K, T, axes>();
    } else {
      using p = program<F, Mode, Bound, P...>;
      if constexpr (p::made.error.empty())
        return container_of_extents<planned_extents<p>, K, T, axes>();
      else return usual{};
    }
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
  if constexpr (std::is_bounded_array_v<A>) return static_cast<long long>(std::extent_v<A>);
  else if constexpr (requires { std::tuple_size<A>::value; })
    return static_cast<long long>(std::tuple_size<A>::value);
  else if constexpr (requires { std::integral_constant<std::size_t, A::extent>{}; })
    return A::extent == static_cast<std::size_t>(-1) ? -1 : static_cast<long long>(A::extent);
  else return -1;
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
