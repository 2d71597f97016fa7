// What a thread needs to evaluate the nodes of a fused group: its operands, its nodes one after the
// other, its results.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/loop/loop.hpp>
#include <kroton/freeze/body.hpp>

#include <cstdint>
#include <cstring>
#include <utility>

namespace kroton::cuda {

/// The axes of a space, and the strides of so many arrays along them.
template <int Arrays>
using space_over = cpu::basic_space<cpu::compiled_arrays<(Arrays > 0 ? Arrays : 1)>>;

/// The operands of rank 0 of a group, which every element sees. Those of the host travel with the
/// launch, by value; those of the device lie where `data` says.
template <int Operands>
struct scalar_operands {
  std::uint64_t bits[Operands + 1]{};

  void set(int k, std::byte const* value, int bytes) {
    std::memcpy(&bits[k], value, static_cast<std::size_t>(bytes));
  }
  bool operator==(scalar_operands const&) const = default;
};

/// Reads a scalar operand that lies on the device; the others are in `scalars` already.
template <class Node>
struct load_scalar {
  template <class Scalars>
  KROTON_HOST_DEVICE static KROTON_INLINE void run(Scalars&, std::byte* const*) {}
};
template <class T, int Position, unsigned Broadcast>
struct load_scalar<input<T, Position, 0, Broadcast>> {
  template <class Scalars>
  KROTON_HOST_DEVICE static KROTON_INLINE void run(Scalars& scalars, std::byte* const* data) {
    if (data[Position] != nullptr) std::memcpy(&scalars.bits[Position], data[Position], sizeof(T));
  }
};

/// The elements of an operand that lie at `at`, one after the other, in `data`.
struct elements_in_memory {
  std::byte* const* data;
  std::int64_t const* at;

  template <class T, int Position>
  KROTON_HOST_DEVICE KROTON_INLINE T element() const {
    return reinterpret_cast<T const*>(data[Position])[at[Position]];
  }
};

/// The axes that an operand has, as bits from the last; none of another node.
template <class Node>
inline constexpr std::uint64_t axes_of_operand = 0;
template <class T, int Position, int Rank, unsigned Broadcast>
inline constexpr std::uint64_t axes_of_operand<input<T, Position, Rank, Broadcast>> = [] {
  std::uint64_t axes = 0;
  for (int d = 0; d < Rank; ++d)
    if ((Broadcast >> d & 1) == 0) axes |= std::uint64_t{1} << (Rank - 1 - d);
  return axes;
}();

/// Gives one node of a group its value for one element. Named for the node alone, so that symbols
/// stay short.
template <class Node>
struct fill {
  template <class Values, class Scalars, class Source, class Elements>
  KROTON_HOST_DEVICE static KROTON_INLINE void run(Values& v, int id, Scalars const&, Source const&,
                                                   Elements types) {
    if constexpr (freeze::node_traits<Node>::is_literal)
      v.template at<freeze::node_traits<Node>::type(nullptr)>(id) =
          freeze::node_traits<Node>::value;
    else if constexpr (!freeze::node_traits<Node>::is_marker)
      freeze::evaluate<Node>::run(v, id, types);
  }
};
template <class T, int Position, int Rank, unsigned Broadcast>
struct fill<input<T, Position, Rank, Broadcast>> {
  template <class Values, class Scalars, class Source, class Elements>
  KROTON_HOST_DEVICE static KROTON_INLINE void run(Values& v, int id, Scalars const& scalars,
                                                   Source const& from, Elements) {
    T value;
    if constexpr (Rank == 0) std::memcpy(&value, &scalars.bits[Position], sizeof(T));
    else value = from.template element<T, Position>();
    v.template at<core::element_of<T>()>(id) = value;
  }
};

/// All nodes of a group for one element.
template <class Expression, class Indices>
struct group_evaluation;
template <class... N, std::size_t... I>
struct group_evaluation<expression<N...>, std::index_sequence<I...>> {
  using group = freeze::group<expression<N...>>;
  using values = freeze::scalar_values<group::all>;
  /// The bytes of an element of each operand that is an array.
  static constexpr auto operand_bytes = [] {
    std::array<int, sizeof...(N) + 1> bytes{};
    auto const note = [&]<class Node>(std::type_identity<Node>, int id) {
      if constexpr (freeze::node_traits<Node>::is_input)
        if (freeze::node_traits<Node>::rank > 0)
          bytes[static_cast<std::size_t>(freeze::node_traits<Node>::position)] =
              core::bytes_of(group::elements[static_cast<std::size_t>(id)]);
    };
    (note(std::type_identity<N>{}, static_cast<int>(I)), ...);
    return bytes;
  }();

  /// The axes that each operand has.
  static constexpr auto operand_axes = [] {
    std::array<std::uint64_t, sizeof...(N) + 1> axes{};
    auto const note = [&]<class Node>(std::type_identity<Node>) {
      if constexpr (freeze::node_traits<Node>::is_input)
        axes[static_cast<std::size_t>(freeze::node_traits<Node>::position)] = axes_of_operand<Node>;
    };
    (note(std::type_identity<N>{}), ...);
    return axes;
  }();

