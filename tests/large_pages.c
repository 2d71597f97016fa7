// Memory of 2 MiB pages for a program that is started with this as LD_PRELOAD, on systems that give such pages on request.
// g++ 12 asks for gigabytes in pieces of 2 MiB that lie anywhere, and maps a precompiled header of 300 MB of which it writes to
// every part; where a page fault is dear, as in virtual machines, that is up to a third of its time.
// SPDX-License-Identifier: BSD-3-Clause
#define _GNU_SOURCE
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { page = 2 << 20 };
// Pools begin at multiples of their size, so that an address tells how much of its pool is left.
static size_t const pool = (size_t)64 * page;
static _Atomic uintptr_t next;

static void* kernel_map(void* at, size_t size, int protection, int flags, int file, off_t offset) {
  return (void*)syscall(SYS_mmap, at, size, protection, flags, file, offset);
}

// Pages at a fixed place, where nothing else is: of those that the system keeps for who asks (vm.nr_hugepages), if any are left.
// A virtual machine may give memory back as soon as a program ends; the pages that it keeps it need not ask for again. A compiler
// does not fork: else a child could lack what was promised to its parent.
static void* pages_at(void* at, size_t size) {
  int const flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE;
  if (strcmp(program_invocation_short_name, "cc1plus") == 0) {
    void* const kept = kernel_map(at, size, PROT_READ | PROT_WRITE, flags | MAP_HUGETLB, -1, 0);
    if (kept != MAP_FAILED) return kept;
  }
  void* const made = kernel_map(at, size, PROT_READ | PROT_WRITE, flags, -1, 0);
  if (made != MAP_FAILED) madvise(made, size, MADV_HUGEPAGE);
  return made;
}

static void* from_pool(size_t size) {
  for (;;) {
    uintptr_t at = atomic_load(&next);
    if (at % pool != 0 && at % pool + size <= pool) {
      if (atomic_compare_exchange_weak(&next, &at, at + size)) return (void*)at;
      continue;
    }
    void* const all = kernel_map(NULL, 2 * pool, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (all == MAP_FAILED) return all;
    uintptr_t const begin = ((uintptr_t)all + pool - 1) / pool * pool;
    munmap(all, 2 * pool);
    if (pages_at((void*)begin, pool) == MAP_FAILED) return MAP_FAILED;
    // Its first page stays unused: an address that is a multiple is the end of a pool.
    atomic_store(&next, begin + page);
  }
}

// A private copy of a file, which the caller wants at a fixed place.
static void* copy_of_file(void* at, size_t size, int file, off_t offset) {
  size_t const whole = (size + page - 1) / page * page;
  char* const copy = pages_at(at, whole);
  if (copy == MAP_FAILED) return copy;
  size_t done = 0;
  while (copy == at && done < size) {
    ssize_t const count = pread(file, copy + done, size - done, offset + (off_t)done);
    if (count == 0) return copy;
    if (count < 0) break;
    done += (size_t)count;
  }
  if (done == size) return copy;
  munmap(copy, whole);
  return MAP_FAILED;
}

void* mmap(void* at, size_t size, int protection, int flags, int file, off_t offset) {
  void* made = MAP_FAILED;
  if (protection == (PROT_READ | PROT_WRITE)) {
    if (flags == (MAP_PRIVATE | MAP_ANONYMOUS) && at == NULL && size % page == 0 && size != 0 && size <= pool / 4) made = from_pool(size);
    else if (flags == MAP_PRIVATE && at != NULL && size >= (size_t)16 * page) made = copy_of_file(at, size, file, offset);
  }
  return made != MAP_FAILED ? made : kernel_map(at, size, protection, flags, file, offset);
}
void* mmap64(void* at, size_t size, int protection, int flags, int file, off_t offset) {
  return mmap(at, size, protection, flags, file, offset);
}
