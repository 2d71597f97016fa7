// The last elements of a dense row, fewer than a batch: read and written under a mask, where the
// target has masks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/config.hpp>
#include <kroton/core/layers.hpp>
#include <kroton/cpu/simd/intrinsics.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace kroton::cpu {

#if defined(__AVX512F__)

/// Fills an aligned buffer of `width` elements with the n elements at `from`, and the rest of it
/// with the last one. Returns false if no instruction
/// loads elements of this size.
KROTON_INLINE bool load_tail(std::byte* to, std::byte const* from, int bytes, std::ptrdiff_t n,
                             std::ptrdiff_t width) {
  if (bytes == 8 && width <= 8) {
    long long last;
    std::memcpy(&last, from + (n - 1) * 8, 8);
    _mm512_store_si512(to, _mm512_mask_loadu_epi64(_mm512_set1_epi64(last),
                                                   static_cast<__mmask8>((1u << n) - 1), from));
    return true;
  }
  if (bytes == 4 && width <= 16) {
    int last;
    std::memcpy(&last, from + (n - 1) * 4, 4);
    _mm512_store_si512(to, _mm512_mask_loadu_epi32(_mm512_set1_epi32(last),
                                                   static_cast<__mmask16>((1u << n) - 1), from));
    return true;
  }
  return false;
}
/// Writes the first n elements of an aligned buffer of `width` elements.
KROTON_INLINE bool store_tail(std::byte* to, std::byte const* from, int bytes, std::ptrdiff_t n,
                              std::ptrdiff_t width) {
  if (bytes == 8 && width <= 8)
    _mm512_mask_storeu_epi64(to, static_cast<__mmask8>((1u << n) - 1), _mm512_load_si512(from));
  else if (bytes == 4 && width <= 16)
    _mm512_mask_storeu_epi32(to, static_cast<__mmask16>((1u << n) - 1), _mm512_load_si512(from));
  else return false;
  return true;
}

#elif defined(__AVX2__)

KROTON_INLINE __m256i first_of_4(std::ptrdiff_t n) {
  return _mm256_cmpgt_epi64(_mm256_set1_epi64x(n), _mm256_setr_epi64x(0, 1, 2, 3));
}
KROTON_INLINE __m256i first_of_8(std::ptrdiff_t n) {
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(n)),
                            _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
KROTON_INLINE bool load_tail(std::byte* to, std::byte const* from, int bytes, std::ptrdiff_t n,
                             std::ptrdiff_t width) {
  __m256i* const into = reinterpret_cast<__m256i*>(to);
  if (bytes == 8 && width <= 4) {
    long long last;
    std::memcpy(&last, from + (n - 1) * 8, 8);
    __m256i const mask = first_of_4(n),
                  part = _mm256_maskload_epi64(reinterpret_cast<long long const*>(from), mask);
    _mm256_store_si256(into, _mm256_blendv_epi8(_mm256_set1_epi64x(last), part, mask));
    return true;
  }
  if (bytes == 4 && width <= 8) {
    int last;
    std::memcpy(&last, from + (n - 1) * 4, 4);
    __m256i const mask = first_of_8(n),
                  part = _mm256_maskload_epi32(reinterpret_cast<int const*>(from), mask);
    _mm256_store_si256(into, _mm256_blendv_epi8(_mm256_set1_epi32(last), part, mask));
    return true;
  }
  return false;
}
KROTON_INLINE bool store_tail(std::byte* to, std::byte const* from, int bytes, std::ptrdiff_t n,
                              std::ptrdiff_t width) {
  __m256i const* const part = reinterpret_cast<__m256i const*>(from);
  if (bytes == 8 && width <= 4)
    _mm256_maskstore_epi64(reinterpret_cast<long long*>(to), first_of_4(n),
                           _mm256_load_si256(part));
  else if (bytes == 4 && width <= 8)
    _mm256_maskstore_epi32(reinterpret_cast<int*>(to), first_of_8(n), _mm256_load_si256(part));
  else return false;
  return true;
}

#else

KROTON_INLINE bool load_tail(std::byte*, std::byte const*, int, std::ptrdiff_t, std::ptrdiff_t) {
  return false;
}
KROTON_INLINE bool store_tail(std::byte*, std::byte const*, int, std::ptrdiff_t, std::ptrdiff_t) {
  return false;
}

#endif

}  // namespace kroton::cpu
