// The signs of numbers, which also 0 and NaN have.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/elementwise/arithmetic.hpp>

namespace kroton {
namespace op {

/// The gradient at 0 is 0, as that of abs.
struct copysign : elementwise<"copysign", 2> {
  static constexpr bool is_cheap = true;
  template <class R>
  KROTON_FN static R value(R x, R y) {
    return math::copysign(x, y);
  }
  static constexpr auto pullback(auto g, auto, auto x, auto y) {
    return inputs(g * call<sgn>(x) * call<copysign>(1, y), none);
  }
};

struct signbit : elementwise<"signbit", 1> {
  static constexpr bool is_cheap = true;
  using types = signatures::comparison;
  KROTON_FN static auto value(auto x) { return math::signbit(x); }
  static constexpr auto pullback = no_gradient;
};

}  // namespace op

/// The magnitude of x with the sign of y, elementwise, also where these are 0 or NaN; integers give
/// floating-point numbers. The gradient by x is 1 or -1, and 0 where x is 0; y has none.
/// (numpy.copysign)
template <class X, class Y>
  requires operands<X, Y>
constexpr result_of<op::copysign, X, Y> copysign(X const& x, Y const& y) {
  return call<op::copysign>(x, y);
}
/// Whether elements have a negative sign, as -0 has; a bool tensor. (numpy.signbit)
template <symbolic X>
constexpr result_of<op::signbit, X> signbit(X const& x) {
  return call<op::signbit>(x);
}

}  // namespace kroton
