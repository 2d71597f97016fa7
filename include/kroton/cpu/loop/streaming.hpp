// Stores that bypass the caches: what is larger than they are would only push out what is read
// next.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/config.hpp>
#include <kroton/cpu/loop/space.hpp>
#include <kroton/cpu/simd/intrinsics.hpp>

#include <cstddef>
#include <type_traits>

namespace kroton::cpu {

/// Writes a batch past the caches; the address is a multiple of its size.
template <class L>
KROTON_INLINE void stream(xsimd::batch<L> const& x, L* to) {
  constexpr bool is_double = std::is_same_v<L, double>;
#if defined(__AVX512F__)
  if constexpr (is_double) _mm512_stream_pd(to, x);
  else _mm512_stream_ps(to, x);
#elif defined(__AVX__)
  if constexpr (is_double) _mm256_stream_pd(to, x);
  else _mm256_stream_ps(to, x);
#elif defined(__SSE2__)
  if constexpr (is_double) _mm_stream_pd(to, x);
  else _mm_stream_ps(to, x);
#else
  x.store_unaligned(to);
#endif
}
/// Makes what was streamed visible to other threads before anything that is stored later.
inline void finish_streaming() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

/// How many bytes an array of a loop has, if it is dense.
template <class Space>
std::ptrdiff_t bytes_of_array(Space const& s, int k) {
  std::ptrdiff_t n = s.bytes[k];
  for (int d = 0; d < s.rank; ++d) n *= s.strides[d][k] == 0 ? 1 : s.extents[d];
  return n;
}

/// Whether a loop's results are to be streamed: where it touches more than the caches hold, in long
/// dense rows, and no result lies in an operand; and where it waits for memory. With as many costly
/// ops as arrays it computes for so long that stores through the caches cost nothing, while those
/// past them still hold it up.
template <class Space>
bool is_for_streaming(Space const& s, loop_facts const& facts) {
  // The interpreter's kernels stream nothing
  if (!Space::fixed_rows || s.extents[s.rank - 1] < machine::min_streamed_row) return false;
  std::ptrdiff_t touched = 0;
  int moved = 0;
  for (int k = 0; k < s.count; ++k) {
    touched += bytes_of_array(s, k);
    moved += s.strides[s.rank - 1][k] != 0 ? 1 : 0;
  }
  if (touched < machine::streamed_bytes || facts.costly >= moved) return false;
  bool any = false;
  for (int k = 0; k < s.results; ++k) {
    if (facts.result[k].reduction) continue;
    int const at = s.operands + k;
    if (s.strides[s.rank - 1][at] != 1) return false;
    std::byte const *const begin = s.data[at], *const end = begin + bytes_of_array(s, at);
    for (int i = 0; i < s.operands; ++i)
      if (s.data[i] != nullptr && s.data[i] >= begin && s.data[i] < end) return false;
    any = true;
  }
  return any;
}

}  // namespace kroton::cpu
