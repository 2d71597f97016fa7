// Cube roots, and lengths of vectors that are given by their components.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/elementwise/arithmetic.hpp>

namespace kroton {
namespace op {

struct cbrt : elementwise<"cbrt", 1> {
  static constexpr law laws = law::odd | law::increasing;
  template <class R>
  KROTON_FN static R value(R x) {
    return math::cbrt(x);
  }
  static constexpr auto pullback(auto g, auto y, auto) { return inputs(g / (3 * (y * y))); }
};

struct hypot : elementwise<"hypot", 2> {
  template <class R>
  KROTON_FN static R value(R x, R y) {
    return math::hypot(x, y);
  }
  static constexpr auto pullback(auto g, auto r, auto x, auto y) {
    return inputs(g * x / r, g * y / r);
  }
};

struct hypot3 : elementwise<"hypot3", 3> {
  template <class R>
  KROTON_FN static R value(R x, R y, R z) {
    return math::hypot(x, y, z);
  }
  static constexpr auto pullback(auto g, auto r, auto x, auto y, auto z) {
    return inputs(g * x / r, g * y / r, g * z / r);
  }
};

// log(hypot(x, y)), which takes no root. The optimizer makes it of log(x * x + y * y).
struct loghypot : elementwise<"loghypot", 2> {
  template <class R>
  KROTON_FN static R value(R x, R y) {
    return math::loghypot(x, y);
  }
  static constexpr auto pullback(auto g, auto, auto x, auto y) {
    auto const r = call<hypot>(x, y);
    return inputs(g * (x / r) / r, g * (y / r) / r);
  }
};

}  // namespace op

/// Cube root, elementwise, also of negative numbers. (numpy.cbrt)
template <symbolic X>
constexpr result_of<op::cbrt, X> cbrt(X const& x) {
  return call<op::cbrt>(x);
}
/// sqrt(x * x + y * y), elementwise, which neither overflows nor underflows where the result does
/// not; the operands broadcast. (numpy.hypot)
template <class X, class Y>
  requires operands<X, Y>
constexpr result_of<op::hypot, X, Y> hypot(X const& x, Y const& y) {
  return call<op::hypot>(x, y);
}
/// sqrt(x * x + y * y + z * z), elementwise, which neither overflows nor underflows where the
/// result does not; the operands broadcast. (std::hypot of three numbers)
template <class X, class Y, class Z>
  requires operands<X, Y, Z>
constexpr result_of<op::hypot3, X, Y, Z> hypot(X const& x, Y const& y, Z const& z) {
  return call<op::hypot3>(x, y, z);
}

}  // namespace kroton
