// Forward mode, and the barrier that no gradient passes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/grad/reverse.hpp>

namespace kroton {
namespace op {

/// The identity, without a gradient. Canonicalization removes it.
struct stop_gradient : elementwise<"stop_gradient", 1> {
  static constexpr bool takes_complex = true;
  using types = signatures::promoted;
  template <class R>
  KROTON_FN static R value(R x) {
    return x;
  }
};

}  // namespace op

/// x itself, as a constant to every gradient. (theano.gradient.disconnected_grad, jax.lax.stop_gradient)
template <symbolic X>
constexpr result_of<op::stop_gradient, X> stop_gradient(X const& x) {
  return call<op::stop_gradient>(x);
}

/// The pushforward of v through y(x): the Jacobian of y by x times v, of y's shape, without forming it; v has the shape of x.
///
/// The pullback of a covector u is linear in u, of complex numbers over the reals, and v pulled back through it, from the pullback to
/// u, is the pushforward of v; u itself does not appear in the result. So every op that has a pullback has a pushforward. (theano Rop)
template <symbolic Y, symbolic X, symbolic V>
constexpr Y rop(Y const& y, X const& x, V const& v) {
  graph& g = *y.of;
  // The covector is a node that no later pass meets: its value is never asked for.
  term const u = core::expand_like(call<op::stop_gradient>(term{&g, g.literal(0, y.type().element)}), y);
  core::gradient_request back(g);
  back.seed(y.id, u.id);
  back.option(x);
  back.run();
  term const pulled = back.result(x);
  core::gradient_request forward(g);
  forward.seed(pulled.id, core::expand_like(term{&g, g.cast(v.id, x.type().element)}, x).id);
  forward.option(disconnected::zero);
  forward.option(u);
  forward.run();
  return Y(forward.result(u));
}

}  // namespace kroton
