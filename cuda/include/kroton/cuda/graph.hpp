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
      : made_(std::exchange(other.made_, nullptr)), stream_(other.stream_) {}
  executable_graph& operator=(executable_graph&& other) noexcept {
    std::swap(made_, other.made_);
    std::swap(stream_, other.stream_);
    return *this;
  }
  ~executable_graph() {
    if (made_ == nullptr) return;
    (void)cudaDeviceSynchronize();  // it may be at work, in any stream
    (void)cudaGraphExecDestroy(made_);
  }
  /// Takes a recording for a stream; returns whether a graph had to be built for it.
  bool take(cudaGraph_t recorded, cudaStream_t stream) {
    bool const fits = made_ != nullptr && update(recorded);
    if (!fits) *this = executable_graph();
    stream_ = stream;
    if (fits) return false;
    check(cudaGraphInstantiate(&made_, recorded, 0), "cudaGraphInstantiate");
    return true;
  }
  /// In another stream its products would use memory that others of that stream use.
  bool is_for(cudaStream_t stream) const { return made_ != nullptr && stream_ == stream; }
  void launch() { check(cudaGraphLaunch(made_, stream_), "cudaGraphLaunch"); }

 private:
  bool update(cudaGraph_t recorded) {
    cudaGraphExecUpdateResultInfo info{};
    if (cudaGraphExecUpdate(made_, recorded, &info) == cudaSuccess) return true;
    (void)cudaGetLastError();
    return false;
  }
  cudaGraphExec_t made_ = nullptr;
  cudaStream_t stream_ = nullptr;
};

/// Records what a thread would do in its stream.
class graph_recorder {
 public:
  /// Whether it can be recorded: a caller may be recording it already.
  static bool may_record() {
    cudaStreamCaptureStatus status{};
    check(cudaStreamIsCapturing(stream_scope::current(), &status), "cudaStreamIsCapturing");
    return status == cudaStreamCaptureStatusNone;
  }
  /// Makes `to` do the work; returns whether it had to be built anew.
  template <class Work>
  static bool record(executable_graph& to, Work const& work) {
    recording now;
    work.run();
    return to.take(now.end(), stream_scope::current());
  }
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
  static state& now() {
    static thread_local state own;
    return own;
  }

  class recording {
   public:
    recording() {
      // Relaxed: a kernel that is used for the first time is loaded meanwhile.
      check(cudaStreamBeginCapture(now().stream, cudaStreamCaptureModeRelaxed),
            "cudaStreamBeginCapture");
      now().is_recording = true;
    }
    recording(recording const&) = delete;
    recording& operator=(recording const&) = delete;
    ~recording() {
      if (now().is_recording && finish() != cudaSuccess) (void)cudaGetLastError();
      if (graph_ != nullptr) (void)cudaGraphDestroy(graph_);
    }
    cudaGraph_t end() {
      check(finish(), "cudaStreamEndCapture");
      return graph_;
    }

   private:
    cudaError_t finish() {
      now().is_recording = false;
      return cudaStreamEndCapture(now().stream, &graph_);
    }
    cudaGraph_t graph_ = nullptr;
  };
};

}  // namespace kroton::cuda
