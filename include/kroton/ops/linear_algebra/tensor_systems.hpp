// Systems of linear equations whose unknowns, and whose equations, are numbered by several axes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/linear_algebra/solving.hpp>
#include <kroton/ops/shapes/shape.hpp>

namespace kroton {
namespace op {

/// Not the ops of any node: they name the conditions on the extents of a tensor that is a matrix
/// once its axes are merged.
struct tensorinv : core::named_condition<"tensorinv"> {};
struct tensorsolve : core::named_condition<"tensorsolve"> {};

}  // namespace op

namespace ops {

constexpr list<term> extents_between(term x, int begin, int end) {
  list<term> extents;
  for (int d = begin; d < end; ++d) extents.push_back(extent(x, d));
  return extents;
}
/// The number of elements along the axes from `begin` to `end`.
constexpr term count_between(term x, int begin, int end) {
  return count_of(x, (1ll << end) - (1ll << begin));
}
/// x as a matrix whose rows merge the first axes, in the name of `op`, which asks for a square one.
constexpr term merged_square(op_info const* op, term x, int first) {
  term const rows = count_between(x, 0, first), columns = count_between(x, first, x.rank());
  if (rows.id != columns.id) x.of->constraints().push_back({rows.id, columns.id, op});
  return reshape(x, list<term>{rows, columns});
}

}  // namespace ops

/// The inverse of a tensor that is a square matrix once its first N axes, and the others, are
/// merged: tensordot<N>(tensorinv<N>(a), b) is b for every b. The extents of its first axes are
/// those of a's last ones, and the other way round. Numbers of elements that differ throw
/// kt::shape_error, and a singular matrix throws kt::linalg_error. (numpy.linalg.tensorinv, where N
/// is `ind`)
template <int N = 2, typed X>
constexpr auto tensorinv(X const& x) {
  constexpr bool splits_axes = N > 0 && N < rank_of<X>;
  static_assert(splits_axes, "kt::tensorinv: N of the axes, but not all, are merged to rows");
  using result = ops::linear_variable<rank_of<X>, X>;
  if constexpr (splits_axes) {
    int const conditions = x.of->constraints().size();
    term const m = ops::merged_square(core::identity<op::tensorinv>(), ops::linear_operand(x), N);
    core::list<term> extents = ops::extents_between(x, N, rank_of<X>);
    for (term const& e : ops::extents_between(x, 0, N)) extents.push_back(e);
    // Not inside of the call: nvcc loses what follows it there.
    term const inverse{x.of, x.of->template apply<op::matrix_inverse>({m.id})};
    result const merged(ops::reshape(inverse, extents));
    ops::take_conditions(merged, conditions);
    return merged;
  } else {
    x.of->fail(core::said_above);
    return result(ops::linear_operand(x));
  }
}
/// The x with tensordot<rank of x>(a, x) = b: the first axes of a have the extents of b, and its
/// last ones are those of x, of as many elements. Extents that do not match throw kt::shape_error,
/// and a singular matrix throws kt::linalg_error. (numpy.linalg.tensorsolve without `axes`)
template <typed A, typed B>
constexpr auto tensorsolve(A const& a, B const& b) {
  constexpr int first = rank_of<B>, rank = rank_of<A> - first;
  constexpr bool has_unknowns = rank > 0 && first > 0;
  static_assert(
      has_unknowns,
      "kt::tensorsolve: takes a tensor of the axes of b, which has at least one, followed "
      "by those of the result");
  if constexpr (has_unknowns) {
    core::op_info const* const op = core::identity<op::tensorsolve>();
    int const conditions = a.of->constraints().size();
    for (int d = 0; d < first; ++d)
      if (int const i = ops::extent(a, d).id, j = ops::extent(b, d).id; i != j)
        a.of->constraints().push_back({i, j, op});
    term const m = ops::merged_square(op, a, first);
    term const x =
        ops::solution<op::solve>(m, ops::reshape(b, {ops::count_between(b, 0, first)}), {});
    ops::linear_variable<rank, A, B> const y(
        ops::reshape(x, ops::extents_between(a, first, rank_of<A>)));
    ops::take_conditions(y, conditions);
    return y;
  } else {
    a.of->fail(core::said_above);
    return ops::linear_variable<1, A, B>(term(b));
  }
}

}  // namespace kroton
