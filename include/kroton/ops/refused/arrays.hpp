// Operands that are not supported, rejected with a sentence: arrays and shared variables combined
// with symbolic variables.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/variable.hpp>

#include <iterator>
#include <utility>

namespace kroton::ops {

/// Anything that a user may mistake for an operand: a container, an array expression, a C array, a
/// kt::shared.
template <class X>
concept array_like = !symbolic<X> && !core::any_refused<X> &&
                     (requires(X& x) { std::begin(x); } || requires(X& x) { x.get_value(); });

/// Operands at least one of which is symbolic and one an array.
template <class... X>
concept arrays_among_variables =
    (symbolic<X> || ...) && (array_like<std::remove_reference_t<X>> || ...);

/// An argument of any type, which fits worse than by any other conversion.
struct anything {
  template <class T>
  constexpr anything(T const&) {}
};

/// Arguments of which any one may be symbolic, for a function that other declarations take the
/// right ones of: each of those is more special than one that takes anything.
template <class... A>
concept other_form = (symbolic<A> || ...) && !(placeable<A> || ...);

/// The first symbolic operand, which a rejected operator returns so that no second error follows.
template <class A, class... B>
constexpr auto first_symbolic(A const& a, B const&... b) {
  if constexpr (symbolic<A>) {
    a.of->fail(said_above);
    return a;
  } else {
    return first_symbolic(b...);
  }
}

}  // namespace kroton::ops

