// Folding functions of literals: the last thing that happens, when no rule can save what folding
// would lose.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/elementwise/arithmetic.hpp>
#include <kroton/ops/shapes/shape.hpp>
#include <kroton/rewrite/form/fold_complex.hpp>

namespace kroton::rewrite {

/// Whether the operator itself could overflow or divide by 0, which a constant evaluation does not
/// survive.
constexpr bool leaves_range(graph const& g, int id) {
  element const e = g.type(id).element;
  double const a = g.literal_value(g.input_of(id, 0)),
               b = g[id].input_count > 1 ? g.literal_value(g.input_of(id, 1)) : a;
  coefficient first = number_of(e, a);
  if (g.is<op::add>(id) || g.is<op::mul>(id)) {
    for (int i = 1; i < g[id].input_count; ++i) {
      coefficient const next = number_of(e, g.literal_value(g.input_of(id, i)));
      if (!(g.is<op::add>(id) ? add_to(first, next) : multiply(first, next))) return true;
    }
    return false;
  }
  if (g.is<op::sub>(id)) return !add_to(first, number_of(e, -b));
  if (g.is<op::sqr>(id)) return !multiply(first, number_of(e, b));
  if (g.is<op::inv>(id)) return magnitude(a) < 1e-300;
  if (g.is<op::div>(id))
    return magnitude(b) < 1e-300 || bounded_product(magnitude(a), 1 / magnitude(b)) > 1e300;
  return false;
}

/// The literal that a node is, or that it is a view of; -1 where there is none.
constexpr int literal_under(graph const& g, int id) {
  if (g.is<op::dimshuffle>(id)) id = g.input_of(id, 0);
  return g.is_literal(id) ? id : -1;
}
/// A scalar as a tensor of this type, all of whose axes broadcast.
constexpr int spread_over_ones(graph& g, int scalar, tensor_type type) {
  list<long long> pattern;
  for (int d = 0; d < type.rank; ++d) pattern.push_back(-1);
  int const inputs[] = {scalar};
  return type.rank == 0 ? scalar : g.apply(identity<op::dimshuffle>(), inputs, pattern);
}

constexpr int folded(graph& g, int id);
/// The same for literals of which some have got axes. Otherwise equal functions of equal literals,
/// of which one has axes, would be computed in two ways, and differ in the last place.
constexpr int folded_view(graph& g, int id) {
  list<int> literals;
  for (int i : g.inputs(id)) {
    int const literal = literal_under(g, i);
    if (literal < 0) return id;
    literals.push_back(literal);
  }
  tensor_type const type = g.type(id);
  int const scalar = g.add(g[id].op, {type.element, 0, 0}, literals, {}), value = folded(g, scalar);
  return g.is_literal(value) ? spread_over_ones(g, value, type) : id;
}

/// The literal that an application of an elementwise op to literals is; the node itself where it
/// cannot be folded.
constexpr int folded(graph& g, int id) {
  node const& n = g[id];
  op_info const* op = n.op;
  if (is_complex(n.type.element)) return folded_complex(g, id);
  if (!op->has_fold || n.input_count == 0 || n.input_count > 3) return id;
  if (n.type.rank > 0)
    return op->elementwise && literal_under(g, g.input_of(id, n.input_count - 1)) >= 0
               ? folded_view(g, id)
               : id;
  for (int i : g.inputs(id))
    if (!g.is_literal(i) || (is_continuous(g.type(i).element) && !is_finite(g.literal_value(i))))
      return id;
  element const e = g.type(id).element;
  if (is_float(e) && leaves_range(g, id)) return id;
  std::int64_t bits = 0;
  return op->fold(g.application(id), e, bits) ? g.literal_of_bits(bits, e) : id;
}

}  // namespace kroton::rewrite
