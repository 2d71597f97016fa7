// What a node is a multiple of: sums whose terms have a coefficient in common, too.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/rewrite/form/products.hpp>

namespace kroton::rewrite {

/// A node without its coefficient; of a sum without that of all its terms, which is the magnitude
/// of each: 2 * a - 2 * b is 2 times a - b.
constexpr summand split_multiple(rewriter& r, int id) {
  graph& g = r.g;
  element const e = g.type(id).element;
  if (!g.is<op::add>(id) || !is_float(e) || !r.real()) return split_coefficient(r, id);
  double common = 0;
  for (int i : g.inputs(id)) {
    if (g.is_literal(i)) return {id, number_of(e, 1)};
    double const own = coefficient_of(g, i).value();
    if (common == 0) common = own;
    if (magnitude(own) != magnitude(common)) return {id, number_of(e, 1)};
  }
  if (magnitude(common) == 1) return {id, number_of(e, 1)};
  sum_of_terms sum(r, e);
  for (int i : r.inputs(id)) {
    summand const t = split_coefficient(r, i);
    sum.add(t.node, number_of(e, t.times.value() / common));
  }
  return {r.sealed(sum.build()), number_of(e, common)};
}

}  // namespace kroton::rewrite
