// Products of vectors and matrices.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/along_axes/reduction.hpp>

namespace kroton {
namespace op {

/// Inner product over the last axis of the first and the first axis of the second operand, each of
/// rank 1 or 2.
struct dot : operation<"dot", 2> {
  static constexpr auto step = core::step_kind::dot;
  static constexpr tensor_type type(core::application const& a) {
    tensor_type const l = a.input(0), r = a.input(1);
    tensor_type t{l.element, static_cast<std::uint8_t>(l.rank + r.rank - 2), 0};
    if (l.rank == 2 && l.broadcasts(0)) t.broadcast |= 1u;
    if (r.rank == 2 && r.broadcasts(1)) t.broadcast |= 1u << (t.rank - 1);
    return t;
  }
  static constexpr core::extent_source extent(core::application const& a, int d) {
    if (a.input(0).rank == 2 && d == 0) return {core::extent_source::dimension, 0, 0};
    return {core::extent_source::dimension, 1, 1};
  }
  static constexpr void constraints(core::application const& a,
                                    core::list<core::extent_pair>& pairs) {
    pairs.push_back({{core::extent_source::dimension, 0, a.input(0).rank - 1},
                     {core::extent_source::dimension, 1, 0}});
  }
  static constexpr term product(term a, term b) { return {a.of, a.of->apply<dot>({a.id, b.id})}; }
  // g as the matrix it would be if vectors were matrices, so that one formula covers every
  // combination of ranks.
  static constexpr core::gradient_list<2> pullback(term g, term, term a, term b) {
    auto column = [](term v) { return ops::permute(v, {0, -1}); };
    auto row = [](term v) { return ops::permute(v, {-1, 0}); };
    auto flip = [](term m) { return ops::permute(m, {1, 0}); };
    if (a.rank() == 1 && b.rank() == 1) return {{g * b, g * a}};
    if (a.rank() == 2 && b.rank() == 1) return {{column(g) * row(b), product(flip(a), g)}};
    if (a.rank() == 1) return {{product(b, g), column(a) * row(g)}};
    return {{product(g, flip(b)), product(flip(a), g)}};
  }
};

/// Names the condition that cross takes vectors of three elements; no node has this op.
struct cross : core::named_condition<"cross"> {};

}  // namespace op

/// Operands of a product have rank 1 or 2: scalars are multiplied with `*`.
template <int RankA, int RankB>
concept dot_takes_vectors_and_matrices = (RankA == 1 || RankA == 2) && (RankB == 1 || RankB == 2);

namespace ops {

constexpr term dot(term a, term b) {
  element const common = promote(a.element(), b.element());
  return op::dot::product({a.of, a.of->cast(a.id, common)}, {b.of, b.of->cast(b.id, common)});
}

}  // namespace ops

/// Product of vectors and matrices: (n)(n) gives a scalar, (m,n)(n) a vector (m), (n)(n,k) a vector
/// (k), (m,n)(n,k) a matrix (m,k). Element types are promoted; extents that differ throw
/// kt::shape_error. (numpy.dot)
template <typed A, typed B>
  requires dot_takes_vectors_and_matrices<rank_of<A>, rank_of<B>>
constexpr auto dot(A const& a, B const& b) {
  using value = core::value_t<core::promote(core::element_of<value_type_of<A>>(),
                                            core::element_of<value_type_of<B>>())>;
  return variable<value, rank_of<A> + rank_of<B> - 2>(ops::dot(a, b));
}
template <symbolic A, symbolic B>
  requires(!typed<A> || !typed<B>)
constexpr term dot(A const& a, B const& b) {
  return ops::dot(a, b);
}

/// Rejects scalars, with a sentence. (Constrained so that the functions for variables are more
/// constrained: no folds.)
template <class A, class B>
  requires((symbolic<A> && (symbolic<B> || number<B>)) || (number<A> && symbolic<B>))
constexpr auto dot(A const& a, B const& b) {
  constexpr bool has_scalar = core::static_rank<A>() == 0 || core::static_rank<B>() == 0;
  static_assert(!has_scalar,
                "kt::dot: takes vectors and matrices; a scalar or a number is multiplied with *");
  // The result only avoids a second error.
  if constexpr (symbolic<A>) return a;
  else return b;
}

}  // namespace kroton
