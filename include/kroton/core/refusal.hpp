// Rejected programs: what a compile-time error shows in addition to its sentence, and what follows
// it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/layers.hpp>

#include <cstddef>
#include <initializer_list>
#include <iosfwd>
#include <string_view>
#include <type_traits>
#include <utility>

namespace kroton {

// Never completed. As arguments of is_accepted they show the reader what was found and what was
// required: "'is_accepted<of::argument<2>, met::rank<2>, wanted::rank<1> >' evaluates to false".
namespace of {
template <int Number>
struct argument;
template <int Number>
struct parameter;
template <int Number>
struct state;
template <int Number>
struct target;
}  // namespace of
namespace met {
template <int Rank>
struct rank;
template <int... Axes>
struct axes;
template <int Count>
struct arguments;
template <int Count>
struct targets;
template <int Count>
struct shared;
template <class T>
struct element;
template <class... T>
struct type;
}  // namespace met
namespace wanted {
template <int Rank>
struct rank;
template <int Count>
struct arguments;
template <int Count>
struct targets;
template <int Count>
struct parameters;
template <class T>
struct element;
template <class... T>
struct type;
}  // namespace wanted

/// The condition of a static_assert for a certain mistake. Its arguments are the numbers that
/// belong to the sentence.
template <class... Facts>
inline constexpr bool is_accepted = false;

namespace core {

/// After a static_assert has reported the mistake, the trace reports nothing more.
inline constexpr std::string_view said_above = "said above";

/// The result of a rejected function. Every use of it is accepted, so that the sentence remains the
/// only error. It unpacks into two outputs, since their number may not be known.
struct refused_value {
  template <class T>
  operator T() const;
  template <class... X>
  refused_value operator()(X const&...) const {
    return {};
  }
  template <class X>
  refused_value operator[](X const&) const {
    return {};
  }
  refused_value const* begin() const { return nullptr; }
  refused_value const* end() const { return nullptr; }
  refused_value size() const { return {}; }
  refused_value dimension() const { return {}; }
  template <class... X>
  refused_value shape(X const&...) const {
    return {};
  }
};

/// The result of kt::function for a rejected program: it accepts every call.
struct refused_function {
  template <class... A>
  refused_value operator()(A const&...) const {
    return {};
  }
  template <class T>
  refused_value operator()(std::initializer_list<T>) const {
    return {};
  }
  template <class Out, class... A>
  void into(Out&&, A const&...) const {}
  template <class... O>
  refused_function copy(O const&...) const {
    return {};
  }
};

template <class X>
inline constexpr bool is_refused = false;
template <>
inline constexpr bool is_refused<refused_value> = true;
template <>
inline constexpr bool is_refused<refused_function> = true;
template <class... X>
concept any_refused = (is_refused<std::remove_cvref_t<X>> || ...);

// More constrained than the operators of array libraries, which accept anything.
#define KROTON_TAKE_REFUSED(name)               \
  template <class A, class B>                   \
    requires any_refused<A, B>                  \
  constexpr refused_value name(A&&, B&&) {      \
    return {};                                  \
  }
KROTON_TAKE_REFUSED(operator+)
KROTON_TAKE_REFUSED(operator-)
KROTON_TAKE_REFUSED(operator*)
KROTON_TAKE_REFUSED(operator/)
KROTON_TAKE_REFUSED(operator%)
KROTON_TAKE_REFUSED(operator==)
KROTON_TAKE_REFUSED(operator!=)
KROTON_TAKE_REFUSED(operator<)
KROTON_TAKE_REFUSED(operator<=)
KROTON_TAKE_REFUSED(operator>)
KROTON_TAKE_REFUSED(operator>=)
KROTON_TAKE_REFUSED(operator+=)
KROTON_TAKE_REFUSED(operator-=)
KROTON_TAKE_REFUSED(operator*=)
KROTON_TAKE_REFUSED(operator/=)
#undef KROTON_TAKE_REFUSED

template <class C, class T, class X>
  requires is_refused<X>
std::basic_ostream<C, T>& operator<<(std::basic_ostream<C, T>& to, X const&) {
  return to;
}

template <std::size_t I>
refused_value get(refused_value const&) {
  return {};
}

}  // namespace core

// Functions that read an operand as a whole.
#define KROTON_TAKE_REFUSED(name)                                    \
  template <class... X>                                              \
  core::refused_value name(core::refused_function const&, X&&...) {  \
    return {};                                                       \
  }
KROTON_TAKE_REFUSED(debugprint)
KROTON_TAKE_REFUSED(dotprint)
KROTON_TAKE_REFUSED(profile)
KROTON_TAKE_REFUSED(graph_of)
#undef KROTON_TAKE_REFUSED

}  // namespace kroton

template <>
struct std::tuple_size<kroton::core::refused_value> : std::integral_constant<std::size_t, 2> {};
template <std::size_t I>
struct std::tuple_element<I, kroton::core::refused_value> {
  using type = kroton::core::refused_value;
};
namespace std {

// For std::get<0>(f(x)), which names this namespace.
template <size_t I>
kroton::core::refused_value get(kroton::core::refused_value const&) {
  return {};
}

}  // namespace std
