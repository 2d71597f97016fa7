// Operators that variables do not support, rejected with a sentence: the logical ones, << to a
// stream, bitwise ones on floats.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/elementwise/arithmetic.hpp>

#include <iosfwd>

namespace kroton::ops {

/// Satisfied by no type, so that a pack of such types is empty.
template <class>
concept nothing = false;

template <class X>
constexpr X refused_operand(X const& x) {
  x.of->fail(said_above);
  return x;
}
/// The result of a rejected operator: a tensor of the promoted type and the largest rank, or one of
/// bools.
template <class A, class B>
constexpr result_of<op::maximum, A, B> refused_operands(A const& a, B const& b) {
  graph_of_operands(a, b)->fail(said_above);
  return call<op::maximum>(a, b);
}
template <class A, class B>
constexpr result_of<op::eq, A, B> refused_condition(A const& a, B const& b) {
  graph_of_operands(a, b)->fail(said_above);
  return call<op::eq>(a, b);
}

}  // namespace kroton::ops

namespace kroton {

// Each sentence is in the operator itself, because clang prints the instantiation stack after an
// error. Result types are explicit, so that testing whether such an operator exists, as
// std::equality_comparable does with !, does not count as a use.
/// Rejects the logical and, which in C++ works on bools alone.
template <class A, class B>
  requires operands<A, B>
constexpr result_of<op::eq, A, B> operator&&(A const& a, B const& b) {
  static_assert(
      is_accepted<A, B>,
      "kt: a && b is not defined for variables: write a & b, in parentheses: (x > 0) & (y > 0)");
  return ops::refused_condition(a, b);
}
/// Rejects the logical or.
template <class A, class B>
  requires operands<A, B>
constexpr result_of<op::eq, A, B> operator||(A const& a, B const& b) {
  static_assert(
      is_accepted<A, B>,
      "kt: a || b is not defined for variables: write a | b, in parentheses: (x > 0) | (y > 0)");
  return ops::refused_condition(a, b);
}
/// Rejects the logical not.
template <symbolic X>
constexpr result_of<op::eq, X, X> operator!(X const& x) {
  static_assert(is_accepted<X>,
                "kt: !a is not defined for variables: write ~a, which negates a tensor of bools, "
                "as in ~(x > 0)");
  return ops::refused_condition(x, x);
}

/// Rejects printing a variable, which has no value yet.
template <class C, class T, symbolic X>
constexpr std::basic_ostream<C, T>& operator<<(std::basic_ostream<C, T>& to, X const& x) {
  static_assert(is_accepted<X>,
                "kt: a variable has no value yet for << to print: kt::print(\"x\", x) prints it "
                "whenever it is computed, kt::debugprint(f) prints the expression");
  x.of->fail(core::said_above);
  return to;
}

// The operands that the bitwise operators reject.
template <class A, class B>
  requires operands<A, B> && (!bitwise_operands_are_integers_or_bools<A, B>)
constexpr result_of<op::maximum, A, B> operator^(A const& a, B const& b) {
  static_assert(is_accepted<met::type<A>, met::type<B>>,
                "kt: ^ is the bitwise exclusive or, of integers and bools; the power is "
                "pow(x, 2), the square sqr(x)");
  return ops::refused_operands(a, b);
}
template <class A, class B>
  requires operands<A, B> && (!bitwise_operands_are_integers_or_bools<A, B>)
constexpr result_of<op::maximum, A, B> operator&(A const& a, B const& b) {
  static_assert(is_accepted<met::type<A>, met::type<B>>,
                "kt: & is the bitwise and, of integers and bools: compare first, as in "
                "(x > 0) & (y > 0)");
  return ops::refused_operands(a, b);
}
template <class A, class B>
  requires operands<A, B> && (!bitwise_operands_are_integers_or_bools<A, B>)
constexpr result_of<op::maximum, A, B> operator|(A const& a, B const& b) {
  static_assert(is_accepted<met::type<A>, met::type<B>>,
                "kt: | is the bitwise or, of integers and bools: compare first, as in "
                "(x > 0) | (y > 0)");
  return ops::refused_operands(a, b);
}
template <class A, class B>
  requires operands<A, B> && (!bitwise_operands_are_integers_or_bools<A, B>)
constexpr result_of<op::maximum, A, B> operator<<(A const& a, B const& b) {
  static_assert(is_accepted<met::type<A>, met::type<B>>,
                "kt: << shifts integers; a power of two is exp2(n)");
  return ops::refused_operands(a, b);
}
template <class A, class B>
  requires operands<A, B> && (!bitwise_operands_are_integers_or_bools<A, B>)
constexpr result_of<op::maximum, A, B> operator>>(A const& a, B const& b) {
  static_assert(is_accepted<met::type<A>, met::type<B>>,
                "kt: >> shifts integers; a power of two is exp2(n)");
  return ops::refused_operands(a, b);
}
/// Rejects the difference of bools.
template <class A, class B>
  requires operands<A, B> && (!not_all_bool_use_xor_instead<A, B>)
constexpr result_of<op::maximum, A, B> operator-(A const& a, B const& b) {
  static_assert(is_accepted<met::type<A>, met::type<B>>,
                "kt: bools have no difference, as in NumPy: write a ^ b or a & ~b, or "
                "convert with kt::cast<int>(a)");
  return ops::refused_operands(a, b);
}

}  // namespace kroton
