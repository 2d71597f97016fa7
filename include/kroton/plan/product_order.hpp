// The order of a chain of products that needs the fewest multiplications.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/list.hpp>

namespace kroton::plan {

/// The order for factors of some extents, {rows, columns, columns ...}, by dynamic programming: the
/// fewest multiplications, then the smallest intermediate arrays, then the order from the left.
class product_order {
 public:
  constexpr explicit product_order(core::list<double> const& extents)
      : extents_(extents), n_(extents.size() - 1), best_(n_ * n_, entry{}) {
    for (int length = 2; length <= n_; ++length)
      for (int i = 0; i + length <= n_; ++i) find(i, i + length - 1);
  }
  constexpr int factors() const { return n_; }
  constexpr double multiplications() const { return at(0, n_ - 1).cost; }
  /// The last factor of the left operand of the product of the factors from i to j.
  constexpr int split(int i, int j) const { return at(i, j).split; }

 private:
  struct entry {
    double cost = 0, memory = 0;
    int split = 0;
  };
  constexpr entry const& at(int i, int j) const { return best_[i * n_ + j]; }
  constexpr double stored(int i, int j) const {
    return i == j ? 0 : extents_[i] * extents_[j + 1];
  }
  constexpr void find(int i, int j) {
    for (int s = j - 1; s >= i; --s) {
      entry const &left = at(i, s), &right = at(s + 1, j);
      entry const e{left.cost + right.cost + extents_[i] * extents_[s + 1] * extents_[j + 1],
                    left.memory + right.memory + stored(i, s) + stored(s + 1, j), s};
      entry& best = best_[i * n_ + j];
      if (s == j - 1 || e.cost < best.cost || (e.cost == best.cost && e.memory < best.memory))
        best = e;
    }
  }

  core::list<double> extents_;
  int n_;
  core::list<entry> best_;
};

}  // namespace kroton::plan
