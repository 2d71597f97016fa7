// The ranks of a group as NCCL knows them. Waits end with an error where NCCL or a rank tells one.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/message.hpp>
#include <kroton/cuda/nccl/library.hpp>
#include <kroton/distributed/communicator.hpp>

#if KROTON_NCCL
#include <cstddef>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace kroton::cuda {

/// A reduction from one place of a device to another, which may be the same.
struct device_message {
  void const* from;
  void* to;
  std::size_t count;
};

/// Each rank with the device that was its current one at the first reduction. Kept until the
/// program ends, as groups are. Each is used by one thread at a time, as its group is.
class device_ranks {
 public:
  static device_ranks& of(distributed::group& g) {
    static std::mutex mutex;
    static std::deque<device_ranks> all;  // which stay where they are when others are added
    std::scoped_lock const lock(mutex);
    for (device_ranks& made : all)
      if (&made.group_ == &g) return made;
    return all.emplace_back(g);
  }
  explicit device_ranks(distributed::group& g) : group_(g) {}
  device_ranks(device_ranks const&) = delete;
  device_ranks& operator=(device_ranks const&) = delete;

  /// Before the ranks agree: throws kt::error where this rank's device is another one by now.
  template <class Device>
  void stay_on_device() const {
    int const now = Device::number();
    if (ranks_ == nullptr || now == device_) return;
    throw kroton::error(core::message({"kt::all_reduce: rank ", group_.rank(), " of ",
                                       group_.size(), " reduces on device ", device_,
                                       ", but device ", now, " is the current one"}));
  }
  /// All ranks have agreed. Returns when the results are there: then they hold, or this has thrown
  /// kt::distributed::error, which names the rank and the call, on all ranks.
  template <class Device>
  void reduce(std::vector<device_message> const& messages, ncclDataType_t type, ncclRedOp_t op) {
    try {
      complete<Device>(messages, type, op);
    } catch (...) {  // also what another rank has told
      abort();
      throw;
    }
  }

 private:
  template <class Device>
  void complete(std::vector<device_message> const& messages, ncclDataType_t type, ncclRedOp_t op) {
    if (ranks_ == nullptr) begin<Device>();
    check(ncclGroupStart(), "ncclGroupStart");
    ncclResult_t worst = ncclSuccess;
    for (device_message const& m : messages)
      if (worst == ncclSuccess || worst == ncclInProgress)
        worst = ncclAllReduce(m.from, m.to, m.count, type, op, ranks_, stream_of<Device>());
    ncclResult_t const ended = ncclGroupEnd();  // also after a failure: this thread may go on
    check(worst, "ncclAllReduce");
    check(ended, "ncclGroupEnd");
    wait("ncclAllReduce", [] { return true; });  // until it is in the stream
    wait("ncclAllReduce", [] { return Device::is_idle(); });
  }
  // Devices without streams of CUDA have done what a call asks for when it returns.
  template <class Device>
  static cudaStream_t stream_of() {
    if constexpr (std::is_convertible_v<typename Device::stream, cudaStream_t>)
      return Device::current_stream();
    else return nullptr;
  }
  // Rank 0 makes the number by which the ranks find each other.
  template <class Device>
  void begin() {
    struct {
      ncclUniqueId number;
      ncclResult_t status;
    } made{};
    if (group_.rank() == 0) made.status = ncclGetUniqueId(&made.number);
    distributed::check(
        MPI_Bcast(&made, static_cast<int>(sizeof(made)), MPI_BYTE, 0, group_.ranks()), "MPI_Bcast");
    if (made.status != ncclSuccess)
      throw distributed::error(text("ncclGetUniqueId", 0, reason(made.status)));
    device_ = Device::number();
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 0;
    check(ncclCommInitRankConfig(&ranks_, group_.size(), made.number, group_.rank(), &config),
          "ncclCommInitRankConfig");
    wait("ncclCommInitRankConfig", [] { return true; });
  }
  template <class Done>
  void wait(std::string_view call, Done const& is_done) {
    auto const is_over = [&] {
      ncclResult_t state = ncclSuccess;
      check(ncclCommGetAsyncError(ranks_, &state), "ncclCommGetAsyncError");
      check(state, call);
      if (state == ncclInProgress) return false;
      try {
        return is_done();
      } catch (distributed::error const&) {
        throw;
      } catch (kroton::error const& e) {  // of the device
        fail(call, e.what());
      }
    };
    auto const give_up = [&] {
      fail(call, core::message({"has not ended after ", group_.waiting().milliseconds(), " ms"}));
    };
    group_.wait(is_over, "kt::all_reduce", give_up);
  }
  void check(ncclResult_t status, std::string_view call) {
    if (status != ncclSuccess && status != ncclInProgress) fail(call, reason(status));
  }
  std::string reason(ncclResult_t status) const {
    std::string why = ncclGetErrorString(status);
    char const* const last = ranks_ != nullptr ? ncclGetLastError(ranks_) : nullptr;
    if (last != nullptr && *last != '\0') why += std::string(": ") + last;
    if (status == ncclInvalidUsage) why += " (each rank needs a device of its own: cudaSetDevice)";
    return why;
  }
  std::string text(std::string_view call, int rank, std::string_view why) const {
    return core::message(
        {"kt::all_reduce: ", call, " on rank ", rank, " of ", group_.size(), ": ", why});
  }
  [[noreturn]] void fail(std::string_view call, std::string_view why) {
    group_.lose(text(call, group_.rank(), why));
  }
  // Ends what waits for other ranks on the device.
  void abort() noexcept {
    if (ranks_ != nullptr) (void)ncclCommAbort(std::exchange(ranks_, nullptr));
  }

  distributed::group& group_;
  ncclComm_t ranks_ = nullptr;
  int device_ = 0;
};

}  // namespace kroton::cuda
#endif
