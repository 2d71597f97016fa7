// Rows of an array along its first axis: what sequences are cut and turned with.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/indexing.hpp>

namespace kroton::ops {

/// `count` rows of x from row `begin` on, each `step` rows after the one before; a view.
constexpr term rows(term x, term begin, term count, long long step = 1) {
  list<long long> attributes{2, step};
  for (int d = 1; d < x.rank(); ++d) {
    attributes.push_back(0);
    attributes.push_back(1);
  }
  int const operands[] = {x.id, begin.id, count.id};
  return {x.of, x.of->apply(identity<op::subtensor>(), operands, attributes)};
}

/// The last row first; a view.
constexpr term reversed(term x) {
  term const n = extent(x, 0);
  return rows(x, n - 1, n, -1);
}

}  // namespace kroton::ops
