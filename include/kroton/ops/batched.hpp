// Products of batches: a matrix product for each index of a leading axis.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/linalg.hpp>

namespace kroton {
namespace core {

/// c = a.b, slice by slice along the leading axis. (cpu/batched.hpp)
template <class T>
void multiply_slices(array_ref const& a, array_ref const& b, array_ref const& c);

}  // namespace core

namespace op {

/// The products of corresponding slices: (b,m,k) (b,k,n) gives (b,m,n); element types are equal.
struct batched_dot : operation<"batched_dot", 2> {
  static constexpr tensor_type type(core::application const& a) {
    tensor_type const l = a.input(0), r = a.input(1);
    return {l.element, 3, (l.broadcast & r.broadcast & 1u) | (l.broadcast & 2u) | (r.broadcast & 4u)};
  }
  static constexpr core::extent_source extent(core::application const& a, int d) {
    return {core::extent_source::dimension, d == 2 || (d == 0 && a.input(0).broadcasts(0)) ? 1 : 0, d};
  }
  static constexpr void constraints(core::application const& a, core::list<core::extent_pair>& pairs) {
    using core::extent_source;
    if (!a.input(0).broadcasts(0) && !a.input(1).broadcasts(0))
      pairs.push_back({{extent_source::dimension, 0, 0}, {extent_source::dimension, 1, 0}});
    pairs.push_back({{extent_source::dimension, 0, 2}, {extent_source::dimension, 1, 1}});
  }
  template <class T>
  static void run(core::invocation const& call) {
    core::multiply_slices<T>(call.operand(0), call.operand(1), call.result());
  }
  static constexpr term product(term a, term b) { return {a.of, a.of->apply<batched_dot>({a.id, b.id})}; }
  static constexpr core::gradient_list<2> pullback(term g, term, term a, term b) {
    return {{product(g, core::permute(b, {0, 2, 1})), product(core::permute(a, {0, 2, 1}), g)}};
  }
};

}  // namespace op

namespace core {

/// Labels of axes: the batch is 0, what is summed over 1, and the axes of each factor count from 2 and from 10.
constexpr list<int> batched_labels(int rank, int summed_axis, int first) {
  list<int> labels{0};
  for (int d = 1; d < rank; ++d) labels.push_back(d == summed_axis ? 1 : first + d);
  return labels;
}
constexpr term batched_dot(term a, term b);

template <class A, class B>
constexpr int batched_dot_rank() {
  constexpr int a = static_rank<A>(), b = static_rank<B>();
  return a == 1 ? b : b == 1 ? a : a + b - 3;
}

}  // namespace core

/// Operands of a batched product have a leading axis to go through.
template <int RankA, int RankB>
concept batched_dot_takes_operands_with_a_leading_axis = RankA > 0 && RankB > 0;

/// Products of corresponding slices along the leading axis, which both have: (b,m,k) (b,k,n) gives (b,m,n). The last axis of a
/// slice of the first is summed with the first axis of one of the second, or the last but one where it has more than two;
/// vectors drop out, as with dot: (b,k) (b,k) gives (b). Slices that are scalars are multiplied. Element types are promoted;
/// extents that differ are a kt::shape_error. (theano.tensor.batched_dot)
template <typed A, typed B>
  requires batched_dot_takes_operands_with_a_leading_axis<rank_of<A>, rank_of<B>>
constexpr auto batched_dot(A const& a, B const& b) {
  using value = core::value_t<core::promote(core::element_of<value_type_of<A>>(), core::element_of<value_type_of<B>>())>;
  return variable<value, core::batched_dot_rank<A, B>()>(core::batched_dot(a, b));
}
/// The same for terms, whose ranks the graph knows.
template <symbolic A, symbolic B>
  requires(!typed<A> || !typed<B>)
constexpr term batched_dot(A const& a, B const& b) {
  return core::batched_dot(a, b);
}

}  // namespace kroton

// What sorts out the axes.
#include <kroton/ops/contraction.hpp>

namespace kroton::core {

constexpr term batched_dot(term a, term b) {
  element const common = promote(a.element(), b.element());
  bool const is_product = a.rank() > 1 && b.rank() > 1;
  int const left = is_product ? a.rank() - 1 : -1, right = is_product ? (b.rank() > 3 ? b.rank() - 2 : 1) : -1;
  labelled const x{{a.of, a.of->cast(a.id, common)}, batched_labels(a.rank(), left, 2)};
  labelled const y{{b.of, b.of->cast(b.id, common)}, batched_labels(b.rank(), right, 10)};
  list<int> out{0};
  for (labelled const* factor : {&x, &y})
    for (int label : factor->labels)
      if (label > 1) out.push_back(label);
  return contraction(x, y, out).run();
}

}  // namespace kroton::core
