// Binary exponents and neighbours of floating-point numbers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/elementwise/arithmetic.hpp>

#include <cstdint>
#include <tuple>

namespace kroton {
namespace op {

/// x * 2^n. The exponents are converted to the type of x, which has every one that matters.
struct ldexp : elementwise<"ldexp", 2> {
  struct types : signatures::floating {
    static constexpr core::signature of(element const* e, int) {
      element const to = core::floating(e[0]);
      return {to, {to, to, to}};
    }
  };
  template <class R>
  KROTON_FN static R value(R x, R n) {
    return math::ldexp(x, n);
  }
  static constexpr auto pullback(auto g, auto, auto, auto n) {
    return inputs(call<ldexp>(g, n), none);
  }
};

/// The exponent of `frexp` as a number of the type of x.
struct frexp_exponent : elementwise<"frexp_exponent", 1> {
  static constexpr law laws = law::even;
  template <class R>
  KROTON_FN static R value(R x) {
    return math::frexp_exponent(x);
  }
  static constexpr auto pullback = no_gradient;
};

/// Between the jumps of its last digit the result follows the first operand.
struct nextafter : elementwise<"nextafter", 2> {
  template <class R>
  KROTON_FN static R value(R x, R y) {
    return math::nextafter(x, y);
  }
  static constexpr auto pullback(auto g, auto, auto, auto) { return inputs(g, none); }
};

}  // namespace op

namespace ops {

template <class N>
constexpr bool is_exponent() {
  if constexpr (typed<N>) return std::is_integral_v<value_type_of<N>>;
  else return !number<N> || std::is_integral_v<N>;
}

}  // namespace ops

/// x * 2^n, elementwise, of integers n, rounded once; the operands broadcast. The result has the
/// floating-point type of x alone; its gradient by x is g * 2^n, and n has none. (numpy.ldexp)
template <class X, class N>
  requires operands<X, N>
constexpr result_of<op::ldexp, X, N> ldexp(X const& x, N const& n) {
  constexpr bool is_exponent = ops::is_exponent<N>();
  static_assert(is_exponent, "kt::ldexp: the exponent must be an integer or a tensor of integers");
  if constexpr (symbolic<N> && !typed<N>)
    if (core::is_continuous(n.element()))
      n.of->fail("kt::ldexp: the exponent must be an integer or a tensor of integers");
  return call<op::ldexp>(x, n);
}
/// The mantissas, of magnitudes in [1/2, 1), and the int32 exponents n for which x is mantissa *
/// 2^n, as a std::tuple. Zeros, infinities and NaN are their own mantissas, with exponent 0. The
/// gradient of a mantissa is g / 2^n; exponents have none. (numpy.frexp)
template <symbolic X>
constexpr auto frexp(X const& x) {
  auto const n = call<op::frexp_exponent>(x);
  return std::tuple(call<op::ldexp>(x, -n), cast<std::int32_t>(n));
}
/// The next number of the type after x in the direction of y, elementwise: y where they are equal,
/// NaN where one of them is; the operands broadcast. The gradient by x is that of x, and y has
/// none. (numpy.nextafter)
template <class X, class Y>
  requires operands<X, Y>
constexpr result_of<op::nextafter, X, Y> nextafter(X const& x, Y const& y) {
  return call<op::nextafter>(x, y);
}

}  // namespace kroton
