// A fused group as a type: the facts about its expression that the loops need.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/freeze/expression.hpp>
#include <kroton/ops/along_axes/reduction.hpp>

#include <array>

namespace kroton::freeze {

/// Facts about a node that the loops need in addition to its op.
// Without initializers: they would cost the constant evaluation of a table one call for each node.
struct node_fact {
  // Of the result and the operands, four bits each; the number of operands; and whether it is
  // called
  unsigned types;
  int in[3];       // the operands
  bool is_input, spans_rows;
  bool is_costly;    // takes more than an instruction or two
  bool is_function;  // an op whose body is as long as that of exp
  int position;      // of an operand of the group
};
/// The type of the result of a node, and those of its operands from 1 on.
constexpr element type_in(unsigned types, int i) {
  return static_cast<element>(types >> (4 * i) & 15u);
}
/// The number of operands.
constexpr int count_in(unsigned types) { return static_cast<int>(types >> 16 & 3u); }
/// The bit of a node that is called, instead of having its body copied.
inline constexpr unsigned is_called = 1u << 18;
/// A loop with more functions than this calls them: copies of their bodies would not fit in the
/// registers either, and cost the compiler 40 ms each.
inline constexpr int most_copied = 16;

/// Records a node that reads others; `types` returns the element type of the result.
constexpr void note_node(node_fact const* nodes, node_fact& f, int const* in, int count,
                         signature (*types)(element const*, int)) {
  element operands[3]{};
  f.types = static_cast<unsigned>(count) << 16;
  for (int i = 0; i < count; ++i) {
    f.in[i] = in[i];
    operands[i] = type_in(nodes[in[i]].types, 0);
    f.types |= static_cast<unsigned>(operands[i]) << (4 * (i + 1));
  }
  f.types |= static_cast<unsigned>(types(operands, count).result);
}
constexpr signature same_type(element const* e, int) { return {e[0]}; }
template <class To>
constexpr signature type_of_cast(element const*, int) {
  return {element_of<To>()};
}

/// Properties of a node of a group, derived from its type. `kind` identifies nodes that are
/// computed alike: the op, for nodes that have one.
template <class Node>
struct node_traits;

/// The kind of an operand: its element for each index of the last axis, or one for the whole row.
template <int Position, bool SpansRows>
struct operand_kind;
/// The kind of the markers of outputs.
struct marker_kind;

template <class T, int Position, int Rank, unsigned Broadcast>
struct node_traits<input<T, Position, Rank, Broadcast>> {
  static constexpr bool is_input = true, is_literal = false, is_reduction = false,
                        is_marker = false;
  static constexpr int position = Position, rank = Rank;
  // Whether the operand has an element for each index of the last axis, or one for the whole row.
  static constexpr bool spans_rows = Rank > 0 && (Broadcast >> (Rank > 0 ? Rank - 1 : 0) & 1u) == 0;
  using kind = operand_kind<Position, spans_rows>;
  static constexpr void note(node_fact const*, node_fact& f) {
    f.types = static_cast<unsigned>(element_of<T>());
    f.is_input = true;
    f.spans_rows = spans_rows;
    f.position = Position;
  }
};
template <class T, class Node>
struct literal_traits {
  static constexpr bool is_input = false, is_literal = true, is_reduction = false,
                        is_marker = false;
  using kind = Node;
  static constexpr element type(element const*) { return element_of<T>(); }
  static constexpr void note(node_fact const*, node_fact& f) {
    f.types = static_cast<unsigned>(element_of<T>());
  }
};
template <class T, long long Value>
struct node_traits<literal<T, Value>> : literal_traits<T, literal<T, Value>> {
  static constexpr T value = static_cast<T>(Value);
};
template <class T, std::uint64_t Bits>
struct node_traits<kroton::literal_bits<T, Bits>>
    : literal_traits<T, kroton::literal_bits<T, Bits>> {
  static constexpr T value = static_cast<T>(std::bit_cast<double>(Bits));
};
template <class Op, int... In>
struct node_traits<apply<Op, In...>> {
  static constexpr bool is_input = false, is_literal = false, is_reduction = false,
                        is_marker = false;
  using op_type = Op;
  using kind = Op;
  static constexpr void note(node_fact const* nodes, node_fact& f) {
    static_assert(sizeof...(In) <= 3, "a node of a loop has one to three operands");
    int const in[] = {In...};
    note_node(nodes, f, in, static_cast<int>(sizeof...(In)), &Op::types::of);
    f.is_costly = !Op::is_cheap;
    f.is_function = f.is_costly && !Op::is_instruction &&
                    std::is_same_v<typename Op::types, signatures::floating>;
  }
};
template <class To, int In>
struct node_traits<apply<op::cast_to<To>, In>> {
  static constexpr bool is_input = false, is_literal = false, is_reduction = false,
                        is_marker = false;
  using kind = op::cast_to<To>;
  static constexpr void note(node_fact const* nodes, node_fact& f) {
    int const in[] = {In};
    note_node(nodes, f, in, 1, &type_of_cast<To>);
  }
};
template <class Op, long long AxesFromLast, int In>
struct node_traits<apply<with<Op, AxesFromLast>, In>> {
  static constexpr bool is_input = false, is_literal = false, is_reduction = true,
                        is_marker = false;
  using op_type = Op;
  using kind = with<Op, AxesFromLast>;
  static constexpr long long axes = AxesFromLast;  // as bits, counted from the last
  // Whether the last axis is reduced: if so, a row accumulates into one value.
  static constexpr bool along_rows = (AxesFromLast & 1) != 0;
  static constexpr void note(node_fact const* nodes, node_fact& f) {
    int const in[] = {In};
    note_node(nodes, f, in, 1, &same_type);
  }
};
template <int... Nodes>
struct node_traits<yield<Nodes...>> {
  static constexpr bool is_input = false, is_literal = false, is_reduction = false,
                        is_marker = true;
  using kind = marker_kind;
  static constexpr void note(node_fact const*, node_fact&) {}
};

/// The facts of all nodes.
template <class... N>
constexpr auto fact_table() {
  std::array<node_fact, sizeof...(N) + 1> table{};
  node_fact* const first = table.data();
  node_fact* next = first;
  using expand = int[];
  (void)expand{0, (node_traits<N>::note(first, *next++), 0)...};
  int functions = 0;
  for (node_fact const& f : table) functions += f.is_function ? 1 : 0;
  for (node_fact& f : table)
    if (f.is_function && functions > most_copied) f.types |= is_called;
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
  static constexpr auto facts = fact_table<N...>();
  static constexpr auto elements = [] {
    std::array<element, sizeof...(N) + 1> table{};
    for (std::size_t i = 0; i != sizeof...(N); ++i) table[i] = type_in(facts[i].types, 0);
    return table;
  }();
  static constexpr auto spans_rows = [] {
    std::array<bool, sizeof...(N) + 1> table{};
    for (node_fact const& f : facts)
      if (f.is_input) table[static_cast<std::size_t>(f.position)] = f.spans_rows;
    return table;
  }();
  static constexpr int operands = [] {
    int count = 0;
    for (node_fact const& f : facts) count += f.is_input ? 1 : 0;
    return count;
  }();
  // Not a fold expression: clang nests those at most 256 deep.
  static constexpr int costly = [] {
    int count = 0;
    for (node_fact const& f : facts) count += f.is_costly ? 1 : 0;
    return count;
  }();
  static constexpr int functions = [] {
    int count = 0;
    for (node_fact const& f : facts) count += f.is_function ? 1 : 0;
    return count;
  }();
  static constexpr bool has_reduction = [] {
    bool const is_reduction[] = {node_traits<N>::is_reduction...};
    for (bool reduces : is_reduction)
      if (reduces) return true;
    return false;
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

}  // namespace kroton::freeze
