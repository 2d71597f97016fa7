// Systems, inverses and determinants of one matrix share its LU factors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/conditional.hpp>
#include <kroton/ops/factors.hpp>
#include <kroton/rewrite/engine/clean.hpp>
#include <kroton/rewrite/engine/rebuild.hpp>
#include <kroton/rewrite/rules/linalg.hpp>

namespace kroton::rewrite {

/// Where several ops would factorize the same matrix, or its transpose, it is factorized once. A
/// gradient does: that of a solution solves with the transpose, and that of a determinant needs the
/// inverse.
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
    graph const shared = rebuilt(from_, [&](graph& to, int id, list<int> const& image) {
      int const m = factorized(id);
      if (m < 0 || users[m] < 2) return -1;
      return by_factors(to, id, image[m],
                        from_.is<op::solve>(id) ? image[from_.input_of(id, 1)] : -1);
    });
    return cleaner(shared).run();
  }

 private:
  /// The matrix that an op factorizes, or that of which it factorizes the transpose; -1 for other
  /// ops.
  constexpr int factorized(int id) const {
    bool const solves = applies<op::solve>(from_, id),
               inverts = applies<op::matrix_inverse>(from_, id);
    if (!solves && !inverts && !applies<op::det>(from_, id) && !applies<op::slogdet>(from_, id))
      return -1;
    int const m = from_.input_of(id, 0), source = rules::flipped_operand(from_, m);
    return source < 0 || inverts ? m : source;
  }
  constexpr int by_factors(graph& to, int id, int m, int right_side) const {
    int const factors = to.apply<op::lu>({m}), pivots = output_of({&to, factors}, 1).id;
    if (from_.is<op::solve>(id)) {
      bool const transposed = rules::flipped_operand(from_, from_.input_of(id, 0)) >= 0;
      return to.apply<op::solve_by_factors>({factors, pivots, right_side}, {transposed});
    }
    if (applies<op::matrix_inverse>(from_, id))
      return to.apply<op::inverse_of_factors>({factors, pivots});
    if (applies<op::det>(from_, id)) return to.apply<op::det_of_factors>({factors, pivots});
    return to.apply<op::slogdet_of_factors>({factors, pivots});
  }

  graph from_;
};

}  // namespace kroton::rewrite
