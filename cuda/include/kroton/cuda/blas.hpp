// cuBLAS: its handles and errors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cuda/stream.hpp>

#include <cublas_v2.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace kroton::cuda {

inline void check(cublasStatus_t status, char const* call) {
  if (status != CUBLAS_STATUS_SUCCESS)
    throw error(std::string(call) + ": " + cublasGetStatusString(status));
}

/// The handle of a thread for a stream, with the memory that products take. Products in a graph use
/// the memory of the place that they were recorded in, so that graph is launched in no other place,
/// and keeps it. Launched or recorded, a product has the same memory: the same algorithm, too.
class blas_place {
 public:
  using shared = std::shared_ptr<blas_place>;

  /// That of the thread's stream.
  static shared const& current() {
    static thread_local std::vector<std::pair<cudaStream_t, shared>> all;
    cudaStream_t const stream = stream_scope::current();
    for (auto const& [in, place] : all)
      if (in == stream) return place;
    return all.emplace_back(stream, shared(new blas_place)).second;
  }
  /// Makes the handle, which cannot be done while something is recorded.
  void prepare() {
    if (handle_ != nullptr) return;
    if (memory_ == nullptr) check(cudaMalloc(&memory_, bytes_of_memory), "cudaMalloc");
    check(cublasCreate(&handle_), "cublasCreate");
    check(cublasSetWorkspace(handle_, memory_, bytes_of_memory), "cublasSetWorkspace");
  }
  /// For a product in this stream. Setting what is set already costs as much as a launch.
  cublasHandle_t handle(cudaStream_t in, cublasMath_t mode) {
    if (in_ != in) {
      check(cublasSetStream(handle_, in), "cublasSetStream");
      check(cublasSetWorkspace(handle_, memory_, bytes_of_memory), "cublasSetWorkspace");
      in_ = in;
    }
    if (mode_ != mode) {
      check(cublasSetMathMode(handle_, mode), "cublasSetMathMode");
      mode_ = mode;
    }
    return handle_;
  }

  blas_place(blas_place const&) = delete;
  blas_place& operator=(blas_place const&) = delete;
  ~blas_place() {
    if (handle_ != nullptr) (void)cublasDestroy(handle_);
    if (memory_ != nullptr) (void)cudaFree(memory_);
    (void)cudaGetLastError();
  }

 private:
  blas_place() = default;
  // What cuBLAS itself takes on an H100.
  static constexpr std::size_t bytes_of_memory = std::size_t{32} << 20;

  cublasHandle_t handle_ = nullptr;
  cudaStream_t in_ = nullptr;  // a new handle's
  cublasMath_t mode_ = CUBLAS_DEFAULT_MATH;
  void* memory_ = nullptr;
};

}  // namespace kroton::cuda
