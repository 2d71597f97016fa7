// The kernels that everything is launched through on a GPU: how its threads meet. What each of them
// does is in kernel/.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cuda/kernel/map.hpp>
#include <kroton/cuda/kernel/rows.hpp>

#include <cuda_runtime.h>

#include <tuple>

namespace kroton::cuda {

__device__ inline thread_range range_of_thread() {
  return {std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x,
          std::int64_t{gridDim.x} * blockDim.x};
}

inline constexpr unsigned threads_in_block = 256;
inline constexpr unsigned most_blocks = 4096;
// What a multiprocessor must be able to hold: a thread may take 128 registers. Without it ptxas 13
// stops at 48 in a kernel of several double divisions, and spills.
inline constexpr unsigned min_blocks = 2;

// Light groups need fewer, and more threads hide more of the time that memory takes.
constexpr unsigned min_blocks_for(bool is_light, unsigned of_light) {
  return is_light ? of_light : min_blocks;
}

// The expression is deduced from an argument that carries nothing; nvcc's stubs are wrong for some
// other ways to name it.

/// All arrays dense, or repeated as a whole, by packs.
template <class Arguments, class... N>
__global__ void __launch_bounds__(threads_in_block, min_blocks)
    packed_elements(expression<N...>, __grid_constant__ Arguments const a) {
  map_of<expression<N...>>::packed(a, range_of_thread());
}
/// All arrays dense, or repeated, along the last axis.
template <class Arguments, class... N>
__global__ void __launch_bounds__(threads_in_block, min_blocks)
    packed_rows(expression<N...>, __grid_constant__ Arguments const a) {
  map_of<expression<N...>>::packed_rows(a, range_of_thread());
}
/// All operands contiguous, or repeated as a whole.
template <class Arguments, class... N>
__global__ void __launch_bounds__(threads_in_block, min_blocks)
    flat_elements(expression<N...>, __grid_constant__ Arguments const a) {
  map_of<expression<N...>>::flat(a, range_of_thread());
}
/// Any strides.
template <class Arguments, class... N>
__global__ void __launch_bounds__(threads_in_block, min_blocks)
    strided_elements(expression<N...>, __grid_constant__ Arguments const a) {
  map_of<expression<N...>>::strided(a, range_of_thread());
}
/// What threads do that take elements of their own, without an expression.
template <class Thread>
__global__ void __launch_bounds__(threads_in_block)
    elements_of(__grid_constant__ typename Thread::arguments const a) {
  Thread::run(a, range_of_thread());
}
/// Half of the threads of a block take over what the others have, until one of each lane has it
/// all.
template <class Thread, class Cell>
__device__ void fold_block(Cell* shared, reduction_shape const& s, block_place const& p) {
  for (int half = s.depth / 2; half > 0; half /= 2) {
    __syncthreads();
    Thread::fold(shared, s, p, half);
  }
  __syncthreads();
}
/// What the thread of a warp has that is so many ahead.
template <class T>
__device__ T from_ahead(T const& value, int ahead) {
  unsigned words[(sizeof(T) + 3) / 4]{};
  std::memcpy(words, &value, sizeof(T));
  for (unsigned& word : words) word = __shfl_down_sync(0xffffffff, word, ahead);
  T ahead_value;
  std::memcpy(&ahead_value, words, sizeof(T));
  return ahead_value;
}
template <class... T, std::size_t... I>
__device__ std::tuple<T...> all_from_ahead(std::tuple<T...> const& values, int ahead,
                                           std::index_sequence<I...>) {
  return std::tuple<T...>(from_ahead(std::get<I>(values), ahead)...);
}
/// Folds, in the same order, what each thread found; the first of each lane gets it all. A warp
/// needs no memory for it.
template <class Thread, class... T>
__device__ std::tuple<T...> fold_found(std::byte* shared, reduction_shape const& s,
                                       block_place const& p, std::tuple<T...> found) {
  if (!s.along_reduced) {
    Thread::put(shared, s, p, found);
    fold_block<Thread>(shared, s, p);
    found = Thread::get(shared, s, p);
    __syncthreads();  // the block may fold again
    return found;
  }
  if (s.depth > 32) {
    Thread::put(shared, s, p, found);
    for (int half = s.depth / 2; half >= 32; half /= 2) {
      __syncthreads();
      Thread::fold(shared, s, p, half);
    }
    found = Thread::get(shared, s, p);
    __syncthreads();
  }
  for (int half = (s.depth < 32 ? s.depth : 32) / 2; half > 0; half /= 2)
    found = Thread::both(found, all_from_ahead(found, half, std::index_sequence_for<T...>{}));
  return found;
}
/// One block of a reduction; see walk_reduction for the same on the host.
template <class Thread, taking How, class Arguments, class Store>
__device__ void reduce_block(Arguments const& a, std::byte* shared, bool& is_last,
                             std::int64_t block, Store const& store) {
  constexpr int unit = Thread::template unit<How>;
  reduction_shape const& s = a.shape;
  auto const p = place_of(s, block, static_cast<int>(threadIdx.x));
  typename Thread::sums found[unit];
  Thread::template accumulate<How>(found, a, a.kept.data,
                                   Thread::rows_at(a, a.kept.data, p.kept * unit), p);
  for (int e = 0; e < unit; ++e) {
    found[e] = fold_found<Thread>(shared, s, p, found[e]);
    if (s.splits > 1) Thread::put_partial(a, found[e], place_of_unit(p, unit, e));
  }
  if (s.splits > 1) {
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
      unsigned* const ticket = a.tickets + quotient(block, s.splits);
      is_last = atomicAdd(ticket, 1u) + 1 == static_cast<unsigned>(s.splits);
      if (is_last) *ticket = 0;
    }
    __syncthreads();
    if (!is_last) return;
    __threadfence();
    for (int e = 0; e < unit; ++e)
      found[e] =
          fold_found<Thread>(shared, s, p, Thread::accumulate_splits(a, place_of_unit(p, unit, e)));
  }
  for (int e = 0; e < unit; ++e)
    Thread::put_results(Thread::rows_at(a, a.kept.data, p.kept * unit + e), found[e], p, store);
}
template <long long Axes, int First, bool Stores, taking How, class Arguments, class Store,
          class... N>