namespace kroton {

// The parameters are those of the operators of array libraries, but more constrained. The functions
// are written without a macro, because it would appear between the sentence and the user's line.
#define KROTON_ARRAY_OPERAND                                                                      \
  "kt: an array, a string or a kt::shared is not an operand: make it a parameter of the lambda; " \
  "kt::function(lambda, shared...) binds shared variables"
template <class A, class B>
  requires ops::arrays_among_variables<A, B>
constexpr auto operator+(A&& a, B&& b) {
  static_assert(is_accepted<A, B>, KROTON_ARRAY_OPERAND);
  return ops::first_symbolic(a, b);
}
template <class A, class B>
  requires ops::arrays_among_variables<A, B>
constexpr auto operator-(A&& a, B&& b) {
  static_assert(is_accepted<A, B>, KROTON_ARRAY_OPERAND);
  return ops::first_symbolic(a, b);
}
template <class A, class B>
  requires ops::arrays_among_variables<A, B>
constexpr auto operator*(A&& a, B&& b) {
  static_assert(is_accepted<A, B>, KROTON_ARRAY_OPERAND);
  return ops::first_symbolic(a, b);
}
template <class A, class B>
  requires ops::arrays_among_variables<A, B>
constexpr auto operator/(A&& a, B&& b) {
  static_assert(is_accepted<A, B>, KROTON_ARRAY_OPERAND);
  return ops::first_symbolic(a, b);
}
template <class A, class B>
  requires ops::arrays_among_variables<A, B>
constexpr auto operator%(A&& a, B&& b) {
  static_assert(is_accepted<A, B>, KROTON_ARRAY_OPERAND);
  return ops::first_symbolic(a, b);
}
template <class A, class B>
  requires ops::arrays_among_variables<A, B>
constexpr auto operator==(A&& a, B&& b) {
  static_assert(is_accepted<A, B>, KROTON_ARRAY_OPERAND);
  return ops::first_symbolic(a, b);
}
template <class A, class B>
  requires ops::arrays_among_variables<A, B>
constexpr auto operator!=(A&& a, B&& b) {
  static_assert(is_accepted<A, B>, KROTON_ARRAY_OPERAND);
  return ops::first_symbolic(a, b);
}
template <class A, class B>
  requires ops::arrays_among_variables<A, B>
constexpr auto operator<(A&& a, B&& b) {
  static_assert(is_accepted<A, B>, KROTON_ARRAY_OPERAND);
  return ops::first_symbolic(a, b);
}
template <class A, class B>
  requires ops::arrays_among_variables<A, B>
constexpr auto operator<=(A&& a, B&& b) {
  static_assert(is_accepted<A, B>, KROTON_ARRAY_OPERAND);
  return ops::first_symbolic(a, b);
}
template <class A, class B>
  requires ops::arrays_among_variables<A, B>
constexpr auto operator>(A&& a, B&& b) {
  static_assert(is_accepted<A, B>, KROTON_ARRAY_OPERAND);
  return ops::first_symbolic(a, b);
}
template <class A, class B>
  requires ops::arrays_among_variables<A, B>
constexpr auto operator>=(A&& a, B&& b) {
  static_assert(is_accepted<A, B>, KROTON_ARRAY_OPERAND);
  return ops::first_symbolic(a, b);
}
template <class A, class B>
  requires ops::arrays_among_variables<A, B>
constexpr auto operator&(A&& a, B&& b) {
  static_assert(is_accepted<A, B>, KROTON_ARRAY_OPERAND);
  return ops::first_symbolic(a, b);
}
template <class A, class B>
  requires ops::arrays_among_variables<A, B>
constexpr auto operator|(A&& a, B&& b) {
  static_assert(is_accepted<A, B>, KROTON_ARRAY_OPERAND);
  return ops::first_symbolic(a, b);
}
template <class A, class B>
  requires ops::arrays_among_variables<A, B>
constexpr auto operator^(A&& a, B&& b) {
  static_assert(is_accepted<A, B>, KROTON_ARRAY_OPERAND);
  return ops::first_symbolic(a, b);
}
template <class A, class B>
  requires ops::arrays_among_variables<A, B>
constexpr auto pow(A&& a, B&& b) {
  static_assert(is_accepted<A, B>, KROTON_ARRAY_OPERAND);
  return ops::first_symbolic(a, b);
}
template <class A, class B>
  requires ops::arrays_among_variables<A, B>
constexpr auto floordiv(A&& a, B&& b) {
  static_assert(is_accepted<A, B>, KROTON_ARRAY_OPERAND);
  return ops::first_symbolic(a, b);
}
template <class A, class B>
  requires ops::arrays_among_variables<A, B>
constexpr auto maximum(A&& a, B&& b) {
  static_assert(is_accepted<A, B>, KROTON_ARRAY_OPERAND);
  return ops::first_symbolic(a, b);
}
template <class A, class B>
  requires ops::arrays_among_variables<A, B>
constexpr auto minimum(A&& a, B&& b) {
  static_assert(is_accepted<A, B>, KROTON_ARRAY_OPERAND);
  return ops::first_symbolic(a, b);
}
template <class A, class B>
  requires ops::arrays_among_variables<A, B>
constexpr auto dot(A&& a, B&& b) {
  static_assert(is_accepted<A, B>, KROTON_ARRAY_OPERAND);
  return ops::first_symbolic(a, b);
}
template <class C, class A, class B>
  requires ops::arrays_among_variables<C, A, B>
constexpr auto where(C&& c, A&& a, B&& b) {
  static_assert(is_accepted<C, A, B>, KROTON_ARRAY_OPERAND);
  return ops::first_symbolic(c, a, b);
}
template <class C, class A, class B>
  requires ops::arrays_among_variables<C, A, B>
constexpr auto ifelse(C&& c, A&& a, B&& b) {
  static_assert(is_accepted<C, A, B>, KROTON_ARRAY_OPERAND);
  return ops::first_symbolic(c, a, b);
}
template <class C, class A, class B>
  requires ops::arrays_among_variables<C, A, B>
constexpr auto cond(C&& c, A&& a, B&& b) {
  static_assert(is_accepted<C, A, B>, KROTON_ARRAY_OPERAND);
  return ops::first_symbolic(c, a, b);
}

#undef KROTON_ARRAY_OPERAND

}  // namespace kroton
