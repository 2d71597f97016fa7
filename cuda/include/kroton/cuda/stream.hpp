// Streams: the order in which a GPU works, chosen by a scope.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/error.hpp>

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

/// The stream of a thread's calls: its own, cudaStreamPerThread, unless a kt::cuda::on_stream
/// lives.
class stream_scope {
 public:
  static cudaStream_t current() { return now(); }

 protected:
  static cudaStream_t& now() {
    static thread_local cudaStream_t stream = cudaStreamPerThread;
    return stream;
  }
};

/// While it lives, what this thread calls is done in the given stream: transfers, kernels, products
/// and the memory of new arrays. Arrays that are used in several streams need the caller's events,
/// as everywhere in CUDA. `kt::cuda::on_stream const scope(stream);`
class on_stream : stream_scope {
 public:
  explicit on_stream(cudaStream_t stream) : before_(now()) { now() = stream; }
  on_stream(on_stream const&) = delete;
  on_stream& operator=(on_stream const&) = delete;
  ~on_stream() { now() = before_; }

 private:
  cudaStream_t before_;
};

}  // namespace kroton::cuda
