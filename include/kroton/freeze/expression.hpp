// The frozen form of a graph: a type that reads like its program.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/cast.hpp>

#include <boost/mp11/algorithm.hpp>
#include <boost/mp11/list.hpp>

#include <bit>
#include <utility>

namespace kroton {

// The nodes of an expression. They are never completed, so a long program costs little; numbers are
// positions in the list.

/// A parameter: element type, position, rank and broadcast flags.
template <class T, int Position, int Rank = 0, unsigned Broadcast = 0>
struct input;
/// A constant whose value is a small integer.
template <class T, long long Value>
struct literal;
/// Any other constant, by its bit pattern.
template <class T, std::uint64_t Bits>
struct literal_bits;
/// An op applied to earlier nodes.
template <class Op, int... Inputs>
struct apply;
/// An op with its static attributes (axes of a reduction, pattern of a dimshuffle ...).
template <class Op, long long... Attributes>
struct with;
namespace op {
/// Conversion to element type T.
template <class T>
struct cast_to;
}  // namespace op
/// The outputs, if they are not just the last node.
template <int... Nodes>
struct yield;
/// The new value of a parameter.
template <int Parameter, int Node>
struct assign;

/// A program as a type: a list of nodes. Equal types are equal expressions.
template <class... Nodes>
struct expression {
  static constexpr int size = static_cast<int>(sizeof...(Nodes));
};

namespace freeze {

/// A graph as plain words, and the ops that it names: the result of a constant evaluation.
template <int Words, int Ops>
struct frozen {
  long long words[static_cast<std::size_t>(Words)]{};
  op_info const* ops[static_cast<std::size_t>(Ops)]{};
  int word_count = 0;
  int op_count = 0;

  constexpr bool holds_all() const { return word_count < Words && op_count < Ops; }
};

/// The words of a node: op, element, rank, flags, number of inputs, number of attributes, then
/// inputs and attributes.
struct frozen_node {
  enum { op, element, rank, broadcast, inputs, attributes, header };
};

/// Writes words and ops into over-sized arrays that are shrunk afterwards, so that no second
/// evaluation is needed to find the size. Entries that do not fit are only counted: see `roomy`.
template <int Words, int Ops>
class freezer {
 public:
  constexpr int word(long long value) {
    put(result.word_count, value);
    return result.word_count++;
  }
  constexpr int op(op_info const* op) {
    int const known = result.op_count < Ops ? result.op_count : Ops;
    for (int i = 0; i < known; ++i)
      if (result.ops[i]->key == op->key) return i;
    if (result.op_count < Ops) result.ops[result.op_count] = op;
    return result.op_count++;
  }
  /// Layout: node count, marker count, the offsets of all nodes, the nodes; then outputs and
  /// updates as markers: output count, outputs, update count, (parameter, node) pairs.
  constexpr int add(graph const& g) {
    int const start = word(g.size());
    int const table = result.word_count;
    for (int i = 0; i < g.size(); ++i) word(0);
    for (int i = 0; i < g.size(); ++i) {
      put(table + i, result.word_count);
      node const& n = g[i];
      word(op(n.op));
      word(static_cast<long long>(n.type.element));
      word(n.type.rank);
      word(n.type.broadcast);
      word(n.input_count);
      word(n.attribute_count);
      int const* const inputs = g.input_data(i);
      for (int k = 0; k < n.input_count; ++k) word(inputs[k]);
      long long const* const attributes = g.attribute_data(i);
      for (int k = 0; k < n.attribute_count; ++k) word(attributes[k]);
    }
    word(g.results().size());
    for (int id : g.results()) word(id);
    word(g.updates().size());
    for (auto const& u : g.updates()) {
      word(u.parameter);
      word(u.value);
    }
    return start;
  }

  frozen<Words, Ops> result;

