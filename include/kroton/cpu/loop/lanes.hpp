// The lanes of one batch: the first ones chosen, and read from fewer elements than a batch has.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/loop/reduce.hpp>
#include <kroton/cpu/loop/row.hpp>

namespace kroton::cpu {

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
  return xsimd::batch<L>::load_aligned(numbers_of_lanes<L>.number) <
         xsimd::batch<L>(static_cast<L>(n));
}

/// The same address or number, of which the compiler knows nothing: g++ 12 warns of batches that
/// short arrays never fill, and makes vectors of loops over a few elements.
template <class T>
KROTON_INLINE T unknown_value(T x) {
#if defined(__GNUC__) && !defined(__clang__)
  __asm__("" : "+r"(x));
#endif
  return x;
}

/// Fills an aligned buffer of a batch with the n elements at `from`, at least one, and the rest of
/// it with the last one.
template <int Bytes, int Width>
KROTON_INLINE void load_few(std::byte* to, std::byte const* from, std::ptrdiff_t n) {
  if (load_tail(to, from, Bytes, n, Width)) return;
  for (std::ptrdiff_t i = 0; i < Width; ++i)
    std::memcpy(to + i * Bytes, from + (i < n ? i : n - 1) * Bytes, Bytes);
}
/// Writes the first n elements of such a buffer.
template <int Bytes, int Width>
KROTON_INLINE void store_few(std::byte* to, std::byte const* from, std::ptrdiff_t n) {
  if (store_tail(to, from, Bytes, n, Width)) return;
  for (std::ptrdiff_t i = 0; i < n && i < Width; ++i)
    std::memcpy(to + i * Bytes, from + i * Bytes, Bytes);
}

}  // namespace kroton::cpu
