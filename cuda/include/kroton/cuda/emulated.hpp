// A device made of the host's memory and a walk over blocks and threads: device code without a GPU,
// for tests and debuggers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/error.hpp>
#include <kroton/cuda/function.hpp>

#include <cstddef>
#include <cstring>
#include <new>
#include <vector>

namespace kroton::cuda {

/// The memory of the lanes of a block, with words between them that no lane has: they must stay as
/// they are. A number that has not been written is none.
class guarded_lanes {
 public:
  guarded_lanes(std::uint32_t bytes_of_lane, int lanes)
      : words_of_lane_(bytes_of_lane / 8),
        words_((words_of_lane_ + gap) * static_cast<std::size_t>(lanes), untouched) {}
  std::byte* data() { return reinterpret_cast<std::byte*>(words_.data()); }
  std::uint32_t bytes_apart() const {
    return static_cast<std::uint32_t>((words_of_lane_ + gap) * 8);
  }
  void look() const {
    for (std::size_t i = 0; i < words_.size(); ++i)
      if (i % (words_of_lane_ + gap) >= words_of_lane_ && words_[i] != untouched)
        throw error("kt::cuda::emulated: a row is longer than the memory that its lane has for it");
  }

 private:
  static constexpr std::uint64_t untouched = ~std::uint64_t{0};  // NaN, of floats as well
  static constexpr std::size_t gap = 8;
  std::size_t words_of_lane_;
  std::vector<std::uint64_t> words_;
};

/// What an emulated device does apart from its memory: `Memory` allocates that, copies from and to
/// it, and opens it while threads run, by an object of Memory::opened.
template <class Memory, unsigned Threads, unsigned Blocks>
class emulated_on : public Memory {
 public:
  static device_facts facts() { return {Threads, Blocks}; }
  static constexpr bool records = false;
  struct graph {};
  template <class Expression>
  static void launch_map(Expression, typename map_of<Expression>::arguments const& a) {
    typename Memory::opened const memory;
    walk_grid(grid_for(a.count, Threads, Blocks), [&](thread_range r) {
      if (a.in_packs && a.flat()) map_of<Expression>::packed(a, r);
      else if (a.in_packs) map_of<Expression>::packed_rows(a, r);
      else if (a.flat()) map_of<Expression>::flat(a, r);
      else map_of<Expression>::strided(a, r);
    });
  }
  template <class Thread, class Expression, class Store>
  static void launch_reduction(std::type_identity<Thread>, Expression,
                               typename Thread::arguments const& a, Store const& store) {
    typename Memory::opened const memory;
    std::vector<std::uint64_t> shared(static_cast<std::size_t>(Thread::bytes_for(Threads) / 8));
    auto* const cells = reinterpret_cast<std::byte*>(shared.data());
    switch (a.how) {
      case taking::elements: return walk_reduction<Thread, taking::elements>(a, cells, store);
      case taking::packs: return walk_reduction<Thread, taking::packs>(a, cells, store);
      case taking::columns:
        if constexpr (!Thread::stores)
          return walk_reduction<Thread, taking::columns>(a, cells, store);
    }
  }
  template <class... Step>
  static void launch_rows(row_steps<Step...> steps, row_arguments<Step...> const& a) {
    typename Memory::opened const memory;
    std::vector<std::uint64_t> shared(static_cast<std::size_t>(steps.bytes_for(Threads) / 8));
    guarded_lanes lanes(a.bytes_of_lane, a.shape().lanes);
    row_arguments<Step...> apart = a;
    apart.bytes_of_lane = lanes.bytes_apart();
    walk_rows(steps, apart, reinterpret_cast<std::byte*>(shared.data()), lanes.data());
    lanes.look();
  }
  template <class Thread>
  static void launch(typename Thread::arguments const& a) {
    typename Memory::opened const memory;
    walk_grid(grid_for(a.count, Threads, Blocks), [&](thread_range r) { Thread::run(a, r); });
  }
  template <class Thread>
  static void launch_blocks(typename Thread::arguments const& a) {
    typename Memory::opened const memory;
    std::vector<typename Thread::candidate> shared(Threads);
    walk_search<Thread>(a, shared.data());
  }
  template <class T>
  static void multiply(blas_product<T> const& p) {
    typename Memory::opened const memory;
    auto const way = [](bool is_transposed) { return is_transposed ? CblasTrans : CblasNoTrans; };
    for (std::int64_t i = 0; i < p.count; ++i)
      cpu::blas::gemm(way(p.a.is_transposed), way(p.b.is_transposed), cpu::blas_int(p.rows),
                      cpu::blas_int(p.columns), cpu::blas_int(p.inner), p.alpha,
                      p.a.data + i * p.stride_a, cpu::blas_int(p.a.leading),
                      p.b.data + i * p.stride_b, cpu::blas_int(p.b.leading), p.beta,
                      p.c + i * p.stride_c, cpu::blas_int(p.columns));
  }
};

/// The memory of the host as that of a device.
class host_memory {
 public:
  struct stream {};
  struct opened {
    opened() {}
  };
  static stream current_stream() { return {}; }
  /// Which one of several it is, and whether nothing is under way.
  static int number() { return 0; }
  static constexpr int dlpack_type = 1, dlpack_shared_type = 1;
  static bool is_idle() { return true; }
  static std::byte* allocate(std::size_t bytes, stream) {
    return static_cast<std::byte*>(::operator new(bytes, std::align_val_t{64}));
  }
  static void release(std::byte* p, stream) { ::operator delete(p, std::align_val_t{64}); }
  static void copy_in(std::byte* to, std::byte const* from, std::size_t bytes) {
    copy_within(to, from, bytes);
  }
  static void copy_in_and_wait(std::byte* to, std::byte const* from, std::size_t bytes) {
    copy_within(to, from, bytes);
  }
  static void copy_out(std::byte* to, std::byte const* from, std::size_t bytes) {
    copy_within(to, from, bytes);
  }
  static void copy_within(std::byte* to, std::byte const* from, std::size_t bytes) {
    if (bytes > 0) std::memcpy(to, from, bytes);
  }
  static void set_zero(std::byte* to, std::size_t bytes) { std::memset(to, 0, bytes); }
};

/// Stands where kt::cuda::gpu does, `kt::cuda::function_on<kt::cuda::emulated<>>(lambda)`, and runs
/// the same code, element for element. Blocks have `Threads` threads, a power of two; a grid of a
/// loop has at most `Blocks` blocks.
template <unsigned Threads = 256, unsigned Blocks = 4096>
class emulated : public emulated_on<host_memory, Threads, Blocks> {};

}  // namespace kroton::cuda
