// An emulated device that records: what is collected happens when it is launched, not before.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cuda/call/recording.hpp>
#include <kroton/cuda/emulated.hpp>

#include <cstring>
#include <map>
#include <type_traits>
#include <vector>

namespace testing {

class recording_device : public kroton::cuda::emulated_on<kroton::cuda::host_memory, 32, 12> {
  using base = kroton::cuda::emulated_on<kroton::cuda::host_memory, 32, 12>;
  using calls = kroton::cuda::recorded_calls<recording_device>;

 public:
  /// What has been launched one by one, and as graphs; graphs that were recorded, and those of them
  /// that were built.
  struct counts {
    int launches = 0, graphs = 0, recorded = 0, built = 0;
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
    kroton::cuda::work_list work;
  };
  static bool may_record() { return true; }
  /// Whether recording fails.
  static inline bool is_broken = false;
  static bool record(graph& to, kroton::cuda::work_list const& work) {
    if (is_broken) throw kroton::error("nothing can be recorded");
    bool const built = to.work.size() != work.size();
    to.work = work;
    now().built += built;
    ++now().recorded;
    return built;
  }
  static bool fits(graph const&) { return true; }
  static void launch_graph(graph& g) {
    ++now().graphs;
    int const launches = now().launches;
    g.work.run();
    now().launches = launches;
  }

  // As CUDA's pool: what was freed last is given first.
  static std::byte* allocate(std::size_t bytes, stream s) {
    auto& free = freed()[bytes];
    if (free.empty()) free.push_back(base::allocate(bytes, s));
    std::byte* const p = free.back();
    free.pop_back();
    sizes()[p] = bytes;
    std::memset(p, 0xcd, bytes);  // nothing is zero by chance
    return p;
  }
  static void release(std::byte* p, stream) {
    calls::interrupt_quietly();
    freed()[sizes()[p]].push_back(p);
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
    take([](auto... a) { base::copy_within(a...); }, to, from, bytes);
  }
  static void set_zero(std::byte* to, std::size_t bytes) {
    take([](auto... a) { base::set_zero(a...); }, to, bytes);
  }
  template <class Expression, class Arguments>
  static void launch_map(Expression, Arguments const& a) {
    take([](auto const& a) { base::launch_map(Expression{}, a); }, a);
  }
  template <class Thread, class Expression, class Store>
  static void launch_reduction(std::type_identity<Thread>, Expression,
                               typename Thread::arguments const& a, Store const& store) {
    take([](auto const& a, auto const& store) {
      base::launch_reduction(std::type_identity<Thread>{}, Expression{}, a, store);
    }, a, store);
  }
  template <class Steps, class Arguments>
  static void launch_rows(Steps, Arguments const& a) {
    take([](auto const& a) { base::launch_rows(Steps{}, a); }, a);
  }
  template <class Thread>
  static void launch(typename Thread::arguments const& a) {
    take([](auto const& a) { base::template launch<Thread>(a); }, a);
  }
  template <class Thread>
  static void launch_blocks(typename Thread::arguments const& a) {
    take([](auto const& a) { base::template launch_blocks<Thread>(a); }, a);
  }
  template <class T>
  static void multiply(kroton::cuda::blas_product<T> const& p) {
    take([](auto const& p) { base::multiply(p); }, p);
  }

 private:
  template <class Run, class... A>
  static void take(Run, A const&... arguments) {
    calls::do_or_collect([](auto const&... a) {
      ++now().launches;
      Run{}(a...);
    }, arguments...);
  }
  static std::map<std::size_t, std::vector<std::byte*>>& freed() {
    static std::map<std::size_t, std::vector<std::byte*>> all;
    return all;
  }
  static std::map<std::byte*, std::size_t>& sizes() {
    static std::map<std::byte*, std::size_t> all;
    return all;
  }
  static counts& now() {
    static counts all;
    return all;
  }
};

}  // namespace testing
