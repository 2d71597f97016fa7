// cuBLAS: its handles and errors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cuda/graph.hpp>

#include <cublas_v2.h>

#include <memory>
#include <string>
#include <vector>

namespace kroton::cuda {

inline void check(cublasStatus_t status, char const* call) {
  if (status != CUBLAS_STATUS_SUCCESS)
    throw error(std::string(call) + ": " + cublasGetStatusString(status));
}

/// A handle of a thread, in the stream of its work. Setting what is set already costs as much as a
/// launch.
class blas_handle {
 public:
  /// For work in this stream, recorded or launched.
  static cublasHandle_t of_thread(cudaStream_t in, cublasMath_t mode) {
    blas_handle& own = graph_recorder::is_recording() ? recording() : launching();
    if (own.in_ != in) {
      check(cublasSetStream(own.handle_, in), "cublasSetStream");
      own.in_ = in;
      if (own.memory_ != nullptr)
        check(cublasSetWorkspace(own.handle_, own.memory_, bytes_of_memory), "cublasSetWorkspace");
    }
    if (own.mode_ != mode) {
      check(cublasSetMathMode(own.handle_, mode), "cublasSetMathMode");
      own.mode_ = mode;
    }
    return own.handle_;
  }
  /// Before a recording begins: a handle cannot be made in one.
  static void expect_recording() {
    if (is_used()) recording();
  }

  blas_handle(blas_handle const&) = delete;
  blas_handle& operator=(blas_handle const&) = delete;
  ~blas_handle() {
    (void)cublasDestroy(handle_);
    (void)cudaFree(memory_);
  }

 private:
  // What cuBLAS itself takes on an H100.
  static constexpr std::size_t bytes_of_memory = std::size_t{32} << 20;

  explicit blas_handle(bool has_memory) {
    check(cublasCreate(&handle_), "cublasCreate");
    check(cublasSetStream(handle_, in_), "cublasSetStream");
    check(cublasSetMathMode(handle_, mode_), "cublasSetMathMode");
    if (has_memory) check(cudaMalloc(&memory_, bytes_of_memory), "cudaMalloc");
  }
  static bool& is_used() {
    static thread_local bool used = false;
    return used;
  }
  static blas_handle& launching() {
    static thread_local blas_handle own(false);
    is_used() = true;
    return own;
  }
  /// Memory for products is part of what is recorded, so that of the stream in which the graph will
  /// be launched: no two of them are at work at once.
  static blas_handle& recording() {
    struct of_stream {
      cudaStream_t stream;
      std::unique_ptr<blas_handle> handle;
    };
    static thread_local std::vector<of_stream> all;
    cudaStream_t const stream = stream_scope::current();
    for (of_stream const& one : all)
      if (one.stream == stream) return *one.handle;
    all.push_back({stream, std::unique_ptr<blas_handle>(new blas_handle(true))});
    return *all.back().handle;
  }

  cublasHandle_t handle_ = nullptr;
  cudaStream_t in_ = nullptr;
  cublasMath_t mode_ = CUBLAS_DEFAULT_MATH;
  void* memory_ = nullptr;
};

}  // namespace kroton::cuda
