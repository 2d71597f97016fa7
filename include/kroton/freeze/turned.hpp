// The expression of a loop whose last axis has changed places with another one.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/freeze/group.hpp>

#include <utility>

namespace kroton::freeze {

/// A node where the last axis has changed places with the one so many before it.
template <class Node, int Before>
struct turned_node {
  using type = Node;
};
/// All that a loop asks of an operand is whether a row has an element for each index.
template <class T, int Position, int Rank, unsigned Broadcast, int Before>
struct turned_node<input<T, Position, Rank, Broadcast>, Before> {
  static constexpr int axis = Rank - 1 - Before;
  static constexpr bool spans_rows = axis >= 0 && (Broadcast >> (axis < 0 ? 0 : axis) & 1u) == 0;
  using type = input<T, Position, spans_rows ? 1 : 0>;
};
template <class Op, long long AxesFromLast, int In, int Before>
struct turned_node<apply<with<Op, AxesFromLast>, In>, Before> {
  static constexpr long long others = AxesFromLast & ~(1ll | 1ll << Before),
                             exchanged =
                                 (AxesFromLast & 1) << Before | (AxesFromLast >> Before & 1);
  using type = apply<with<Op, others | exchanged>, In>;
};

template <class Expression, int Before>
struct turned;
template <class... N, int Before>
struct turned<expression<N...>, Before> {
  using type = expression<typename turned_node<N, Before>::type...>;
};
template <class Expression, int Before>
using turned_t = typename turned<Expression, Before>::type;

/// The axes over which a node is reduced, as bits; of other nodes none.
template <class Node>
constexpr long long reduced_axes() {
  if constexpr (node_traits<Node>::is_reduction) return node_traits<Node>::axes;
  else return 0;
}
/// Whether some results are reduced over one of the two axes alone: what accumulates along rows
/// accumulates over them when the loop is turned, or the other way round.
template <class Group, int Before, int... Outputs>
constexpr bool exchanges_reductions(std::integer_sequence<int, Outputs...>) {
  long long const axes[] = {reduced_axes<typename Group::template node<Outputs>>()...};
  for (long long each : axes)
    if ((each & 1) != (each >> Before & 1)) return true;
  return false;
}
/// Whether all results of a group are reductions, and its rows are of another kind when it is
/// turned.
template <class Group, int Before, int... Outputs>
constexpr bool turns(std::integer_sequence<int, Outputs...>) {
  if constexpr (!(node_traits<typename Group::template node<Outputs>>::is_reduction && ...))
    return false;
  else
    return exchanges_reductions<Group, Before>(std::integer_sequence<int, Outputs...>{}) ||
           group<turned_t<typename Group::type, Before>>::spans_rows != Group::spans_rows;
}
template <class Expression, int Before>
inline constexpr bool can_be_turned =
    turns<group<Expression>, Before>(typename group<Expression>::outputs{});

}  // namespace kroton::freeze
