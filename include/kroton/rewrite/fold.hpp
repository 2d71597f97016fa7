// Folding functions of literals: the last thing that happens, when no rule can save what folding would lose.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/arithmetic.hpp>
#include <kroton/rewrite/fold_complex.hpp>

namespace kroton::core {

/// Whether the operator itself could overflow or divide by 0, which a constant evaluation does not survive.
constexpr bool leaves_range(graph const& g, int id) {
  element const e = g.type(id).element;
  double const a = g.literal_value(g.input_of(id, 0)), b = g[id].input_count > 1 ? g.literal_value(g.input_of(id, 1)) : a;
  coefficient first = number_of(e, a);
  coefficient const second = number_of(e, b);
  if (g.is<op::add>(id)) return !add_to(first, second);
  if (g.is<op::sub>(id)) return !add_to(first, number_of(e, -b));
  if (g.is<op::mul>(id) || g.is<op::sqr>(id)) return !multiply(first, second);
  if (g.is<op::inv>(id)) return magnitude(a) < 1e-300;
  if (g.is<op::div>(id)) return magnitude(b) < 1e-300 || bounded_product(magnitude(a), 1 / magnitude(b)) > 1e300;
  return false;
}

/// The literal that an application of an elementwise op to literals is; the node itself where it cannot be folded.
constexpr int folded(graph& g, int id) {
  op_info const* op = g[id].op;
  if (is_complex(g.type(id).element)) return folded_complex(g, id);
  if (!op->has_fold || g[id].input_count == 0 || g[id].input_count > 3) return id;
  for (int i : g.inputs(id))
    if (!g.is_literal(i) || (is_continuous(g.type(i).element) && !is_finite(g.literal_value(i)))) return id;
  element const e = g.type(id).element;
  if (is_float(e) && leaves_range(g, id)) return id;
  std::int64_t bits = 0;
  return op->fold(g.application(id), e, bits) ? g.literal_of_bits(bits, e) : id;
}

}  // namespace kroton::core
