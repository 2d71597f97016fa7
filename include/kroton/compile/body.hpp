// The body of a fused loop: one statement a node, the same for a scalar on the host, a batch and a CUDA thread.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/compile/group.hpp>

namespace kroton::core {

// Symbols must stay short: whatever is instantiated for each node names the node and a few element types, never the whole
// expression. So the values of a group lie in plain arrays, one an element type, indexed by constants; the compiler turns
// them into registers.

/// Values of a group of N nodes for one element.
template <int N>
struct scalar_values {
  bool b[N];
  std::int8_t i8[N];
  std::int16_t i16[N];
  std::int32_t i32[N];
  std::int64_t i64[N];
  std::uint8_t u8[N];
  std::uint16_t u16[N];
  std::uint32_t u32[N];
  std::uint64_t u64[N];
  float f32[N];
  double f64[N];
  // As bytes: the constructor of std::complex would set all of them to 0.
  alignas(float) std::byte c64[N * 8];
  alignas(double) std::byte c128[N * 16];

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
    else if constexpr (E == element::float32) return f32[i];
    else if constexpr (E == element::float64) return f64[i];
    else if constexpr (E == element::complex64) return reinterpret_cast<std::complex<float>*>(c64)[i];
    else return reinterpret_cast<std::complex<double>*>(c128)[i];
  }
};

/// The element types that a node and its operands have, from the table of a group's types. The table is passed by reference:
/// the group itself, as an argument of what is formed for each node, would cost the square of its length.
template <auto const* Elements, class Node, int I>
struct node_elements {
  using type = std::integer_sequence<element, (*Elements)[static_cast<std::size_t>(I)]>;
};
template <auto const* Elements, class Op, int... In, int I>
struct node_elements<Elements, apply<Op, In...>, I> {
  using type = std::integer_sequence<element, (*Elements)[static_cast<std::size_t>(I)], (*Elements)[static_cast<std::size_t>(In)]...>;
};

/// Evaluates one node from the values of earlier ones.
template <class Node>
struct evaluate;

template <class Op, int... In>
struct evaluate<apply<Op, In...>> {
  template <element R, element... E, class Values>
  static constexpr KROTON_INLINE void run(Values& values, int i, std::integer_sequence<element, R, E...>) {
    values.template at<R>(i) = Op::value(values.template at<E>(In)...);
  }
};
template <class To, int In>
struct evaluate<apply<op::cast_to<To>, In>> {
  template <element R, element E, int N>
  static constexpr KROTON_INLINE void run(scalar_values<N>& values, int i,
                                                             std::integer_sequence<element, R, E>) {
    if constexpr (R == element::boolean) values.b[i] = values.template at<E>(In) != value_t<E>(0);
    else values.template at<R>(i) = static_cast<To>(values.template at<E>(In));
  }
  // A batch converts to its lane type by its own means.
  template <element R, element E, class Values>
  static KROTON_INLINE void run(Values& values, int i, std::integer_sequence<element, R, E>) {
    values.template convert<R, E>(i, In);
  }
};
// A reduction's value in the loop is that of its operand; the loop accumulates it.
template <class Op, long long Axes, int In>
struct evaluate<apply<with<Op, Axes>, In>> {
  template <element R, element... E, class Values>
  static constexpr KROTON_INLINE void run(Values& values, int i, std::integer_sequence<element, R, E...>) {
    values.template at<R>(i) = values.template at<R>(In);
  }
};

}  // namespace kroton::core
