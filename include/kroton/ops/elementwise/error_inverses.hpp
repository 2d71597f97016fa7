// The inverses of the error functions.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/elementwise/exponential.hpp>

namespace kroton {
namespace op {

struct erfinv : elementwise<"erfinv", 1> {
  static constexpr law laws = law::odd | law::increasing;
  template <class R>
  KROTON_FN static R value(R x) {
    return math::erfinv(x);
  }
  static constexpr auto pullback(auto g, auto y, auto) {
    return inputs(0.5 / std::numbers::inv_sqrtpi * g * call<exp>(y * y));
  }
};

struct erfcinv : elementwise<"erfcinv", 1> {
  template <class R>
  KROTON_FN static R value(R x) {
    return math::erfcinv(x);
  }
  static constexpr auto pullback(auto g, auto y, auto) {
    return inputs(-0.5 / std::numbers::inv_sqrtpi * g * call<exp>(y * y));
  }
};

}  // namespace op

/// The number whose error function is x: infinite at 1 and -1, NaN beyond. (scipy.special.erfinv)
template <symbolic X>
constexpr result_of<op::erfinv, X> erfinv(X const& x) {
  return call<op::erfinv>(x);
}
/// The number whose complementary error function is x, also of the least x: infinite at 0 and 2,
/// NaN beyond. (scipy.special.erfcinv)
template <symbolic X>
constexpr result_of<op::erfcinv, X> erfcinv(X const& x) {
  return call<op::erfcinv>(x);
}

}  // namespace kroton
