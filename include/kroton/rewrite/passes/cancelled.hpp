// Products as they were written whose factors have cancelled since.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/rewrite/form/products.hpp>

namespace kroton::rewrite {

/// The bases of the powers in a product as written, above its line and below it.
struct written_factors {
  static constexpr int most = 24;
  list<int> above{}, below{};

  constexpr void add(graph const& g, int id, bool up) {
    if (above.size() + below.size() >= most || g.is_literal(id)) return;
    if (g.is<op::div>(id) || g.is<op::mul>(id)) {
      for (int k = 0; k < g[id].input_count; ++k)
        add(g, g.input_of(id, k), up != (k > 0 && g.is<op::div>(id)));
    } else if (g.is<op::neg>(id) || g.is<op::sqr>(id)) {
      add(g, g.input_of(id, 0), up);
    } else if (g.is<op::inv>(id)) {
      add(g, g.input_of(id, 0), !up);
    } else if (is_power(g, id)) {
      factor const f = split_power(g, id);
      add(g, f.base, up != f.power.negative());
    } else {
      (up ? above : below).push_back(id);
    }
  }
};

/// Whether a factor stands above and below the line of a product as written: rules have made them
/// equal since, and they have cancelled.
constexpr bool has_cancelled(graph const& g, int product) {
  written_factors factors;
  factors.add(g, product, true);
  bool any = false;
  for (int base : factors.above) any = any || factors.below.contains(base);
  return any;
}

}  // namespace kroton::rewrite
