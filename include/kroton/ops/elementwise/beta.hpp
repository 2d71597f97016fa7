// The gamma function itself, and the beta function.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/elementwise/special.hpp>

namespace kroton {
namespace op {

struct gamma : elementwise<"gamma", 1> {
  template <class R>
  KROTON_FN static R value(R x) {
    return math::gamma(x);
  }
  static constexpr auto pullback(auto g, auto y, auto x) {
    return inputs(g * y * call<digamma>(x));
  }
};

/// The derivative of digamma whose order is the first operand, at a + b less that at a.
struct polygamma_difference : elementwise<"polygamma_difference", 3> {
  template <class R>
  KROTON_FN static R value(R n, R a, R b) {
    return math::polygamma_difference(n, a, b);
  }
  static constexpr auto pullback(auto g, auto, auto n, auto a, auto b) {
    return inputs(none, g * call<polygamma_difference>(n + 1, a, b),
                  g * call<polygamma>(n + 1, a + b));
  }
};

struct betaln : elementwise<"betaln", 2> {
  template <class R>
  KROTON_FN static R value(R a, R b) {
    return math::betaln(a, b);
  }
  static constexpr auto pullback(auto g, auto, auto a, auto b) {
    return inputs(-(g * call<polygamma_difference>(0, a, b)),
                  -(g * call<polygamma_difference>(0, b, a)));
  }
};

}  // namespace op

/// Gamma function, with exact factorials: infinite at 0, with its sign, and NaN at the negative
/// integers. (scipy.special.gamma)
template <symbolic X>
constexpr result_of<op::gamma, X> gamma(X const& x) {
  return call<op::gamma>(x);
}
/// Logarithm of the beta function of a, b >= 0, without cancellation for large ones; NaN of
/// negative numbers, which SciPy's takes; the operands broadcast. (scipy.special.betaln)
template <class A, class B>
  requires operands<A, B>
constexpr result_of<op::betaln, A, B> betaln(A const& a, B const& b) {
  return call<op::betaln>(a, b);
}
/// Beta function of a, b >= 0: exp(betaln(a, b)), so that its relative error grows with the
/// magnitude of its logarithm; of float32 numbers it is computed in float64. NaN of negative
/// numbers. (scipy.special.beta)
template <class A, class B>
  requires operands<A, B>
constexpr auto beta(A const& a, B const& b) {
  auto const logarithm = betaln(a, b);
  using result = std::remove_const_t<decltype(logarithm)>;
  if constexpr (typed<result>) {
    if constexpr (!std::is_same_v<value_type_of<result>, double>) {
      auto const [x, y] = core::as_variables(a, b);
      return cast<value_type_of<result>>(exp(betaln(cast<double>(x), cast<double>(y))));
    } else {
      return exp(logarithm);
    }
  } else {
    return exp(logarithm);
  }
}

}  // namespace kroton