__global__ void __launch_bounds__(threads_in_block, min_blocks_for(is_light_group<expression<N...>>,
                                                                   How == taking::columns ? 3 : 4))
    reduced_elements(expression<N...>, __grid_constant__ Arguments const a, Store const store) {
  using thread = reduction_of<expression<N...>, Axes, First, Stores>;
  __shared__ std::uint64_t memory[thread::bytes_for(threads_in_block) / 8];
  __shared__ bool is_last;
  for (std::int64_t block = blockIdx.x; block < a.shape.blocks(); block += gridDim.x)
    reduce_block<thread, How>(a, reinterpret_cast<std::byte*>(memory), is_last, block, store);
}

/// A step of some rows; see walk_row_step.
template <class Step, bool InPacks>
__device__ void take_row_step(typename Step::arguments const& a, block_place const& p,
                              std::byte* shared, std::byte* memory) {
  using thread = typename Step::thread;
  reduction_shape const& shape = a.of_group.shape;
  auto const rows = rows_of_lane<Step>(a, p, memory);
  auto const found = find_in_row<Step, InPacks>(a, rows, p, memory);
  if constexpr (Step::reduced > 0)
    thread::put_results(rows, fold_found<thread>(shared, shape, p, found), p, store_value{});
  if (shape.depth > 32) __syncthreads();
  else __syncwarp();
}
template <bool InPacks>
__device__ void take_row_steps(row_steps<>, all_row_arguments<> const&, block_place const&,
                               std::byte*, std::byte*) {}
template <bool InPacks, class First, class... Rest>
__device__ void take_row_steps(row_steps<First, Rest...>,
                               all_row_arguments<First, Rest...> const& a, block_place const& p,
                               std::byte* shared, std::byte* memory) {
  take_row_step<First, InPacks>(a.first, p, shared, memory);
  take_row_steps<InPacks>(row_steps<Rest...>{}, a.rest, p, shared, memory);
}
/// Several groups for each row.
template <bool InPacks, class Arguments, class... Step>
__global__ void __launch_bounds__(threads_in_block,
                                  min_blocks_for(row_steps<Step...>::are_light, InPacks ? 4 : 3))
    steps_of_rows(row_steps<Step...> steps, __grid_constant__ Arguments const a) {
  __shared__ std::uint64_t folded[row_steps<Step...>::bytes_for(threads_in_block) / 8];
  // Packs of 16 bytes.
  extern __shared__ __align__(16) std::byte memory_of_lanes[];
  for (std::int64_t block = blockIdx.x; block < a.shape().blocks(); block += gridDim.x) {
    auto const p = place_of(a.shape(), block, static_cast<int>(threadIdx.x));
    take_row_steps<InPacks>(steps, a.steps, p, reinterpret_cast<std::byte*>(folded),
                            memory_of_lanes + static_cast<std::size_t>(p.lane) * a.bytes_of_lane);
  }
}

/// The parts of a search; see walk_search.
template <class Thread>
__global__ void __launch_bounds__(threads_in_block)
    found_in_blocks(__grid_constant__ typename Thread::arguments const a) {
  __shared__ typename Thread::candidate shared[threads_in_block];
  auto const p = place_of(a.shape, blockIdx.x, static_cast<int>(threadIdx.x));
  Thread::put(shared, a.shape, p, Thread::look(a, p));
  fold_block<Thread>(shared, a.shape, p);
  Thread::put_result(a, shared, p);
}

}  // namespace kroton::cuda
