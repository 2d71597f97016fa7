// Large results in large pages: a fresh array would otherwise cost a page fault for every 4 KiB,
// more than what is computed.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/machine.hpp>

#include <cstddef>
#include <cstdint>

#if defined(__linux__)
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#endif

namespace kroton::cpu {

/// Asks for large pages where so many bytes have just been allocated; a wish, of which a system may
/// take no notice. (numpy does so too)
inline void ask_for_large_pages([[maybe_unused]] void* begin, [[maybe_unused]] std::size_t bytes) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  if (bytes < machine::min_large_pages) return;
  auto const page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  int const before = errno;
  auto const address = reinterpret_cast<std::uintptr_t>(begin),
             first = (address + page - 1) / page * page;
  madvise(reinterpret_cast<void*>(first), address + bytes - first, MADV_HUGEPAGE);
  errno = before;
#endif
}

}  // namespace kroton::cpu
