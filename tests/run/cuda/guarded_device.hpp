// An emulated device whose memory the host cannot touch: an access outside of a launch or a
// transfer ends the program, as it would on a machine with a GPU.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cuda/emulated.hpp>

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <stdexcept>

namespace testing {

/// What a device has been asked for.
struct device_counts {
  int launches = 0, sent = 0, fetched = 0, allocated = 0;
};

class guarded_memory {
 public:
  static inline device_counts counts;
  /// The numbers of one call.
  template <class Call>
  static device_counts counted(Call const& call) {
    counts = {};
    call();
    return counts;
  }

  struct stream {};
  /// A launch: threads may touch what there is.
  struct opened {
    opened() {
      ++counts.launches;
      protect_all(PROT_READ | PROT_WRITE);
    }
    opened(opened const&) = delete;
    opened& operator=(opened const&) = delete;
    ~opened() { protect_all(PROT_NONE); }
  };
  static stream current_stream() { return {}; }
  static std::byte* allocate(std::size_t bytes, stream) {
    ++counts.allocated;
    std::size_t const all = (bytes + page - 1) / page * page;
    void* const at = mmap(nullptr, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) throw std::bad_alloc();
    std::memset(at, 0x5a, all);  // nothing is zero by chance
    mprotect(at, all, PROT_NONE);
    blocks()[static_cast<std::byte*>(at)] = all;
    return static_cast<std::byte*>(at);
  }
  static void release(std::byte* p, stream) {
    auto const block = blocks().find(p);
    if (block == blocks().end()) std::abort();
    munmap(p, block->second);
    blocks().erase(block);
  }
  static void copy_in(std::byte* to, std::byte const* from, std::size_t bytes) {
    ++counts.sent;
    copy(to, from, bytes, true, false);
  }
  static void copy_in_and_wait(std::byte* to, std::byte const* from, std::size_t bytes) {
    copy_in(to, from, bytes);
  }
  static void copy_out(std::byte* to, std::byte const* from, std::size_t bytes) {
    ++counts.fetched;
    copy(to, from, bytes, false, true);
  }
  static void copy_within(std::byte* to, std::byte const* from, std::size_t bytes) {
    if (bytes > 0) copy(to, from, bytes, true, true);
  }
  static void set_zero(std::byte* to, std::size_t bytes) {
    protect_all(PROT_READ | PROT_WRITE);
    std::memset(to, 0, bytes);
    protect_all(PROT_NONE);
  }

 private:
  static constexpr std::size_t page = 4096;
  static std::map<std::byte*, std::size_t>& blocks() {
    static std::map<std::byte*, std::size_t> all;
    return all;
  }
  static void protect_all(int how) {
    for (auto const& [at, bytes] : blocks()) mprotect(at, bytes, how);
  }
  // Whether a range lies in one block of the device.
  static bool is_inside(std::byte const* p, std::size_t bytes) {
    auto block = blocks().upper_bound(const_cast<std::byte*>(p));
    if (block == blocks().begin()) return false;
    --block;
    return p + bytes <= block->first + block->second;
  }
  static void copy(std::byte* to, std::byte const* from, std::size_t bytes, bool to_device,
                   bool from_device) {
    if (is_inside(to, bytes) != to_device || is_inside(from, bytes) != from_device)
      throw std::logic_error("a transfer between other sides than those that it names");
    protect_all(PROT_READ | PROT_WRITE);
    std::memcpy(to, from, bytes);
    protect_all(PROT_NONE);
  }
};

/// A small grid, so that sizes of a few hundred already need several blocks and several elements a
/// thread.
using device = kroton::cuda::emulated_on<guarded_memory, 32, 12>;
template <class T, int Rank>
using device_array = kroton::cuda::array<T, Rank, device>;
template <class T, int Rank>
using device_shared = kroton::cuda::shared<T, Rank, device>;

}  // namespace testing
