// Forward mode, and stop_gradient.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/grad/reverse.hpp>

namespace kroton {
namespace op {

/// The identity, without a gradient. Canonicalization removes it.
struct stop_gradient : elementwise<"stop_gradient", 1> {
  static constexpr bool takes_complex = true;
  static constexpr core::gradient_barrier pullback{};
  using types = signatures::promoted;
  template <class R>
  KROTON_FN static R value(R x) {
    return x;
  }
};

}  // namespace op

/// x itself, which every gradient treats as a constant. (theano.gradient.disconnected_grad,
/// jax.lax.stop_gradient)
template <symbolic X>
constexpr result_of<op::stop_gradient, X> stop_gradient(X const& x) {
  return call<op::stop_gradient>(x);
}

namespace calculus {

/// The pushforward of v, of x's shape and type, through y(x).
///
/// The pullback of a covector u is linear in u, of complex numbers over the reals, and v pulled
/// back through it, from the pullback to u, is the pushforward of v; u itself does not appear in
/// the result. So every op that has a pullback has a pushforward.
template <class... Options>
constexpr term pushforward(term y, term x, term v, Options... options) {
  graph& g = *y.of;
  // The covector is a node that later passes never see: its value is not used.
  term const u = expand_like(call<op::stop_gradient>(term{&g, g.literal(0, y.element())}), y);
  gradient_request back(g);
  back.seed(y.id, u.id);
  back.option(x);
  (back.option(options), ...);
  back.run();
  term const pulled = back.result(x);
  gradient_request forward(g);
  forward.seed(pulled.id, expand_like(v, x).id);
  forward.option(disconnected::zero);
  forward.option(u);
  forward.run();
  return forward.result(u);
}

}  // namespace calculus

namespace op {

/// Not the op of any node: it names the condition that a direction has the extents of its variable.
struct rop : operation<"rop", 0> {
  static constexpr tensor_type type(core::application const&) { return {element::int64, 0, 0}; }
};

}  // namespace op

/// The pushforward of v through y(x): the Jacobian of y with respect to x times v, of y's shape,
/// without forming the Jacobian. v must have the shape of x or broadcast to it, otherwise
/// kt::shape_error. (theano Rop)
template <symbolic Y, symbolic X, symbolic V>
constexpr Y rop(Y const& y, X const& x, V const& v) {
  term const direction{x.of, x.of->cast(v.id, x.type().element)};
  return Y(calculus::pushforward(y, x,
                                 ops::shaped_like(core::identity<op::rop>(), direction, x,
                                                  "kt::rop: v must have the shape of x")));
}

}  // namespace kroton
