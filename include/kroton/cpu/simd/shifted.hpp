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

/// Elements from some place on, in rows that are whole lines apart.
template <class T>
class shifted_rows {
  using B = xsimd::batch<T>;

 public:
  static constexpr auto width = static_cast<std::ptrdiff_t>(B::size);

#if defined(__AVX512F__)
  explicit KROTON_INLINE shifted_rows(T const* from) {
    auto const shift = static_cast<std::ptrdiff_t>(reinterpret_cast<std::uintptr_t>(from) /
                                                   sizeof(T) % static_cast<std::size_t>(width));
    from_ = from - shift;
    if constexpr (sizeof(T) == 8)
      lanes_ =
          _mm512_add_epi64(_mm512_set1_epi64(shift), _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7));
    else
      lanes_ =
          _mm512_add_epi32(_mm512_set1_epi32(static_cast<int>(shift)),
                           _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
    is_whole_ = shift == 0;
  }
  /// Whether batches are whole lines.
  bool are_lines() const { return is_whole_; }
  KROTON_INLINE B line() const { return B::load_aligned(from_); }
  KROTON_INLINE B batch() const {
    B const a = line(), b = B::load_aligned(from_ + width);
    if constexpr (sizeof(T) == 8) return _mm512_permutex2var_pd(a, lanes_, b);
    else return _mm512_permutex2var_ps(a, lanes_, b);
  }

 private:
  T const* from_;
  __m512i lanes_;
  bool is_whole_;
#else
  explicit KROTON_INLINE shifted_rows(T const* from) : from_(from) {}
  static constexpr bool are_lines() { return false; }
  KROTON_INLINE B line() const { return batch(); }
  KROTON_INLINE B batch() const { return B::load_unaligned(from_); }

 private:
  T const* from_;
#endif

 public:
  /// The same place in another row.
  KROTON_INLINE shifted_rows& operator+=(std::ptrdiff_t elements) {
    from_ += elements;
    asm("" : "+r"(from_));
    return *this;
  }
};

}  // namespace kroton::cpu
