// The limit's memory for large results.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace hand {

/// Results of so many bytes are larger than the caches.
inline constexpr std::size_t large = std::size_t{16} << 20;

/// Memory as malloc gives it, to be given to free; large blocks in large pages where Linux has them, since the first touch of
/// each page costs as much as the loop on it. (NumPy does so, too.)
inline void* allocate(std::size_t bytes) {
  void* const block = std::malloc(bytes);
#if defined(__linux__)
  constexpr std::size_t page = 4096;
  auto const begin = reinterpret_cast<std::uintptr_t>(block), first = (begin + page - 1) / page * page;
  if (bytes >= large) madvise(reinterpret_cast<void*>(first), (begin + bytes - first) / page * page, MADV_HUGEPAGE);
#endif
  return block;
}

}  // namespace hand
