// Extrema of two that are NaN only where both are.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/elementwise/arithmetic.hpp>

namespace kroton {
namespace op {

// The gradient goes where the value comes from: at a tie, and of two NaN, to the first operand.
struct fmax : elementwise<"fmax", 2> {
  static constexpr bool is_cheap = true;
  static constexpr law laws = law::commutative | law::associative | law::idempotent;
  using types = signatures::promoted;
  template <class R>
  KROTON_FN static R value(R a, R b) {
    return math::fmax(a, b);
  }
  static constexpr auto pullback(auto g, auto, auto a, auto b) {
    auto const is_first = call<bit_or>(call<ge>(a, b), call<isnan>(b));
    return inputs(call<where>(is_first, g, 0), call<where>(is_first, 0, g));
  }
};

struct fmin : elementwise<"fmin", 2> {
  static constexpr bool is_cheap = true;
  static constexpr law laws = law::commutative | law::associative | law::idempotent;
  using types = signatures::promoted;
  template <class R>
  KROTON_FN static R value(R a, R b) {
    return math::fmin(a, b);
  }
  static constexpr auto pullback(auto g, auto, auto a, auto b) {
    auto const is_first = call<bit_or>(call<le>(a, b), call<isnan>(b));
    return inputs(call<where>(is_first, g, 0), call<where>(is_first, 0, g));
  }
};

}  // namespace op

/// The larger of two, elementwise; the other one where either is NaN; at a tie the gradient goes to
/// the first. (numpy.fmax)
template <class A, class B>
  requires operands<A, B>
constexpr result_of<op::fmax, A, B> fmax(A const& a, B const& b) {
  return call<op::fmax>(a, b);
}
/// The smaller of two, elementwise; the other one where either is NaN; at a tie the gradient goes
/// to the first. (numpy.fmin)
template <class A, class B>
  requires operands<A, B>
constexpr result_of<op::fmin, A, B> fmin(A const& a, B const& b) {
  return call<op::fmin>(a, b);
}

}  // namespace kroton
