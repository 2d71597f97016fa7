// Elements reordered or repeated: flip, roll, repeat, tile, broadcast_to, moveaxis, swapaxes,
// squeeze.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/shapes/joining.hpp>

namespace kroton {
namespace ops {

constexpr term flipped(term x, int axis) {
  term const count = extent(x, axis);
  return x.type().broadcasts(axis) ? x : axis_range(x, axis, count - 1, count, -1);
}
/// Negative shifts move towards the front. Those by one have the extents of slices without the
/// first or the last element, so that rules see that their parts are slices.
constexpr term rolled(term x, term shift, int axis) {
  if (x.type().broadcasts(axis)) return x;
  term const count = extent(x, axis);
  bool const is_one = x.of->is_literal(shift.id, 1), is_back = x.of->is_literal(shift.id, -1);
  term const one = call<op::minimum>(integer(*x.of, 1), count);
  term const moved = is_one    ? one
                     : is_back ? count - one
                               : call<op::mod>(shift, call<op::maximum>(count, 1));
  term const rest = is_back ? one : count - moved;
  return join({axis_range(x, axis, rest, moved), axis_range(x, axis, integer(*x.of, 0), rest)},
              axis);
}
/// x with every element, or block of elements, repeated `times[d]` times along axis d: before that
/// axis for blocks, after it for elements.
constexpr term repeated(term x, list<term> const& times, bool elements) {
  list<int> pattern;
  list<term> spread, joined;
  for (int d = 0; d < x.rank(); ++d) {
    bool const once = x.of->is_literal(times[d].id, 1);
    term const count = extent(x, d);
    if (!once && !elements) pattern.push_back(-1), spread.push_back(times[d]);
    pattern.push_back(d);
    spread.push_back(count);
    if (!once && elements) pattern.push_back(-1), spread.push_back(times[d]);
    joined.push_back(once ? count : x.type().broadcasts(d) ? times[d] : count * times[d]);
  }
  if (pattern.size() == x.rank()) return x;
  if (pattern.size() > 8) {
    x.of->fail("kt::tile: the rank and the repeated axes together must not exceed 8");
    return x;
  }
  return reshape(alloc(permute(x, pattern), spread), joined);
}
template <class N>
constexpr term count_term(graph& g, N const& n) {
  static_assert(is_extent<N>(),
                "kt::repeat, kt::tile, kt::broadcast_to, kt::roll: a count or an extent must be an "
                "integer or an integer scalar");
  return {&g, g.cast(node_of(g, n, element::int64), element::int64)};
}
constexpr int from_front(int axis, int rank) { return axis < 0 ? axis + rank : axis; }

}  // namespace ops

/// The elements in reverse order along every axis, or along the given ones. A view. (numpy.flip)
template <typed X, int... Axes>
constexpr auto flip(X const& x, axis_t<Axes...>) {
  static_assert(axis_is_within_the_rank<rank_of<X>, Axes...>,
                "kt::flip: an axis is outside the rank of the operand");
  term result = x;
  ((result = ops::flipped(result, ops::from_front(Axes, rank_of<X>))), ...);
  return variable<value_type_of<X>, rank_of<X>>(result);
}
template <typed X>
constexpr auto flip(X const& x) {
  term result = x;
  for (int d = 0; d < rank_of<X>; ++d) result = ops::flipped(result, d);
  return variable<value_type_of<X>, rank_of<X>>(result);
}

/// The elements moved along an axis by `shift`, an integer or an integer scalar; elements that
/// leave at one end return at the other. Without an axis, all elements move in row-major order.
/// (numpy.roll)
template <typed X, operand N, int Axis>
constexpr auto roll(X const& x, N const& shift, axis_t<Axis>) {
  static_assert(axis_is_within_the_rank<rank_of<X>, Axis>,
                "kt::roll: the axis is outside the rank of the operand");
  return variable<value_type_of<X>, rank_of<X>>(
      ops::rolled(x, ops::count_term(*x.of, shift), ops::from_front(Axis, rank_of<X>)));
}
template <typed X, operand N>
constexpr auto roll(X const& x, N const& shift) {
  if constexpr (rank_of<X> == 1) {
    return roll(x, shift, axis<0>);
  } else {
    core::list<term> extents;
    for (int d = 0; d < rank_of<X>; ++d) extents.push_back(ops::extent(x, d));
    return variable<value_type_of<X>, rank_of<X>>(
        ops::reshape(roll(flatten(x), shift, axis<0>), extents));
  }
}

/// Every element `n` times in succession along an axis; without an axis, all elements as a vector.
/// (numpy.repeat)
template <typed X, operand N, int Axis>
constexpr auto repeat(X const& x, N const& n, axis_t<Axis>) {
  static_assert(axis_is_within_the_rank<rank_of<X>, Axis>,
                "kt::repeat: the axis is outside the rank of the operand");
  core::list<term> times(rank_of<X>, ops::integer(*x.of, 1));
  times[ops::from_front(Axis, rank_of<X>)] = ops::count_term(*x.of, n);
  return variable<value_type_of<X>, rank_of<X>>(ops::repeated(x, times, true));
}
template <typed X, operand N>
constexpr auto repeat(X const& x, N const& n) {
  return repeat(flatten(x), n, axis<0>);
}

/// The whole tensor `times` times along the last axes, one count for each axis; counts for more
/// axes than x has add leading ones. (numpy.tile)
template <typed X, operand... N>
constexpr auto tile(X const& x, N const&... times) {
  constexpr int counts = static_cast<int>(sizeof...(N)),
                rank = counts > rank_of<X> ? counts : rank_of<X>;
  core::list<int> pattern(rank - rank_of<X>, -1);
  for (int d = 0; d < rank_of<X>; ++d) pattern.push_back(d);
  core::list<term> all(rank - counts, ops::integer(*x.of, 1));
  (all.push_back(ops::count_term(*x.of, times)), ...);
  return variable<value_type_of<X>, rank>(ops::repeated(ops::permute(x, pattern), all, false));
}

/// x spread over a shape with at least as many axes, along axes that broadcast and leading ones
/// that it lacks; other extents must be equal, otherwise kt::shape_error. (numpy.broadcast_to)
template <typed X, operand... N>
constexpr auto broadcast_to(X const& x, N const&... extents) {
  static_assert(sizeof...(N) >= rank_of<X>,
                "kt::broadcast_to: the shape must have at least as many axes as the operand");
  return variable<value_type_of<X>, static_cast<int>(sizeof...(N))>(
      ops::alloc(x, {ops::count_term(*x.of, extents)...}));
}

/// The axis From moved to position To, the others in their order. A view. (numpy.moveaxis)
template <int From, int To, typed X>
constexpr auto moveaxis(X const& x) {
  static_assert(axis_is_within_the_rank<rank_of<X>, From, To>,
                "kt::moveaxis: an axis is outside the rank of the operand");
  constexpr int from = ops::from_front(From, rank_of<X>);
  core::list<int> pattern;
  for (int d = 0; d < rank_of<X>; ++d)
    if (d != from) pattern.push_back(d);
  pattern.insert(ops::from_front(To, rank_of<X>), from);
  return variable<value_type_of<X>, rank_of<X>>(ops::permute(x, pattern));
}
/// Two axes exchanged. A view. (numpy.swapaxes)
template <int A, int B, typed X>
constexpr auto swapaxes(X const& x) {
  static_assert(axis_is_within_the_rank<rank_of<X>, A, B>,
                "kt::swapaxes: an axis is outside the rank of the operand");
  core::list<int> pattern;
  for (int d = 0; d < rank_of<X>; ++d) pattern.push_back(d);
  std::swap(pattern[ops::from_front(A, rank_of<X>)], pattern[ops::from_front(B, rank_of<X>)]);
  return variable<value_type_of<X>, rank_of<X>>(ops::permute(x, pattern));
}

/// x without the given axes, whose extent must be 1, otherwise kt::shape_error. A view of
/// contiguous data. (numpy.squeeze)
template <typed X, int... Axes>
constexpr auto squeeze(X const& x, axis_t<Axes...>) {
  static_assert(axis_is_within_the_rank<rank_of<X>, Axes...>,
                "kt::squeeze: an axis is outside the rank of the operand");
  constexpr unsigned dropped = ((1u << ops::from_front(Axes, rank_of<X>)) | ... | 0u);
  core::list<int> pattern;
  core::list<term> extents;
  bool broadcasts = true;
  for (int d = 0; d < rank_of<X>; ++d) {
    if ((dropped >> d & 1) != 0) {
      broadcasts = broadcasts && x.type().broadcasts(d);
    } else {
      pattern.push_back(d);
      extents.push_back(ops::extent(x, d));
    }
  }
  term result = x;
  if (broadcasts) result = ops::permute(x, pattern);
  else result = ops::reshape(x, extents);
  return variable<value_type_of<X>, rank_of<X> - std::popcount(dropped)>(result);
}

}  // namespace kroton
