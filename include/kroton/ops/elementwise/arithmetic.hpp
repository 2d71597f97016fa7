// Elementwise arithmetic: + - * / // % ** and related functions.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/cast.hpp>
#include <kroton/math/functions.hpp>
#include <kroton/ops/elementwise/rounding.hpp>
#include <kroton/ops/elementwise/selection.hpp>
#include <kroton/ops/elementwise/wrapping.hpp>

namespace kroton {
namespace op {

struct log;

}  // namespace op

namespace ops {
constexpr term pull_back_sgn(term g, term y, term x);  // ops/elementwise/complex.hpp
}

namespace op {

struct add : elementwise<"add", 2> {
  static constexpr bool is_cheap = true;
  static constexpr bool takes_complex = true;
  static constexpr law laws = law::commutative | law::associative;
  using types = signatures::promoted;
  template <class R>
  KROTON_FN static R value(R a, R b) {
    return ops::plus(a, b);
  }
  static constexpr auto pullback(auto g, auto, auto, auto) { return inputs(g, g); }
};

struct sub : elementwise<"sub", 2> {
  static constexpr bool is_cheap = true;
  static constexpr bool takes_complex = true;
  using types = signatures::promoted;
  template <class R>
  KROTON_FN static R value(R a, R b) {
    return ops::minus(a, b);
  }
  static constexpr auto pullback(auto g, auto, auto, auto) { return inputs(g, -g); }
};

struct mul : elementwise<"mul", 2> {
  static constexpr bool is_cheap = true;
  static constexpr bool takes_complex = true;
  static constexpr law laws = law::commutative | law::associative;
  using types = signatures::promoted;
  template <class R>
  KROTON_FN static R value(R a, R b) {
    return ops::times(a, b);
  }
  static constexpr auto pullback(auto g, auto, auto a, auto b) { return inputs(g * b, g * a); }
};

// True division: integers give floating-point results.
struct div : elementwise<"div", 2> {
  static constexpr bool takes_complex = true;
  using types = signatures::quotient;
  template <class R>
  KROTON_FN static R value(R a, R b) {
    if constexpr (core::is_complex_number<R>) return math::divide(a, b);
    else return a / b;
  }
  static constexpr auto pullback(auto g, auto y, auto, auto b) {
    return inputs(g / b, -(g * y) / b);
  }
};

struct neg : elementwise<"neg", 1> {
  static constexpr bool is_cheap = true;
  static constexpr bool takes_complex = true;
  static constexpr law laws = law::involution | law::odd;
  using types = signatures::promoted;
  template <class R>
  KROTON_FN static R value(R a) {
    return ops::negative(a);
  }
  static constexpr auto pullback(auto g, auto, auto) { return inputs(-g); }
};

struct inv : elementwise<"inv", 1> {
  static constexpr bool is_instruction = true;
  static constexpr bool takes_complex = true;
  static constexpr law laws = law::odd;
  template <class R>
  KROTON_FN static R value(R a) {
    if constexpr (core::is_complex_number<R>) return math::inv(a);
    else return R(1) / a;
  }
  static constexpr auto pullback(auto g, auto y, auto) { return inputs(-(g * y * y)); }
};

struct sqr : elementwise<"sqr", 1> {
  static constexpr bool is_cheap = true;
  static constexpr bool takes_complex = true;
  static constexpr law laws = law::even;
  using types = signatures::promoted;
  template <class R>
  KROTON_FN static R value(R a) {
    return ops::times(a, a);
  }
  static constexpr auto pullback(auto g, auto, auto x) { return inputs(2 * g * x); }
};

struct sqrt : elementwise<"sqrt", 1> {
  static constexpr bool is_instruction = true;
  static constexpr bool takes_complex = true;
  static constexpr law laws = law::increasing;
  template <class R>
  KROTON_FN static R value(R a) {
    return math::sqrt(a);
  }
  static constexpr auto pullback(auto g, auto y, auto) { return inputs(g / (2 * y)); }
};

// Integers stay integers. The gradient for exponent 0 is 0, also where 0 * pow(a, -1) is not
// because the base is next to 0; with respect to the exponent it is 0 at base 0.
struct pow : elementwise<"pow", 2> {
  static constexpr bool takes_complex = true;
  using types = signatures::promoted;
  template <class R>
  KROTON_FN static R value(R a, R b) {
    return math::pow(a, b);
  }
  static constexpr auto pullback(auto g, auto y, auto a, auto b) {
    if (b.of->is_literal(b.id)) {
      if (b.of->literal_value(b.id) == 0) return inputs(core::zero_beside(g), none);
      if (b.of->literal_value(b.id) == 2) return inputs(g * b * a, none);
      return inputs(g * b * call<pow>(a, b - 1), none);
    }
    auto const by_a = b * call<pow>(a, b - 1);
    auto const is_product = call<bit_or>(call<neq>(b, 0), call<isfinite>(by_a));
    return inputs(call<where>(is_product, g * by_a, 0),
                  call<where>(call<eq>(a, 0), 0, g * y * call<log>(a)));
  }
};

// NumPy's floor division and remainder: the remainder has the sign of the divisor.
struct floordiv : elementwise<"floordiv", 2> {
  using types = signatures::promoted;
  template <class R>
  KROTON_FN static R value(R a, R b) {
    return math::floordiv(a, b);
  }
  static constexpr auto pullback = no_gradient;
};

struct mod : elementwise<"mod", 2> {
  using types = signatures::promoted;
  template <class R>
  KROTON_FN static R value(R a, R b) {
    return math::mod(a, b);
  }
  static constexpr auto pullback(auto g, auto, auto a, auto b) {
    return inputs(g, -g * call<floordiv>(a, b));
  }
};

struct sgn;

struct abs : elementwise<"abs", 1> {
  static constexpr bool is_cheap = true;
  static constexpr bool takes_complex = true;
  static constexpr law laws = law::even | law::idempotent;
  using types = signatures::real_part;
  template <class R>
  KROTON_FN static auto value(R a) {
    if constexpr (core::is_complex_number<R>) return math::functions<R>::modulus(a);
    else return math::abs(a);
  }
  static constexpr auto pullback(auto g, auto, auto x) { return inputs(g * call<sgn>(x)); }
};

// For a complex number, its direction z / abs(z).
struct sgn : elementwise<"sgn", 1> {
  static constexpr bool takes_complex = true, is_holomorphic = false;
  static constexpr law laws = law::odd | law::idempotent | law::increasing;
  using types = signatures::promoted;
  template <class R>
  KROTON_FN static R value(R a) {
    return math::sgn(a);
  }
  static constexpr core::gradient_list<1> pullback(term g, term y, term x) {
    return {{ops::pull_back_sgn(g, y, x)}};
  }
};

// NaN wins, as in NumPy. The gradient of a tie goes to the first operand.
struct maximum : elementwise<"maximum", 2> {
  static constexpr bool is_cheap = true;
  static constexpr law laws = law::commutative | law::associative | law::idempotent;
  using types = signatures::promoted;
  template <class R>
  KROTON_FN static R value(R a, R b) {
    return math::maximum(a, b);
  }
  static constexpr auto pullback(auto g, auto, auto a, auto b) {
    return inputs(call<where>(call<ge>(a, b), g, 0), call<where>(call<ge>(a, b), 0, g));
  }
};

struct minimum : elementwise<"minimum", 2> {
  static constexpr bool is_cheap = true;
  static constexpr law laws = law::commutative | law::associative | law::idempotent;
  using types = signatures::promoted;
  template <class R>
  KROTON_FN static R value(R a, R b) {
    return math::minimum(a, b);
  }
  static constexpr auto pullback(auto g, auto, auto a, auto b) {
    return inputs(call<where>(call<le>(a, b), g, 0), call<where>(call<le>(a, b), 0, g));
  }
};

}  // namespace op

namespace ops {

template <class X>
constexpr bool is_bool_operand() {
  if constexpr (static_operand<X>) return is_bool(static_element_of<X>());
  else return std::same_as<std::remove_cvref_t<X>, bool>;
}
template <class X>
constexpr bool is_integer_operand() {
  if constexpr (static_operand<X>)
    return is_integer(static_element_of<X>()) || is_bool_operand<X>();
  else return std::integral<std::remove_cvref_t<X>>;
}

}  // namespace ops

/// `bool - bool` is an error, as in NumPy; write `a ^ b` or `a & ~b`.
template <class... X>
concept not_all_bool_use_xor_instead = !(ops::is_bool_operand<X>() && ...);

/// Sum, elementwise with broadcasting; for bools the logical or. (numpy.add)
template <class A, class B>
  requires operands<A, B>
constexpr result_of<op::add, A, B> operator+(A const& a, B const& b) {
  return call<op::add>(a, b);
}
/// Difference, elementwise with broadcasting; not defined for bools. (numpy.subtract)
template <class A, class B>
  requires operands<A, B> && not_all_bool_use_xor_instead<A, B>
constexpr result_of<op::sub, A, B> operator-(A const& a, B const& b) {
  return call<op::sub>(a, b);
}
/// Product, elementwise with broadcasting; for bools the logical and. (numpy.multiply)
template <class A, class B>
  requires operands<A, B>
constexpr result_of<op::mul, A, B> operator*(A const& a, B const& b) {
  return call<op::mul>(a, b);
}
/// True quotient, elementwise; integers and bools give float64. (numpy.true_divide)
template <class A, class B>
  requires operands<A, B>
constexpr result_of<op::div, A, B> operator/(A const& a, B const& b) {
  return call<op::div>(a, b);
}
/// Remainder with the sign of the divisor, elementwise; 0 for integers divided by 0. (numpy.mod)
template <class A, class B>
  requires operands<A, B>
constexpr result_of<op::mod, A, B> operator%(A const& a, B const& b) {
  return call<op::mod>(a, b);
}
/// Negative, elementwise; not defined for bools. (numpy.negative)
template <symbolic X>
constexpr result_of<op::neg, X> operator-(X const& x) {
  // Not a constraint: clang does not print those of unary operators.
  constexpr bool is_number = not_all_bool_use_xor_instead<X>;
  static_assert(is_number, "bools have no negative, as in NumPy; the logical not is ~");
  return call<op::neg>(x);
}
template <symbolic X>
constexpr X operator+(X const& x) {
  return x;
}

/// Quotient rounded down, elementwise; integers divided by 0 give 0. (numpy.floor_divide, Python's
/// //)
template <class A, class B>
  requires operands<A, B>
constexpr result_of<op::floordiv, A, B> floordiv(A const& a, B const& b) {
  return call<op::floordiv>(a, b);
}
/// Power, elementwise; integers stay integers and do not accept a negative literal exponent.
/// (numpy.power, Python's **)
template <class A, class B>
  requires operands<A, B>
constexpr result_of<op::pow, A, B> pow(A const& a, B const& b) {
  if constexpr (number<B> && ops::is_integer_operand<A>() && ops::is_integer_operand<B>())
    if (b < B{})
      a.of->fail("kt::pow: an integer to a negative integer power; write pow(cast<double>(x), n)");
  return call<op::pow>(a, b);
}
/// 1 / x, elementwise. (numpy.reciprocal)
template <symbolic X>
constexpr result_of<op::inv, X> inv(X const& x) {
  return call<op::inv>(x);
}
/// x * x, elementwise. (numpy.square)
template <symbolic X>
constexpr result_of<op::sqr, X> sqr(X const& x) {
  return call<op::sqr>(x);
}
/// Square root, elementwise; NaN below 0; for complex numbers the root with a nonnegative real
/// part. (numpy.sqrt)
template <symbolic X>
constexpr result_of<op::sqrt, X> sqrt(X const& x) {
  return call<op::sqrt>(x);
}
/// Absolute value, elementwise; real for complex numbers; its gradient at 0 is 0. (numpy.absolute)
template <symbolic X>
constexpr result_of<op::abs, X> abs(X const& x) {
  return call<op::abs>(x);
}
/// Sign: -1, 0 or 1, elementwise; of a complex number z / abs(z), and 0 at 0. (numpy.sign
/// since 2.0)
template <symbolic X>
constexpr result_of<op::sgn, X> sgn(X const& x) {
  return call<op::sgn>(x);
}
/// The larger of two, elementwise; NaN wins; at a tie the gradient goes to the first.
/// (numpy.maximum)
template <class A, class B>
  requires operands<A, B>
constexpr result_of<op::maximum, A, B> maximum(A const& a, B const& b) {
  return call<op::maximum>(a, b);
}
/// The smaller of two, elementwise; NaN wins; at a tie the gradient goes to the first.
/// (numpy.minimum)
template <class A, class B>
  requires operands<A, B>
constexpr result_of<op::minimum, A, B> minimum(A const& a, B const& b) {
  return call<op::minimum>(a, b);
}
/// x limited to [low, high], elementwise; at a bound the gradient still goes to x. (numpy.clip)
template <class X, class L, class H>
  requires operands<X, L, H>
constexpr auto clip(X const& x, L const& low, H const& high) {
  return minimum(maximum(x, low), high);
}

}  // namespace kroton
