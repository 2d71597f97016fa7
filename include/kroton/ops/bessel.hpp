// Bessel functions of the orders 0 and 1.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/arithmetic.hpp>
#include <kroton/ops/selection.hpp>

namespace kroton {
namespace op {

// What the derivatives of odd functions y of x are made of: y / x, which is 1/2 next to 0, where y
// may be denormal. Where y overflows, so does what y / x is subtracted from.
struct half_at_zero {
  static constexpr auto of(auto y, auto x) {
    auto const known = call<bit_or>(call<lt>(call<abs>(x), 1e-20), call<isinf>(y));
    return call<where>(known, 0.5, y / call<where>(known, 1, x));
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
    return inputs(g * (call<i0>(x) - half_at_zero::of(y, x)));
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
    return inputs(g * (call<i0e>(x) - half_at_zero::of(y, x) - call<sgn>(x) * y));
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
    return inputs(g * (call<j0>(x) - half_at_zero::of(y, x)));
  }
};

}  // namespace op

// The derivatives of i1 and j1 contain y / x, whose own derivative is y' / x - y / x^2: next to 0
// the second ones of i1 and j1 and the third ones of i0 and j0 have errors of about 1e-16 / abs(x).
// At 0 itself those are exact, and the next ones are not: they miss the derivatives of y / x.

/// Modified Bessel function of the first kind of order 0. (scipy.special.i0)
template <symbolic X>
constexpr result_of<op::i0, X> i0(X const& x) {
  return call<op::i0>(x);
}
/// Modified Bessel function of the first kind of order 1; its second derivative next to 0 has an
/// error of about 1e-16 / abs(x). (scipy.special.i1)
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
/// Bessel function of the first kind of order 1, with errors as of j0; its second derivative next
/// to 0 has an error of about 1e-16 / abs(x). (scipy.special.j1)
template <symbolic X>
constexpr result_of<op::j1, X> j1(X const& x) {
  return call<op::j1>(x);
}

}  // namespace kroton
