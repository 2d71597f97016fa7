// Bessel functions of the orders 0 and 1.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/elementwise/arithmetic.hpp>
#include <kroton/ops/elementwise/selection.hpp>

namespace kroton {
namespace op {

struct exp;

// What the derivatives of odd functions y of x are made of: y / x. Next to 0 it is a series of
// powers of x^2 / 4 over 2 k! (k + 1)!, with alternating signs for j1. The derivatives of a
// quotient would lose their digits there; those of the series have any order.
struct over_argument {
  static constexpr auto series(auto x, int sign) {
    constexpr int count = 7;
    double coefficients[count] = {0.5};
    for (int k = 1; k < count; ++k) coefficients[k] = sign * coefficients[k - 1] / (k * (k + 1));
    auto const square = x * x * 0.25;
    auto sum = square * coefficients[count - 1] + coefficients[count - 2];
    for (int k = count - 3; k >= 0; --k) sum = sum * square + coefficients[k];
    return sum;
  }
  static constexpr auto of(auto y, auto x, auto next_to_zero) {
    auto const near = call<lt>(call<abs>(x), 0.25);
    return call<where>(near, next_to_zero, y / call<where>(near, 1, x));
  }
};

struct i1;
struct i0 : elementwise<"i0", 1> {
  template <class R>
  KROTON_FN static R value(R x) {
    return math::i0(x);
  }
  static constexpr auto pullback(auto g, auto, auto x) { return inputs(g * call<i1>(x)); }
};
struct i1 : elementwise<"i1", 1> {
  static constexpr law laws = law::odd | law::increasing;
  template <class R>
  KROTON_FN static R value(R x) {
    return math::i1(x);
  }
  static constexpr auto pullback(auto g, auto y, auto x) {
    // Where y overflows, so does what y / x is subtracted from.
    auto const finite = call<where>(call<isinf>(y), 0, y);
    return inputs(g * (call<i0>(x) - over_argument::of(finite, x, over_argument::series(x, 1))));
  }
};

struct i1e;
struct i0e : elementwise<"i0e", 1> {
  template <class R>
  KROTON_FN static R value(R x) {
    return math::i0e(x);
  }
  static constexpr auto pullback(auto g, auto y, auto x) {
    return inputs(g * (call<i1e>(x) - call<sgn>(x) * y));
  }
};
struct i1e : elementwise<"i1e", 1> {
  static constexpr law laws = law::odd;
  template <class R>
  KROTON_FN static R value(R x) {
    return math::i1e(x);
  }
  static constexpr auto pullback(auto g, auto y, auto x) {
    auto const near = over_argument::series(x, 1) * call<exp>(-call<abs>(x));
    return inputs(g * (call<i0e>(x) - over_argument::of(y, x, near) - call<sgn>(x) * y));
  }
};

struct j1;
struct j0 : elementwise<"j0", 1> {
  template <class R>
  KROTON_FN static R value(R x) {
    return math::j0(x);
  }
  static constexpr auto pullback(auto g, auto, auto x) { return inputs(-(g * call<j1>(x))); }
};
struct j1 : elementwise<"j1", 1> {
  static constexpr law laws = law::odd;
  template <class R>
  KROTON_FN static R value(R x) {
    return math::j1(x);
  }
  static constexpr auto pullback(auto g, auto y, auto x) {
    return inputs(g * (call<j0>(x) - over_argument::of(y, x, over_argument::series(x, -1))));
  }
};

}  // namespace op

/// Modified Bessel function of the first kind of order 0. (scipy.special.i0)
template <symbolic X>
constexpr result_of<op::i0, X> i0(X const& x) {
  return call<op::i0>(x);
}
/// Modified Bessel function of the first kind of order 1. (scipy.special.i1)
template <symbolic X>
constexpr result_of<op::i1, X> i1(X const& x) {
  return call<op::i1>(x);
}
/// exp(-abs(x)) * i0(x), which does not overflow; its derivative at 0 is given as 0.
/// (scipy.special.i0e)
template <symbolic X>
constexpr result_of<op::i0e, X> i0e(X const& x) {
  return call<op::i0e>(x);
}
/// exp(-abs(x)) * i1(x), which does not overflow. (scipy.special.i1e)
template <symbolic X>
constexpr result_of<op::i1e, X> i1e(X const& x) {
  return call<op::i1e>(x);
}
/// Bessel function of the first kind of order 0. Beyond 8 its error is small relative to the
/// envelope sqrt(2 / (pi abs(x))), not to the result next to its zeros. (scipy.special.j0)
template <symbolic X>
constexpr result_of<op::j0, X> j0(X const& x) {
  return call<op::j0>(x);
}
/// Bessel function of the first kind of order 1, with errors as of j0. (scipy.special.j1)
template <symbolic X>
constexpr result_of<op::j1, X> j1(X const& x) {
  return call<op::j1>(x);
}

}  // namespace kroton
