// Systems, inverses and determinants of one matrix share its LU factors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/conditional.hpp>
#include <kroton/ops/linear_algebra/factors.hpp>
#include <kroton/ops/shapes/shape.hpp>
#include <kroton/rewrite/engine/clean.hpp>
#include <kroton/rewrite/engine/graph_pass.hpp>
#include <kroton/rewrite/engine/options.hpp>
#include <kroton/rewrite/engine/rebuild.hpp>

namespace kroton::rewrite {

/// An op that factorizes a matrix, or one for each slice of a batch.
struct factorization {
  core::op_info const* op = nullptr;  // of one slice
  int matrix = -1;                    // a node; -1 for other ops
  int axes = 0;                       // of the batch
  bool transposed = false;            // it is the transpose of the matrix that the op has

  template <class Op>
  constexpr bool is() const {
    return op->key == key_constant<Op>;
  }
};
template <class... Op>
constexpr op_set any_or_each_of() {
  return any_of<Op..., op::each<Op>...>();
}
constexpr op_set factorizing_ops() {
  return any_or_each_of<op::solve, op::matrix_inverse, op::det, op::slogdet, op::cofactors>();
}

/// The array of which this is the transpose of each slice, or -1.
constexpr int flipped_slices(graph const& g, int id, int axes) {
  if (!g.is<op::dimshuffle>(id) || g[id].attribute_count != axes + 2) return -1;
  for (int d = 0; d < axes; ++d)
    if (g.attribute(id, d) != d) return -1;
  bool const flips = g.attribute(id, axes) == axes + 1 && g.attribute(id, axes + 1) == axes;
  return flips ? g.input_of(id, 0) : -1;
}
constexpr factorization factorization_of(graph const& g, int id) {
  factorization f{g[id].op};
  if (f.op->has_slice) {
    bool const has_batch_of_matrices = (g.attribute(id, 1) & 1) != 0;
    if (!has_batch_of_matrices) return f;
    f.axes = static_cast<int>(g.attribute(id, 0));
    f.op = f.op->slice();
  }
  bool const takes_either = f.is<op::solve>() || f.is<op::det>() || f.is<op::slogdet>();
  if (!takes_either && !f.is<op::matrix_inverse>() && !f.is<op::cofactors>()) return f;
  f.matrix = g.input_of(id, 0);
  if (int const source = takes_either ? flipped_slices(g, f.matrix, f.axes) : -1; source >= 0) {
    f.matrix = source;
    f.transposed = true;
  }
  return f;
}

/// Whether it is what these ops share.
constexpr bool are_factors(graph const& g, int id) {
  return g.is<op::lu>(id) || g.is<op::each<op::lu>>(id);
}

/// Records ops by LU factors in place of those that factorize, `image` being what nodes of their
/// graph have become.
struct recording_by_factors {
  graph& to;
  graph const& from;
  list<int> const& image;

  constexpr int record(int id, factorization const& f) const {
    int const factors = apply(identity<op::lu>(), f.axes, {image[f.matrix]}, 1),
              pivots = output_of({&to, factors}, 1).id;
    if (f.is<op::solve>()) {
      long long const right = f.axes > 0 ? (from.attribute(id, 1) & 2) << 1 : 0;
      return apply(identity<op::solve_by_factors>(), f.axes,
                   {factors, pivots, image[from.input_of(id, 1)]}, 3 | right, {f.transposed});
    }
    if (f.is<op::cofactors>())
      return apply(identity<op::cofactors_of_factors>(), f.axes,
                   {factors, pivots, image[from.input_of(id, 0)]}, 7);
    op_info const* const op = f.is<op::matrix_inverse>() ? identity<op::inverse_of_factors>()
                              : f.is<op::det>()          ? identity<op::det_of_factors>()
                                                         : identity<op::slogdet_of_factors>();
    return apply(op, f.axes, {factors, pivots}, 3);
  }

 private:
  /// Bits say which operands have the axes of a batch.
  constexpr int apply(op_info const* op, int axes, list<int> const& inputs, long long with_axes,
                      list<long long> const& own = {}) const {
    if (axes == 0) return to.apply(op, inputs, own);
    list<long long> attributes{axes, with_axes, static_cast<long long>(inputs.size())};
    attributes.append(own.data(), own.size());
    return to.apply(op->each(), inputs, attributes);
  }
};

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
      if (int const m = factorization_of(from, id).matrix; m >= 0) any = ++users[m] > 1 || any;
  if (any)
    from = cleaner(rebuilt(from, [&](graph& to, int id, list<int> const& image) {
             factorization const f = factorization_of(from, id);
             bool const shares = f.matrix >= 0 && users[f.matrix] > 1;
             return shares ? recording_by_factors{to, from, image}.record(id, f) : -1;
           })).run();
  return from;
}

}  // namespace kroton::rewrite
