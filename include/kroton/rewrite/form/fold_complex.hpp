// Folding arithmetic of complex literals, which are real literals, or `complex` of two.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/elementwise/complex.hpp>
#include <kroton/rewrite/engine/coefficient.hpp>

namespace kroton::rewrite {

struct complex_parts {
  double re = 0, im = 0;
  bool known = false;

  /// Whether products and quotients stay in the range of the type: an overflow would end the
  /// constant evaluation.
  constexpr bool foldable(element e) const {
    double const most = e == element::complex64 ? 1e9 : 1e70;
    auto const fits = [&](double x) {
      return x == 0 || (magnitude(x) < most && magnitude(x) > 1 / most);
    };
    return known && fits(re) && fits(im);
  }
};
constexpr complex_parts parts_of(graph const& g, int id) {
  if (g.is_literal(id)) return {g.literal_value(id), 0, true};
  if (!g.is<op::complex>(id)) return {};
  int const re = g.input_of(id, 0), im = g.input_of(id, 1);
  if (!g.is_literal(re) || !g.is_literal(im)) return {};
  return {g.literal_value(re), g.literal_value(im), true};
}
constexpr complex_parts times(complex_parts a, complex_parts b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re, true};
}

/// The literal that arithmetic of complex literals is; the node itself where it is something else.
constexpr int folded_complex(graph& g, int id) {
  int const count = g[id].input_count;
  if (!g[id].op->elementwise || count == 0 || count > 2) return id;
  element const e = g.type(id).element;
  complex_parts const a = parts_of(g, g.input_of(id, 0)),
                      b = count == 2 ? parts_of(g, g.input_of(id, 1)) : a;
  if (!a.foldable(e) || !b.foldable(e)) return id;
  auto const literal = [&](complex_parts z) {
    return g.literal(std::complex<double>(z.re, z.im), e);
  };
  bool const inverts = g.is<op::inv>(id);
  if (inverts || g.is<op::div>(id)) {
    double const square = b.re * b.re + b.im * b.im;
    if (square == 0) return id;
    complex_parts const inverse{b.re / square, -b.im / square, true};
    return literal(inverts ? inverse : times(a, inverse));
  }
  if (g.is<op::add>(id)) return literal({a.re + b.re, a.im + b.im});
  if (g.is<op::sub>(id)) return literal({a.re - b.re, a.im - b.im});
  if (g.is<op::mul>(id) || g.is<op::sqr>(id)) return literal(times(a, b));
  if (g.is<op::neg>(id)) return literal({-a.re, -a.im});
  if (g.is<op::conj>(id)) return literal({a.re, -a.im});
  return id;
}

}  // namespace kroton::rewrite
