// Across the lanes of a batch: masks of some of them, and what all of them combine to.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/config.hpp>
#include <kroton/cpu/simd/extrema.hpp>

#include <cstddef>
#include <type_traits>

namespace kroton::cpu {

/// A batch in which neighbours at a distance of `Half` lanes have changed places, Half a power of
/// two.
template <int Half, class L>
KROTON_INLINE xsimd::batch<L> exchanged(xsimd::batch<L> const& b) {
  [[maybe_unused]] constexpr int bytes = Half * static_cast<int>(sizeof(L));
#if defined(__AVX512F__)
  __m512d d;
  if constexpr (std::is_same_v<L, double>) d = b;
  else d = _mm512_castps_pd(b);
  if constexpr (bytes == 32) d = _mm512_shuffle_f64x2(d, d, 0x4e);
  else if constexpr (bytes == 16) d = _mm512_shuffle_f64x2(d, d, 0xb1);
  else if constexpr (bytes == 8) d = _mm512_permute_pd(d, 0x55);
  if constexpr (std::is_same_v<L, double>) return d;
  else if constexpr (bytes == 4) return _mm512_permute_ps(b, 0xb1);
  else return _mm512_castpd_ps(d);
#elif defined(__AVX__)
  __m256d d;
  if constexpr (std::is_same_v<L, double>) d = b;
  else d = _mm256_castps_pd(b);
  if constexpr (bytes == 16) d = _mm256_permute2f128_pd(d, d, 1);
  else if constexpr (bytes == 8) d = _mm256_permute_pd(d, 0x5);
  if constexpr (std::is_same_v<L, double>) return d;
  else if constexpr (bytes == 4) return _mm256_permute_ps(b, 0xb1);
  else return _mm256_castpd_ps(d);
#elif defined(__SSE2__)
  if constexpr (std::is_same_v<L, double>) return _mm_shuffle_pd(b, b, 1);
  else if constexpr (bytes == 8) return _mm_shuffle_ps(b, b, 0x4e);
  else return _mm_shuffle_ps(b, b, 0xb1);
#else
  alignas(64) L lanes[xsimd::batch<L>::size], other[xsimd::batch<L>::size];
  b.store_aligned(lanes);
  for (std::size_t k = 0; k < xsimd::batch<L>::size; ++k)
    other[k] = lanes[k ^ static_cast<std::size_t>(Half)];
  return xsimd::batch<L>::load_aligned(other);
#endif
}
template <class L>
KROTON_INLINE L first_lane(xsimd::batch<L> const& b) {
#if defined(__AVX512F__)
  if constexpr (std::is_same_v<L, double>) return _mm512_cvtsd_f64(b);
  else return _mm512_cvtss_f32(b);
#elif defined(__AVX__)
  if constexpr (std::is_same_v<L, double>) return _mm256_cvtsd_f64(b);
  else return _mm256_cvtss_f32(b);
#elif defined(__SSE2__)
  if constexpr (std::is_same_v<L, double>) return _mm_cvtsd_f64(b);
  else return _mm_cvtss_f32(b);
#else
  return b.get(0);
#endif
}

/// The first or the second half of a batch in double.
template <int Half>
KROTON_INLINE xsimd::batch<double> widened(xsimd::batch<float> const& b) {
#if defined(__AVX512F__)
  return _mm512_cvtps_pd(_mm256_castpd_ps(_mm512_extractf64x4_pd(_mm512_castps_pd(b), Half)));
#elif defined(__AVX__)
  return _mm256_cvtps_pd(_mm256_extractf128_ps(b, Half));
#elif defined(__SSE2__)
  if constexpr (Half == 0) return _mm_cvtps_pd(b);
  else return _mm_cvtps_pd(_mm_movehl_ps(b, b));
#else
  alignas(64) float lanes[xsimd::batch<float>::size];
  alignas(64) double half[xsimd::batch<double>::size];
  b.store_aligned(lanes);
  for (std::size_t k = 0; k < xsimd::batch<double>::size; ++k)
    half[k] = lanes[static_cast<std::size_t>(Half) * xsimd::batch<double>::size + k];
  return xsimd::batch<double>::load_aligned(half);
#endif
}

/// Combines all lanes of a batch, neighbours at the largest distance first.
template <class Op, int Half, class L>
KROTON_INLINE L horizontal_from(xsimd::batch<L> const& b) {
  if constexpr (Half == 0) return first_lane(b);
  else return horizontal_from<Op, Half / 2>(Op::combine(b, exchanged<Half>(b)));
}
template <class Op, class L>
KROTON_INLINE L horizontal(xsimd::batch<L> const& b) {
  constexpr int half = static_cast<int>(xsimd::batch<L>::size / 2);
  if constexpr (is_extremum_of_floats<Op, L>) {
    if (xsimd::any(unordered(b, b))) return std::numeric_limits<L>::quiet_NaN();
    return horizontal_from<among_numbers<Op>, half>(b);
  } else {
    return horizontal_from<Op, half>(b);
  }
}

/// What all lanes of a batch combine to, of as many batches as one has lanes: a lane for each of
/// them.
template <class Op, class L>
KROTON_INLINE xsimd::batch<L> horizontals(xsimd::batch<L> const* rows) {
  using B = xsimd::batch<L>;
#if defined(__SSE2__)
  constexpr bool is_double = std::is_same_v<L, double>;
  // Within 128 bits: of two doubles or four floats a batch, and as many batches together.
  auto const within = [rows](int first) -> B {
#if defined(__AVX512F__)
    if constexpr (is_double) {
      B const a = rows[first], b = rows[first + 1];
      return Op::combine(B(_mm512_unpacklo_pd(a, b)), B(_mm512_unpackhi_pd(a, b)));
    } else {
      B const a = rows[first], b = rows[first + 1], c = rows[first + 2], d = rows[first + 3];
      __m512d const ab =
          _mm512_castps_pd(Op::combine(B(_mm512_unpacklo_ps(a, b)), B(_mm512_unpackhi_ps(a, b))));
      __m512d const cd =
          _mm512_castps_pd(Op::combine(B(_mm512_unpacklo_ps(c, d)), B(_mm512_unpackhi_ps(c, d))));
      return Op::combine(B(_mm512_castpd_ps(_mm512_unpacklo_pd(ab, cd))),
                         B(_mm512_castpd_ps(_mm512_unpackhi_pd(ab, cd))));
    }
#elif defined(__AVX__)
    if constexpr (is_double) {
      B const a = rows[first], b = rows[first + 1];
      return Op::combine(B(_mm256_unpacklo_pd(a, b)), B(_mm256_unpackhi_pd(a, b)));
    } else {
      B const a = rows[first], b = rows[first + 1], c = rows[first + 2], d = rows[first + 3];
      __m256d const ab =
          _mm256_castps_pd(Op::combine(B(_mm256_unpacklo_ps(a, b)), B(_mm256_unpackhi_ps(a, b))));
      __m256d const cd =
          _mm256_castps_pd(Op::combine(B(_mm256_unpacklo_ps(c, d)), B(_mm256_unpackhi_ps(c, d))));
      return Op::combine(B(_mm256_castpd_ps(_mm256_unpacklo_pd(ab, cd))),
                         B(_mm256_castpd_ps(_mm256_unpackhi_pd(ab, cd))));
    }
#else
    if constexpr (is_double) {
      B const a = rows[first], b = rows[first + 1];
      return Op::combine(B(_mm_unpacklo_pd(a, b)), B(_mm_unpackhi_pd(a, b)));
    } else {
      B const a = rows[first], b = rows[first + 1], c = rows[first + 2], d = rows[first + 3];
      __m128d const ab =
          _mm_castps_pd(Op::combine(B(_mm_unpacklo_ps(a, b)), B(_mm_unpackhi_ps(a, b))));
      __m128d const cd =
          _mm_castps_pd(Op::combine(B(_mm_unpacklo_ps(c, d)), B(_mm_unpackhi_ps(c, d))));
      return Op::combine(B(_mm_castpd_ps(_mm_unpacklo_pd(ab, cd))),
                         B(_mm_castpd_ps(_mm_unpackhi_pd(ab, cd))));
    }
#endif
  };
  [[maybe_unused]] constexpr int together = is_double ? 2 : 4;
#if defined(__AVX512F__)
  auto const halved = [](B const& a, B const& b) -> B {
    __m512d x, y;
    if constexpr (is_double) x = a, y = b;
    else x = _mm512_castps_pd(a), y = _mm512_castps_pd(b);
    __m512d const even = _mm512_shuffle_f64x2(x, y, 0x88), odd = _mm512_shuffle_f64x2(x, y, 0xdd);
    if constexpr (is_double) return Op::combine(B(even), B(odd));
    else return Op::combine(B(_mm512_castpd_ps(even)), B(_mm512_castpd_ps(odd)));
  };
  return halved(halved(within(0), within(together)),
                halved(within(2 * together), within(3 * together)));
#elif defined(__AVX__)
  B const a = within(0), b = within(together);
  __m256d x, y;
  if constexpr (is_double) x = a, y = b;
  else x = _mm256_castps_pd(a), y = _mm256_castps_pd(b);
  __m256d const low = _mm256_permute2f128_pd(x, y, 0x20), high = _mm256_permute2f128_pd(x, y, 0x31);
  if constexpr (is_double) return Op::combine(B(low), B(high));
  else return Op::combine(B(_mm256_castpd_ps(low)), B(_mm256_castpd_ps(high)));
#else
  return within(0);
#endif
#else
  alignas(64) L lane[B::size];
  for (std::size_t k = 0; k < B::size; ++k) lane[k] = horizontal<Op>(rows[k]);
  return B::load_aligned(lane);
#endif
}

/// Lanes of a batch that belong together: the first ones, or all from some lane on.
template <class L>
class lane_window {
 public:
  using batch = xsimd::batch<L>;
  static constexpr auto width = static_cast<std::ptrdiff_t>(batch::size);