  template <class Scalars>
  KROTON_HOST_DEVICE static KROTON_INLINE void load(Scalars& scalars, std::byte* const* data) {
    using expand = int[];
    (void)expand{0, (load_scalar<N>::run(scalars, data), 0)...};
  }
  /// From operands of which `from` has the elements.
  template <class Scalars, class Source>
  KROTON_HOST_DEVICE static KROTON_INLINE void run(values& v, Scalars const& scalars,
                                                   Source const& from) {
    using expand = int[];
    (void)expand{
        0, (fill<N>::run(
                v, static_cast<int>(I), scalars, from,
                typename freeze::node_elements<&group::elements, N, static_cast<int>(I)>::type{}),
            0)...};
  }
  template <class Scalars>
  KROTON_HOST_DEVICE static KROTON_INLINE void run(values& v, Scalars const& scalars,
                                                   std::byte* const* data, std::int64_t const* at) {
    run(v, scalars, elements_in_memory{data, at});
  }
};
template <class Expression>
using evaluation_of =
    group_evaluation<Expression,
                     std::make_index_sequence<static_cast<std::size_t>(Expression::size)>>;

/// Whether a group is small, so that its kernels need few registers: it has few nodes, all of at
/// most four bytes.
template <class Expression>
inline constexpr bool is_light_group = [] {
  using group = freeze::group<Expression>;
  constexpr int few_nodes = 10;
  bool is_light = Expression::size <= few_nodes;
  for (int i = 0; i < Expression::size; ++i)
    is_light = is_light && core::bytes_of(group::elements[static_cast<std::size_t>(i)]) <= 4;
  return is_light;
}();

template <class Outputs>
struct output_list;
/// The outputs of a group by their position: their nodes, and which of them are reduced over the
/// same axes.
template <int... Node>
struct output_list<std::integer_sequence<int, Node...>> {
  static constexpr int size = static_cast<int>(sizeof...(Node));
  static constexpr int node(int position) {
    constexpr int nodes[] = {Node..., 0};
    return nodes[position];
  }
};

/// The axes, as bits from the last, over which an output is reduced; 0 for one that is not.
template <class Node>
constexpr long long reduced_axes() {
  if constexpr (freeze::node_traits<Node>::is_reduction) return freeze::node_traits<Node>::axes;
  else return 0;
}
template <class Expression>
struct group_outputs {
  using group = freeze::group<Expression>;
  using list = output_list<typename group::outputs>;
  static constexpr int operands = group::operands, size = list::size, arrays = operands + size;

  template <int Position>
  static constexpr int node = list::node(Position);
  template <int Position>
  using node_type = typename group::template node<node<Position>>;
  template <int Position>
  using value = typename group::template value<node<Position>>;
  template <int... P>
  static constexpr auto all_axes(std::integer_sequence<int, P...>) {
    return std::array<long long, sizeof...(P) + 1>{reduced_axes<node_type<P>>()...};
  }
  /// Of each output.
  static constexpr auto axes = all_axes(std::make_integer_sequence<int, size>{});
  /// How many outputs are reduced over these axes.
  static constexpr int count(long long over) {
    int n = 0;
    for (int p = 0; p < size; ++p) n += axes[static_cast<std::size_t>(p)] == over ? 1 : 0;
    return n;
  }
  /// The position of the n-th of them.
  static constexpr int position(long long over, int n) {
    int p = 0;
    for (;; ++p)
      if (axes[static_cast<std::size_t>(p)] == over && n-- == 0) return p;
  }
  /// Whether no output before this one is reduced over its axes.
  static constexpr bool is_first(int p) {
    return p == position(axes[static_cast<std::size_t>(p)], 0);
  }

  /// The position of the last output that is the first over its axes; -1 if none is reduced.
  static constexpr int last_reduction() {
    int last = size - 1;
    while (last >= 0 && (axes[static_cast<std::size_t>(last)] == 0 || !is_first(last))) --last;
    return last;
  }

  /// Stores the outputs that have an element for each element of the space.
  template <class Values>
  KROTON_HOST_DEVICE static KROTON_INLINE void store(Values& v, std::byte* const* data,
                                                     std::int64_t const* at) {
    store_each(v, data, at, std::make_integer_sequence<int, size>{});
  }

 private:
  template <class Values, int... P>
  KROTON_HOST_DEVICE static KROTON_INLINE void store_each(Values& v, std::byte* const* data,
                                                          std::int64_t const* at,
                                                          std::integer_sequence<int, P...>) {
    using expand = int[];
    (void)expand{0, (store_one<P>(v, data, at), 0)...};
  }
  template <int Position, class Values>
  KROTON_HOST_DEVICE static KROTON_INLINE void store_one(Values& v, std::byte* const* data,
                                                         std::int64_t const* at) {
    if constexpr (axes[static_cast<std::size_t>(Position)] == 0) {
      using T = value<Position>;
      constexpr int k = operands + Position;
      reinterpret_cast<T*>(data[k])[at[k]] = v.template at<core::element_of<T>()>(node<Position>);
    }
  }
};

}  // namespace kroton::cuda
