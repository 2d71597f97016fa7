// The GPU: its memory, its errors, its streams, and the kernels that everything is launched
// through.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/error.hpp>
#include <kroton/cuda/call/launch.hpp>
#include <kroton/cuda/call/products.hpp>
#include <kroton/cuda/kernel/rows.hpp>
#include <kroton/cuda/stream.hpp>

#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <string>
#include <tuple>

namespace kroton::cuda {

__device__ inline thread_range range_of_thread() {
  return {std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x,
          std::int64_t{gridDim.x} * blockDim.x};
}

inline constexpr unsigned threads_in_block = 256;
inline constexpr unsigned most_blocks = 4096;
// Shared memory of a block that needs no attribute of the kernel.
inline constexpr std::size_t bytes_without_asking = 48'000;
// What a multiprocessor must be able to hold: a thread may take 128 registers. Without it ptxas 13
// stops at 48 in a kernel of several double divisions, and spills.
inline constexpr unsigned min_blocks = 2;

// Groups of few nodes need fewer registers, and more threads hide more of the time that memory
// takes.
inline constexpr int few_nodes = 40;
constexpr unsigned min_blocks_for(int nodes, unsigned of_few) {
  return nodes <= few_nodes ? of_few : min_blocks;
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
__global__ void __launch_bounds__(threads_in_block,
                                  min_blocks_for(sizeof...(N), How == taking::columns ? 3 : 4))
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
                                  min_blocks_for(row_steps<Step...>::most_nodes, InPacks ? 4 : 3))
    steps_of_rows(row_steps<Step...> steps, __grid_constant__ Arguments const a) {
  __shared__ std::uint64_t folded[row_steps<Step...>::bytes_for(threads_in_block) / 8];
  extern __shared__ std::uint64_t memory_of_lanes[];
  for (std::int64_t block = blockIdx.x; block < a.shape().blocks(); block += gridDim.x) {
    auto const p = place_of(a.shape(), block, static_cast<int>(threadIdx.x));
    take_row_steps<InPacks>(steps, a.steps, p, reinterpret_cast<std::byte*>(folded),
                            reinterpret_cast<std::byte*>(memory_of_lanes) +
                                static_cast<std::size_t>(p.lane) * a.bytes_of_lane);
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

/// The current GPU. Calls return before the work is done, copies to the host wait for it.
class gpu {
 public:
  using stream = cudaStream_t;

  static stream current_stream() { return stream_scope::current(); }
  static device_facts facts() {
    static int const multiprocessors = [] {
      int device = 0, count = 0;
      check(cudaGetDevice(&device), "cudaGetDevice");
      check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device),
            "cudaDeviceGetAttribute");
      return count;
    }();
    return {threads_in_block, static_cast<unsigned>(multiprocessors) * 8};
  }
  static std::byte* allocate(std::size_t bytes, stream s) {
    static bool const keeps_memory = [] {
      keep_freed_memory();
      return true;
    }();
    (void)keeps_memory;
    void* p = nullptr;
    check(cudaMallocAsync(&p, bytes, s), "cudaMallocAsync");
    return static_cast<std::byte*>(p);
  }
  // In destructors: the program may be past the end of CUDA already, so nothing is reported.
  static void release(std::byte* p, stream s) { (void)cudaFreeAsync(p, s); }
  static void copy_in(std::byte* to, std::byte const* from, std::size_t bytes) {
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, current_stream()),
          "cudaMemcpyAsync to the device");
  }
  /// For what may change, or be freed, as soon as this returns: a caller's memory may be pinned,
  /// and is then read later; other memory is read at once.
  static void copy_in_and_wait(std::byte* to, std::byte const* from, std::size_t bytes) {
    copy_in(to, from, bytes);
    check(cudaStreamSynchronize(current_stream()), "cudaStreamSynchronize");
  }
  static void copy_out(std::byte* to, std::byte const* from, std::size_t bytes) {
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, current_stream()),
          "cudaMemcpyAsync to the host");
    check(cudaStreamSynchronize(current_stream()), "cudaStreamSynchronize");
  }
  static void copy_within(std::byte* to, std::byte const* from, std::size_t bytes) {
    if (bytes > 0)
      check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, current_stream()),
            "cudaMemcpyAsync");
  }
  static void set_zero(std::byte* to, std::size_t bytes) {
    check(cudaMemsetAsync(to, 0, bytes, current_stream()), "cudaMemsetAsync");
  }

  template <class... N>
  static void launch_map(expression<N...> group,
                         typename map_of<expression<N...>>::arguments const& a) {
    static_assert(sizeof(a) <= 32'000,
                  "kt::cuda::function: one fused loop has more operands than a kernel takes");
    std::int64_t const items = a.in_packs ? a.count / map_of<expression<N...>>::pack + 1 : a.count;
    grid_shape const grid = grid_for(items, threads_in_block, most_blocks);
    cudaStream_t const s = current_stream();
    if (a.in_packs && a.flat()) packed_elements<<<grid.blocks, grid.threads, 0, s>>>(group, a);
    else if (a.in_packs) packed_rows<<<grid.blocks, grid.threads, 0, s>>>(group, a);
    else if (a.flat()) flat_elements<<<grid.blocks, grid.threads, 0, s>>>(group, a);
    else strided_elements<<<grid.blocks, grid.threads, 0, s>>>(group, a);
    check(cudaGetLastError(), "kernel launch");
  }
  template <class Thread, class... N, class Arguments, class Store>
  static void launch_reduction(std::type_identity<Thread>, expression<N...> group,
                               Arguments const& a, Store const& store) {
    static_assert(sizeof(a) <= 32'000,
                  "kt::cuda::function: one fused loop has more operands than a kernel takes");
    auto const launch = [&]<taking How>(std::integral_constant<taking, How>) {
      reduced_elements<Thread::axes, Thread::first, Thread::stores, How>
          <<<grid_over(a.shape.blocks()), threads_in_block, 0, current_stream()>>>(group, a, store);
    };
    switch (a.how) {
      case taking::elements: launch(std::integral_constant<taking, taking::elements>{}); break;
      case taking::packs: launch(std::integral_constant<taking, taking::packs>{}); break;
      case taking::columns:
        if constexpr (!Thread::stores) launch(std::integral_constant<taking, taking::columns>{});
    }
    check(cudaGetLastError(), "kernel launch");
  }
  template <class... Step>
  static void launch_rows(row_steps<Step...> steps, row_arguments<Step...> const& a) {
    static_assert(sizeof(a) <= 32'000,
                  "kt::cuda::function: the loops of a row have more operands than a kernel takes");
    std::size_t const memory =
        std::size_t{a.bytes_of_lane} * static_cast<std::size_t>(a.shape().lanes);
    auto const launch = [&](auto* kernel) {
      if (memory + static_cast<std::size_t>(steps.bytes_for(threads_in_block)) >
          bytes_without_asking)
        check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   static_cast<int>(memory)),
              "cudaFuncSetAttribute");
      kernel<<<grid_over(a.shape().blocks()), threads_in_block, memory, current_stream()>>>(steps,
                                                                                            a);
    };
    if (a.in_packs) launch(&steps_of_rows<true, row_arguments<Step...>, Step...>);
    else launch(&steps_of_rows<false, row_arguments<Step...>, Step...>);
    check(cudaGetLastError(), "kernel launch");
  }
  template <class Thread>
  static void launch(typename Thread::arguments const& a) {
    grid_shape const grid = grid_for(a.count, threads_in_block, most_blocks);
    elements_of<Thread><<<grid.blocks, grid.threads, 0, current_stream()>>>(a);
    check(cudaGetLastError(), "kernel launch");
  }
  template <class Thread>
  static void launch_blocks(typename Thread::arguments const& a) {
    found_in_blocks<Thread><<<blocks_of(a.shape), threads_in_block, 0, current_stream()>>>(a);
    check(cudaGetLastError(), "kernel launch");
  }
  // cuBLAS's matrices are column-major: what it sees is the transposed product.
  template <class T>
  static void multiply(blas_product<T> const& p) {
    auto const way = [](bool is_transposed) { return is_transposed ? CUBLAS_OP_T : CUBLAS_OP_N; };
    cublasHandle_t const handle = blas_handle();
    check(
        cublasSetMathMode(handle, p.takes_tf32 ? CUBLAS_TF32_TENSOR_OP_MATH : CUBLAS_DEFAULT_MATH),
        "cublasSetMathMode");
    auto const run = [&](auto one, auto batch, char const* call) {
      check(p.count == 1
                ? one(handle, way(p.b.is_transposed), way(p.a.is_transposed), p.columns, p.rows,
                      p.inner, &p.alpha, p.b.data, p.b.leading, p.a.data, p.a.leading, &p.beta, p.c,
                      p.columns)
                : batch(handle, way(p.b.is_transposed), way(p.a.is_transposed), p.columns, p.rows,
                        p.inner, &p.alpha, p.b.data, p.b.leading, p.stride_b, p.a.data, p.a.leading,
                        p.stride_a, &p.beta, p.c, p.columns, p.stride_c, p.count),
            call);
    };
    if constexpr (sizeof(T) == 4) run(cublasSgemm_64, cublasSgemmStridedBatched_64, "cublasSgemm");
    else run(cublasDgemm_64, cublasDgemmStridedBatched_64, "cublasDgemm");
  }

 private:
  /// Without this the pool gives its memory back to the system at each wait.
  static void keep_freed_memory() {
    int device = 0;
    cudaMemPool_t pool = nullptr;
    std::uint64_t all = UINT64_MAX;
    check(cudaGetDevice(&device), "cudaGetDevice");
    check(cudaDeviceGetDefaultMemPool(&pool, device), "cudaDeviceGetDefaultMemPool");
    check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all),
          "cudaMemPoolSetAttribute");
  }
  /// Blocks that go on to others until all of these are done.
  static unsigned grid_over(std::int64_t blocks) {
    return static_cast<unsigned>(std::min<std::int64_t>(blocks, most_blocks));
  }
  static unsigned blocks_of(reduction_shape const& s) {
    if (s.blocks() > 0x7fffffff) throw error("a reduction has more results than a grid has blocks");
    return static_cast<unsigned>(s.blocks());
  }
  static void check(cublasStatus_t status, char const* call) {
    if (status != CUBLAS_STATUS_SUCCESS)
      throw error(std::string(call) + ": " + cublasGetStatusString(status));
  }
  static void check(cudaError_t status, char const* call) { cuda::check(status, call); }
  /// That of the thread, in the current stream.
  static cublasHandle_t blas_handle() {
    struct handle {
      cublasHandle_t of = nullptr;
      handle() { check(cublasCreate(&of), "cublasCreate"); }
      handle(handle const&) = delete;
      handle& operator=(handle const&) = delete;
      ~handle() { (void)cublasDestroy(of); }
    };
    static thread_local handle const own;
    check(cublasSetStream(own.of, current_stream()), "cublasSetStream");
    return own.of;
  }
};

}  // namespace kroton::cuda
