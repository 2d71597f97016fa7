// Products of tensors of any rank: outer products, dot for more than two axes, and sums over
// selected axes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/linear_algebra/contraction.hpp>

namespace kroton {
namespace op {

/// Not the op of any node: it names the condition that summed axes have equal extents.
struct tensordot : core::named_condition<"tensordot"> {};

}  // namespace op

namespace ops {

/// Requires that axes with the same label have the same extent, in the name of `op`. A product of
/// matrices whose rows or columns merge several axes checks only the numbers of elements.
constexpr void match_axes(labelled const& a, labelled const& b, op_info const* op) {
  graph& g = *a.value.of;
  for (int d = 0; d < a.labels.size(); ++d) {
    int const e = position_of(b.labels, a.labels[d]);
    if (e < 0 || a.value.type().broadcasts(d) || b.value.type().broadcasts(e)) continue;
    g.constraints().push_back({extent(a.value, d).id, extent(b.value, e).id, op});
  }
}

/// Sums the product over pairs of axes: axes_of_a[i] with axes_of_b[i]. The other axes of a precede
/// those of b.
constexpr term tensordot(op_info const* op, term a, list<int> const& axes_of_a, term b,
                         list<int> const& axes_of_b) {
  element const common = promote(a.element(), b.element());
  labelled x{{a.of, a.of->cast(a.id, common)}, {}}, y{{b.of, b.of->cast(b.id, common)}, {}};
  list<int> out;
  for (int d = 0; d < a.rank(); ++d) {
    x.labels.push_back(d);
    if (!axes_of_a.contains(d)) out.push_back(d);
  }
  for (int d = 0; d < b.rank(); ++d) {
    int const pair = position_of(axes_of_b, d);
    y.labels.push_back(pair >= 0 ? axes_of_a[pair] : a.rank() + d);
    if (pair < 0) out.push_back(a.rank() + d);
  }
  int const conditions = a.of->constraints().size();
  match_axes(x, y, op);
  term const z = contraction(x, y, out).run();
  take_conditions(z, conditions);
  return z;
}

/// Axes, possibly negative, counted from the front.
template <int... Axes>
constexpr list<int> axes_from_front(int rank) {
  return list<int>{(Axes < 0 ? Axes + rank : Axes)...};
}
template <int... Axes>
constexpr bool are_different(int rank) {
  list<int> const axes = axes_from_front<Axes...>(rank);
  for (int i = 0; i < axes.size(); ++i)
    for (int j = 0; j < i; ++j)
      if (axes[i] == axes[j]) return false;
  return true;
}

/// The element type of a product.
template <class... X>
using product_value = value_t<static_element_beside<X...>()>;

}  // namespace ops

/// Operands of a product of tensors have axes, and at least one has more than a matrix.
template <int RankA, int RankB>
concept dot_takes_tensors = RankA > 0 && RankB > 0 && (RankA > 2 || RankB > 2);

/// Product of tensors: the last axis of a is summed with the last but one of b, or with its only
/// one. Element types are promoted; extents that differ throw kt::shape_error. (numpy.dot)
template <typed A, typed B>
  requires dot_takes_tensors<rank_of<A>, rank_of<B>>
constexpr auto dot(A const& a, B const& b) {
  constexpr int summed = rank_of<B> == 1 ? 0 : rank_of<B> - 2;
  return variable<ops::product_value<A, B>, rank_of<A> + rank_of<B> - 2>(
      ops::tensordot(core::identity<op::dot>(), a, {rank_of<A> - 1}, b, {summed}));
}

/// The products of all pairs of elements, as a matrix with a row for each element of a; tensors are
/// flattened. (numpy.outer)
template <typed A, typed B>
constexpr auto outer(A const& a, B const& b) {
  if constexpr (rank_of<A> != 1) return outer(flatten(a), b);
  else if constexpr (rank_of<B> != 1) return outer(a, flatten(b));
  else
    return variable<ops::product_value<A, B>, 2>(
        ops::tensordot(core::identity<op::tensordot>(), a, {}, b, {}));
}

/// Both operands must have as many axes as are summed.
template <int Axes, int RankA, int RankB>
concept tensordot_sums_axes_that_are_there = Axes >= 0 && Axes <= RankA && Axes <= RankB;

/// Sums the product over the last Axes axes of a and the first of b, in their order:
/// `tensordot<2>(a, b)`; 0 gives all products of elements. (numpy.tensordot)
template <int Axes, typed A, typed B>
  requires tensordot_sums_axes_that_are_there<Axes, rank_of<A>, rank_of<B>>
constexpr auto tensordot(A const& a, B const& b) {
  core::list<int> of_a, of_b;
  for (int i = 0; i < Axes; ++i) {
    of_a.push_back(rank_of<A> - Axes + i);
    of_b.push_back(i);
  }
  return variable<ops::product_value<A, B>, rank_of<A> + rank_of<B> - 2 * Axes>(
      ops::tensordot(core::identity<op::tensordot>(), a, of_a, b, of_b));
}
/// The same over explicitly given axes of both, pair by pair: `tensordot(a, b, kt::axis<1, 2>,
/// kt::axis<0, 1>)`.
template <typed A, typed B, int... I, int... J>
constexpr auto tensordot(A const& a, B const& b, axis_t<I...>, axis_t<J...>) {
  constexpr bool are_pairs = sizeof...(I) == sizeof...(J);
  constexpr bool are_within =
      axis_is_within_the_rank<rank_of<A>, I...> && axis_is_within_the_rank<rank_of<B>, J...>;
  constexpr bool differ =
      ops::are_different<I...>(rank_of<A>) && ops::are_different<J...>(rank_of<B>);
  static_assert(are_pairs,
                "kt::tensordot: both operands must name the same number of axes");
  static_assert(are_within, "kt::tensordot: an axis is outside the rank of its operand");
  static_assert(differ, "kt::tensordot: an axis is named twice");
  constexpr int rank = rank_of<A> + rank_of<B> - 2 * static_cast<int>(sizeof...(I));
  using result = variable<ops::product_value<A, B>, (rank > 0 ? rank : 0)>;
  if constexpr (are_pairs && are_within && differ)
    return result(ops::tensordot(core::identity<op::tensordot>(), a,
                                 ops::axes_from_front<I...>(rank_of<A>), b,
                                 ops::axes_from_front<J...>(rank_of<B>)));
  else return result(a);
}

}  // namespace kroton
