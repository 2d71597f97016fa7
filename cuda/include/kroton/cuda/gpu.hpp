// The GPU: its memory, its errors, and the two kernels that every elementwise group is launched
// through.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/error.hpp>
#include <kroton/cuda/array.hpp>
#include <kroton/cuda/grid.hpp>

#include <cuda_runtime.h>

#include <string>

namespace kroton::cuda {

/// Throws kt::error that names the call, unless it succeeded. A kernel's own failure shows at a
/// later call.
inline void check(cudaError_t status, char const* call) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // a failure that is reported does not fail the next call too
  throw error(std::string(call) + ": " + cudaGetErrorString(status));
}

__device__ inline thread_range range_of_thread() {
  return {std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x,
          std::int64_t{gridDim.x} * blockDim.x};
}

inline constexpr unsigned threads_in_block = 256;
inline constexpr unsigned most_blocks = 4096;
// What a multiprocessor must be able to hold: a thread may take 128 registers. Without it ptxas 13
// stops at 48 in a kernel of several double divisions, and spills.
inline constexpr unsigned min_blocks = 2;

// The expression is deduced from an argument that carries nothing; nvcc's stubs are wrong for some
// other ways to name it.

/// All operands contiguous, or repeated as a whole.
template <class Arguments, class... N>
__global__ void __launch_bounds__(threads_in_block, min_blocks)
flat_elements(expression<N...>, __grid_constant__ Arguments const a) {
  group_body<expression<N...>>::flat(a, range_of_thread());
}
/// Any strides.
template <class Arguments, class... N>
__global__ void __launch_bounds__(threads_in_block, min_blocks)
strided_elements(expression<N...>, __grid_constant__ Arguments const a) {
  group_body<expression<N...>>::strided(a, range_of_thread());
}

/// The current GPU, in the order of its default stream: calls return before the work is done,
/// copies to the host wait for it.
class gpu {
 public:
  static std::byte* allocate(std::size_t bytes) {
    void* p = nullptr;
    check(cudaMallocAsync(&p, bytes, cudaStream_t{}), "cudaMallocAsync");
    return static_cast<std::byte*>(p);
  }
  // In destructors: the program may be past the end of CUDA already, so nothing is reported.
  static void release(std::byte* p) { (void)cudaFreeAsync(p, cudaStream_t{}); }
  static void copy_in(std::byte* to, std::byte const* from, std::size_t bytes) {
    check(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice), "cudaMemcpy to the device");
  }
  static void copy_out(std::byte* to, std::byte const* from, std::size_t bytes) {
    check(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost), "cudaMemcpy to the host");
  }
  static void copy_within(std::byte* to, std::byte const* from, std::size_t bytes) {
    if (bytes > 0)
      check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, cudaStream_t{}),
            "cudaMemcpyAsync");
  }
  template <class Expression, class Arguments>
  static void launch(Expression group, Arguments const& a) {
    static_assert(sizeof(Arguments) <= 32'000,
                  "kt::cuda::function: one fused loop has more operands than a kernel takes");
    grid_shape const grid = grid_for(a.count, threads_in_block, most_blocks);
    if (a.flat()) flat_elements<<<grid.blocks, grid.threads>>>(group, a);
    else strided_elements<<<grid.blocks, grid.threads>>>(group, a);
    check(cudaGetLastError(), "kernel launch");
  }
};

}  // namespace kroton::cuda
