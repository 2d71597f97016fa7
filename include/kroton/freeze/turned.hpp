// The expression of a loop whose last two axes have changed places.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/freeze/group.hpp>

#include <utility>

namespace kroton::freeze {

template <class Node>
struct turned_node {
  using type = Node;
};
/// All that a loop asks of an operand is whether a row has an element for each index.
template <class T, int Position, int Rank, unsigned Broadcast>
struct turned_node<input<T, Position, Rank, Broadcast>> {
  static constexpr bool spans_rows =
      Rank > 1 && (Broadcast >> (Rank > 1 ? Rank - 2 : 0) & 1u) == 0;
  using type = input<T, Position, spans_rows ? 1 : 0>;
};
template <class Op, long long AxesFromLast, int In>
struct turned_node<apply<with<Op, AxesFromLast>, In>> {
  static constexpr long long exchanged =
      (AxesFromLast & ~3ll) | (AxesFromLast & 1) << 1 | (AxesFromLast >> 1 & 1);
  using type = apply<with<Op, exchanged>, In>;
};

template <class Expression>
struct turned;
template <class... N>
struct turned<expression<N...>> {
  using type = expression<typename turned_node<N>::type...>;
};
template <class Expression>
using turned_t = typename turned<Expression>::type;

/// Whether all results of a group are reductions, and its rows are of another kind when it is
/// turned.
template <class Group, int... Outputs>
constexpr bool turns(std::integer_sequence<int, Outputs...>) {
  if constexpr (!(node_traits<typename Group::template node<Outputs>>::is_reduction && ...)) {
    return false;
  } else {
    bool const over_one[] = {
        ((node_traits<typename Group::template node<Outputs>>::axes & 1) !=
         (node_traits<typename Group::template node<Outputs>>::axes >> 1 & 1))...};
    bool differs = group<turned_t<typename Group::type>>::spans_rows != Group::spans_rows;
    for (bool each : over_one) differs = differs || each;
    return differs;
  }
}
template <class Expression>
inline constexpr bool can_be_turned =
    turns<group<Expression>>(typename group<Expression>::outputs{});

}  // namespace kroton::freeze
