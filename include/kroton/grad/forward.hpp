// Forward mode, and stop_gradient.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/grad/loop/tangents.hpp>
#include <kroton/grad/reverse.hpp>

namespace kroton {

/// x itself, which every gradient treats as a constant. (theano.gradient.disconnected_grad,
/// jax.lax.stop_gradient)
template <symbolic X>
constexpr result_of<op::stop_gradient, X> stop_gradient(X const& x) {
  return call<op::stop_gradient>(x);
}

namespace calculus {

/// The pushforward of v, of x's shape and type, through y(x); -1 if y does not depend on x.
constexpr int pushforward(term y, term x, term v) {
  tangent_sweep sweep(*y.of, &push_scan_forward);
  sweep.set(x.id, expand_like(v, x).id);
  return sweep.run(list<int>{y.id})[0];
}

}  // namespace calculus

namespace op {

/// Not the op of any node: it names the condition that a direction has the extents of its variable.
struct rop : core::named_condition<"rop"> {};

}  // namespace op

/// The pushforward of v through y(x): the Jacobian of y with respect to x times v, of y's shape,
/// without forming the Jacobian. v, a variable, a constant or a number, must have the shape of x or
/// broadcast to it, otherwise kt::shape_error. (theano Rop)
template <symbolic Y, symbolic X, operand V>
constexpr Y rop(Y const& y, X const& x, V const& v) {
  graph& g = *x.of;
  int const conditions = g.constraints().size();
  element const e = x.type().element;
  term const direction =
      ops::shaped_like(core::identity<op::rop>(), term{&g, g.cast(core::node_of(g, v, e), e)}, x,
                       "kt::rop: v must have the shape of x");
  int const pushed = calculus::pushforward(y, x, direction);
  if (pushed < 0) g.fail("kt::rop: y does not depend on x");
  term const result{&g, pushed < 0 ? ops::zeros_of(y) : pushed};
  ops::take_conditions(result, conditions);
  return Y(result);
}

/// The pushforward of a change of a compound, such as a sparse matrix: v has its pattern.
template <symbolic Y, compound X>
constexpr Y rop(Y const& y, X const& x, X const& v) {
  if (!x.has_members_of(v))
    y.of->fail("kt::rop: v must have the pattern of x: that of the same parameter");
  return rop(y, x.continuous(), v.continuous());
}

}  // namespace kroton
