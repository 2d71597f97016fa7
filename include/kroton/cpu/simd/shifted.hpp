// Batches of elements that begin anywhere: where a load across two cache lines costs two, they are
// put together of two aligned ones.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/config.hpp>
#include <kroton/core/layers.hpp>
#include <kroton/cpu/simd/intrinsics.hpp>

#include <cstddef>
#include <cstdint>

namespace kroton::cpu {

#if defined(__AVX512F__)
inline constexpr bool loads_of_lines = true;  // a batch is as long as a line
#else
inline constexpr bool loads_of_lines = false;
#endif

/// Batches that begin at some places of a row, `apart` from each other, and at the same places of
/// rows that are whole lines apart.
template <class T, int Columns = 1>
class shifted_rows {
  using B = xsimd::batch<T>;

 public:
  static constexpr auto width = static_cast<std::ptrdiff_t>(B::size);

#if defined(__AVX512F__)
  /// Whether two lines have them all.
  static KROTON_INLINE bool fits(T const* from, std::ptrdiff_t apart) {
    return apart >= 0 && shift_of(from) + (Columns - 1) * apart <= width;
  }
  explicit KROTON_INLINE shifted_rows(T const* from, std::ptrdiff_t apart = 0)
      : from_(from - shift_of(from)) {
    std::ptrdiff_t shift = shift_of(from);
    for (int k = 0; k < Columns; ++k, shift += apart) {
      if constexpr (sizeof(T) == 8)
        lanes_[k] =
            _mm512_add_epi64(_mm512_set1_epi64(shift), _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7));
      else
        lanes_[k] = _mm512_add_epi32(
            _mm512_set1_epi32(static_cast<int>(shift)),
            _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
    }
  }
  /// Whether a place is the first one of a line.
  static KROTON_INLINE bool is_line(T const* from) { return shift_of(from) == 0; }
  /// `IsLine`: whether the first place is that of a line.
  template <bool IsLine>
  KROTON_INLINE void load(B (&to)[static_cast<std::size_t>(Columns)]) const {
    B const a = B::load_aligned(from_), b = B::load_aligned(from_ + width);
    KROTON_UNROLL(3)
    for (int k = 0; k < Columns; ++k)
      if (IsLine && k == 0) to[k] = a;
      else if constexpr (sizeof(T) == 8) to[k] = _mm512_permutex2var_pd(a, lanes_[k], b);
      else to[k] = _mm512_permutex2var_ps(a, lanes_[k], b);
  }

 private:
  static KROTON_INLINE std::ptrdiff_t shift_of(T const* from) {
    return static_cast<std::ptrdiff_t>(reinterpret_cast<std::uintptr_t>(from) / sizeof(T) %
                                       static_cast<std::size_t>(width));
  }
  T const* from_;
  __m512i lanes_[static_cast<std::size_t>(Columns)];
#else
  static_assert(Columns == 1, "several columns are read at once from lines alone");
  explicit KROTON_INLINE shifted_rows(T const* from, std::ptrdiff_t = 0) : from_(from) {}
  template <bool>
  KROTON_INLINE void load(B (&to)[1]) const {
    to[0] = B::load_unaligned(from_);
  }

 private:
  T const* from_;
#endif

 public:
  /// The same places in another row.
  KROTON_INLINE shifted_rows& operator+=(std::ptrdiff_t elements) {
    from_ += elements;
    asm("" : "+r"(from_));
    return *this;
  }
};

}  // namespace kroton::cpu
