// The regularized incomplete gamma functions.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/as_it_stands.hpp>
#include <kroton/ops/elementwise/arithmetic.hpp>

namespace kroton {
namespace op {

/// The derivative by a, of the order that is the first operand, of x^(a - 1) e^-x / Gamma(a).
struct gamma_density : elementwise<"gamma_density", 3> {
  template <class R>
  KROTON_FN static R value(R n, R a, R x) {
    return math::gamma_density(n, a, x);
  }
  static constexpr auto pullback(auto g, auto y, auto n, auto a, auto x) {
    auto const power = call<as_it_stands>(a - 1);  // of x, next to which x may be lost
    auto const by_x = ((power - x) * y + n * call<gamma_density>(n - 1, a, x)) / x;
    // At infinity, where that is infinity times 0, it is 0.
    return inputs(none, g * call<gamma_density>(n + 1, a, x),
                  g * call<where>(call<isinf>(x), 0, by_x));
  }
};

/// The derivative by a, of the order that is the first operand, of `gammainc`.
struct gammainc_by_a : elementwise<"gammainc_by_a", 3> {
  template <class R>
  KROTON_FN static R value(R n, R a, R x) {
    return math::gammainc_by_a(n, a, x);
  }
  static constexpr auto pullback(auto g, auto, auto n, auto a, auto x) {
    constexpr int most = math::formula::largest_gamma_order;
    if (n.of->is_literal(n.id) && n.of->literal_value(n.id) >= most)
      n.of->fail("kt::gammainc: derivatives by the first operand have orders up to 8");
    return inputs(none, g * call<gammainc_by_a>(n + 1, a, x), g * call<gamma_density>(n, a, x));
  }
};

struct gammainc : elementwise<"gammainc", 2> {
  template <class R>
  KROTON_FN static R value(R a, R x) {
    return math::gammainc(a, x);
  }
  static constexpr auto pullback(auto g, auto, auto a, auto x) {
    return inputs(g * call<gammainc_by_a>(1, a, x), g * call<gamma_density>(0, a, x));
  }
};

struct gammaincc : elementwise<"gammaincc", 2> {
  template <class R>
  KROTON_FN static R value(R a, R x) {
    return math::gammaincc(a, x);
  }
  static constexpr auto pullback(auto g, auto, auto a, auto x) {
    return inputs(-(g * call<gammainc_by_a>(1, a, x)), -(g * call<gamma_density>(0, a, x)));
  }
};

}  // namespace op

/// Regularized lower incomplete gamma function P(a, x), the integral of t^(a - 1) e^-t / Gamma(a)
/// from 0 to x, of a, x >= 0, NaN of negative numbers; the operands broadcast. Derivatives by x
/// have any order (at x = 0 the first one, the others are NaN there), those by a orders up to 8.
/// (scipy.special.gammainc)
template <class A, class X>
  requires operands<A, X>
constexpr result_of<op::gammainc, A, X> gammainc(A const& a, X const& x) {
  return call<op::gammainc>(a, x);
}
/// Regularized upper incomplete gamma function Q(a, x) = 1 - P(a, x), also where it is small, with
/// derivatives as of `gammainc`. (scipy.special.gammaincc)
template <class A, class X>
  requires operands<A, X>
constexpr result_of<op::gammaincc, A, X> gammaincc(A const& a, X const& x) {
  return call<op::gammaincc>(a, x);
}

}  // namespace kroton
