// CUDA graphs: work of a stream that is recorded, and launched at once.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cuda/stream.hpp>

#include <utility>

namespace kroton::cuda {

/// A graph that can be launched. Another recording replaces what it launches: where only addresses,
/// numbers and grids differ, in place.
class executable_graph {
 public:
  executable_graph() = default;
  executable_graph(executable_graph&& other) noexcept
      : made_(std::exchange(other.made_, nullptr)) {}
  executable_graph& operator=(executable_graph&& other) noexcept {
    std::swap(made_, other.made_);
    return *this;
  }
  ~executable_graph() {
    if (made_ == nullptr) return;
    (void)cudaDeviceSynchronize();  // it may be at work, in any stream
    (void)cudaGraphExecDestroy(made_);
  }
  /// Launches a recording; returns whether a graph had to be built for it.
  bool launch(cudaGraph_t recorded, cudaStream_t in) {
    bool const fits = made_ != nullptr && update(recorded);
    if (!fits) {
      *this = executable_graph();
      check(cudaGraphInstantiate(&made_, recorded, 0), "cudaGraphInstantiate");
    }
    check(cudaGraphLaunch(made_, in), "cudaGraphLaunch");
    return !fits;
  }

 private:
  bool update(cudaGraph_t recorded) {
    cudaGraphExecUpdateResultInfo info{};
    if (cudaGraphExecUpdate(made_, recorded, &info) == cudaSuccess) return true;
    (void)cudaGetLastError();
    return false;
  }
  cudaGraphExec_t made_ = nullptr;
};

/// Records, on the calling thread, what would be done in its stream.
class graph_recorder {
 public:
  /// Whether what the thread's stream does now can be recorded: a caller may be recording it.
  static bool may_record() {
    cudaStreamCaptureStatus status{};
    check(cudaStreamIsCapturing(stream_scope::current(), &status), "cudaStreamIsCapturing");
    return status == cudaStreamCaptureStatusNone;
  }
  static void begin() {
    state& s = now();
    // Relaxed: a kernel that is used for the first time is loaded meanwhile.
    check(cudaStreamBeginCapture(s.stream, cudaStreamCaptureModeRelaxed), "cudaStreamBeginCapture");
    s.is_recording = true;
  }
  static bool end(executable_graph& to) {
    recorded const work = finish();
    check(work.status, "cudaStreamEndCapture");
    return to.launch(work.graph, stream_scope::current());
  }
  static void drop() noexcept { (void)finish(); }

  static bool is_recording() { return now().is_recording; }
  /// Where work goes: into the recording, if there is one.
  static cudaStream_t stream() {
    state const& s = now();
    return s.is_recording ? s.stream : stream_scope::current();
  }

 private:
  struct state {
    cudaStream_t stream = nullptr;
    bool is_recording = false;
    state() {
      check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreate");
    }
    state(state const&) = delete;
    state& operator=(state const&) = delete;
    ~state() { (void)cudaStreamDestroy(stream); }
  };
  struct recorded {
    cudaError_t status;
    cudaGraph_t graph = nullptr;
    recorded() = default;
    recorded(recorded&& other) noexcept
        : status(other.status), graph(std::exchange(other.graph, nullptr)) {}
    ~recorded() {
      if (graph != nullptr) (void)cudaGraphDestroy(graph);
    }
  };
  static recorded finish() {
    state& s = now();
    s.is_recording = false;
    recorded work;
    work.status = cudaStreamEndCapture(s.stream, &work.graph);
    if (work.status != cudaSuccess) (void)cudaGetLastError();
    return work;
  }
  static state& now() {
    static thread_local state own;
    return own;
  }
};

}  // namespace kroton::cuda
