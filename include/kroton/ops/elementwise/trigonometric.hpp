// Trigonometric and hyperbolic functions and their inverses.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/elementwise/exponential.hpp>

namespace kroton {
namespace op {

struct cos;
struct cosh;

struct sin : elementwise<"sin", 1> {
  static constexpr bool takes_complex = true;
  static constexpr law laws = law::odd;
  template <class R>
  KROTON_FN static R value(R x) {
    return math::sin(x);
  }
  static constexpr auto pullback(auto g, auto, auto x) { return inputs(g * call<cos>(x)); }
};

struct cos : elementwise<"cos", 1> {
  static constexpr bool takes_complex = true;
  static constexpr law laws = law::even;
  template <class R>
  KROTON_FN static R value(R x) {
    return math::cos(x);
  }
  static constexpr auto pullback(auto g, auto, auto x) { return inputs(-g * call<sin>(x)); }
};

struct tan : elementwise<"tan", 1> {
  static constexpr bool takes_complex = true;
  static constexpr law laws = law::odd;
  template <class R>
  KROTON_FN static R value(R x) {
    return math::tan(x);
  }
  static constexpr auto pullback(auto g, auto y, auto) { return inputs(g * (1 + y * y)); }
};

struct asin : elementwise<"asin", 1> {
  static constexpr bool takes_complex = true;
  static constexpr law laws = law::odd | law::increasing;
  template <class R>
  KROTON_FN static R value(R x) {
    return math::asin(x);
  }
  static constexpr auto pullback(auto g, auto, auto x) { return inputs(g / call<sqrt>(1 - x * x)); }
};

struct acos : elementwise<"acos", 1> {
  static constexpr bool takes_complex = true;
  template <class R>
  KROTON_FN static R value(R x) {
    return math::acos(x);
  }
  static constexpr auto pullback(auto g, auto, auto x) {
    return inputs(-g / call<sqrt>(1 - x * x));
  }
};

struct atan : elementwise<"atan", 1> {
  static constexpr bool takes_complex = true;
  static constexpr law laws = law::odd | law::increasing;
  template <class R>
  KROTON_FN static R value(R x) {
    return math::atan(x);
  }
  static constexpr auto pullback(auto g, auto, auto x) { return inputs(g / (1 + x * x)); }
};

struct sinh : elementwise<"sinh", 1> {
  static constexpr bool takes_complex = true;
  static constexpr law laws = law::odd | law::increasing;
  template <class R>
  KROTON_FN static R value(R x) {
    return math::sinh(x);
  }
  static constexpr auto pullback(auto g, auto, auto x) { return inputs(g * call<cosh>(x)); }
};

struct cosh : elementwise<"cosh", 1> {
  static constexpr bool takes_complex = true;
  static constexpr law laws = law::even;
  template <class R>
  KROTON_FN static R value(R x) {
    return math::cosh(x);
  }
  static constexpr auto pullback(auto g, auto, auto x) { return inputs(g * call<sinh>(x)); }
};

struct tanh : elementwise<"tanh", 1> {
  static constexpr bool takes_complex = true;
  static constexpr law laws = law::odd | law::increasing;
  template <class R>
  KROTON_FN static R value(R x) {
    return math::tanh(x);
  }
  static constexpr auto pullback(auto g, auto y, auto) { return inputs(g * (1 - y * y)); }
};

// cosh(x)^-2, the derivative of tanh, introduced by lowering.
struct sech2 : elementwise<"sech2", 1> {
  static constexpr law laws = law::even;
  template <class R>
  KROTON_FN static R value(R x) {
    return math::formula::sech2(x);
  }
  static constexpr auto pullback(auto g, auto y, auto x) {
    return inputs(-2 * g * y * call<tanh>(x));
  }
};

struct asinh : elementwise<"asinh", 1> {
  static constexpr bool takes_complex = true;
  static constexpr law laws = law::odd | law::increasing;
  template <class R>
  KROTON_FN static R value(R x) {
    return math::asinh(x);
  }
  static constexpr auto pullback(auto g, auto, auto x) { return inputs(g / call<sqrt>(1 + x * x)); }
};

struct acosh : elementwise<"acosh", 1> {
  static constexpr bool takes_complex = true;
  static constexpr law laws = law::increasing;
  template <class R>
  KROTON_FN static R value(R x) {
    return math::acosh(x);
  }
  static constexpr core::gradient_list<1> pullback(term g, term, term x) {
    // The root of the product has the other sign where the real part is negative.
    if (core::is_complex(x.element())) return {{g / (call<sqrt>(x - 1) * call<sqrt>(x + 1))}};
    return {{g / call<sqrt>((x - 1) * (x + 1))}};
  }
};

struct atanh : elementwise<"atanh", 1> {
  static constexpr bool takes_complex = true;
  static constexpr law laws = law::odd | law::increasing;
  template <class R>
  KROTON_FN static R value(R x) {
    return math::atanh(x);
  }
  static constexpr auto pullback(auto g, auto, auto x) { return inputs(g / (1 - x * x)); }
};

// The angle of the point (x, y): atan2(y, x).
struct atan2 : elementwise<"atan2", 2> {
  template <class R>
  KROTON_FN static R value(R y, R x) {
    return math::atan2(y, x);
  }
  static constexpr auto pullback(auto g, auto, auto y, auto x) {
    return inputs(g * x / (x * x + y * y), -g * y / (x * x + y * y));
  }
};

}  // namespace op

/// Sine of an angle in radians. (numpy.sin)
template <symbolic X>
constexpr result_of<op::sin, X> sin(X const& x) {
  return call<op::sin>(x);
}
/// Cosine of an angle in radians. (numpy.cos)
template <symbolic X>
constexpr result_of<op::cos, X> cos(X const& x) {
  return call<op::cos>(x);
}
/// Tangent of an angle in radians. (numpy.tan)
template <symbolic X>
constexpr result_of<op::tan, X> tan(X const& x) {
  return call<op::tan>(x);
}
/// Arc sine in radians; NaN outside [-1, 1]. (numpy.arcsin)
template <symbolic X>
constexpr result_of<op::asin, X> asin(X const& x) {
  return call<op::asin>(x);
}
/// Arc cosine in radians; NaN outside [-1, 1]. (numpy.arccos)
template <symbolic X>
constexpr result_of<op::acos, X> acos(X const& x) {
  return call<op::acos>(x);
}
/// Arc tangent in radians. (numpy.arctan)
template <symbolic X>
constexpr result_of<op::atan, X> atan(X const& x) {
  return call<op::atan>(x);
}
/// Hyperbolic sine. (numpy.sinh)
template <symbolic X>
constexpr result_of<op::sinh, X> sinh(X const& x) {
  return call<op::sinh>(x);
}
/// Hyperbolic cosine. (numpy.cosh)
template <symbolic X>
constexpr result_of<op::cosh, X> cosh(X const& x) {
  return call<op::cosh>(x);
}
/// Hyperbolic tangent. (numpy.tanh)
template <symbolic X>
constexpr result_of<op::tanh, X> tanh(X const& x) {
  return call<op::tanh>(x);
}
/// Inverse hyperbolic sine. (numpy.arcsinh)
template <symbolic X>
constexpr result_of<op::asinh, X> asinh(X const& x) {
  return call<op::asinh>(x);
}
/// Inverse hyperbolic cosine; NaN below 1. (numpy.arccosh)
template <symbolic X>
constexpr result_of<op::acosh, X> acosh(X const& x) {
  return call<op::acosh>(x);
}
/// Inverse hyperbolic tangent; NaN outside [-1, 1]. (numpy.arctanh)
template <symbolic X>
constexpr result_of<op::atanh, X> atanh(X const& x) {
  return call<op::atanh>(x);
}
/// Angle in radians of the point (x, y), in (-pi, pi]. (numpy.arctan2)
template <class Y, class X>
  requires operands<Y, X>
constexpr result_of<op::atan2, Y, X> atan2(Y const& y, X const& x) {
  return call<op::atan2>(y, x);
}

}  // namespace kroton
