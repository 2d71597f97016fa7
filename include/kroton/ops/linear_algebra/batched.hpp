// Products of batches: a matrix product for each index of a leading axis.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/linear_algebra/contraction.hpp>

namespace kroton {
namespace ops {

/// Labels of axes: the batch is 0, the summed axis 1, and the axes of each factor count from 2 and
/// from 10.
constexpr list<int> batched_labels(int rank, int summed_axis, int first) {
  list<int> labels{0};
  for (int d = 1; d < rank; ++d) labels.push_back(d == summed_axis ? 1 : first + d);
  return labels;
}
constexpr term batched_dot(term a, term b) {
  element const common = promote(a.element(), b.element());
  bool const is_product = a.rank() > 1 && b.rank() > 1;
  int const left = is_product ? a.rank() - 1 : -1,
            right = is_product ? (b.rank() > 3 ? b.rank() - 2 : 1) : -1;
  labelled const x{{a.of, a.of->cast(a.id, common)}, batched_labels(a.rank(), left, 2)};
  labelled const y{{b.of, b.of->cast(b.id, common)}, batched_labels(b.rank(), right, 10)};
  list<int> out{0};
  for (labelled const* factor : {&x, &y})
    for (int label : factor->labels)
      if (label > 1) out.push_back(label);
  return contraction(x, y, out).run();
}

template <class A, class B>
constexpr int batched_dot_rank() {
  constexpr int a = static_rank<A>(), b = static_rank<B>();
  return a == 1 ? b : b == 1 ? a : a + b - 3;
}

}  // namespace ops

/// Operands of a batched product must have a leading axis.
template <int RankA, int RankB>
concept batched_dot_takes_operands_with_a_leading_axis = RankA > 0 && RankB > 0;

/// Products of corresponding slices along the leading axis, which both have: (b,m,k) (b,k,n) gives
/// (b,m,n). The last axis of a slice of the first operand is summed with the first axis of a slice
/// of the second, or with the last but one if it has more than two axes. Vectors drop out, as in
/// dot: (b,k) (b,k) gives (b). Slices that are scalars are multiplied. Element types are promoted;
/// extents that differ throw kt::shape_error. (theano.tensor.batched_dot)
template <typed A, typed B>
  requires batched_dot_takes_operands_with_a_leading_axis<rank_of<A>, rank_of<B>>
constexpr auto batched_dot(A const& a, B const& b) {
  using value = core::value_t<core::promote(core::element_of<value_type_of<A>>(),
                                            core::element_of<value_type_of<B>>())>;
  return variable<value, ops::batched_dot_rank<A, B>()>(ops::batched_dot(a, b));
}
/// The same for terms, whose ranks the graph knows.
template <symbolic A, symbolic B>
  requires(!typed<A> || !typed<B>)
constexpr term batched_dot(A const& a, B const& b) {
  return ops::batched_dot(a, b);
}

}  // namespace kroton
