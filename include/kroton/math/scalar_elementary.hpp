// The elementary transcendental functions of float and double.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <concepts>
#include <type_traits>

#include <kroton/core/config.hpp>
#include <kroton/math/constant.hpp>
#include <kroton/math/formulas.hpp>

namespace kroton::math {

// One line per function: what differs is only the name. In constant evaluation float computes in
// double, rounded once.
#define KROTON_SCALAR_UNARY(name)                                                     \
  static KROTON_FN R name(R x) {                                                      \
    if (std::is_constant_evaluated()) return constant::rounded<R>(constant::name(x)); \
    return std::name(x);                                                              \
  }

template <class R>
struct scalar_elementary {
  KROTON_SCALAR_UNARY(exp)
  KROTON_SCALAR_UNARY(exp2)
  KROTON_SCALAR_UNARY(expm1)
  KROTON_SCALAR_UNARY(log)
  KROTON_SCALAR_UNARY(log2)
  KROTON_SCALAR_UNARY(log10)
  KROTON_SCALAR_UNARY(log1p)
  KROTON_SCALAR_UNARY(sqrt)
  KROTON_SCALAR_UNARY(cbrt)
  KROTON_SCALAR_UNARY(sin)
  KROTON_SCALAR_UNARY(cos)
  KROTON_SCALAR_UNARY(tan)
  KROTON_SCALAR_UNARY(asin)
  KROTON_SCALAR_UNARY(acos)
  KROTON_SCALAR_UNARY(atan)
  KROTON_SCALAR_UNARY(sinh)
  KROTON_SCALAR_UNARY(cosh)
  KROTON_SCALAR_UNARY(tanh)
  KROTON_SCALAR_UNARY(asinh)
  KROTON_SCALAR_UNARY(acosh)
  KROTON_SCALAR_UNARY(atanh)
  static KROTON_FN R atan2(R y, R x) {
    if (std::is_constant_evaluated()) return constant::rounded<R>(constant::atan2(y, x));
    return std::atan2(y, x);
  }
  template <std::same_as<R>... More>
  static KROTON_FN R hypot(R x, More... more) {
    if (std::is_constant_evaluated()) return constant::rounded<R>(constant::hypot(x, more...));
    return formula::hypot<R>(x, more...);
  }
  static KROTON_FN R loghypot(R x, R y) {
    if (std::is_constant_evaluated()) return constant::rounded<R>(constant::loghypot(x, y));
    return formula::loghypot<R>(x, y);
  }
};
#undef KROTON_SCALAR_UNARY

}  // namespace kroton::math
