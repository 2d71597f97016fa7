// The limit's loops over one or two arrays: vectors, unrolled, and a version whose stores go past the caches.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <xsimd/xsimd.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#if defined(__AVX512F__) || defined(__AVX__)
#include <immintrin.h>
#endif

namespace hand {

/// y = f(a, b), f on batches. The first and the last batch overlap others, so that stores between them are aligned; y is
/// therefore neither a nor b.
template <class T, class F>
void loop(T* y, T const* a, T const* b, std::size_t n, F f) {
  using batch = xsimd::batch<T>;
  constexpr std::size_t width = batch::size;
  auto at = [&](std::size_t i) { return f(batch::load_unaligned(a + i), batch::load_unaligned(b + i)); };
  if (n < width) {
    T ends[3][width] = {};
    std::copy(a, a + n, ends[0]);
    std::copy(b, b + n, ends[1]);
    f(batch::load_unaligned(ends[0]), batch::load_unaligned(ends[1])).store_unaligned(ends[2]);
    std::copy(ends[2], ends[2] + n, y);
    return;
  }
  at(0).store_unaligned(y);
  std::size_t i = (sizeof(batch) - reinterpret_cast<std::uintptr_t>(y) % sizeof(batch)) / sizeof(T);
  for (; i + 4 * width <= n; i += 4 * width) {
    batch const y0 = at(i), y1 = at(i + width), y2 = at(i + 2 * width), y3 = at(i + 3 * width);
    y0.store_aligned(y + i);
    y1.store_aligned(y + i + width);
    y2.store_aligned(y + i + 2 * width);
    y3.store_aligned(y + i + 3 * width);
  }
  for (; i + width <= n; i += width) at(i).store_aligned(y + i);
  at(n - width).store_unaligned(y + n - width);
}

#if defined(__AVX512F__)
inline void stream(double* to, xsimd::batch<double> x) { _mm512_stream_pd(to, x); }
inline void stream(float* to, xsimd::batch<float> x) { _mm512_stream_ps(to, x); }
#elif defined(__AVX__)
inline void stream(double* to, xsimd::batch<double> x) { _mm256_stream_pd(to, x); }
inline void stream(float* to, xsimd::batch<float> x) { _mm256_stream_ps(to, x); }
#else
template <class T>
void stream(T* to, xsimd::batch<T> x) {
  x.store_aligned(to);
}
#endif

/// The same past the caches; only the ends, which share their lines with others, are stored as usual.
template <class T, class F>
void streaming_loop(T* y, T const* a, T const* b, std::size_t n, F f) {
  using batch = xsimd::batch<T>;
  constexpr std::size_t width = batch::size;
  std::size_t const before = (64 - reinterpret_cast<std::uintptr_t>(y) % 64) % 64 / sizeof(T);
  std::size_t i = before < n ? before : n;
  loop(y, a, b, i, f);
  // A line at a time, so that lines are complete when they leave.
  constexpr std::size_t line = 64 / sizeof(T), parts = line / width > 0 ? line / width : 1;
  for (; i + parts * width <= n; i += parts * width)
    for (std::size_t k = 0; k < parts; ++k)
      stream(y + i + k * width, f(batch::load_unaligned(a + i + k * width), batch::load_unaligned(b + i + k * width)));
  loop(y + i, a + i, b + i, n - i, f);
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

}  // namespace hand
