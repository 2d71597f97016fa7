// Special functions: the error functions and the gamma functions.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/elementwise/exponential.hpp>

namespace kroton {
namespace op {

/// The derivative of digamma whose order is the first operand, a whole number.
struct polygamma : elementwise<"polygamma", 2> {
  template <class R>
  KROTON_FN static R value(R n, R x) {
    return math::polygamma(n, x);
  }
  static constexpr auto pullback(auto g, auto, auto n, auto x) {
    return inputs(none, g * call<polygamma>(n + 1, x));
  }
};

struct trigamma : elementwise<"trigamma", 1> {
  template <class R>
  KROTON_FN static R value(R x) {
    return math::trigamma(x);
  }
  static constexpr auto pullback(auto g, auto, auto x) { return inputs(g * call<polygamma>(2, x)); }
};

struct digamma : elementwise<"digamma", 1> {
  template <class R>
  KROTON_FN static R value(R x) {
    return math::digamma(x);
  }
  static constexpr auto pullback(auto g, auto, auto x) { return inputs(g * call<trigamma>(x)); }
};

struct erf : elementwise<"erf", 1> {
  static constexpr law laws = law::odd | law::increasing;
  template <class R>
  KROTON_FN static R value(R x) {
    return math::erf(x);
  }
  static constexpr auto pullback(auto g, auto, auto x) {
    return inputs(2 * std::numbers::inv_sqrtpi * g * call<exp>(-(x * x)));
  }
};

struct erfc : elementwise<"erfc", 1> {
  template <class R>
  KROTON_FN static R value(R x) {
    return math::erfc(x);
  }
  static constexpr auto pullback(auto g, auto, auto x) {
    return inputs(-2 * std::numbers::inv_sqrtpi * g * call<exp>(-(x * x)));
  }
};

struct erfcx : elementwise<"erfcx", 1> {
  template <class R>
  KROTON_FN static R value(R x) {
    return math::erfcx(x);
  }
  static constexpr auto pullback(auto g, auto y, auto x) {
    return inputs(g * (2 * x * y - 2 * std::numbers::inv_sqrtpi));
  }
};

struct logerfc : elementwise<"logerfc", 1> {
  template <class R>
  KROTON_FN static R value(R x) {
    return math::logerfc(x);
  }
  static constexpr auto pullback(auto g, auto, auto x) {
    return inputs(-2 * std::numbers::inv_sqrtpi * g / call<erfcx>(x));
  }
};

struct gammaln : elementwise<"gammaln", 1> {
  template <class R>
  KROTON_FN static R value(R x) {
    return math::gammaln(x);
  }
  static constexpr auto pullback(auto g, auto, auto x) { return inputs(g * call<digamma>(x)); }
};

}  // namespace op

/// Error function. (scipy.special.erf)
template <symbolic X>
constexpr result_of<op::erf, X> erf(X const& x) {
  return call<op::erf>(x);
}
/// Complementary error function 1 - erf(x). (scipy.special.erfc)
template <symbolic X>
constexpr result_of<op::erfc, X> erfc(X const& x) {
  return call<op::erfc>(x);
}
/// Scaled complementary error function exp(x * x) * erfc(x). (scipy.special.erfcx)
template <symbolic X>
constexpr result_of<op::erfcx, X> erfcx(X const& x) {
  return call<op::erfcx>(x);
}
/// log(erfc(x)) without underflow. (scipy.special.log_ndtr, up to scaling)
template <symbolic X>
constexpr result_of<op::logerfc, X> logerfc(X const& x) {
  return call<op::logerfc>(x);
}
/// Logarithm of the absolute value of the gamma function. (scipy.special.gammaln)
template <symbolic X>
constexpr result_of<op::gammaln, X> gammaln(X const& x) {
  return call<op::gammaln>(x);
}
/// Digamma function, the derivative of gammaln. (scipy.special.digamma)
template <symbolic X>
constexpr result_of<op::digamma, X> digamma(X const& x) {
  return call<op::digamma>(x);
}
/// Trigamma function, the derivative of digamma. (scipy.special.polygamma of order 1)
template <symbolic X>
constexpr result_of<op::trigamma, X> trigamma(X const& x) {
  return call<op::trigamma>(x);
}
/// The derivative of digamma of order n, a plain whole number from 0 to 10000; x is floating-point
/// or converted to it. The result has the shape of x. (scipy.special.polygamma)
template <std::integral N, symbolic X>
constexpr result_of<op::digamma, X> polygamma(N n, X const& x) {
  term const operand{x.of, x.of->cast(x.id, core::floating(x.type().element))};
  auto const record = [&]() -> term {
    if (n == 0) return call<op::digamma>(operand);
    if (n == 1) return call<op::trigamma>(operand);
    return call<op::polygamma>(n, operand);
  };
  if (n < 0 || n > math::formula::largest_order)
    x.of->fail("kt::polygamma: the order must be a whole number from 0 to 10000");
  return result_of<op::digamma, X>(record());
}

}  // namespace kroton