 private:
  constexpr void put(int at, long long value) {
    if (at < Words) result.words[at] = value;
  }
};

/// Whether the result of a constant evaluation does not fit. False if the compiler could not
/// complete the evaluation, which is an error already.
template <class Evaluation>
inline constexpr bool overflows =
    requires { typename std::enable_if<!Evaluation::code().holds_all()>::type; };
/// The constant evaluation `Evaluation<Words, Ops>` with sufficiently large arrays: few programs
/// need a second one.
template <template <int, int> class Evaluation, class Usual = Evaluation<1 << 16, 1 << 9>,
          bool Again = overflows<Usual>>
struct roomy : Usual {};
template <template <int, int> class Evaluation, class Usual>
struct roomy<Evaluation, Usual, true>
    : Evaluation<Usual::code().word_count + 1, Usual::code().op_count + 1> {};

template <int Words, int Ops, class Storage>
constexpr frozen<Words, Ops> shrink(Storage const& from) {
  frozen<Words, Ops> to;
  for (int i = 0; i < Words; ++i) to.words[i] = from.words[i];
  for (int i = 0; i < from.op_count; ++i) to.ops[i] = from.ops[i];
  to.word_count = Words;
  to.op_count = from.op_count;
  return to;
}

constexpr bool is_small_integer(double v) {
  return v > -1e15 && v < 1e15 && static_cast<double>(static_cast<long long>(v)) == v;
}
/// The type of a literal: by value if that is a small integer.
template <element E, std::int64_t Bits>
constexpr auto literal_type() {
  using T = value_t<E>;
  if constexpr (is_continuous(E)) {
    constexpr double v = std::bit_cast<double>(Bits);
    if constexpr (is_small_integer(v) && (v != 0 || Bits == 0))
      return std::type_identity<literal<T, static_cast<long long>(v)>>{};
    else
      return std::type_identity<kroton::literal_bits<T, static_cast<std::uint64_t>(Bits)>>{};
  } else {
    return std::type_identity<literal<T, Bits>>{};
  }
}

template <class Op, element E, class Attributes>
struct spelled;
template <class Op, element E>
struct spelled<Op, E, std::integer_sequence<long long>> {
  using type = Op;
};
template <class Op, element E, long long... A>
  requires(sizeof...(A) > 0)
struct spelled<Op, E, std::integer_sequence<long long, A...>> {
  using type = with<Op, A...>;
};
template <element E>
struct spelled<op::cast, E, std::integer_sequence<long long>> {
  using type = op::cast_to<value_t<E>>;
};
template <element E>
struct spelled<op::cast, E, std::integer_sequence<long long, is_stored_cast>>
    : spelled<op::cast, E, std::integer_sequence<long long>> {};

template <class Op, element E, int Rank, unsigned Flags, class Attributes, class Inputs>
struct node_type;
template <class Op, element E, int Rank, unsigned Flags, class Attributes, int... In>
struct node_type<Op, E, Rank, Flags, Attributes, std::integer_sequence<int, In...>> {
  using type = apply<typename spelled<Op, E, Attributes>::type, In...>;
};
template <element E, int Rank, unsigned Flags, long long Position>
struct node_type<op::input, E, Rank, Flags, std::integer_sequence<long long, Position>,
                 std::integer_sequence<int>> {
  using type = input<value_t<E>, static_cast<int>(Position), Rank, Flags>;
};
template <element E, int Rank, unsigned Flags, long long Bits>
struct node_type<op::literal, E, Rank, Flags, std::integer_sequence<long long, Bits>,
                 std::integer_sequence<int>> {
  using type = typename decltype(literal_type<E, Bits>())::type;
};

/// The type of the node whose words begin at `At`. `P::value` is the frozen program; P's own name
/// is short.
// Without members but the type, since this is instantiated for each node.
template <class P, int At,
          class Inputs = std::make_index_sequence<static_cast<std::size_t>(
              P::value.words[At + frozen_node::inputs])>,
          class Attributes = std::make_index_sequence<static_cast<std::size_t>(
              P::value.words[At + frozen_node::attributes])>>
struct lift_node;
template <class P, int At, std::size_t... I, std::size_t... A>
struct lift_node<P, At, std::index_sequence<I...>, std::index_sequence<A...>> {
  using type = typename node_type<
      op_at<P::value.ops[P::value.words[At]]>, static_cast<element>(P::value.words[At + 1]),
      static_cast<int>(P::value.words[At + 2]), static_cast<unsigned>(P::value.words[At + 3]),
      std::integer_sequence<long long, P::value.words[At + frozen_node::header +
                                                      static_cast<int>(sizeof...(I) + A)]...>,
      std::integer_sequence<int, static_cast<int>(P::value.words[At + frozen_node::header +
                                                                 static_cast<int>(I)])...>>::type;
};

// A function: with an alias, nvcc records how a node was found, lambda included, and writes that
// into its stubs of kernels.
template <class P, int At>
constexpr auto lifted_node() {
  return std::type_identity<typename lift_node<P, At>::type>{};
}

// Instantiations per node must not name lift, which has as many arguments as there are nodes, not
// even through its `w`.
template <class P, int Start, class Nodes, class Outputs, class Updates>
struct lift;
template <class P, int Start, std::size_t... N, std::size_t... O, std::size_t... U>
struct lift<P, Start, std::index_sequence<N...>, std::index_sequence<O...>,
            std::index_sequence<U...>> {
  static constexpr auto& w = P::value.words;
  static constexpr int size = static_cast<int>(sizeof...(N));
  static constexpr int outputs = static_cast<int>(
      size == 0 ? Start + 1
                : w[Start + size] + frozen_node::header + w[w[Start + size] + frozen_node::inputs] +
                      w[w[Start + size] + frozen_node::attributes]);
  static constexpr int updates = outputs + 1 + static_cast<int>(sizeof...(O));
  static constexpr auto make() {
    if constexpr (sizeof...(O) == 1 && sizeof...(U) == 0 && w[outputs + 1] == size - 1)
      return std::type_identity<
          expression<typename decltype(lifted_node<
                                       P, static_cast<int>(
                                              P::value.words[Start + 1 +
                                                             static_cast<int>(N)])>())::type...>>{};
    else
      return std::type_identity<expression<
          typename decltype(lifted_node<
                            P, static_cast<int>(
                                   P::value.words[Start + 1 + static_cast<int>(N)])>())::type...,
          yield<static_cast<int>(w[outputs + 1 + static_cast<int>(O)])...>,
          kroton::assign<static_cast<int>(w[updates + 1 + 2 * static_cast<int>(U)]),
                 static_cast<int>(w[updates + 2 + 2 * static_cast<int>(U)])>...>>{};
  }
  using type = typename decltype(make())::type;
};

constexpr int outputs_at(long long const* w, int start) {
  int const size = static_cast<int>(w[start]);
  if (size == 0) return start + 1;
  int const last = static_cast<int>(w[start + size]);
  return last + frozen_node::header +
         static_cast<int>(w[last + frozen_node::inputs] + w[last + frozen_node::attributes]);
}
constexpr int updates_at(long long const* w, int start) {
  int const at = outputs_at(w, start);
  return at + 1 + static_cast<int>(w[at]);
}

/// The expression type of the graph frozen at word `Start` of `P::value`.
template <class P, int Start>
using lift_t =
    typename lift<P, Start,
                  std::make_index_sequence<static_cast<std::size_t>(P::value.words[Start])>,
                  std::make_index_sequence<static_cast<std::size_t>(
                      P::value.words[outputs_at(P::value.words, Start)])>,
                  std::make_index_sequence<static_cast<std::size_t>(
                      P::value.words[updates_at(P::value.words, Start)])>>::type;

}  // namespace freeze
}  // namespace kroton
