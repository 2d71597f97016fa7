// The gradient of gamma numbers by their shape, which no formula in other numbers gives: those that
// are drawn are kept or drawn again.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/along_axes/reduction.hpp>
#include <kroton/ops/choices.hpp>
#include <kroton/ops/elementwise/incomplete_gamma.hpp>

#include <limits>

namespace kroton::ops {

/// The gradient by the shape a, the first parameter of a draw y of scale 1, of the gradient g of y.
/// A number y keeps its rank P(a, y) when a changes, so that dy/da = -(dP/da) / (dP/dy): implicit
/// differentiation of the distribution function. The state of the stream has no gradient.
/// (Figurnov, Mohamed, Mnih: Implicit reparameterization gradients, NeurIPS 2018)
constexpr core::any_gradients gradient_by_shape(term g, term y) {
  graph& of = *y.of;
  int const shape = of.input_of(y.id, 1);
  term const a{&of, of.cast(shape, y.element())};
  // Small shapes draw numbers that are 0, and stay so, and some whose reciprocal is infinite. There
  // the quotient is that of 1: its derivatives would be NaN though they are not chosen.
  double const least = y.element() == element::float32 ? std::numeric_limits<float>::min()
                                                       : std::numeric_limits<double>::min();
  term const drawn = call<op::ge>(y, least), x = call<op::where>(drawn, y, 1);
  term const slope = -call<op::gammainc_by_a>(1, a, x) / call<op::gamma_density>(0, a, x);
  term by_shape = g * call<op::where>(drawn, slope, 0);
  if (of.type(shape).rank == 0 && y.rank() > 0)
    by_shape = sum_over(by_shape, (1ll << y.rank()) - 1, false);
  core::any_gradients found;
  found.terms.push_back({});
  found.terms.push_back(by_shape);
  return found;
}

}  // namespace kroton::ops
