// Convolutions that threads share: images and groups are divided, and each of these where there are
// fewer than threads.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/layers.hpp>
#include <kroton/cpu/machine.hpp>

#include <algorithm>
#include <cstddef>

#ifdef _OPENMP
#include <omp.h>
#endif

namespace kroton::cpu {

/// One of several parts of something.
struct share {
  std::ptrdiff_t part = 0, parts = 1;

  /// The elements of this part are begin(n) to end(n) of n.
  std::ptrdiff_t begin(std::ptrdiff_t n) const { return n * part / parts; }
  std::ptrdiff_t end(std::ptrdiff_t n) const { return n * (part + 1) / parts; }
};

/// How many threads take so many multiplications.
inline int threads_of([[maybe_unused]] double multiplications) {
#ifdef _OPENMP
  if (multiplications >= machine::min_shared_multiplications && !omp_in_parallel())
    return omp_get_max_threads();
#endif
  return 1;
}
/// Calls run(part) for every part, each on a thread. It must not throw.
template <class Run>
void run_parts(int parts, Run run) {
#ifdef _OPENMP
  if (parts > 1) {
#pragma omp parallel for schedule(static, 1) num_threads(parts)
    for (int p = 0; p < parts; ++p) run(p);
    return;
  }
#endif
  for (int p = 0; p < parts; ++p) run(p);
}
/// Calls run(part, item, share) for every item, or every share of it if it is divisible and there
/// are fewer items than threads. What depends on the part is its thread's own.
template <class Run>
void run_shared(int parts, std::ptrdiff_t items, bool is_divisible, Run run) {
  std::ptrdiff_t const shares = is_divisible ? (parts + items - 1) / items : 1;
  run_parts(parts, [&](int p) {
    share const own{p, parts};
    for (std::ptrdiff_t t = own.begin(items * shares); t < own.end(items * shares); ++t)
      run(p, t / shares, share{t % shares, shares});
  });
}

}  // namespace kroton::cpu
