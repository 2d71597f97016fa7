// Batches from elements of other types in memory, and back.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/convert.hpp>
#include <kroton/cpu/simd/intrinsics.hpp>

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace kroton::cpu {

/// As many elements as a batch has lanes, as the vector types of the compiler, which have
/// conversions that xsimd lacks. Held by reference only: how they are passed depends on the target.
template <class T, std::size_t Lanes>
struct lane_vector {
  typedef T type __attribute__((vector_size(Lanes * sizeof(T))));
};

/// An integer of twice the size of one that is smaller than int32.
template <class T>
using wider_integer =
    std::conditional_t<sizeof(T) == 2, std::int32_t,
                       std::conditional_t<std::is_signed_v<T>, std::int16_t, std::uint16_t>>;

/// Between doubles and numbers of 32 bits, and integers of 32 and 16 bits: an instruction, of which
/// g++ 12 makes two and joins the halves. False where there is none.
template <class From, class To, std::size_t Lanes, class In, class Out>
KROTON_INLINE bool convert_at_once([[maybe_unused]] In const& in, [[maybe_unused]] Out& out) {
  [[maybe_unused]] constexpr auto is = []<class F, class T>(F, T) {
    return std::is_same_v<From, F> && std::is_same_v<To, T>;
  };
#if defined(__AVX512F__)
  if constexpr (Lanes == 16) {
    constexpr std::uint16_t word = 0;
    if constexpr (is(word, 0u)) return out = (Out)_mm512_cvtepu16_epi32((__m256i)in), true;
    if constexpr (is(0u, word)) return out = (Out)_mm512_cvtepi32_epi16((__m512i)in), true;
  }
  if constexpr (Lanes == 8) {
    if constexpr (is(0.f, 0.)) return out = (Out)_mm512_cvtps_pd((__m256)in), true;
    if constexpr (is(0, 0.)) return out = (Out)_mm512_cvtepi32_pd((__m256i)in), true;
    if constexpr (is(0., 0.f)) return out = (Out)_mm512_cvtpd_ps((__m512d)in), true;
    if constexpr (is(0., 0)) return out = (Out)_mm512_cvttpd_epi32((__m512d)in), true;
  }
#endif
#if defined(__AVX__)
  if constexpr (Lanes == 4) {
    if constexpr (is(0.f, 0.)) return out = (Out)_mm256_cvtps_pd((__m128)in), true;
    if constexpr (is(0, 0.)) return out = (Out)_mm256_cvtepi32_pd((__m128i)in), true;
    if constexpr (is(0., 0.f)) return out = (Out)_mm256_cvtpd_ps((__m256d)in), true;
    if constexpr (is(0., 0)) return out = (Out)_mm256_cvttpd_epi32((__m256d)in), true;
  }
#endif
  return false;
}

/// Converts lane by lane, by steps that double or halve the size of integers: g++ 12 takes other
/// ones apart.
template <class From, class To, std::size_t Lanes, class In, class Out>
KROTON_INLINE void convert_lanes(In const& in, Out& out) {
  constexpr bool small_in = std::is_integral_v<From> && sizeof(From) < 4,
                 small_out = std::is_integral_v<To> && sizeof(To) < 4;
  if constexpr (small_in && (std::is_floating_point_v<To> || sizeof(To) > 2 * sizeof(From))) {
    using wider = wider_integer<From>;
    typename lane_vector<wider, Lanes>::type between =
        __builtin_convertvector(in, typename lane_vector<wider, Lanes>::type);
    convert_lanes<wider, To, Lanes>(between, out);
  } else if constexpr (small_out &&
                       (std::is_floating_point_v<From> || sizeof(From) > 2 * sizeof(To))) {
    using wider = wider_integer<To>;
    typename lane_vector<wider, Lanes>::type between;
    convert_lanes<From, wider, Lanes>(in, between);
    out = __builtin_convertvector(between, Out);
  } else if (!convert_at_once<From, To, Lanes>(in, out)) {
    out = __builtin_convertvector(in, Out);
  }
}

/// Floats of numbers of 16 bits: an instruction where there is one, for half.
template <class T, std::size_t Lanes, class In, class Out>
KROTON_INLINE void lengthen_lanes(In const& in, Out& out) {
#if defined(__F16C__)
  if constexpr (std::is_same_v<T, half>) {
    if constexpr (Lanes == 4) {
      __m128i whole{};
      std::memcpy(&whole, &in, sizeof(in));
      return void(out = (Out)_mm_cvtph_ps(whole));
    }
    if constexpr (Lanes == 8) return void(out = (Out)_mm256_cvtph_ps((__m128i)in));
#if defined(__AVX512F__)
    if constexpr (Lanes == 16) return void(out = (Out)_mm512_cvtph_ps((__m256i)in));
#endif
  }
#endif
  using word = typename lane_vector<std::uint32_t, Lanes>::type;
  word wide;
  convert_lanes<std::uint16_t, std::uint32_t, Lanes>(in, wide);
  out = core::lengthened<core::format_of<T>, Out>(wide);
}
/// Numbers of 16 bits of floats, rounded to the nearest.
template <class T, std::size_t Lanes, class In, class Out>
KROTON_INLINE void shorten_lanes(In const& in, Out& out) {
#if defined(__F16C__)
  if constexpr (std::is_same_v<T, half>) {
    if constexpr (Lanes == 4) {
      __m128i const whole = _mm_cvtps_ph((__m128)in, _MM_FROUND_TO_NEAREST_INT);
      return void(std::memcpy(&out, &whole, sizeof(out)));
    }
    if constexpr (Lanes == 8)
      return void(out = (Out)_mm256_cvtps_ph((__m256)in, _MM_FROUND_TO_NEAREST_INT));
#if defined(__AVX512F__)
    if constexpr (Lanes == 16)
      return void(out = (Out)_mm512_cvtps_ph((__m512)in, _MM_FROUND_TO_NEAREST_INT));
#endif
  }
#endif
  using word = typename lane_vector<std::uint32_t, Lanes>::type;
  word const wide = core::shortened<core::format_of<T>, word>(in);
  convert_lanes<std::uint32_t, std::uint16_t, Lanes>(wide, out);
}

/// A batch of numbers of 16 bits in memory.
template <class L, class T>
KROTON_INLINE xsimd::batch<L> load_lengthened(T const* from) {
  constexpr std::size_t lanes = xsimd::batch<L>::size;
  typename lane_vector<std::uint16_t, lanes>::type in;
  typename lane_vector<float, lanes>::type between;
  typename lane_vector<L, lanes>::type out;
  std::memcpy(&in, from, sizeof(in));
  lengthen_lanes<T, lanes>(in, between);
  if constexpr (std::is_same_v<L, float>) out = between;
  else convert_lanes<float, L, lanes>(between, out);
  xsimd::batch<L> x;
  std::memcpy(&x.data, &out, sizeof(out));
  return x;
}
/// Stores a batch as numbers of 16 bits. Doubles, which rarely are, go one by one.
template <class L, class T>
KROTON_INLINE void store_shortened(xsimd::batch<L> const& x, T* to) {
  constexpr std::size_t lanes = xsimd::batch<L>::size;
  if constexpr (std::is_same_v<L, float>) {
    typename lane_vector<float, lanes>::type in;
    typename lane_vector<std::uint16_t, lanes>::type out;
    std::memcpy(&in, &x.data, sizeof(in));
    shorten_lanes<T, lanes>(in, out);
    std::memcpy(to, &out, sizeof(out));
  } else {
    L in[lanes];
    x.store_unaligned(in);
    for (std::size_t i = 0; i < lanes; ++i) to[i] = T(in[i]);
  }
}

/// A batch of integers, bools or other floats in memory.
template <class L, class T>
KROTON_INLINE xsimd::batch<L> load_lanes(T const* from) {
  using stored = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;
  constexpr std::size_t lanes = xsimd::batch<L>::size;
  typename lane_vector<stored, lanes>::type in;
  typename lane_vector<L, lanes>::type out;
  std::memcpy(&in, from, sizeof(in));
  convert_lanes<stored, L, lanes>(in, out);
  xsimd::batch<L> x;
  std::memcpy(&x.data, &out, sizeof(out));
  return x;
}
/// A batch of what stands in memory as another type; bools are 0 and 1.
template <class L, class T>
KROTON_INLINE xsimd::batch<L> load_converted(T const* from) {
  if constexpr (is_short_float<T>) return load_lengthened<L>(from);
  else return load_lanes<L>(from);
}
/// Numbers clamped to what can be converted to the integers T, of which NaN is the lowest.
template <class T, class L>
KROTON_INLINE xsimd::batch<L> clamped(xsimd::batch<L> const& x) {
  using range = integer_range<T, L>;
  xsimd::batch<L> const lowest(range::lowest), highest(range::highest);
#if defined(__SSE2__)
  // One instruction, which gives the second operand where either is NaN.
  return xsimd::min(xsimd::max(x, lowest), highest);
#else
  return xsimd::min(xsimd::select(x > lowest, x, lowest), highest);
#endif
}
/// Stores a batch as integers, bools or other floats.
template <class L, class T>
KROTON_INLINE void store_lanes(xsimd::batch<L> const& x, T* to) {
  constexpr bool saturates =
      std::is_floating_point_v<L> && std::is_integral_v<T> && !std::is_same_v<T, bool>;
  using stored = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;
  constexpr std::size_t lanes = xsimd::batch<L>::size;
  typename lane_vector<L, lanes>::type in;
  typename lane_vector<stored, lanes>::type out;
  if constexpr (saturates) {
    xsimd::batch<L> const inside = clamped<T>(x);
    std::memcpy(&in, &inside.data, sizeof(in));
  } else {
    std::memcpy(&in, &x.data, sizeof(in));
  }
  convert_lanes<L, stored, lanes>(in, out);
  if constexpr (saturates && !integer_range<T, L>::holds_highest) {
    // All bits of the lanes beyond the largest integer, except the sign.
    typename lane_vector<L, lanes>::type given;
    std::memcpy(&given, &x.data, sizeof(given));
    typename lane_vector<T, lanes>::type const beyond = __builtin_convertvector(
        given >= integer_range<T, L>::beyond, typename lane_vector<T, lanes>::type);
    out |= beyond & std::numeric_limits<T>::max();
  }
  std::memcpy(to, &out, sizeof(out));
}
/// Stores a batch as elements of another type, by core::convert; as bools 0 and 1 only.
template <class L, class T>
KROTON_INLINE void store_converted(xsimd::batch<L> const& x, T* to) {
  if constexpr (is_short_float<T>) store_shortened(x, to);
  else store_lanes(x, to);
}

}  // namespace kroton::cpu
