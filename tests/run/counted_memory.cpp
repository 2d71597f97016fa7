// The counting itself.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/counted_memory.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <new>

// Where the compiler inlines only one of a pair, it takes them for a mismatch.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
#endif

namespace counted_memory {
std::atomic<long> allocations{0}, taken{0}, most_taken{0};
}

using namespace counted_memory;

namespace {

/// What lies before each block.
struct header {
  void* block;
  std::size_t size;
};
void* counted_or_null(std::size_t size, std::size_t alignment = alignof(std::max_align_t)) noexcept {
  std::size_t const room = std::max(alignment, sizeof(header));
  auto* const block = static_cast<std::byte*>(std::aligned_alloc(room, (size + 2 * room - 1) / room * room));
  if (block == nullptr) return nullptr;
  ++allocations;
  long const now = taken += static_cast<long>(size);
  for (long most = most_taken; now > most && !most_taken.compare_exchange_weak(most, now);) {}
  reinterpret_cast<header*>(block + room)[-1] = {block, size};
  return block + room;
}
void* counted(std::size_t size, std::size_t alignment = alignof(std::max_align_t)) {
  if (void* const p = counted_or_null(size, alignment)) return p;
  throw std::bad_alloc();
}
void give_back(void* p) noexcept {
  if (p == nullptr) return;
  header const of = static_cast<header*>(p)[-1];
  taken -= static_cast<long>(of.size);
  std::free(of.block);
}

}  // namespace

void* operator new(std::size_t size) { return counted(size); }
void* operator new[](std::size_t size) { return counted(size); }
void* operator new(std::size_t size, std::align_val_t alignment) { return counted(size, static_cast<std::size_t>(alignment)); }
void* operator new[](std::size_t size, std::align_val_t alignment) { return counted(size, static_cast<std::size_t>(alignment)); }
void* operator new(std::size_t size, std::nothrow_t const&) noexcept { return counted_or_null(size); }
void* operator new[](std::size_t size, std::nothrow_t const&) noexcept { return counted_or_null(size); }
void* operator new(std::size_t size, std::align_val_t alignment, std::nothrow_t const&) noexcept {
  return counted_or_null(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment, std::nothrow_t const&) noexcept {
  return counted_or_null(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* p) noexcept { give_back(p); }
void operator delete[](void* p) noexcept { give_back(p); }
void operator delete(void* p, std::size_t) noexcept { give_back(p); }
void operator delete[](void* p, std::size_t) noexcept { give_back(p); }
void operator delete(void* p, std::align_val_t) noexcept { give_back(p); }
void operator delete[](void* p, std::align_val_t) noexcept { give_back(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { give_back(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { give_back(p); }
