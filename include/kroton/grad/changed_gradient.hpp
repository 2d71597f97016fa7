// Identities that change the gradient alone.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/grad/own_gradient.hpp>
#include <kroton/ops/conditional.hpp>
#include <kroton/ops/elementwise/arithmetic.hpp>
#include <kroton/ops/refused/operators.hpp>

namespace kroton {
namespace calculus {

struct clipped_gradient {
  constexpr auto operator()(auto g, auto, auto, auto lo, auto hi) const {
    return std::tuple(minimum(maximum(g, lo), hi), none, none);
  }
};
struct scaled_gradient {
  constexpr auto operator()(auto g, auto, auto, auto factor) const {
    return std::tuple(g * factor, none);
  }
};
struct zero_gradient {
  constexpr auto operator()(auto, auto, auto) const { return 0; }
};

/// A bound or a factor as a scalar, or an array that broadcasts to x, of x's element type.
template <symbolic X, operand A>
constexpr term bound_of(X const& x, A const& a) {
  term const value{x.of, x.of->cast(core::node_of(*x.of, a, x.type().element), x.type().element)};
  if (value.rank() > x.type().rank)
    x.of->fail(
        "kt::grad_clip, kt::grad_scale: a bound or a factor has more dimensions than the variable");
  return value;
}

}  // namespace calculus

/// x itself, whose gradient is clipped to [lo, hi], numbers or variables that broadcast to x. So it
/// keeps long recurrences from growing without bound. (theano.gradient.grad_clip)
template <symbolic X, operand L, operand H>
constexpr X grad_clip(X const& x, L const& lo, H const& hi) {
  return calculus::with_own_gradient<calculus::clipped_gradient>(x, x, calculus::bound_of(x, lo),
                                                                 calculus::bound_of(x, hi));
}
/// x itself, whose gradient is multiplied by a number or a variable that broadcasts to x: -1
/// reverses it. (theano.gradient.grad_scale)
template <symbolic X, operand C>
constexpr X grad_scale(X const& x, C const& factor) {
  return calculus::with_own_gradient<calculus::scaled_gradient>(x, x,
                                                                calculus::bound_of(x, factor));
}
/// x itself, whose gradient is 0. Other than with stop_gradient, a cost that depends on a variable
/// only so has a gradient with respect to it. (theano.gradient.zero_grad)
template <symbolic X>
constexpr X zero_grad(X const& x) {
  return calculus::with_own_gradient<calculus::zero_gradient>(x, x);
}

/// Rejects another number of bounds than two.
template <symbolic X, class... Bounds>
  requires(sizeof...(Bounds) != 2 || !(operand<Bounds> && ...))
constexpr X grad_clip(X const& x, Bounds const&...) {
  static_assert(is_accepted<met::arguments<1 + sizeof...(Bounds)>, met::type<Bounds>...>,
                "kt::grad_clip: takes a variable and two bounds of its gradient, as in "
                "grad_clip(x, -1, 1)");
  return ops::refused_operand(x);
}
/// Rejects another number of factors than one.
template <symbolic X, class... Factors>
  requires(sizeof...(Factors) != 1 || !(operand<Factors> && ...))
constexpr X grad_scale(X const& x, Factors const&...) {
  static_assert(is_accepted<met::arguments<1 + sizeof...(Factors)>, met::type<Factors>...>,
                "kt::grad_scale: takes a variable and a factor of its gradient, as in "
                "grad_scale(x, -1)");
  return ops::refused_operand(x);
}

}  // namespace kroton
