// The GPU: its memory, its errors, its streams, and launches.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/error.hpp>
#include <kroton/cuda/blas.hpp>
#include <kroton/cuda/call/launch.hpp>
#include <kroton/cuda/call/products.hpp>
#include <kroton/cuda/call/recording.hpp>
#include <kroton/cuda/gpu_kernels.hpp>
#include <kroton/cuda/graph.hpp>
#include <kroton/cuda/stream.hpp>

#include <cuda_runtime.h>

#include <algorithm>

namespace kroton::cuda {

/// The current GPU. Calls return before the work is done, copies to the host wait for it.
class gpu {
 public:
  using stream = cudaStream_t;

  static stream current_stream() { return stream_scope::current(); }
  // Numbers of DLPack's: memory of CUDA's, and memory that it shares with the host.
  static constexpr int dlpack_type = 2, dlpack_shared_type = 13;
  /// Which one of several it is, as CUDA counts.
  static int number() {
    int device = 0;
    check(cudaGetDevice(&device), "cudaGetDevice");
    return device;
  }
  /// Whether all that is in the current stream is done.
  static bool is_idle() {
    cudaError_t const state = cudaStreamQuery(current_stream());
    if (state == cudaErrorNotReady) return false;
    check(state, "cudaStreamQuery");
    return true;
  }
  static device_facts facts() {
    static device_facts const found = [] {
      int device = 0;
      check(cudaGetDevice(&device), "cudaGetDevice");
      auto const fact = [&](cudaDeviceAttr which) {
        int value = 0;
        check(cudaDeviceGetAttribute(&value, which, device), "cudaDeviceGetAttribute");
        return value;
      };
      // A multiprocessor has two blocks: while one waits, the other computes.
      int const bytes = std::min(fact(cudaDevAttrMaxSharedMemoryPerBlockOptin),
                                 fact(cudaDevAttrMaxSharedMemoryPerMultiprocessor) / 2 -
                                     fact(cudaDevAttrReservedSharedMemoryPerBlock));
      return device_facts{threads_in_block,
                          static_cast<unsigned>(fact(cudaDevAttrMultiProcessorCount)) * 8, bytes};
    }();
    return found;
  }

  // What recorded_calls takes of a device.
  static constexpr bool records = true;
  using graph = executable_graph;
  static bool may_record() { return graph_recorder::may_record(); }
  static bool record(graph& to, work_list const& work) { return graph_recorder::record(to, work); }
  static bool fits(graph const& g) { return g.is_for(*blas_place::current()); }
  static void launch_graph(graph& g) { g.launch(current_stream()); }

