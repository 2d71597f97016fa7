// Rejected calls of a function: arguments whose types do not match the parameters.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/function/known_extents.hpp>
#include <kroton/function/shared.hpp>

#include <string_view>
#include <tuple>

namespace kroton::functions {

/// An argument in braces, which has no type, at the position of one parameter; other arguments
/// convert to it as well.
struct braced_argument {
  braced_argument() = default;
  template <class T>
  braced_argument(T const&) {}
  template <class T>
  braced_argument(std::initializer_list<T>) {}
  template <class T>
  braced_argument(std::initializer_list<std::initializer_list<T>>) {}
};
template <std::size_t>
using braced_argument_for = braced_argument;

/// Call operators for an argument in braces, one for each parameter.
template <class Sequence>
struct refuses_braces;
template <>
struct refuses_braces<std::index_sequence<>> {
  void operator()(braced_argument) const = delete;
};
template <std::size_t... I>
struct refuses_braces<std::index_sequence<I...>> {
  refused_value operator()(braced_argument_for<I>...) const {
    static_assert(is_accepted<of::argument<static_cast<int>(I) + 1>...>,
                  "kt::function: an argument in braces has no type: write std::vector{1.0, 2.0} "
                  "for a vector, "
                  "xt::xtensor<double, 2>{{1.0, 2.0}, {3.0, 4.0}} for a matrix");
    return {};
  }
};

// ---- arguments ------------------------------------------------------------------------------

/// Why an argument is rejected.
enum class argument_fault {
  none,
  shared_variable,
  no_array,
  other_rank,
  narrowing,
  other_element,
  extents
};

/// A fault, and the number of the argument, from 0.
struct argument_fault_at {
  argument_fault fault = argument_fault::none;
  int at = 0;
};

template <class A> concept text_argument = std::convertible_to<A const&, std::string_view>;
/// What an argument can be.
template <class A>
concept array_argument =
    !text_argument<A> && (number<A> || number_range<A> || xtensor_expression<A>);

template <class Target, class P, class A>
constexpr argument_fault fault_of_argument() {
  using enum argument_fault;
  using T = value_type_of<P>;
  constexpr int rank = static_rank_of<A>;
  if constexpr (Target::template has_array<A>)
    return rank != rank_of<P> ? other_rank : std::is_same_v<element_t<A>, T> ? none : other_element;
  else if constexpr (rank_of_device_array<A> >= 0) return no_array;
  else if constexpr (requires(A const& a) { a.get_value(); }) return shared_variable;
  else if constexpr (!array_argument<A>) return no_array;
  else if constexpr (rank >= 0 && rank != rank_of<P>) return other_rank;
  else if constexpr (!is_lossless<element_t<A>, T>()) return narrowing;
  else return extents_fit<P, A>() ? none : extents;
}
template <class Target, class Parameters, class... A>
constexpr argument_fault_at first_fault_of_arguments() {
  argument_fault_at found;
  int at = 0;
  [[maybe_unused]] auto look = [&](argument_fault f) {
    if (found.fault == argument_fault::none && f != argument_fault::none) found = {f, at};
    ++at;
  };
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (look(fault_of_argument<Target, std::tuple_element_t<I, Parameters>, A>()), ...);
  }(std::index_sequence_for<A...>{});
  return found;
}

/// What a function expects of its arguments: `Count` of them; those that are structs are checked
/// one by one elsewhere.
template <class Target, int Count, bool HasStructs, class Parameters>
struct argument_checks {
  /// Rejects wrong arguments with a sentence, and returns whether all are accepted.
  template <class... A>
  static constexpr bool takes() {
    using enum argument_fault;
    constexpr int given = static_cast<int>(sizeof...(A));
    if constexpr (given != Count) {
      static_assert(is_accepted<met::arguments<given>, wanted::arguments<Count>>,
                    "kt::function: the number of arguments differs from the number of parameters "
                    "that are not bound to shared variables");
      return false;
    } else if constexpr (HasStructs) {
      return true;
    } else {
      constexpr argument_fault_at found = first_fault_of_arguments<Target, Parameters, A...>();
      if constexpr (found.fault != none) {
        constexpr auto at = static_cast<std::size_t>(found.at);
        using P = std::tuple_element_t<at, Parameters>;
        using G = std::tuple_element_t<at, std::tuple<A...>>;
        using which = of::argument<found.at + 1>;
        if constexpr (found.fault == shared_variable)
          static_assert(is_accepted<which, G>,
                        "kt::function: a kt::shared is not an argument: bind it, "
                        "kt::function(lambda, w), or pass w.get_value()");
        else if constexpr (found.fault == no_array)
          static_assert(
              is_accepted<which, G, wanted::type<P>>,
              "kt::function: an argument is neither an array nor a number: pass an xtensor "
              "container, view or expression, or for a vector a std::vector or another "
              "contiguous range of numbers; xt::adapt(pointer, shape) makes a view of "
              "other memory");
        else if constexpr (found.fault == other_rank)
          static_assert(is_accepted<which, met::rank<static_rank_of<G>>, wanted::rank<rank_of<P>>>,
                        "kt::function: an argument's rank differs from that of its parameter");
        else if constexpr (found.fault == narrowing)
          static_assert(
              is_accepted<which, met::element<element_t<G>>, wanted::element<value_type_of<P>>>,
              "kt::function: an argument's element type would be narrowed; convert it first");
        else if constexpr (found.fault == other_element)
          static_assert(
              is_accepted<which, met::element<element_t<G>>, wanted::element<value_type_of<P>>>,
              "kt::function: an array on a device is used in place, so its element type must be "
              "that "
              "of the parameter");
        else
          static_assert(
              is_accepted<which, G, wanted::type<P>>,
              "kt::function: an argument's extents, known from its type, differ from those "
              "of its kt::fixed parameter");
      }
      return found.fault == none;
    }
  }
};

}  // namespace kroton::functions
