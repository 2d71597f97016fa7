// CUDA graphs: work of a stream that is recorded, and launched at once.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cuda/blas.hpp>

#include <utility>

namespace kroton::cuda {

/// A graph that can be launched. Another recording replaces what it launches: where only addresses,
/// numbers and grids differ, in place.
class executable_graph {
 public:
  executable_graph() = default;
  executable_graph(executable_graph&& other) noexcept
      : made_(std::exchange(other.made_, nullptr)), place_(std::move(other.place_)) {}
  executable_graph& operator=(executable_graph&& other) noexcept {
    std::swap(made_, other.made_);
    std::swap(place_, other.place_);
    return *this;
  }
  ~executable_graph() {
    if (made_ == nullptr) return;
    (void)cudaDeviceSynchronize();  // it may be at work, in any stream
    (void)cudaGraphExecDestroy(made_);
    (void)cudaGetLastError();
  }
  /// Does from now on what was recorded; returns whether a graph had to be built for it.
  bool become(cudaGraph_t recorded) {
    bool const fits = made_ != nullptr && update(recorded);
    if (!fits) *this = executable_graph();
    place_ = blas_place::current();
    if (!fits) check(cudaGraphInstantiate(&made_, recorded, 0), "cudaGraphInstantiate");
    return !fits;
  }
  bool is_for(blas_place const& place) const { return made_ != nullptr && place_.get() == &place; }
  void launch(cudaStream_t in) { check(cudaGraphLaunch(made_, in), "cudaGraphLaunch"); }

 private:
  bool update(cudaGraph_t recorded) {
    cudaGraphExecUpdateResultInfo info{};
    if (cudaGraphExecUpdate(made_, recorded, &info) == cudaSuccess) return true;
    (void)cudaGetLastError();
    return false;
  }
  cudaGraphExec_t made_ = nullptr;
  blas_place::shared place_;
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
    recording being_made;
    work.run();
    return to.become(being_made.end());
  }
  /// Where work goes: into the recording, if there is one.
  static cudaStream_t stream() { return into() != nullptr ? into() : stream_scope::current(); }

 private:
  static cudaStream_t& into() {
    static thread_local cudaStream_t recorded = nullptr;
    return recorded;
  }
  /// A stream in which nothing is done.
  struct idle_stream {
    cudaStream_t stream = nullptr;
    idle_stream() {
      check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreate");
    }
    idle_stream(idle_stream const&) = delete;
    idle_stream& operator=(idle_stream const&) = delete;
    ~idle_stream() { (void)cudaStreamDestroy(stream); }
  };
  class recording {
   public:
    recording() {
      static thread_local idle_stream const own;
      // Relaxed: a kernel that is used for the first time is loaded meanwhile.
      check(cudaStreamBeginCapture(own.stream, cudaStreamCaptureModeRelaxed),
            "cudaStreamBeginCapture");
      into() = own.stream;
    }
    recording(recording const&) = delete;
    recording& operator=(recording const&) = delete;
    ~recording() {
      if (into() != nullptr && finish() != cudaSuccess) (void)cudaGetLastError();
      if (graph_ != nullptr) (void)cudaGraphDestroy(graph_);
    }
    cudaGraph_t end() {
      check(finish(), "cudaStreamEndCapture");
      return graph_;
    }

   private:
    cudaError_t finish() { return cudaStreamEndCapture(std::exchange(into(), nullptr), &graph_); }
    cudaGraph_t graph_ = nullptr;
  };
};

}  // namespace kroton::cuda
