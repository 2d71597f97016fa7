// Reverse mode: gradients of a scalar cost, and products of a vector with a Jacobian.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/grad/request.hpp>

#include <tuple>

namespace kroton {
namespace op {

// Not the op of any node: it names the condition that v has the extents of y.
struct lop : core::named_condition<"lop"> {};

}  // namespace op

/// Gradient of a scalar cost with respect to w, of w's shape and type, or a struct of gradients for
/// a struct of variables; for several variables, a tuple. The cost is real; its gradient with
/// respect to a complex z = x + iy is dL/dx + i dL/dy, the direction in which it rises fastest.
/// Further arguments: `kt::known_grads(...)`, `kt::disconnected::zero`. The result is part of the
/// graph and can be differentiated again. (theano.grad)
template <symbolic C, class... W>
  requires cost_is_a_floating_scalar<C> && gradient_names_a_variable<W...> &&
           (gradient_is_with_respect_to_floating_variables<W> && ...)
constexpr auto grad(C const& cost, W const&... w) {
  graph& g = *cost.of;
  if (core::is_complex(cost.type().element))
    g.fail(
        "kt::grad: the cost is complex; only a real cost has a gradient: use real(cost) or "
        "abs(cost)");
  calculus::gradient_request request(g);
  request.seed(cost.id, g.literal(1, cost.type().element));
  (request.option(w), ...);
  request.run();
  return calculus::one_or_all(std::tuple_cat(calculus::gradient_tuple(request, w)...));
}

/// The pullback of v through y(x): v times the Jacobian of y with respect to x, without forming the
/// Jacobian. v, a variable, a constant or a number, must have the shape of y or broadcast to it,
/// otherwise kt::shape_error. (theano Lop)
template <symbolic Y, symbolic X, operand V>
constexpr auto lop(Y const& y, X const& x, V const& v) {
  calculus::gradient_request request(*y.of);
  term const given{y.of, core::node_of(*y.of, v, y.type().element)};
  int const conditions = y.of->constraints().size();
  term const like =
      ops::shaped_like(core::identity<op::lop>(), given, y, "kt::lop: v must have the shape of y");
  request.need_conditions_from(conditions);
  request.seed(y.id, calculus::gradient_as(*y.of, like.id, y.type().element));
  request.option(x);
  request.run();
  return calculus::one_or_all(calculus::gradient_tuple(request, x));
}

}  // namespace kroton
