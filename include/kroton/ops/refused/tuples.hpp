// Tuples of variables, such as several gradients, used as operands: rejected with a sentence.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/call.hpp>
#include <kroton/core/misuse.hpp>
#include <kroton/core/variable.hpp>

#include <array>
#include <tuple>
#include <utility>

namespace kroton::ops {

template <class X>
inline constexpr bool is_tuple_of_variables = false;
template <symbolic... X>
inline constexpr bool is_tuple_of_variables<std::tuple<X...>> = sizeof...(X) > 0;
template <symbolic A, symbolic B>
inline constexpr bool is_tuple_of_variables<std::pair<A, B>> = true;
template <symbolic X, std::size_t N>
inline constexpr bool is_tuple_of_variables<std::array<X, N>> = N > 0;

/// Operands one of which is a tuple of variables, and the other a variable, a number or also a
/// tuple.
template <class A, class B>
concept tuples_among_operands =
    (is_tuple_of_variables<A> && (is_tuple_of_variables<B> || symbolic<B> || number<B>)) ||
    (is_tuple_of_variables<B> && (symbolic<A> || number<A>));

/// The tuple, which a rejected operator returns so that no second error follows.
template <class A, class B>
constexpr auto first_tuple(A const& a, B const& b) {
  if constexpr (is_tuple_of_variables<A>) {
    std::get<0>(a).of->fail(said_above);
    return a;
  } else {
    return first_tuple(b, a);
  }
}

}  // namespace kroton::ops

namespace kroton {

// The functions are written without a macro, which would appear between the sentence and the user's
// line.
#define KROTON_TUPLE_OPERAND                                                \
  "kt: a tuple of variables is not an operand: take it apart first, as in " \
  "auto [dw, db] = grad(cost, w, b)"
template <class A, class B>
  requires ops::tuples_among_operands<A, B>
constexpr auto operator+(A const& a, B const& b) {
  static_assert(is_accepted<A, B>, KROTON_TUPLE_OPERAND);
  return ops::first_tuple(a, b);
}
template <class A, class B>
  requires ops::tuples_among_operands<A, B>
constexpr auto operator-(A const& a, B const& b) {
  static_assert(is_accepted<A, B>, KROTON_TUPLE_OPERAND);
  return ops::first_tuple(a, b);
}
template <class A, class B>
  requires ops::tuples_among_operands<A, B>
constexpr auto operator*(A const& a, B const& b) {
  static_assert(is_accepted<A, B>, KROTON_TUPLE_OPERAND);
  return ops::first_tuple(a, b);
}
template <class A, class B>
  requires ops::tuples_among_operands<A, B>
constexpr auto operator/(A const& a, B const& b) {
  static_assert(is_accepted<A, B>, KROTON_TUPLE_OPERAND);
  return ops::first_tuple(a, b);
}
template <class A>
  requires ops::is_tuple_of_variables<A>
constexpr auto operator-(A const& a) {
  static_assert(is_accepted<A>, KROTON_TUPLE_OPERAND);
  return ops::first_tuple(a, a);
}
#undef KROTON_TUPLE_OPERAND

template <int Axis = 0, class T>
  requires ops::is_tuple_of_variables<T>
constexpr auto concatenate(T const& all) {
  static_assert(is_accepted<met::type<T>>,
                "kt::concatenate: takes the tensors one by one, as in concatenate<0>(a, b)");
  std::get<0>(all).of->fail(core::said_above);
  return std::get<0>(all);
}
template <int Axis = 0, class T>
  requires ops::is_tuple_of_variables<T>
constexpr auto stack(T const& all) {
  static_assert(is_accepted<met::type<T>>,
                "kt::stack: takes the tensors one by one, as in stack<0>(a, b)");
  using A = std::tuple_element_t<0, T>;
  if constexpr (typed<A>)
    return core::in_place_of<value_type_of<A>, rank_of<A> + 1>(std::get<0>(all));
  else return std::get<0>(all);
}

}  // namespace kroton
