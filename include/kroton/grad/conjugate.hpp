// Gradients of complex numbers: which of them are conjugated, and how gradients are converted to
// the type of an operand.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/conditional.hpp>
#include <kroton/ops/elementwise/complex.hpp>

namespace kroton::calculus {

// The gradient of a real L with respect to z = x + iy is dL/dx + i dL/dy, the direction in which L
// rises fastest. Through a holomorphic f it is g * conj(f'(z)), which equals conj(conj(g) * f'(z)):
// the conjugate of the pullback of f applied to conj(g). So all ops share this one place, and real
// numbers cost nothing.

/// The conjugate of a gradient. Choices between gradients remain choices, so that their masks are
/// recognized.
constexpr term conjugate(term x) {
  graph& g = *x.of;
  if (!is_complex(x.element()) || g.is_literal(x.id)) return x;
  if (g.is<op::conj>(x.id)) return {&g, g.input_of(x.id, 0)};
  if (g.is<op::alloc>(x.id) && g.is_literal(g.input_of(x.id, 0))) return x;
  if (g.is<op::where>(x.id) || g.is<op::ifelse>(x.id)) {
    int const condition = g.input_of(x.id, 0), a = g.input_of(x.id, 1), b = g.input_of(x.id, 2);
    term const then = conjugate({&g, a}), otherwise = conjugate({&g, b});
    if (g.is<op::where>(x.id)) return call<op::where>(term{&g, condition}, then, otherwise);
    return {&g, choose(g, condition, then.id, otherwise.id)};
  }
  return call<op::conj>(x);
}

/// Converts a gradient to the type of an operand: for a real one, takes the real part.
constexpr int gradient_as(graph& g, int gradient, element to) {
  if (is_complex(g.type(gradient).element) && !is_complex(to) && !g.is_literal(gradient))
    gradient = call<op::real>(term{&g, gradient}).id;
  return g.store(gradient, to);
}

constexpr void conjugate_all(graph& g, list<int>& gradients) {
  for (int& id : gradients)
    if (id >= 0) id = conjugate({&g, id}).id;
}

/// Whether the pullback of a node is that of a holomorphic function, so that gradients must be
/// conjugated.
constexpr bool pulls_back_conjugates(graph const& g, int id) {
  return g[id].op->is_holomorphic && (g[id].op->has_items() || is_complex(g.type(id).element));
}

}  // namespace kroton::calculus
