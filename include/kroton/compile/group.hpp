// A fused group as a type: what its expression says to the loops that run it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/compile/expression.hpp>
#include <kroton/ops/reduction.hpp>

#include <array>

namespace kroton::core {

/// What a node of a group is, read off its type.
template <class Node>
struct node_traits;

template <class T, int Position, int Rank, unsigned Broadcast>
struct node_traits<input<T, Position, Rank, Broadcast>> {
  static constexpr bool is_input = true, is_literal = false, is_reduction = false, is_marker = false;
  static constexpr int position = Position, rank = Rank;
  // Whether the operand has an element for each index of the last axis, or one for the whole row.
  static constexpr bool spans_rows = Rank > 0 && (Broadcast >> (Rank > 0 ? Rank - 1 : 0) & 1u) == 0;
  static constexpr element type(element const*) { return element_of<T>(); }
};
template <class T>
struct literal_traits {
  static constexpr bool is_input = false, is_literal = true, is_reduction = false, is_marker = false;
  static constexpr element type(element const*) { return element_of<T>(); }
};
template <class T, long long Value>
struct node_traits<literal<T, Value>> : literal_traits<T> {
  static constexpr T value = static_cast<T>(Value);
};
template <class T, std::uint64_t Bits>
struct node_traits<kroton::literal_bits<T, Bits>> : literal_traits<T> {
  static constexpr T value = static_cast<T>(std::bit_cast<double>(Bits));
};
template <class Op, int... In>
struct node_traits<apply<Op, In...>> {
  static constexpr bool is_input = false, is_literal = false, is_reduction = false, is_marker = false;
  using op_type = Op;
  static constexpr element type(element const* e) {
    element const operands[] = {e[In]...};
    return Op::types::of(operands, static_cast<int>(sizeof...(In))).result;
  }
};
template <class To, int In>
struct node_traits<apply<op::cast_to<To>, In>> {
  static constexpr bool is_input = false, is_literal = false, is_reduction = false, is_marker = false;
  static constexpr element type(element const*) { return element_of<To>(); }
};
template <class Op, long long AxesFromLast, int In>
struct node_traits<apply<with<Op, AxesFromLast>, In>> {
  static constexpr bool is_input = false, is_literal = false, is_reduction = true, is_marker = false;
  using op_type = Op;
  static constexpr long long axes = AxesFromLast;  // as bits, counted from the last
  // Whether the last axis is reduced: then a row accumulates into one value.
  static constexpr bool along_rows = (AxesFromLast & 1) != 0;
  static constexpr element type(element const* e) { return e[In]; }
};
template <int... Nodes>
struct node_traits<yield<Nodes...>> {
  static constexpr bool is_input = false, is_literal = false, is_reduction = false, is_marker = true;
  static constexpr element type(element const*) { return element::boolean; }
};

/// The element types of all nodes.
template <class... N>
constexpr auto element_table() {
  std::array<element, sizeof...(N) + 1> table{};
  int i = 0;
  using expand = int[];
  (void)expand{0, (table[static_cast<std::size_t>(i)] = node_traits<N>::type(table.data()), ++i)...};
  return table;
}

template <class Last, int Size>
struct yields {
  using type = std::integer_sequence<int, Size - 1>;
  static constexpr int nodes = Size;
};
template <int... Nodes, int Size>
struct yields<yield<Nodes...>, Size> {
  using type = std::integer_sequence<int, Nodes...>;
  static constexpr int nodes = Size - 1;
};

/// Which nodes are operands.
template <class... N>
constexpr auto input_table() {
  std::array<bool, sizeof...(N) + 1> table{};
  int i = 0;
  using expand = int[];
  (void)expand{0, (table[static_cast<std::size_t>(i++)] = node_traits<N>::is_input, 0)...};
  return table;
}

/// Which operands have an element for each index of the last axis.
template <class Node>
constexpr void note_operand(bool* spans_rows) {
  if constexpr (node_traits<Node>::is_input) spans_rows[node_traits<Node>::position] = node_traits<Node>::spans_rows;
}
template <class... N>
constexpr auto rows_table() {
  std::array<bool, sizeof...(N) + 1> table{};
  bool* const at = table.data();
  using expand = int[];
  (void)expand{0, (note_operand<N>(at), 0)...};
  return table;
}

/// A group: its nodes, element types, outputs and operands.
template <class Expression>
struct group;
template <class... N>
struct group<expression<N...>> {
  using type = expression<N...>;
  using nodes = boost::mp11::mp_list<N...>;
  static constexpr int all = static_cast<int>(sizeof...(N));
  using last = boost::mp11::mp_at_c<nodes, static_cast<std::size_t>(all - 1)>;
  using outputs = typename yields<last, all>::type;
  static constexpr int size = yields<last, all>::nodes;  // nodes without the marker
  static constexpr auto elements = element_table<N...>();
  static constexpr auto inputs = input_table<N...>();
  static constexpr auto spans_rows = rows_table<N...>();
  static constexpr int operands = [] {
    int count = 0;
    using expand = int[];
    (void)expand{0, (count += node_traits<N>::is_input ? 1 : 0)...};
    return count;
  }();
  static constexpr bool has_reduction = [] {
    bool found = false;
    using expand = int[];
    (void)expand{0, (found = found || node_traits<N>::is_reduction, 0)...};
    return found;
  }();
  static constexpr bool has(element e) {
    for (int i = 0; i < size; ++i)
      if (elements[static_cast<std::size_t>(i)] == e) return true;
    return false;
  }
  template <int I>
  using node = boost::mp11::mp_at_c<nodes, static_cast<std::size_t>(I)>;
  template <int I>
  using value = value_t<elements[static_cast<std::size_t>(I)]>;
};

}  // namespace kroton::core
