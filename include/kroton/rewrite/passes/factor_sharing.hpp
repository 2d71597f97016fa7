// Systems, inverses and determinants of one matrix share its LU factors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/conditional.hpp>
#include <kroton/ops/factors.hpp>
#include <kroton/rewrite/engine/clean.hpp>
#include <kroton/rewrite/engine/options.hpp>
#include <kroton/rewrite/engine/rebuild.hpp>
#include <kroton/rewrite/rules/linalg.hpp>

namespace kroton::rewrite {

/// The matrix that an op factorizes, or that of which it factorizes the transpose; -1 for other
/// ops.
constexpr int factorized_matrix(graph const& g, int id) {
  bool const solves = applies<op::solve>(g, id), inverts = applies<op::matrix_inverse>(g, id);
  bool const differentiates = applies<op::cofactors>(g, id);
  if (!solves && !inverts && !differentiates && !applies<op::det>(g, id) &&
      !applies<op::slogdet>(g, id))
    return -1;
  int const m = g.input_of(id, 0), source = rules::flipped_operand(g, m);
  return source < 0 || inverts || differentiates ? m : source;
}
/// Records such an op of another graph with LU factors of the matrix, which `image` stands for.
constexpr int record_by_factors(graph& to, graph const& from, int id, list<int> const& image) {
  int const factors = to.apply<op::lu>({image[factorized_matrix(from, id)]}),
            pivots = output_of({&to, factors}, 1).id;
  int made = -1;
  if (applies<op::solve>(from, id)) {
    bool const transposed = rules::flipped_operand(from, from.input_of(id, 0)) >= 0;
    made = to.apply<op::solve_by_factors>({factors, pivots, image[from.input_of(id, 1)]},
                                          {transposed});
  } else if (applies<op::matrix_inverse>(from, id)) {
    made = to.apply<op::inverse_of_factors>({factors, pivots});
  } else if (applies<op::cofactors>(from, id)) {
    made = to.apply<op::cofactors_of_factors>({factors, pivots, image[from.input_of(id, 0)]});
  } else if (applies<op::det>(from, id)) {
    made = to.apply<op::det_of_factors>({factors, pivots});
  } else {
    made = to.apply<op::slogdet_of_factors>({factors, pivots});
  }
  return made;
}

/// Where several ops would factorize the same matrix, or its transpose, it is factorized once. A
/// gradient does: that of a solution solves with the transpose, and that of a determinant needs the
/// cofactors or the inverse.
constexpr graph with_shared_factors(graph g, rewrite_options const&) {
  graph from = cleaner(g).run();
  list<int> users(from.size(), 0);
  bool any = false;
  // A branch that is not taken would pay for another's factors.
  if (!from.has<op::ifelse>())
    for (int id = 0; id < from.size(); ++id)
      if (int const m = factorized_matrix(from, id); m >= 0) any = ++users[m] > 1 || any;
  if (any)
    from = cleaner(rebuilt(from, [&](graph& to, int id, list<int> const& image) {
             int const m = factorized_matrix(from, id);
             return m < 0 || users[m] < 2 ? -1 : record_by_factors(to, from, id, image);
           })).run();
  return from;
}

}  // namespace kroton::rewrite