  static KROTON_INLINE lane_window all() { return first(width); }
#if defined(__AVX512F__)
  static KROTON_INLINE lane_window first(std::ptrdiff_t n) { return lane_window((1u << n) - 1); }
  static KROTON_INLINE lane_window from(std::ptrdiff_t lane) { return lane_window(~0u << lane); }
  /// The batch in these lanes, and in the others what changes nothing that Op combines it with.
  template <class Op>
  KROTON_INLINE batch of(batch const& b) const {
    batch const neutral(Op::template start<L>());
    if constexpr (std::is_same_v<L, double>)
      return _mm512_mask_mov_pd(neutral, static_cast<__mmask8>(lanes_), b);
    else return _mm512_mask_mov_ps(neutral, static_cast<__mmask16>(lanes_), b);
  }

 private:
  explicit KROTON_INLINE lane_window(unsigned lanes) : lanes_(lanes) {}
  unsigned lanes_;  // as bits
#else
  static KROTON_INLINE lane_window first(std::ptrdiff_t n) {
    return lane_window(windows.at + 2 * width - n);
  }
  static KROTON_INLINE lane_window from(std::ptrdiff_t lane) {
    return lane_window(windows.at + width - lane);
  }
  template <class Op>
  KROTON_INLINE batch of(batch const& b) const {
    return xsimd::select(batch::load_unaligned(at_) > batch(L(0)), b,
                         batch(Op::template start<L>()));
  }

 private:
  struct table {
    L at[static_cast<std::size_t>(3 * width)]{};
    constexpr table() {
      for (std::ptrdiff_t k = width; k < 2 * width; ++k) at[k] = L(1);
    }
  };
  static constexpr table windows{};
  explicit KROTON_INLINE lane_window(L const* at) : at_(at) {}
  L const* at_;  // where these lanes are 1
#endif
};

}  // namespace kroton::cpu
