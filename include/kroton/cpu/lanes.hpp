// The lanes of one batch: the first ones chosen, read from fewer elements than a batch has, and combined in registers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/reduce.hpp>
#include <kroton/cpu/row.hpp>

namespace kroton::core {

template <class L>
struct lane_numbers {
  alignas(64) L number[xsimd::batch<L>::size];
  constexpr lane_numbers() : number{} {
    for (std::size_t k = 0; k < xsimd::batch<L>::size; ++k) number[k] = static_cast<L>(k);
  }
};
template <class L>
inline constexpr lane_numbers<L> numbers_of_lanes{};

/// The mask of the first n lanes.
template <class L>
KROTON_INLINE auto first_lanes(std::ptrdiff_t n) {
  return xsimd::batch<L>::load_aligned(numbers_of_lanes<L>.number) < xsimd::batch<L>(static_cast<L>(n));
}

/// The same address, of which the compiler does not know the array: g++ 12 warns of batches that short arrays never fill.
template <class Pointer>
KROTON_INLINE Pointer unknown_array(Pointer p) {
#if defined(__GNUC__) && !defined(__clang__)
  __asm__("" : "+r"(p));
#endif
  return p;
}

/// Fills an aligned buffer of a batch with the n elements at `from`, at least one, and the rest of it with the last one.
template <int Bytes, int Width>
KROTON_INLINE void load_few(std::byte* to, std::byte const* from, std::ptrdiff_t n) {
  if (load_tail(to, from, Bytes, n, Width)) return;
  for (std::ptrdiff_t i = 0; i < Width; ++i) std::memcpy(to + i * Bytes, from + (i < n ? i : n - 1) * Bytes, Bytes);
}
/// Writes the first n elements of such a buffer.
template <int Bytes, int Width>
KROTON_INLINE void store_few(std::byte* to, std::byte const* from, std::ptrdiff_t n) {
  if (store_tail(to, from, Bytes, n, Width)) return;
  for (std::ptrdiff_t i = 0; i < n && i < Width; ++i) std::memcpy(to + i * Bytes, from + i * Bytes, Bytes);
}

// A batch whose halves, quarters ... are exchanged: Distance is in lanes.
#if defined(__AVX512F__)
template <int Distance>
KROTON_INLINE xsimd::batch<double> exchanged(xsimd::batch<double> const& b) {
  if constexpr (Distance == 4) return _mm512_shuffle_f64x2(b, b, 0x4E);
  else if constexpr (Distance == 2) return _mm512_shuffle_f64x2(b, b, 0xB1);
  else return _mm512_permute_pd(b, 0x55);
}
template <int Distance>
KROTON_INLINE xsimd::batch<float> exchanged(xsimd::batch<float> const& b) {
  if constexpr (Distance == 8) return _mm512_shuffle_f32x4(b, b, 0x4E);
  else if constexpr (Distance == 4) return _mm512_shuffle_f32x4(b, b, 0xB1);
  else if constexpr (Distance == 2) return _mm512_permute_ps(b, 0x4E);
  else return _mm512_permute_ps(b, 0xB1);
}
#elif defined(__AVX__)
template <int Distance>
KROTON_INLINE xsimd::batch<double> exchanged(xsimd::batch<double> const& b) {
  if constexpr (Distance == 2) return _mm256_permute2f128_pd(b, b, 1);
  else return _mm256_permute_pd(b, 5);
}
template <int Distance>
KROTON_INLINE xsimd::batch<float> exchanged(xsimd::batch<float> const& b) {
  if constexpr (Distance == 4) return _mm256_permute2f128_ps(b, b, 1);
  else if constexpr (Distance == 2) return _mm256_permute_ps(b, 0x4E);
  else return _mm256_permute_ps(b, 0xB1);
}
#elif defined(__SSE2__)
template <int Distance>
KROTON_INLINE xsimd::batch<double> exchanged(xsimd::batch<double> const& b) {
  return _mm_shuffle_pd(b, b, 1);
}
template <int Distance>
KROTON_INLINE xsimd::batch<float> exchanged(xsimd::batch<float> const& b) {
  if constexpr (Distance == 2) return _mm_shuffle_ps(b, b, 0x4E);
  else return _mm_shuffle_ps(b, b, 0xB1);
}
#else
template <int Distance, class L>
KROTON_INLINE xsimd::batch<L> exchanged(xsimd::batch<L> const& b) {
  alignas(64) L lanes[xsimd::batch<L>::size], other[xsimd::batch<L>::size];
  b.store_aligned(lanes);
  for (std::size_t k = 0; k < xsimd::batch<L>::size; ++k) other[k] = lanes[k ^ static_cast<std::size_t>(Distance)];
  return xsimd::batch<L>::load_aligned(other);
}
#endif

/// Combines all lanes of a batch, neighbours at the largest distance first.
template <class Op, int Distance, class L>
KROTON_INLINE L combined_lanes(xsimd::batch<L> const& b) {
  if constexpr (Distance == 0) return b.get(0);
  else return combined_lanes<Op, Distance / 2>(xsimd::batch<L>(Op::combine(b, exchanged<Distance>(b))));
}
template <class Op, class L>
KROTON_INLINE L all_lanes(xsimd::batch<L> const& b) {
  return combined_lanes<Op, static_cast<int>(xsimd::batch<L>::size) / 2>(b);
}

}  // namespace kroton::core
