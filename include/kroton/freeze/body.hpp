// The body of a fused loop: one statement per node, the same for a scalar on the host, a batch and
// a CUDA thread.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/freeze/group.hpp>

namespace kroton::freeze {

// Symbols must stay short: everything instantiated per node names the node and a few element types,
// never the whole expression. So the values of a group are in plain arrays, one per element type,
// indexed by constants; the compiler keeps them in registers.

/// Values of a group of N nodes for one element.
template <int N>
struct scalar_values {
  static constexpr auto size = static_cast<std::size_t>(N);
  bool b[size];
  std::int8_t i8[size];
  std::int16_t i16[size];
  std::int32_t i32[size];
  std::int64_t i64[size];
  std::uint8_t u8[size];
  std::uint16_t u16[size];
  std::uint32_t u32[size];
  std::uint64_t u64[size];
  half f16[size];
  bfloat16 bf16[size];
  float f32[size];
  double f64[size];
  // As bytes: the constructor of std::complex would set all of them to 0.
  alignas(float) std::byte c64[size * 8];
  alignas(double) std::byte c128[size * 16];

  template <element E>
  constexpr KROTON_INLINE auto& at(int i) {
    if constexpr (E == element::boolean) return b[i];
    else if constexpr (E == element::int8) return i8[i];
    else if constexpr (E == element::int16) return i16[i];
    else if constexpr (E == element::int32) return i32[i];
    else if constexpr (E == element::int64) return i64[i];
    else if constexpr (E == element::uint8) return u8[i];
    else if constexpr (E == element::uint16) return u16[i];
    else if constexpr (E == element::uint32) return u32[i];
    else if constexpr (E == element::uint64) return u64[i];
    else if constexpr (E == element::float16) return f16[i];
    else if constexpr (E == element::bfloat16) return bf16[i];
    else if constexpr (E == element::float32) return f32[i];
    else if constexpr (E == element::float64) return f64[i];
    else if constexpr (E == element::complex64)
      return reinterpret_cast<std::complex<float>*>(c64)[i];
    else return reinterpret_cast<std::complex<double>*>(c128)[i];
  }
};

/// The element types of a node and its operands, from the table of a group's types. The table is
/// passed by reference: passing the group itself to each node's instantiation would cost the square
/// of its length.
template <auto const* Elements, class Node, int I>
struct node_elements {
  using type = std::integer_sequence<element, (*Elements)[static_cast<std::size_t>(I)]>;
};
template <auto const* Elements, class Op, int... In, int I>
struct node_elements<Elements, apply<Op, In...>, I> {
  using type = std::integer_sequence<element, (*Elements)[static_cast<std::size_t>(I)],
                                     (*Elements)[static_cast<std::size_t>(In)]...>;
};

/// The computation of a node, independent of the nodes it reads: all nodes of an op on the same
/// element types share one instance.
template <class Op, element R, element... E>
struct computation {
  template <class Values, class... In>
  static constexpr KROTON_INLINE void run(Values& values, int i, In... in) {
    values.template at<R>(i) = Op::value(values.template at<E>(in)...);
  }
};
template <class To, element R, element E>
struct computation<op::cast_to<To>, R, E> {
  template <int N>
  static constexpr KROTON_INLINE void run(scalar_values<N>& values, int i, int in) {
    values.template at<R>(i) = convert<To>(static_cast<value_t<E>>(values.template at<E>(in)));
  }
  // A batch converts to its lane type with its own function.
  template <class Values>
  static KROTON_INLINE void run(Values& values, int i, int in) {
    values.template convert<R, E>(i, in);
  }
};
// A reduction's value in the loop is that of its operand; the loop accumulates it.
template <class Op, long long Axes, element R, element E>
struct computation<with<Op, Axes>, R, E> {
  template <class Values>
  static constexpr KROTON_INLINE void run(Values& values, int i, int in) {
    values.template at<R>(i) = values.template at<R>(in);
  }
};

/// An op that is called where its value is needed.
template <class Op>
struct by_call {
  template <class... X>
  static KROTON_INLINE auto value(X const&... x) {
    return called<X...>(x...);
  }

 private:
  template <class... X>
  [[gnu::noinline]] static auto called(X... x) {
    return Op::value(x...);
  }
};

/// The computation of a node, given its node_fact.
template <class Op, unsigned Types, class Values>
KROTON_INLINE void compute_node(Values& values, int i, int const* in) {
  using op = std::conditional_t<(Types & is_called) != 0, by_call<Op>, Op>;
  constexpr element r = type_in(Types, 0), a = type_in(Types, 1), b = type_in(Types, 2),
                    c = type_in(Types, 3);
  if constexpr (count_in(Types) == 1) computation<op, r, a>::run(values, i, in[0]);
  else if constexpr (count_in(Types) == 2) computation<op, r, a, b>::run(values, i, in[0], in[1]);
  else computation<op, r, a, b, c>::run(values, i, in[0], in[1], in[2]);
}

/// Evaluates one node from the values of earlier ones.
template <class Node>
struct evaluate;
template <class Op, int... In>
struct evaluate<apply<Op, In...>> {
  template <element R, element... E, class Values>
  static constexpr KROTON_INLINE void run(Values& values, int i,
                                          std::integer_sequence<element, R, E...>) {
    computation<Op, R, E...>::run(values, i, In...);
  }
};

}  // namespace kroton::freeze
