// Uniform and normal numbers of Philox for a range of elements.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/random/philox_words.hpp>
#include <kroton/cpu/simd/math.hpp>

#include <algorithm>
#include <numbers>

namespace kroton::cpu {

/// How many numbers are made at a time, in memory that the first cache holds.
inline constexpr std::ptrdiff_t philox_chunk = 512;
/// The bytes from which on the numbers of a draw are far away. (On a Xeon 10,000,000 doubles
/// take a seventh less so, 1,000,000 as long.)
inline constexpr std::ptrdiff_t philox_far = 16 << 20;

/// Uniform numbers for `count` elements, at most a chunk, from one whose number is a multiple of 4.
inline void philox_uniform_chunk(math::philox_place const& place, std::ptrdiff_t first,
                                 std::ptrdiff_t count, float* to) {
  alignas(64) std::uint32_t words[philox_chunk];
  philox_words(place, static_cast<std::uint64_t>(first) / 4, (count + 3) / 4, words);
  KROTON_INDEPENDENT
  for (std::ptrdiff_t i = 0; i < count; ++i)
    to[i] = static_cast<float>(static_cast<std::int32_t>(words[i] >> 8)) * 0x1p-24f;
}
inline void philox_uniform_chunk(math::philox_place const& place, std::ptrdiff_t first,
                                 std::ptrdiff_t count, double* to) {
  alignas(64) std::uint32_t high[philox_chunk], low[philox_chunk];
  philox_words(place, static_cast<std::uint64_t>(first) / 4, (count + 3) / 4, high);
  philox_words(place.after(1), static_cast<std::uint64_t>(first) / 4, (count + 3) / 4, low);
  KROTON_INDEPENDENT
  for (std::ptrdiff_t i = 0; i < count; ++i)
    to[i] = static_cast<double>(static_cast<std::int32_t>(high[i] >> 5)) * 0x1p-27 +
            static_cast<double>(static_cast<std::int32_t>(low[i] >> 6)) * 0x1p-53;
}

/// Normal numbers come in pairs by the transformation of Box and Muller: of each 32 elements, the
/// uniform numbers of the first sixteen give radii, those of the others angles, and the pairs are
/// as far apart.
inline constexpr int normal_group = 32, normal_pairs = normal_group / 2;

/// Turns the uniform numbers of so many groups into normal ones.
template <class T>
void normal_from_uniform(T* at, std::ptrdiff_t groups) {
  using batch = xsimd::batch<T>;
  constexpr std::ptrdiff_t width = static_cast<std::ptrdiff_t>(batch::size);
  for (std::ptrdiff_t g = 0; g < groups; ++g, at += normal_group)
    for (std::ptrdiff_t k = 0; k < normal_pairs; k += width) {
      batch const u = batch::load_unaligned(at + k),
                  angle =
                      batch(T(2 * std::numbers::pi)) * batch::load_unaligned(at + normal_pairs + k),
                  radius = xsimd::sqrt(batch(T(-2)) * math::log(batch(T(1)) - u));
      (radius * math::cos(angle)).store_unaligned(at + k);
      (radius * math::sin(angle)).store_unaligned(at + normal_pairs + k);
    }
}

/// Numbers for the elements from `first` on: uniform in [0, 1), or standard normal.
template <bool Normal, class T>
void philox_fill(math::philox_place const& place, std::ptrdiff_t first, std::ptrdiff_t count,
                 T* to) {
  constexpr std::ptrdiff_t step = Normal ? normal_group : 4, line = 64 / sizeof(T);
  bool const is_far = count * static_cast<std::ptrdiff_t>(sizeof(T)) >= philox_far;
  alignas(64) T chunk[philox_chunk];
  while (count > 0) {
    std::ptrdiff_t const skipped = first % step, here = std::min(count, philox_chunk - skipped),
                         made = (skipped + here + step - 1) / step * step;
    bool const is_direct = skipped == 0 && made == here;
    T* const at = is_direct ? to : chunk;
    // What is far away comes while numbers are made, before they are stored.
    if (is_far && is_direct)
      for (std::ptrdiff_t i = 0; i < made; i += line) __builtin_prefetch(to + i, 1);
    philox_uniform_chunk(place, first - skipped, made, at);
    if constexpr (Normal) normal_from_uniform(at, made / step);
    if (!is_direct) std::copy(chunk + skipped, chunk + skipped + here, to);
    first += here;
    to += here;
    count -= here;
  }
}

}  // namespace kroton::cpu
