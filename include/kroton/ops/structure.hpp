// Arithmetic of structs of variables, member by member.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/structure.hpp>

#include <functional>

namespace kroton {
namespace ops {

template <class X>
constexpr bool is_scalar_operand() {
  if constexpr (typed<X>) return rank_of<X> == 0;
  else return number<X>;
}
/// Operands at least one of which is a struct.
template <class A, class B>
concept memberwise_operands =
    !compound<A> && !compound<B> &&
    ((structured<A> && (structured<B> || operand<B>)) || (operand<A> && structured<B>));

template <class F, class A, class B>
constexpr auto memberwise_arithmetic(A const& a, B const& b) {
  if constexpr (structured<A>) {
    static_assert(structured<B> || is_scalar_operand<B>(),
                  "kt::structure: a struct combines only with a struct of its type or a scalar");
    return memberwise(F{}, a, b);
  } else {
    static_assert(is_scalar_operand<A>(),
                  "kt::structure: a struct combines only with a struct of its type or a scalar");
    return memberwise([](auto const& member, auto const& scalar) { return F{}(scalar, member); }, b,
                      a);
  }
}

}  // namespace ops

/// Sum of two structs of the same type, or of each member and a scalar.
template <class A, class B>
  requires ops::memberwise_operands<A, B>
constexpr auto operator+(A const& a, B const& b) {
  return ops::memberwise_arithmetic<std::plus<>>(a, b);
}
/// Difference, member by member.
template <class A, class B>
  requires ops::memberwise_operands<A, B>
constexpr auto operator-(A const& a, B const& b) {
  return ops::memberwise_arithmetic<std::minus<>>(a, b);
}
/// Product, member by member.
template <class A, class B>
  requires ops::memberwise_operands<A, B>
constexpr auto operator*(A const& a, B const& b) {
  return ops::memberwise_arithmetic<std::multiplies<>>(a, b);
}
/// Quotient, member by member; the members must be floating-point.
template <class A, class B>
  requires ops::memberwise_operands<A, B>
constexpr auto operator/(A const& a, B const& b) {
  return ops::memberwise_arithmetic<std::divides<>>(a, b);
}
/// Negative of each member.
template <structured S>
  requires(!compound<S>)
constexpr S operator-(S const& s) {
  return memberwise(std::negate<>{}, s);
}

/// `p += g` and similar operators give p new members. It is then no longer a parameter: `.update`
/// takes the parameter itself.
template <structured S, class B>
  requires ops::memberwise_operands<S, B>
constexpr S& operator+=(S& s, B const& b) {
  return s = s + b;
}
template <structured S, class B>
  requires ops::memberwise_operands<S, B>
constexpr S& operator-=(S& s, B const& b) {
  return s = s - b;
}
template <structured S, class B>
  requires ops::memberwise_operands<S, B>
constexpr S& operator*=(S& s, B const& b) {
  return s = s * b;
}
template <structured S, class B>
  requires ops::memberwise_operands<S, B>
constexpr S& operator/=(S& s, B const& b) {
  return s = s / b;
}

}  // namespace kroton
