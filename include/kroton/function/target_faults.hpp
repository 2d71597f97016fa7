// Targets that `into` rejects because their types do not match.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/refusal.hpp>
#include <kroton/core/variable.hpp>
#include <kroton/cpu/call/arrays/standard_arrays.hpp>
#include <kroton/cpu/call/arrays/containers.hpp>
#include <kroton/cpu/call/arrays/outputs.hpp>

#include <tuple>
#include <type_traits>
#include <utility>

namespace kroton::functions {

/// Why a target of `into` is rejected.
enum class target_fault {
  none,
  constant,
  temporary,
  no_array,
  other_device,
  other_rank,
  narrower
};

struct target_fault_at {
  target_fault fault = target_fault::none;
  int at = 0;
};

/// Whether a result that is an array of a device can be written to such a target.
template <class Target, class Value>
inline constexpr bool is_device_target = std::is_same_v<Target, Value>;

/// A valid target of an output of rank > 0: an xtensor container, or a view of one.
template <class Target>
concept writable_array =
    xtensor_expression<Target> &&
    std::is_assignable_v<typename Target::reference, typename Target::value_type const&>;

// Target is a reference if the caller's object is an lvalue.
template <class Value, class Target>
constexpr target_fault fault_of_target() {
  using enum target_fault;
  using T = std::remove_reference_t<Target>;
  constexpr int rank = static_rank_of<Value>;
  if constexpr (rank_of_device_array<Value> >= 0 && !(number<T> && rank == 0)) {
    if constexpr (!is_device_target<std::remove_const_t<T>, Value>) return other_device;
    else if constexpr (std::is_const_v<T> || !std::is_same_v<decltype(std::declval<T&>().data()),
                                                             typename T::value_type*>)
      return constant;
    else return std::is_lvalue_reference_v<Target> ? none : temporary;
  } else if constexpr (cpu::described_array<T>) {
    return std::is_lvalue_reference_v<Target> ? constant : temporary;
  } else if constexpr (!number<T> && !writable_array<std::remove_const_t<T>>) return no_array;
  else if constexpr (std::is_const_v<T>) return constant;
  else if constexpr (!std::is_lvalue_reference_v<Target> &&
                     (number<T> || (resizable<T> && std::is_default_constructible_v<T>)))
    return temporary;
  else if constexpr (static_rank_of<T> != rank && static_rank_of<T> != -1) return other_rank;
  else return is_lossless<element_t<Value>, element_t<T>>() ? none : narrower;
}
template <class Values, class Targets>
struct fault_of_targets;
template <class... V, class... T>
struct fault_of_targets<std::tuple<V...>, std::tuple<T...>> {
  static constexpr target_fault_at first = [] {
    target_fault_at found;
    int at = 0;
    [[maybe_unused]] auto look = [&](target_fault f) {
      if (found.fault == target_fault::none && f != target_fault::none) found = {f, at};
      ++at;
    };
    (look(fault_of_target<V, T>()), ...);
    return found;
  }();
};

// The targets in a tuple: if the tuple has a name, they do too.
template <class... T>
std::tuple<T&...> elements_of(std::tuple<T...>&);
template <class... T>
std::tuple<T const&...> elements_of(std::tuple<T...> const&);
template <class... T>
std::tuple<T...> elements_of(std::tuple<T...>&&);
template <class Out>
using targets_in = decltype(elements_of(std::declval<Out>()));

template <class Out, bool AreSeveral>
struct targets_for {
  using type = std::tuple<Out>;
};
template <class Out>
struct targets_for<Out, true> {
  using type = targets_in<Out>;
};
/// The target of one output, or those of several.
template <class Out, bool AreSeveral>
using given_targets = typename targets_for<Out, AreSeveral>::type;

/// The number of targets: those of a std::tuple, or one.
template <class Out>
inline constexpr int count_of_targets = 1;
template <class... T>
inline constexpr int count_of_targets<std::tuple<T...>> = static_cast<int>(sizeof...(T));

/// Rejects wrong targets with a sentence, and returns whether all are accepted. Values and Targets
/// have the same length.
template <class Values, class Targets>
constexpr bool takes_targets() {
  using enum target_fault;
  constexpr target_fault_at met = fault_of_targets<Values, Targets>::first;
  if constexpr (met.fault != none) {
    constexpr auto at = static_cast<std::size_t>(met.at);
    using V = std::tuple_element_t<at, Values>;
    using T = std::remove_reference_t<std::tuple_element_t<at, Targets>>;
    using which = of::target<met.at + 1>;
    if constexpr (met.fault == constant)
      static_assert(is_accepted<which, T>, "into: a target is const and cannot be written to");
    else if constexpr (met.fault == temporary)
      static_assert(
          is_accepted<which, T>,
          "into: a target is a temporary, so the result would be lost: give it a name");
    else if constexpr (met.fault == no_array)
      static_assert(is_accepted<which, T>,
                    "into: a target is not an array that can be written to: pass an xtensor "
                    "container or view, a std::vector, an array of Eigen's, or for a scalar a "
                    "number; kt::into_pointer(p, n) makes one of other memory");
    else if constexpr (met.fault == other_device)
      static_assert(is_accepted<which, T, wanted::type<V>>,
                    "into: the output is on a device, so its target is an array there");
    else if constexpr (met.fault == other_rank)
      static_assert(
          is_accepted<which, met::rank<static_rank_of<T>>, wanted::rank<static_rank_of<V>>>,
          "into: a target's rank differs from that of its output");
    else
      static_assert(is_accepted<which, met::element<element_t<T>>, wanted::element<element_t<V>>>,
                    "into: a target's elements are narrower than those of its output; use another "
                    "target, or kt::cast the output");
  }
  return met.fault == none;
}

}  // namespace kroton::functions
