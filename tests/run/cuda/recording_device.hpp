// An emulated device that records: what is recorded happens when it is launched, not before.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cuda/call/recording.hpp>
#include <kroton/cuda/emulated.hpp>

#include <functional>
#include <vector>

namespace testing {

class recording_device : public kroton::cuda::emulated_on<kroton::cuda::host_memory, 32, 12> {
  using base = kroton::cuda::emulated_on<kroton::cuda::host_memory, 32, 12>;
  using calls = kroton::cuda::recorded_calls<recording_device>;

 public:
  /// What has been launched, one by one and as graphs; graphs that were built; what they held.
  struct counts {
    int launches = 0, graphs = 0, built = 0, recorded = 0;
    bool operator==(counts const&) const = default;
  };
  template <class Call>
  static counts counted(Call const& call) {
    now() = {};
    call();
    return now();
  }

  static constexpr bool records = true;
  struct graph {
    std::size_t size = 0;
  };
  static bool may_record() { return true; }
  static bool begin_recording() { return is_recording() = true; }
  static bool end_recording(graph& to) {
    auto const work = std::exchange(recorded(), {});
    is_recording() = false;
    bool const built = to.size != work.size();
    to.size = work.size();
    ++now().graphs;
    now().built += built;
    now().recorded += static_cast<int>(work.size());
    for (auto const& each : work) each();
    return built;
  }
  static void drop_recording() noexcept {
    is_recording() = false;
    recorded().clear();
  }

  static void release(std::byte* p, stream s) {
    calls::interrupt_quietly();
    base::release(p, s);
  }
  static void copy_in(std::byte* to, std::byte const* from, std::size_t bytes) {
    calls::interrupt();
    base::copy_in(to, from, bytes);
  }
  static void copy_in_and_wait(std::byte* to, std::byte const* from, std::size_t bytes) {
    copy_in(to, from, bytes);
  }
  static void copy_out(std::byte* to, std::byte const* from, std::size_t bytes) {
    calls::interrupt();
    base::copy_out(to, from, bytes);
  }
  static void copy_within(std::byte* to, std::byte const* from, std::size_t bytes) {
    take([=] { base::copy_within(to, from, bytes); });
  }
  static void set_zero(std::byte* to, std::size_t bytes) {
    take([=] { base::set_zero(to, bytes); });
  }
  template <class Expression, class Arguments>
  static void launch_map(Expression e, Arguments const& a) {
    take([=] { base::launch_map(e, a); });
  }
  template <class Thread, class Expression, class Store>
  static void launch_reduction(std::type_identity<Thread> thread, Expression e,
                               typename Thread::arguments const& a, Store const& store) {
    take([=] { base::launch_reduction(thread, e, a, store); });
  }
  template <class Steps, class Arguments>
  static void launch_rows(Steps steps, Arguments const& a) {
    take([=] { base::launch_rows(steps, a); });
  }
  template <class Thread>
  static void launch(typename Thread::arguments const& a) {
    take([=] { base::template launch<Thread>(a); });
  }
  template <class Thread>
  static void launch_blocks(typename Thread::arguments const& a) {
    take([=] { base::template launch_blocks<Thread>(a); });
  }
  template <class T>
  static void multiply(kroton::cuda::blas_product<T> const& p) {
    take([=] { base::multiply(p); });
  }

 private:
  template <class Work>
  static void take(Work const& work) {
    calls::launches();
    if (is_recording()) return recorded().push_back(work);
    ++now().launches;
    work();
  }
  static counts& now() {
    static counts all;
    return all;
  }
  static bool& is_recording() {
    static bool recording = false;
    return recording;
  }
  static std::vector<std::function<void()>>& recorded() {
    static std::vector<std::function<void()>> work;
    return work;
  }
};

}  // namespace testing
