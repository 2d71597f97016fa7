// Assignment of a new expression: `x += y` makes x the sum, which must have x's element type and
// rank.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/elementwise/arithmetic.hpp>

#include <concepts>
#include <type_traits>

namespace kroton {
namespace ops {

/// Whether a result can be assigned to a variable of type V: its element type and rank must match.
/// For a term, only the trace knows.
template <class V, class Result>
inline constexpr bool can_become = true;
template <typed V, typed Result>
inline constexpr bool can_become<V, Result> =
    std::same_as<value_type_of<V>, value_type_of<Result>> && rank_of<V> == rank_of<Result>;

/// Makes x the result; other names of the old expression, and the parameter, are unchanged.
template <class X, class Result>
constexpr void assign(X&& x, Result const& result) {
  using V = std::remove_cvref_t<X>;
  if constexpr (!std::is_lvalue_reference_v<X>) {
    static_assert(is_accepted<V>,
                  "kt: the result of an expression cannot be assigned to: name it, auto y = ...; "
                  "to add to a part of x write x = inc_subtensor(x(i), value)");
    x.of->fail(said_above);
  } else if constexpr (std::is_const_v<std::remove_reference_t<X>>) {
    static_assert(is_accepted<V>,
                  "kt: a const variable cannot be assigned to: write auto y = x + ...");
    x.of->fail(said_above);
  } else if constexpr (can_become<V, Result>) {
    x = V(term(result));
  } else {
    static_assert(is_accepted<met::type<Result>, wanted::type<V>>,
                  "kt: x += y and the like keep the element type and the rank of x, but here the "
                  "result has others: write auto z = x + y, or convert with kt::cast<T>(y)");
    x.of->fail(said_above);
  }
}

/// The operands of a compound assignment: a variable, and an operand that the operator accepts with
/// it.
template <class X, class B>
concept assigned_operands = typed<X> && (operand<B> || requires(X const& x, B const& b) { x + b; });

}  // namespace ops

/// Makes x the sum: `x += 1`. The result must keep x's element type and rank.
template <class X, class B>
  requires ops::assigned_operands<X, B>
constexpr X&& operator+=(X&& x, B const& b) {
  ops::assign(static_cast<X&&>(x), x + b);
  return static_cast<X&&>(x);
}
/// Makes x the difference.
template <class X, class B>
  requires ops::assigned_operands<X, B>
constexpr X&& operator-=(X&& x, B const& b) {
  ops::assign(static_cast<X&&>(x), x - b);
  return static_cast<X&&>(x);
}
/// Makes x the product.
template <class X, class B>
  requires ops::assigned_operands<X, B>
constexpr X&& operator*=(X&& x, B const& b) {
  ops::assign(static_cast<X&&>(x), x * b);
  return static_cast<X&&>(x);
}
/// Makes x the quotient; x must be floating-point.
template <class X, class B>
  requires ops::assigned_operands<X, B>
constexpr X&& operator/=(X&& x, B const& b) {
  ops::assign(static_cast<X&&>(x), x / b);
  return static_cast<X&&>(x);
}
/// Makes x the remainder, with the sign of the divisor.
template <class X, class B>
  requires ops::assigned_operands<X, B>
constexpr X&& operator%=(X&& x, B const& b) {
  ops::assign(static_cast<X&&>(x), x % b);
  return static_cast<X&&>(x);
}
/// Makes x its bitwise and with b.
template <class X, class B>
  requires ops::assigned_operands<X, B>
constexpr X&& operator&=(X&& x, B const& b) {
  ops::assign(static_cast<X&&>(x), x & b);
  return static_cast<X&&>(x);
}
/// Makes x its bitwise or with b.
template <class X, class B>
  requires ops::assigned_operands<X, B>
constexpr X&& operator|=(X&& x, B const& b) {
  ops::assign(static_cast<X&&>(x), x | b);
  return static_cast<X&&>(x);
}
/// Makes x its bitwise exclusive or with b.
template <class X, class B>
  requires ops::assigned_operands<X, B>
constexpr X&& operator^=(X&& x, B const& b) {
  ops::assign(static_cast<X&&>(x), x ^ b);
  return static_cast<X&&>(x);
}
/// Shifts x left by b bits.
template <class X, class B>
  requires ops::assigned_operands<X, B>
constexpr X&& operator<<=(X&& x, B const& b) {
  ops::assign(static_cast<X&&>(x), x << b);
  return static_cast<X&&>(x);
}
/// Shifts x right by b bits.
template <class X, class B>
  requires ops::assigned_operands<X, B>
constexpr X&& operator>>=(X&& x, B const& b) {
  ops::assign(static_cast<X&&>(x), x >> b);
  return static_cast<X&&>(x);
}
/// Makes x the expression x + 1.
template <typed X>
constexpr X& operator++(X& x) {
  ops::assign(x, x + 1);
  return x;
}
/// Makes x the expression x + 1 and returns the old one.
template <typed X>
constexpr X operator++(X& x, int) {
  X const before = x;
  ops::assign(x, x + 1);
  return before;
}
/// Makes x the expression x - 1.
template <typed X>
constexpr X& operator--(X& x) {
  ops::assign(x, x - 1);
  return x;
}
/// Makes x the expression x - 1 and returns the old one.
template <typed X>
constexpr X operator--(X& x, int) {
  X const before = x;
  ops::assign(x, x - 1);
  return before;
}

}  // namespace kroton
