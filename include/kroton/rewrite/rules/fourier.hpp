// Rules of Fourier transforms: inverses cancel, numbers move out, axes have an order.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/signal/fourier.hpp>
#include <kroton/rewrite/rules/selections.hpp>

namespace kroton::rewrite {

constexpr bool has_fourier(graph const& g) {
  return g.has<op::dft, op::real_dft, op::dft_to_real>();
}

namespace rules {

/// n * x for an extent n.
constexpr int times_extent(rewriter& r, int n, int x) {
  element const e = r.g.type(x).element;
  return r.make<op::mul>({r.g.cast(r.g.cast(n, real_of(e)), e), x});
}
/// A transform of a transform: back along the same axis it is n times what it was; of two axes the
/// first one comes first.
constexpr int transform_of_transform(rewriter& r, int id) {
  graph& g = r.g;
  int const inner = g.input_of(id, 0);
  if (!applies<op::dft>(g, inner)) return -1;
  int const x = g.input_of(inner, 0);
  long long const axis = g.attribute(id, 0), before = g.attribute(inner, 0);
  if (axis == before && g.attribute(id, 1) != g.attribute(inner, 1))
    return times_extent(r, r.extent(x, static_cast<int>(axis)), x);
  if (axis >= before) return -1;
  int const first = r.make(g[id].op, list<int>{x}, r.attributes(id));
  return r.make(g[id].op, list<int>{first}, r.attributes(inner));
}
/// Real numbers transformed, and back to as many.
constexpr int real_transform_of_transform(rewriter& r, int id) {
  graph& g = r.g;
  int const inner = g.input_of(id, 0);
  if (!applies<op::real_dft>(g, inner) || g.attribute(id, 0) != g.attribute(inner, 0)) return -1;
  int const x = g.input_of(inner, 0), n = r.extent(x, static_cast<int>(g.attribute(id, 0)));
  return r.representative(g.input_of(id, 1)) == n ? times_extent(r, n, x) : -1;
}
/// The real number that a complex one is, or -1 where that is not to be seen.
constexpr int real_number(rewriter& r, int id) {
  graph& g = r.g;
  if (!is_complex(g.type(id).element)) return id;
  if (g.is_literal(id)) return r.make<op::real>({id});
  if (g.is<op::cast>(id)) return real_number(r, g.input_of(id, 0));
  bool const inverts =
      g.is<op::inv>(id) || (g.is<op::pow>(id) && g.is_literal(g.input_of(id, 1), -1));
  if (!inverts) return -1;
  int const inverted = real_number(r, g.input_of(id, 0));
  return inverted < 0 ? -1 : r.make<op::inv>({inverted});
}
/// Numbers are factors of the result; where that is real, real ones.
constexpr int multiple_of_transform(rewriter& r, int id) {
  graph& g = r.g;
  if (!g.is<op::mul>(g.input_of(id, 0))) return -1;
  element const to = g.type(id).element;
  list<int> numbers, others;
  for (int f : r.inputs(g.input_of(id, 0))) {
    int const number = g.type(f).rank != 0 ? -1 : is_complex(to) ? f : real_number(r, f);
    if (number < 0) others.push_back(f);
    else numbers.push_back(g.cast(number, to));
  }
  if (numbers.empty() || others.empty()) return -1;
  list<int> inputs = r.inputs(id);
  inputs[0] = others.size() == 1 ? others[0] : r.make(identity<op::mul>(), others);
  numbers.push_back(r.make(g[id].op, inputs, r.attributes(id)));
  return r.make(identity<op::mul>(), numbers);
}

}  // namespace rules
}  // namespace kroton::rewrite
