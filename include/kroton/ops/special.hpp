// Special functions: the error functions and the gamma functions.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/exponential.hpp>

namespace kroton {
namespace op {

struct digamma : elementwise<"digamma", 1> {
  template <class R>
  KROTON_FN static R value(R x) {
    return math::digamma(x);
  }
};

struct erf : elementwise<"erf", 1> {
  static constexpr law laws = law::odd | law::increasing;
  template <class R>
  KROTON_FN static R value(R x) {
    return math::erf(x);
  }
  static constexpr auto pullback(auto g, auto, auto x) { return inputs(2 * std::numbers::inv_sqrtpi * g * call<exp>(-(x * x))); }
};

struct erfc : elementwise<"erfc", 1> {
  template <class R>
  KROTON_FN static R value(R x) {
    return math::erfc(x);
  }
  static constexpr auto pullback(auto g, auto, auto x) { return inputs(-2 * std::numbers::inv_sqrtpi * g * call<exp>(-(x * x))); }
};

struct erfcx : elementwise<"erfcx", 1> {
  template <class R>
  KROTON_FN static R value(R x) {
    return math::erfcx(x);
  }
  static constexpr auto pullback(auto g, auto y, auto x) { return inputs(g * (2 * x * y - 2 * std::numbers::inv_sqrtpi)); }
};

struct logerfc : elementwise<"logerfc", 1> {
  template <class R>
  KROTON_FN static R value(R x) {
    return math::logerfc(x);
  }
  static constexpr auto pullback(auto g, auto, auto x) { return inputs(-2 * std::numbers::inv_sqrtpi * g / call<erfcx>(x)); }
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
/// Digamma function, the derivative of gammaln; it has no gradient of its own. (scipy.special.digamma)
template <symbolic X>
constexpr result_of<op::digamma, X> digamma(X const& x) {
  return call<op::digamma>(x);
}

}  // namespace kroton
