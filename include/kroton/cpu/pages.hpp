// Large results in large pages: a fresh array would otherwise cost a page fault for every 4 KiB, more than what is computed.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace kroton::core {

/// Asks for large pages where so many bytes have just been allocated; a wish, of which a system may take no notice. (numpy does so too)
inline void ask_for_large_pages([[maybe_unused]] void* begin, [[maybe_unused]] std::size_t bytes) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  constexpr std::size_t large = std::size_t{4} << 20, page = 4096;
  if (bytes < large) return;
  auto const address = reinterpret_cast<std::uintptr_t>(begin), first = (address + page - 1) / page * page;
  madvise(reinterpret_cast<void*>(first), address + bytes - first, MADV_HUGEPAGE);
#endif
}

}  // namespace kroton::core