  /// Also while launches are collected: they will be in this stream.
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
  // In destructors: the program may be past the end of CUDA already, or of the stream, so nothing
  // is reported.
  static void release(std::byte* p, stream s) {
    recorded_calls<gpu>::interrupt_quietly();
    if (cudaFreeAsync(p, s) != cudaSuccess) (void)cudaFree(p);
    (void)cudaGetLastError();
  }
  static void copy_in(std::byte* to, std::byte const* from, std::size_t bytes) {
    recorded_calls<gpu>::interrupt();
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
    recorded_calls<gpu>::interrupt();
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, current_stream()),
          "cudaMemcpyAsync to the host");
    check(cudaStreamSynchronize(current_stream()), "cudaStreamSynchronize");
  }
  static void copy_within(std::byte* to, std::byte const* from, std::size_t bytes) {
    if (bytes == 0) return;
    do_or_collect(
        [](auto to, auto from, auto bytes) {
          check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream_of_work()),
                "cudaMemcpyAsync");
        },
        to, from, bytes);
  }
  static void set_zero(std::byte* to, std::size_t bytes) {
    do_or_collect(
        [](auto to, auto bytes) {
          check(cudaMemsetAsync(to, 0, bytes, stream_of_work()), "cudaMemsetAsync");
        },
        to, bytes);
  }

  template <class... N>
  static void launch_map(expression<N...>, typename map_of<expression<N...>>::arguments const& a) {
    do_or_collect([](auto const& a) { run_map(expression<N...>{}, a); }, a);
  }
  template <class Thread, class... N, class Arguments, class Store>
  static void launch_reduction(std::type_identity<Thread>, expression<N...>, Arguments const& a,
                               Store const& store) {
    do_or_collect([](auto const& a,
                     auto const& store) { run_reduction<Thread>(expression<N...>{}, a, store); },
                  a, store);
  }
  template <class... Step>
  static void launch_rows(row_steps<Step...>, row_arguments<Step...> const& a) {
    do_or_collect([](auto const& a) { run_rows(row_steps<Step...>{}, a); }, a);
  }
  template <class Thread>
  static void launch(typename Thread::arguments const& a) {
    do_or_collect([](auto const& a) { run_elements<Thread>(a); }, a);
  }
  template <class Thread>
  static void launch_blocks(typename Thread::arguments const& a) {
    do_or_collect([](auto const& a) { run_blocks<Thread>(a); }, a);
  }
  template <class T>
  static void multiply(blas_product<T> const& p) {
    blas_place::current()->prepare();
    do_or_collect([](auto const& p) { run_product(p); }, p);
  }

 private:
  template <class Run, class... A>
  static void do_or_collect(Run run, A const&... arguments) {
    recorded_calls<gpu>::do_or_collect(run, arguments...);
  }
  static cudaStream_t stream_of_work() { return graph_recorder::stream(); }

  template <class... N, class Arguments>
  static void run_map(expression<N...> group, Arguments const& a) {
    std::int64_t const items = a.in_packs ? a.count / map_of<expression<N...>>::pack + 1 : a.count;
    grid_shape const grid = grid_for(items, threads_in_block, most_blocks);
    cudaStream_t const s = stream_of_work();
    if (a.in_packs && a.flat()) packed_elements<<<grid.blocks, grid.threads, 0, s>>>(group, a);
    else if (a.in_packs) packed_rows<<<grid.blocks, grid.threads, 0, s>>>(group, a);
    else if (a.flat()) flat_elements<<<grid.blocks, grid.threads, 0, s>>>(group, a);
    else strided_elements<<<grid.blocks, grid.threads, 0, s>>>(group, a);
    check(cudaGetLastError(), "kernel launch");
  }
  template <class Thread, class... N, class Arguments, class Store>
  static void run_reduction(expression<N...> group, Arguments const& a, Store const& store) {
    auto const launch = [&]<taking How>(std::integral_constant<taking, How>) {
      reduced_elements<Thread::axes, Thread::first, Thread::stores, How>
          <<<grid_over(a.shape.blocks()), threads_in_block, 0, stream_of_work()>>>(group, a, store);
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
  static void run_rows(row_steps<Step...> steps, row_arguments<Step...> const& a) {
    std::size_t const memory =
        std::size_t{a.bytes_of_lane} * static_cast<std::size_t>(a.shape().lanes);
    auto const launch = [&]<bool InPacks>(std::bool_constant<InPacks>) {
      auto* const kernel = &steps_of_rows<InPacks, row_arguments<Step...>, Step...>;
      // Once for each kernel, whatever this launch needs.
      static bool const may_share = [&] {
        std::int64_t const most = facts().bytes_of_block - steps.bytes_for(threads_in_block);
        check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   static_cast<int>(most)),
              "cudaFuncSetAttribute");
        return true;
      }();
      (void)may_share;
      kernel<<<grid_over(a.shape().blocks()), threads_in_block, memory, stream_of_work()>>>(steps,
                                                                                            a);
    };
    if (a.in_packs) launch(std::true_type{});
    else launch(std::false_type{});
    check(cudaGetLastError(), "kernel launch");
  }
  template <class Thread, class Arguments>
  static void run_elements(Arguments const& a) {
    grid_shape const grid = grid_for(a.count, threads_in_block, most_blocks);
    elements_of<Thread><<<grid.blocks, grid.threads, 0, stream_of_work()>>>(a);
    check(cudaGetLastError(), "kernel launch");
  }
  template <class Thread, class Arguments>
  static void run_blocks(Arguments const& a) {
    found_in_blocks<Thread><<<blocks_of(a.shape), threads_in_block, 0, stream_of_work()>>>(a);
    check(cudaGetLastError(), "kernel launch");
  }
  // cuBLAS's matrices are column-major: what it sees is the transposed product.
  template <class T>
  static void run_product(blas_product<T> const& p) {
    auto const way = [](bool is_transposed) { return is_transposed ? CUBLAS_OP_T : CUBLAS_OP_N; };
    cublasHandle_t const handle = blas_place::current()->handle(
        stream_of_work(), p.takes_tf32 ? CUBLAS_TF32_TENSOR_OP_MATH : CUBLAS_DEFAULT_MATH);
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
};

}  // namespace kroton::cuda
