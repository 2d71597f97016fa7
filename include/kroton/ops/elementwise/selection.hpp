// Comparisons, bitwise and logical operators, and the choice by a condition, elementwise.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/record.hpp>
#include <kroton/math/functions.hpp>
#include <kroton/ops/elementwise/wrapping.hpp>

namespace kroton {
namespace op {

struct eq : elementwise<"eq", 2> {
  static constexpr bool is_cheap = true;
  static constexpr bool takes_complex = true;
  static constexpr law laws = law::commutative;
  using types = signatures::comparison;
  KROTON_FN static auto value(auto a, auto b) { return math::eq(a, b); }
  static constexpr auto pullback = no_gradient;
};
struct neq : elementwise<"neq", 2> {
  static constexpr bool is_cheap = true;
  static constexpr bool takes_complex = true;
  static constexpr law laws = law::commutative;
  using types = signatures::comparison;
  KROTON_FN static auto value(auto a, auto b) { return math::neq(a, b); }
  static constexpr auto pullback = no_gradient;
};
struct lt : elementwise<"lt", 2> {
  static constexpr bool is_cheap = true;
  using types = signatures::comparison;
  KROTON_FN static auto value(auto a, auto b) { return math::lt(a, b); }
  static constexpr auto pullback = no_gradient;
};
struct le : elementwise<"le", 2> {
  static constexpr bool is_cheap = true;
  using types = signatures::comparison;
  KROTON_FN static auto value(auto a, auto b) { return math::le(a, b); }
  static constexpr auto pullback = no_gradient;
};
struct gt : elementwise<"gt", 2> {
  static constexpr bool is_cheap = true;
  using types = signatures::comparison;
  KROTON_FN static auto value(auto a, auto b) { return math::gt(a, b); }
  static constexpr auto pullback = no_gradient;
};
struct ge : elementwise<"ge", 2> {
  static constexpr bool is_cheap = true;
  using types = signatures::comparison;
  KROTON_FN static auto value(auto a, auto b) { return math::ge(a, b); }
  static constexpr auto pullback = no_gradient;
};

// Rules take x == x for true, but leave these as they are.
struct isnan : elementwise<"isnan", 1> {
  static constexpr bool is_cheap = true, takes_complex = true;
  using types = signatures::comparison;
  template <class R>
  KROTON_FN static auto value(R x) {
    if constexpr (core::is_complex_number<R>) return math::isnan(x.real()) || math::isnan(x.imag());
    else return math::isnan(x);
  }
  static constexpr auto pullback = no_gradient;
};
struct isinf : elementwise<"isinf", 1> {
  static constexpr bool is_cheap = true, takes_complex = true;
  using types = signatures::comparison;
  template <class R>
  KROTON_FN static auto value(R x) {
    if constexpr (core::is_complex_number<R>) return value(x.real()) || value(x.imag());
    else return math::isnan(R(x - x)) && !math::isnan(x);
  }
  static constexpr auto pullback = no_gradient;
};
struct isfinite : elementwise<"isfinite", 1> {
  static constexpr bool is_cheap = true, takes_complex = true;
  using types = signatures::comparison;
  template <class R>
  KROTON_FN static auto value(R x) {
    if constexpr (core::is_complex_number<R>) return value(x.real()) && value(x.imag());
    else return !math::isnan(R(x - x));
  }
  static constexpr auto pullback = no_gradient;
};

// On bools these are the logical operators, on integers the bitwise ones.
struct bit_and : elementwise<"bit_and", 2> {
  static constexpr bool is_cheap = true;
  static constexpr law laws = law::commutative | law::associative | law::idempotent;
  using types = signatures::bitwise;
  template <class R>
  KROTON_FN static R value(R a, R b) {
    return R(a & b);
  }
  static constexpr auto pullback = no_gradient;
};
struct bit_or : elementwise<"bit_or", 2> {
  static constexpr bool is_cheap = true;
  static constexpr law laws = law::commutative | law::associative | law::idempotent;
  using types = signatures::bitwise;
  template <class R>
  KROTON_FN static R value(R a, R b) {
    return R(a | b);
  }
  static constexpr auto pullback = no_gradient;
};
struct bit_xor : elementwise<"bit_xor", 2> {
  static constexpr law laws = law::commutative | law::associative;
  using types = signatures::bitwise;
  template <class R>
  KROTON_FN static R value(R a, R b) {
    if constexpr (std::is_integral_v<R>) return R(a ^ b);
    else return math::neq(a, b);  // of masks
  }
  static constexpr auto pullback = no_gradient;
};
struct bit_not : elementwise<"bit_not", 1> {
  static constexpr bool is_cheap = true;
  static constexpr law laws = law::involution;
  using types = signatures::bitwise;
  template <class R>
  KROTON_FN static R value(R a) {
    return ops::complement(a);
  }
  static constexpr auto pullback = no_gradient;
};
struct shift_left : elementwise<"shift_left", 2> {
  using types = signatures::bitwise;
  template <class R>
  KROTON_FN static R value(R a, R b) {
    return ops::left(a, b);
  }
  static constexpr auto pullback = no_gradient;
};
struct shift_right : elementwise<"shift_right", 2> {
  using types = signatures::bitwise;
  template <class R>
  KROTON_FN static R value(R a, R b) {
    return ops::right(a, b);
  }
  static constexpr auto pullback = no_gradient;
};

// The gradient is masked by the same condition, so that values of the other branch never reach it.
struct where : elementwise<"where", 3> {
  static constexpr bool is_cheap = true;
  static constexpr bool takes_complex = true;
  using types = signatures::selection;
  template <class C, class R>
  KROTON_FN static R value(C c, R a, R b) {
    return math::select(c, a, b);
  }
  static constexpr auto pullback(auto g, auto, auto c, auto, auto) {
    return inputs(none, call<where>(c, g, 0), call<where>(c, 0, g));
  }
};

}  // namespace op

namespace ops {

template <class X>
constexpr bool is_continuous_operand() {
  if constexpr (static_operand<X>) return is_continuous(static_element_of<X>());
  else return std::floating_point<std::remove_cvref_t<X>>;
}

}  // namespace ops

/// Whether elements are NaN, as a bool tensor; of a complex number, whether a part is. Not what
/// x != x is: rules take that for false, except in `kt::mode::ieee`. (numpy.isnan, theano isnan)
template <symbolic X>
constexpr result_of<op::isnan, X> isnan(X const& x) {
  return call<op::isnan>(x);
}
/// Whether elements are infinite. (numpy.isinf, theano isinf)
template <symbolic X>
constexpr result_of<op::isinf, X> isinf(X const& x) {
  return call<op::isinf>(x);
}
/// Whether elements are neither infinite nor NaN. (numpy.isfinite)
template <symbolic X>
constexpr result_of<op::isfinite, X> isfinite(X const& x) {
  return call<op::isfinite>(x);
}
/// Bitwise and logical operators take integers and bools.
template <class... X>
concept bitwise_operands_are_integers_or_bools = (!ops::is_continuous_operand<X>() && ...);

/// Whether elements are equal, elementwise with broadcasting, as a bool tensor. Any comparison with
/// NaN but != is false. (numpy.equal)
template <class A, class B>
  requires operands<A, B>
constexpr result_of<op::eq, A, B> eq(A const& a, B const& b) {
  return call<op::eq>(a, b);
}
/// Whether elements differ, as `eq`. (numpy.not_equal)
template <class A, class B>
  requires operands<A, B>
constexpr result_of<op::neq, A, B> neq(A const& a, B const& b) {
  return call<op::neq>(a, b);
}
/// Whether elements of a are less than those of b, as `eq`. (numpy.less)
template <class A, class B>
  requires operands<A, B>
constexpr result_of<op::lt, A, B> lt(A const& a, B const& b) {
  return call<op::lt>(a, b);
}
/// Whether elements of a are at most those of b, as `eq`. (numpy.less_equal)
template <class A, class B>
  requires operands<A, B>
constexpr result_of<op::le, A, B> le(A const& a, B const& b) {
  return call<op::le>(a, b);
}
/// Whether elements of a are greater than those of b, as `eq`. (numpy.greater)
template <class A, class B>
  requires operands<A, B>
constexpr result_of<op::gt, A, B> gt(A const& a, B const& b) {
  return call<op::gt>(a, b);
}
/// Whether elements of a are at least those of b, as `eq`. (numpy.greater_equal)
template <class A, class B>
  requires operands<A, B>
constexpr result_of<op::ge, A, B> ge(A const& a, B const& b) {
  return call<op::ge>(a, b);
}
template <class A, class B>
  requires operands<A, B>
constexpr result_of<op::eq, A, B> operator==(A const& a, B const& b) {
  return call<op::eq>(a, b);
}
template <class A, class B>
  requires operands<A, B>
constexpr result_of<op::neq, A, B> operator!=(A const& a, B const& b) {
  return call<op::neq>(a, b);
}
template <class A, class B>
  requires operands<A, B>
constexpr result_of<op::lt, A, B> operator<(A const& a, B const& b) {
  return call<op::lt>(a, b);
}
template <class A, class B>
  requires operands<A, B>
constexpr result_of<op::le, A, B> operator<=(A const& a, B const& b) {
  return call<op::le>(a, b);
}
template <class A, class B>
  requires operands<A, B>
constexpr result_of<op::gt, A, B> operator>(A const& a, B const& b) {
  return call<op::gt>(a, b);
}
template <class A, class B>
  requires operands<A, B>
constexpr result_of<op::ge, A, B> operator>=(A const& a, B const& b) {
  return call<op::ge>(a, b);
}

/// Bitwise and; for bools the logical and. (numpy.bitwise_and)
template <class A, class B>
  requires operands<A, B> && bitwise_operands_are_integers_or_bools<A, B>
constexpr result_of<op::bit_and, A, B> operator&(A const& a, B const& b) {
  return call<op::bit_and>(a, b);
}
/// Bitwise or; for bools the logical or. (numpy.bitwise_or)
template <class A, class B>
  requires operands<A, B> && bitwise_operands_are_integers_or_bools<A, B>
constexpr result_of<op::bit_or, A, B> operator|(A const& a, B const& b) {
  return call<op::bit_or>(a, b);
}
/// Bitwise exclusive or. (numpy.bitwise_xor)
template <class A, class B>
  requires operands<A, B> && bitwise_operands_are_integers_or_bools<A, B>
constexpr result_of<op::bit_xor, A, B> operator^(A const& a, B const& b) {
  return call<op::bit_xor>(a, b);
}
/// Bitwise complement; for bools the logical not. (numpy.invert)
template <symbolic X>
constexpr result_of<op::bit_not, X> operator~(X const& x) {
  constexpr bool is_integer_or_bool = bitwise_operands_are_integers_or_bools<X>;
  static_assert(is_integer_or_bool, "the bitwise complement takes integers and bools");
  if constexpr (!is_integer_or_bool) x.of->fail(core::said_above);
  return call<op::bit_not>(x);
}
/// Shift left by b bits; a shift by the width or more gives 0. (numpy.left_shift)
template <class A, class B>
  requires operands<A, B> && bitwise_operands_are_integers_or_bools<A, B>
constexpr result_of<op::shift_left, A, B> operator<<(A const& a, B const& b) {
  return call<op::shift_left>(a, b);
}
/// Arithmetic shift right by b bits. (numpy.right_shift)
template <typed A, class B>
  requires operands<A, B> && bitwise_operands_are_integers_or_bools<A, B>
constexpr result_of<op::shift_right, A, B> operator>>(A const& a, B const& b) {
  return call<op::shift_right>(a, b);
}

namespace ops {

/// The condition of a choice as a bool tensor.
template <class C>
constexpr auto as_condition(C const& c) {
  if constexpr (symbolic<C>) return cast<bool>(c);
  else if constexpr (placeable<C>) return c;
  else return c != C{};
}

}  // namespace ops

/// Elementwise choice: a where the condition holds, b elsewhere; gradients of the branch not taken
/// are 0. (numpy.where)
template <class C, class A, class B>
  requires operands<C, A, B>
constexpr auto where(C const& c, A const& a, B const& b) {
  if constexpr (number<A> && number<B>) {
    // Two numbers are promoted to a common type, without the condition's.
    using R = std::common_type_t<A, B>;
    element const e = core::element_of<R>();
    term const then{c.of, c.of->literal(static_cast<R>(a), e)};
    term const otherwise{c.of, c.of->literal(static_cast<R>(b), e)};
    if constexpr (typed<C>)
      return call<op::where>(ops::as_condition(c), variable<R, 0>(then), variable<R, 0>(otherwise));
    else return call<op::where>(ops::as_condition(c), then, otherwise);
  } else {
    return call<op::where>(ops::as_condition(c), a, b);
  }
}
/// Theano's name for `where`.
template <class C, class A, class B>
  requires operands<C, A, B>
constexpr auto switch_(C const& c, A const& a, B const& b) {
  return where(c, a, b);
}

namespace ops {

/// A product with x that is 0 where x is, also if the other factor is not finite there: elsewhere
/// that factor is the derivative.
template <class X, class P>
constexpr auto zero_where_is(X const& x, P const& product) {
  auto const is_product = call<op::bit_or>(call<op::neq>(x, 0), call<op::isfinite>(product));
  return call<op::where>(is_product, product, 0);
}

}  // namespace ops

}  // namespace kroton
