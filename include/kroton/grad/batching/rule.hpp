// What a batching rule works on: a node, at least one of whose inputs depends on the batch index.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/grad/batching/pass.hpp>

namespace kroton::calculus {

/// The node, its attributes, and its operands in the pass.
class batching_rule {
 public:
  constexpr batching_rule(batching& pass, int id)
      : pass_(pass), g_(pass.of()), id_(id), axes_(pass.axes()), rank_(pass.rank(id)) {}

 protected:
  constexpr int input(int i) const { return g_.input_of(id_, i); }
  constexpr int operand_rank(int i) const { return pass_.rank(input(i)); }
  constexpr int attribute(int i) const { return static_cast<int>(g_.attribute(id_, i)); }
  constexpr lanes first() const { return pass_.at(input(0)); }
  constexpr list<int> batch_axes() const {
    list<int> all;
    for (int b = 0; b < axes_; ++b) all.push_back(b);
    return all;
  }

  batching& pass_;
  graph& g_;
  int id_, axes_, rank_;
};

}  // namespace kroton::calculus
