// Systems, inverses and determinants of one matrix share its LU factors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/conditional.hpp>
#include <kroton/ops/factors.hpp>
#include <kroton/rewrite/clean.hpp>
#include <kroton/rewrite/linalg_rules.hpp>

namespace kroton::core {

/// Where several ops would factorize the same matrix, or its transpose, it is factorized once. A gradient does: that of a solution
/// solves with the transpose, and that of a determinant needs the inverse.
class factor_sharing {
 public:
  constexpr explicit factor_sharing(graph const& from) : from_(cleaner(from).run()) {}

  constexpr graph run() {
    // A branch that is not taken would pay for another's factors.
    if (from_.has<op::ifelse>()) return std::move(from_);
    list<int> users(from_.size(), 0);
    bool any = false;
    for (int id = 0; id < from_.size(); ++id)
      if (int const m = factorized(id); m >= 0) any = ++users[m] > 1 || any;
    if (!any) return std::move(from_);
    list<int> position(from_.size(), -1);
    for (int id : from_.parameters()) position[id] = to_.input(from_.type(id), static_cast<int>(from_.attribute(id, 0)));
    for (int id = 0; id < from_.size(); ++id) {
      if (position[id] >= 0) continue;
      list<int> inputs;
      for (int i : from_.inputs(id)) inputs.push_back(position[i]);
      int const m = factorized(id);
      if (m >= 0 && users[m] > 1) position[id] = by_factors(id, position[m], inputs);
      else position[id] = to_.add(from_[id].op, from_.type(id), inputs, from_.attributes(id));
    }
    to_.adopt(from_, position);
    return cleaner(to_).run();
  }

 private:
  /// The matrix that an op factorizes, or that of which it factorizes the transpose; -1 for other ops.
  constexpr int factorized(int id) const {
    bool const solves = applies<op::solve>(from_, id), inverts = applies<op::matrix_inverse>(from_, id);
    if (!solves && !inverts && !applies<op::det>(from_, id) && !applies<op::slogdet>(from_, id)) return -1;
    int const m = from_.input_of(id, 0), source = rules::flipped_operand(from_, m);
    return source < 0 || inverts ? m : source;
  }
  constexpr int by_factors(int id, int m, list<int> const& inputs) {
    int const factors = to_.apply<op::lu>({m}), pivots = output_of({&to_, factors}, 1).id;
    if (applies<op::solve>(from_, id)) {
      bool const transposed = rules::flipped_operand(from_, from_.input_of(id, 0)) >= 0;
      return to_.apply<op::solve_by_factors>({factors, pivots, inputs[1]}, {transposed});
    }
    if (applies<op::matrix_inverse>(from_, id)) return to_.apply<op::inverse_of_factors>({factors, pivots});
    if (applies<op::det>(from_, id)) return to_.apply<op::det_of_factors>({factors, pivots});
    return to_.apply<op::slogdet_of_factors>({factors, pivots});
  }

  graph from_, to_;
};

}  // namespace kroton::core
