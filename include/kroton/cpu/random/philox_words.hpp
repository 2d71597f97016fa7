// Words of Philox4x32-10 for consecutive counters, as many at a time as a vector has lanes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/config.hpp>
#include <kroton/cpu/simd/intrinsics.hpp>
#include <kroton/math/random/philox.hpp>

#include <cstddef>
#include <cstring>

namespace kroton::cpu {

/// Blocks in the lanes of vectors. Each lane has 64 bits for a word, the lower 32 of which count: a
/// multiplication reads those alone.
struct philox_lanes {
#if defined(__AVX512F__)
  static constexpr int width = 8, together = 4;
  using vector = __m512i;
  static KROTON_INLINE vector all(std::uint64_t x) {
    return _mm512_set1_epi64(static_cast<long long>(x));
  }
  static KROTON_INLINE vector load(std::uint64_t const* x) { return _mm512_loadu_si512(x); }
  static KROTON_INLINE vector product(vector a, vector b) { return _mm512_mul_epu32(a, b); }
  static KROTON_INLINE vector upper(vector a) { return _mm512_srli_epi64(a, 32); }
  static KROTON_INLINE vector mixed(vector a, vector b, vector c) {
    return _mm512_ternarylogic_epi64(a, b, c, 0x96);  // a ^ b ^ c
  }
  /// The words of block 0, those of block 1 ...
  static KROTON_INLINE void store(vector const* c, std::uint32_t* to) {
    vector const a = _mm512_mask_blend_epi32(0xAAAA, c[0], _mm512_slli_epi64(c[1], 32)),
                 b = _mm512_mask_blend_epi32(0xAAAA, c[2], _mm512_slli_epi64(c[3], 32)),
                 even = _mm512_unpacklo_epi64(a, b), odd = _mm512_unpackhi_epi64(a, b),
                 low = _mm512_shuffle_i64x2(even, odd, 0x44),  // 0 2 1 3
        high = _mm512_shuffle_i64x2(even, odd, 0xEE);          // 4 6 5 7
    _mm512_storeu_si512(to, _mm512_shuffle_i64x2(low, low, 0xD8));
    _mm512_storeu_si512(to + 16, _mm512_shuffle_i64x2(high, high, 0xD8));
  }
#elif defined(__AVX2__)
  static constexpr int width = 4, together = 2;
  using vector = __m256i;
  static KROTON_INLINE vector all(std::uint64_t x) {
    return _mm256_set1_epi64x(static_cast<long long>(x));
  }
  static KROTON_INLINE vector load(std::uint64_t const* x) {
    return _mm256_loadu_si256(reinterpret_cast<__m256i const*>(x));
  }
  static KROTON_INLINE vector product(vector a, vector b) { return _mm256_mul_epu32(a, b); }
  static KROTON_INLINE vector upper(vector a) { return _mm256_srli_epi64(a, 32); }
  static KROTON_INLINE vector mixed(vector a, vector b, vector c) {
    return _mm256_xor_si256(_mm256_xor_si256(a, b), c);
  }
  static KROTON_INLINE void store(vector const* c, std::uint32_t* to) {
    vector const a = _mm256_blend_epi32(c[0], _mm256_slli_epi64(c[1], 32), 0xAA),
                 b = _mm256_blend_epi32(c[2], _mm256_slli_epi64(c[3], 32), 0xAA),
                 even = _mm256_unpacklo_epi64(a, b), odd = _mm256_unpackhi_epi64(a, b);
    auto* const at = reinterpret_cast<__m256i*>(to);
    _mm256_storeu_si256(at, _mm256_permute2x128_si256(even, odd, 0x20));
    _mm256_storeu_si256(at + 1, _mm256_permute2x128_si256(even, odd, 0x31));
  }
#elif defined(__SSE2__)
  static constexpr int width = 2, together = 2;
  using vector = __m128i;
  static KROTON_INLINE vector all(std::uint64_t x) {
    return _mm_set1_epi64x(static_cast<long long>(x));
  }
  static KROTON_INLINE vector load(std::uint64_t const* x) {
    return _mm_loadu_si128(reinterpret_cast<__m128i const*>(x));
  }
  static KROTON_INLINE vector product(vector a, vector b) { return _mm_mul_epu32(a, b); }
  static KROTON_INLINE vector upper(vector a) { return _mm_srli_epi64(a, 32); }
  static KROTON_INLINE vector mixed(vector a, vector b, vector c) {
    return _mm_xor_si128(_mm_xor_si128(a, b), c);
  }
  static KROTON_INLINE void store(vector const* c, std::uint32_t* to) {
    vector const lower = all(0xFFFFFFFFu),
                 a = _mm_or_si128(_mm_and_si128(c[0], lower), _mm_slli_epi64(c[1], 32)),
                 b = _mm_or_si128(_mm_and_si128(c[2], lower), _mm_slli_epi64(c[3], 32));
    auto* const at = reinterpret_cast<__m128i*>(to);
    _mm_storeu_si128(at, _mm_unpacklo_epi64(a, b));
    _mm_storeu_si128(at + 1, _mm_unpackhi_epi64(a, b));
  }
#else
  static constexpr int width = 0, together = 0;
#endif
};

/// The words of Many times `width` blocks from one on. Several vectors go through the rounds
/// together, because the operations of one wait for each other.
template <int Many, class Lanes = philox_lanes>
KROTON_INLINE void philox_step(math::philox_place const& place, std::uint64_t first,
                               std::uint32_t* to) {
  using constants = math::philox_constants;
  using vector = typename Lanes::vector;
  constexpr auto count = static_cast<std::size_t>(Many * Lanes::width);
  std::uint64_t counter[count];
  for (std::size_t k = 0; k < count; ++k) counter[k] = first + k;
  vector const m0 = Lanes::all(constants::multiplier[0]), m1 = Lanes::all(constants::multiplier[1]);
  vector c[static_cast<std::size_t>(Many)][4];
  for (int v = 0; v < Many; ++v) {
    c[v][0] = Lanes::all(place.draw);
    c[v][1] = Lanes::all(place.draw >> 32);
    c[v][2] = Lanes::load(counter + v * Lanes::width);
    c[v][3] = Lanes::upper(c[v][2]);
  }
  std::uint32_t key0 = place.key0, key1 = place.key1;
  for (int round = 0; round < constants::rounds; ++round) {
    vector const k0 = Lanes::all(key0), k1 = Lanes::all(key1);
    for (int v = 0; v < Many; ++v) {
      vector const a = Lanes::product(c[v][0], m0), b = Lanes::product(c[v][2], m1);
      c[v][0] = Lanes::mixed(Lanes::upper(b), c[v][1], k0);
      c[v][2] = Lanes::mixed(Lanes::upper(a), c[v][3], k1);
      c[v][1] = b;
      c[v][3] = a;
    }
    key0 += constants::key_step[0];
    key1 += constants::key_step[1];
  }
  for (int v = 0; v < Many; ++v) Lanes::store(c[v], to + 4 * v * Lanes::width);
}

/// The words of so many blocks from one on.
inline void philox_words(math::philox_place const& place, std::uint64_t first,
                         std::ptrdiff_t blocks, std::uint32_t* to) {
  std::ptrdiff_t done = 0;
  if constexpr (philox_lanes::width > 0) {
    constexpr int many = philox_lanes::together, width = philox_lanes::width;
    for (; done + many * width <= blocks; done += many * width)
      philox_step<many>(place, first + static_cast<std::uint64_t>(done), to + 4 * done);
    for (; done + width <= blocks; done += width)
      philox_step<1>(place, first + static_cast<std::uint64_t>(done), to + 4 * done);
  }
  for (; done < blocks; ++done) {
    math::philox_block const block = place.block(first + static_cast<std::uint64_t>(done));
    std::memcpy(to + 4 * done, block.word, sizeof block.word);
  }
}

}  // namespace kroton::cpu
