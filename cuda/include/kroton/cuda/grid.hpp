// A fused elementwise group as a grid of threads computes it: one body for the CUDA kernel and for
// a walk on the host.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/loop/loop.hpp>
#include <kroton/freeze/body.hpp>

#include <cstdint>
#include <cstring>
#include <utility>

// Nothing of CUDA is included here, so that the ordinary test suite compiles and runs what a kernel
// runs.

namespace kroton::cuda {

/// How many blocks of how many threads.
struct grid_shape {
  unsigned blocks = 1, threads = 1;
};
/// Enough blocks for `count` elements, at most `most`: beyond that each thread takes several, a
/// grid apart.
constexpr grid_shape grid_for(std::int64_t count, unsigned threads, unsigned most) {
  std::int64_t const blocks = (count + threads - 1) / threads;
  return {blocks < most ? static_cast<unsigned>(blocks) : most, threads};
}

/// The elements of one thread: `first`, and then one every `step`.
struct thread_range {
  std::int64_t first = 0, step = 1;
};

/// What a launch passes to each thread. Operands of rank 0 live on the host and travel by value.
template <int Operands, int Results>
struct launch_arguments {
  // Of merged axes; arrays on the device
  cpu::basic_space<cpu::compiled_arrays<Operands + Results>> space;
  std::int64_t count = 0;                                              // elements of the space
  std::uint64_t scalars[Operands + 1]{};  // the bits of operands of rank 0

  launch_arguments() {
    space.operands = Operands;
    space.results = Results;
    space.count = Operands + Results;
  }
  /// Whether every operand is read at the element's own number, or always at one place.
  bool flat() const { return space.rank == 1; }
  void set_scalar(int k, std::byte const* value, int bytes) {
    std::memcpy(&scalars[k], value, static_cast<std::size_t>(bytes));
  }
};

/// Gives one node of a group its value for one element. Named for the node alone, so that symbols
/// stay short.
template <class Node>
struct fill {
  template <class Values, class Arguments, class Elements>
  KROTON_HOST_DEVICE static KROTON_INLINE void run(Values& v, int id, Arguments const&,
                                                   std::int64_t const*, Elements types) {
    if constexpr (freeze::node_traits<Node>::is_literal)
      v.template at<freeze::node_traits<Node>::type(nullptr)>(id) =
          freeze::node_traits<Node>::value;
    else if constexpr (!freeze::node_traits<Node>::is_marker)
      freeze::evaluate<Node>::run(v, id, types);
  }
};
template <class T, int Position, int Rank, unsigned Broadcast>
struct fill<input<T, Position, Rank, Broadcast>> {
  template <class Values, class Arguments, class Elements>
  KROTON_HOST_DEVICE static KROTON_INLINE void run(Values& v, int id, Arguments const& a,
                                                   std::int64_t const* at, Elements) {
    T value;
    if constexpr (Rank == 0) std::memcpy(&value, &a.scalars[Position], sizeof(T));
    else value = reinterpret_cast<T const*>(a.space.data[Position])[at[Position]];
    v.template at<core::element_of<T>()>(id) = value;
  }
};

template <element E, class Values>
KROTON_HOST_DEVICE KROTON_INLINE void put(Values& v, int id, std::byte* to, std::int64_t at) {
  reinterpret_cast<core::value_t<E>*>(to)[at] = v.template at<E>(id);
}

// 64-bit division is slow on a device; most spaces have less than 2^32 elements.
KROTON_HOST_DEVICE KROTON_INLINE std::int64_t quotient(std::int64_t a, std::int64_t b) {
  if (((a | b) >> 32) == 0) return static_cast<std::uint32_t>(a) / static_cast<std::uint32_t>(b);
  return a / b;
}

/// What one thread does for one group. The arguments number its arrays: operands, then results.
template <class Expression, class Indices, class Arrays>
struct thread_body;
template <class... N, std::size_t... I, std::size_t... K>
struct thread_body<expression<N...>, std::index_sequence<I...>, std::index_sequence<K...>> {
  using group = freeze::group<expression<N...>>;
  using arguments = launch_arguments<group::operands, static_cast<int>(group::outputs::size())>;

  /// For a space of one axis.
  KROTON_HOST_DEVICE static KROTON_INLINE void flat(arguments const& a, thread_range r) {
    for (std::int64_t i = r.first; i < a.count; i += r.step) {
      std::int64_t const at[] = {i * a.space.strides[0][K]...};
      compute(a, at, typename group::outputs{});
    }
  }
  /// For any space: the element's number is taken apart, last axis first.
  KROTON_HOST_DEVICE static KROTON_INLINE void strided(arguments const& a, thread_range r) {
    for (std::int64_t i = r.first; i < a.count; i += r.step) {
      std::int64_t at[sizeof...(K)]{};
      std::int64_t rest = i;
      for (int d = a.space.rank - 1; d > 0; --d) {
        std::int64_t const next = quotient(rest, a.space.extents[d]);
        std::int64_t const index = rest - next * a.space.extents[d];
        using expand = int[];
        (void)expand{(at[K] += index * a.space.strides[d][K], 0)...};
        rest = next;
      }
      using expand = int[];
      (void)expand{(at[K] += rest * a.space.strides[0][K], 0)...};
      compute(a, at, typename group::outputs{});
    }
  }

 private:
  template <int... Node>
  KROTON_HOST_DEVICE static KROTON_INLINE void compute(arguments const& a, std::int64_t const* at,
                                                       std::integer_sequence<int, Node...>) {
    freeze::scalar_values<group::all> v;
    using expand = int[];
    (void)expand{
        0, (fill<N>::run(
                v, static_cast<int>(I), a, at,
                typename freeze::node_elements<&group::elements, N, static_cast<int>(I)>::type{}),
            0)...};
    int k = group::operands;
    (void)expand{
        0, (put<group::elements[static_cast<std::size_t>(Node)]>(v, Node, a.space.data[k], at[k]),
            ++k)...};
  }
};

template <class Expression>
using group_body = thread_body<
    Expression, std::make_index_sequence<static_cast<std::size_t>(Expression::size)>,
    std::make_index_sequence<static_cast<std::size_t>(freeze::group<Expression>::operands) +
                             freeze::group<Expression>::outputs::size()>>;

/// Walks the blocks and threads of a grid on the host, one after the other.
template <class... N>
void walk_grid(expression<N...>, typename group_body<expression<N...>>::arguments const& a,
               grid_shape grid) {
  using body = group_body<expression<N...>>;
  for (unsigned block = 0; block < grid.blocks; ++block)
    for (unsigned thread = 0; thread < grid.threads; ++thread) {
      thread_range const range{std::int64_t{block} * grid.threads + thread,
                               std::int64_t{grid.blocks} * grid.threads};
      if (a.flat()) body::flat(a, range);
      else body::strided(a, range);
    }
}

}  // namespace kroton::cuda
