// The shape of a grid of threads, and which elements each of them takes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/config.hpp>

#include <cstddef>
#include <cstdint>

// Nothing of CUDA is included in this folder, so that the ordinary test suite compiles and runs
// what a kernel runs.

// Of a loop that loads and stores nothing, so that the loads of four rounds are on their way
// together.
#if defined(__CUDA_ARCH__)
#define KROTON_LOADS_TOGETHER _Pragma("unroll 4")
#else
#define KROTON_LOADS_TOGETHER
#endif

namespace kroton::cuda {

/// What a launch can pass to each thread: what CUDA takes, less the little that comes with it.
inline constexpr std::size_t most_bytes_of_arguments = 32'000;

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

// 64-bit division is slow on a device; most spaces have less than 2^32 elements.
KROTON_HOST_DEVICE KROTON_INLINE std::int64_t quotient(std::int64_t a, std::int64_t b) {
  if (((a | b) >> 32) == 0) return static_cast<std::uint32_t>(a) / static_cast<std::uint32_t>(b);
  return a / b;
}

/// Takes the number of an element of the first axes apart, last axis first, and adds what its
/// indices mean for the position in each of the arrays K.
template <class Space, std::size_t... K>
KROTON_HOST_DEVICE KROTON_INLINE void add_position(Space const& space, int axes,
                                                   std::int64_t number, std::int64_t* at,
                                                   std::index_sequence<K...>) {
  using expand = int[];
  for (int d = axes - 1; d > 0; --d) {
    std::int64_t const next = quotient(number, space.extents[d]);
    std::int64_t const index = number - next * space.extents[d];
    (void)expand{0, (at[K] += index * space.strides[d][K], 0)...};
    number = next;
  }
  (void)expand{0, (at[K] += number * space.strides[0][K], 0)...};
}
template <class Space, std::size_t... K>
KROTON_HOST_DEVICE KROTON_INLINE void add_position(Space const& space, std::int64_t number,
                                                   std::int64_t* at,
                                                   std::index_sequence<K...> arrays) {
  add_position(space, space.rank, number, at, arrays);
}

/// Walks the threads of a grid on the host, one after the other: `run(thread_range)`.
template <class Run>
void walk_grid(grid_shape grid, Run run) {
  for (unsigned block = 0; block < grid.blocks; ++block)
    for (unsigned thread = 0; thread < grid.threads; ++thread)
      run(thread_range{std::int64_t{block} * grid.threads + thread,
                       std::int64_t{grid.blocks} * grid.threads});
}

}  // namespace kroton::cuda
