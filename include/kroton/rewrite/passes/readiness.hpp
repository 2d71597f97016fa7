// When the value of a scalar is there: the latency of the longest chain of ops that lead to it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/elementwise/arithmetic.hpp>

namespace kroton::rewrite {

/// A function of numbers takes as long as its longest chain of ops, since a processor does several
/// at a time. (Loops over arrays do many elements at once instead.)
class readiness {
 public:
  /// In cycles or so, from when the parameters are there.
  constexpr int of(graph const& g, int id) {
    while (known_.size() <= id) {
      int const next = known_.size();
      int latest = 0;
      for (int i : g.inputs(next)) latest = known_[i] > latest ? known_[i] : latest;
      known_.push_back(latest + latency(g[next]));
    }
    return known_[id];
  }

 private:
  static constexpr int latency(node const& n) {
    if (n.input_count == 0) return 0;
    if (is_op<op::div>(n.op) || is_op<op::inv>(n.op) || is_op<op::sqrt>(n.op)) return 15;
    return n.op->cheap ? 4 : 25;
  }

  list<int> known_;
};

}  // namespace kroton::rewrite
