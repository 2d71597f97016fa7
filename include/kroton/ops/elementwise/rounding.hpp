// Rounding to whole numbers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/cast.hpp>
#include <kroton/math/functions.hpp>

namespace kroton {
namespace op {

struct floor : elementwise<"floor", 1> {
  static constexpr law laws = law::idempotent | law::increasing;
  template <class R>
  KROTON_FN static R value(R a) {
    return math::floor(a);
  }
  static constexpr auto pullback = no_gradient;
};

struct ceil : elementwise<"ceil", 1> {
  static constexpr law laws = law::idempotent | law::increasing;
  template <class R>
  KROTON_FN static R value(R a) {
    return math::ceil(a);
  }
  static constexpr auto pullback = no_gradient;
};

struct round : elementwise<"round", 1> {
  static constexpr law laws = law::idempotent | law::increasing | law::odd;
  template <class R>
  KROTON_FN static R value(R a) {
    return math::round(a);
  }
  static constexpr auto pullback = no_gradient;
};

struct trunc : elementwise<"trunc", 1> {
  static constexpr law laws = law::idempotent | law::increasing | law::odd;
  template <class R>
  KROTON_FN static R value(R a) {
    return math::trunc(a);
  }
  static constexpr auto pullback = no_gradient;
};

}  // namespace op

/// The largest integer not above x. (numpy.floor)
template <symbolic X>
constexpr result_of<op::floor, X> floor(X const& x) {
  return call<op::floor>(x);
}
/// The smallest integer not below x. (numpy.ceil)
template <symbolic X>
constexpr result_of<op::ceil, X> ceil(X const& x) {
  return call<op::ceil>(x);
}
/// The nearest integer; halves round to even. (numpy.rint)
template <symbolic X>
constexpr result_of<op::round, X> round(X const& x) {
  return call<op::round>(x);
}
/// Integer part, towards 0. (numpy.trunc)
template <symbolic X>
constexpr result_of<op::trunc, X> trunc(X const& x) {
  return call<op::trunc>(x);
}

}  // namespace kroton
