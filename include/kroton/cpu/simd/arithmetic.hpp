// Arithmetic of SIMD batches: rounding, extrema, NumPy's division, and a loop over lanes for
// everything else. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <type_traits>
#include <utility>

#include <kroton/core/layers.hpp>
#include <kroton/cpu/simd/intrinsics.hpp>
#include <kroton/math/functions.hpp>

namespace kroton::cpu {

/// Applies a scalar function lane by lane: what no vector variant exists for, and lanes outside a
/// fast path's domain.
template <class F, class T, class A, class... B>
KROTON_INLINE xsimd::batch<T, A> by_lane(F f, xsimd::batch<T, A> x, B... more) {
  constexpr std::size_t size = xsimd::batch<T, A>::size;
  alignas(A::alignment()) T lanes[1 + sizeof...(B)][size];
  std::size_t stored = 0;
  x.store_aligned(lanes[0]);
  (more.store_aligned(lanes[++stored]), ...);
  [&]<std::size_t... K>(std::index_sequence<K...>) {
    for (std::size_t i = 0; i < size; ++i) lanes[0][i] = f(lanes[K][i]...);
  }(std::make_index_sequence<1 + sizeof...(B)>{});
  return xsimd::batch<T, A>::load_aligned(lanes[0]);
}

/// Where two masks differ. xsimd 8.1's operators do not say: with SSE2 its != compares masks as
/// floating-point numbers, of which that of ones is a NaN, and with AVX-512 its ^ is an or.
template <class T, class A>
KROTON_INLINE xsimd::batch_bool<T, A> differ(xsimd::batch_bool<T, A> a, xsimd::batch_bool<T, A> b) {
  return (a & ~b) | (~a & b);
}

template <class T, class A>
struct simd_arithmetic {
  using batch = xsimd::batch<T, A>;
  using mask = xsimd::batch_bool<T, A>;

  static KROTON_INLINE batch abs(batch x) { return xsimd::abs(x); }
  static KROTON_INLINE batch neg(batch x) { return x ^ batch(T(-0.0)); }
  static KROTON_INLINE batch sgn(batch x) {
    const batch sign = xsimd::select(x > batch(T(0)), batch(T(1)),
                                     xsimd::select(x < batch(T(0)), batch(T(-1)), x));
    return sign + batch(T(0));  // -0 + 0 = +0
  }
  static KROTON_INLINE batch sqr(batch x) { return x * x; }
  static KROTON_INLINE batch inv(batch x) { return batch(T(1)) / x; }
  static KROTON_INLINE batch divide(batch a, batch b) { return a / b; }
  static KROTON_INLINE batch muladd(batch a, batch b, batch c) {
#if defined(__AVX512F__)
    // xsimd 8.1 has no fused form for AVX-512.
    if constexpr (std::is_base_of_v<xsimd::avx512f, A>) {
      if constexpr (std::is_same_v<T, double>)
        return _mm512_fmadd_pd(a, b, c);
      else
        return _mm512_fmadd_ps(a, b, c);
    }
#endif
    return xsimd::fma(a, b, c);
  }

  // The instructions give the second operand if either is a NaN, so only a NaN in the first needs
  // a test: none where that is a literal, which comes first.
  static KROTON_INLINE batch minimum(batch a, batch b) { return or_nan(a, xsimd::min(a, b)); }
  static KROTON_INLINE batch maximum(batch a, batch b) { return or_nan(a, xsimd::max(a, b)); }
  /// NaN where x is one, else y. Asked for numbers instead, g++ would read y from memory under a
  /// mask of AVX-512 (batch.hpp: load_whole); with SSE and AVX all bits of a mask are those of a
  /// NaN.
  static KROTON_INLINE batch or_nan(batch x, batch y) {
#if defined(__SSE2__)
    if constexpr (sizeof(xsimd::isnan(x).data) == sizeof(y.data))
      return y | batch(xsimd::isnan(x).data);
#endif
    return xsimd::select(xsimd::isnan(x), x, y);
  }
  static KROTON_INLINE batch fmin(batch a, batch b) {
    return number_of(a, b, xsimd::min(a, b));
  }
  static KROTON_INLINE batch fmax(batch a, batch b) {
    return number_of(a, b, xsimd::max(a, b));
  }
  /// The other operand where one is NaN; instructions differ in what they give then.
  static KROTON_INLINE batch number_of(batch a, batch b, batch chosen) {
    return xsimd::select(xsimd::isnan(b), a, xsimd::select(xsimd::isnan(a), b, chosen));
  }

  static KROTON_INLINE batch copysign(batch x, batch sign) {
    return xsimd::abs(x) | xsimd::bitofsign(sign);
  }
  static KROTON_INLINE mask signbit(batch x) {
    return simd_arithmetic::copysign(batch(T(1)), x) < batch(T(0));
  }

  /// Whether xsimd rounds in one instruction; its emulation for SSE2 and NEON loses the
  /// sign of zero.
  static constexpr bool rounds =
      !std::is_base_of_v<xsimd::neon, A> &&
      (!std::is_base_of_v<xsimd::sse2, A> || std::is_base_of_v<xsimd::sse4_1, A>);

  static KROTON_INLINE batch round(batch x) {
    if constexpr (rounds) return xsimd::nearbyint(x);
    // Adding 2^(digits - 1) leaves no bits for a fraction; above it every number is an integer.
    const batch bias(sizeof(T) == 4 ? T(8388608) : T(4503599627370496));
    const batch magnitude = xsimd::abs(x);
    const batch rounded = (magnitude + bias) - bias;
    return xsimd::select(magnitude < bias, rounded | xsimd::bitofsign(x), x);
  }
  static KROTON_INLINE batch trunc(batch x) {
    if constexpr (rounds) return xsimd::trunc(x);
    const batch magnitude = xsimd::abs(x);
    const batch rounded = simd_arithmetic::round(magnitude);
    return (rounded - xsimd::select(rounded > magnitude, batch(T(1)), batch(T(0)))) |
           xsimd::bitofsign(x);
  }
  static KROTON_INLINE batch floor(batch x) {
    if constexpr (rounds) return xsimd::floor(x);
    const batch rounded = simd_arithmetic::round(x);
    return rounded - xsimd::select(rounded > x, batch(T(1)), batch(T(0)));
  }
  static KROTON_INLINE batch ceil(batch x) {
    if constexpr (rounds) return xsimd::ceil(x);
    const batch rounded = simd_arithmetic::round(x);
    return (rounded + xsimd::select(rounded < x, batch(T(1)), batch(T(0)))) | xsimd::bitofsign(x);
  }

  /// fmod where every quotient is below 2^(digits - 1) and no product overflows or underflows.
  static KROTON_INLINE bool divides_fast(batch a, batch b) {
    const batch n = xsimd::abs(a), d = xsimd::abs(b);
    const batch most(sizeof(T) == 4 ? T(1e30) : T(1e290)),
        least(sizeof(T) == 4 ? T(1e-25) : T(1e-270));
    const batch ratio(sizeof(T) == 4 ? T(4194304) : T(2251799813685248));
    return xsimd::all((n < most) & (d < most) & (d > least) & (n < d * ratio));
  }
  /// a - q b without rounding: one fused operation, or Dekker's product.
  static KROTON_INLINE batch residual(batch a, batch q, batch b) {
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
    return muladd(-q, b, a);
#else
    const batch splitter(sizeof(T) == 4 ? T(4097) : T(134217729));
    const batch q1 = q * splitter, b1 = b * splitter;
    const batch qh = q1 - (q1 - q), bh = b1 - (b1 - b);
    const batch ql = q - qh, bl = b - bh;
    const batch product = q * b;
    const batch error = ((qh * bh - product) + qh * bl + ql * bh) + ql * bl;
    return (a - product) - error;
#endif
  }
  /// The floor of the quotient and the remainder with the sign of b, both exact before the
  /// remainder's last addition.
  static KROTON_INLINE batch mod(batch a, batch b) {
    if (!divides_fast(a, b)) return by_lane([](T x, T y) { return math::mod(x, y); }, a, b);
    // The rounded quotient may be one too large, which shows as a remainder of the other sign.
    const batch q = trunc(a / b);
    batch rest = residual(a, q, b);
    const batch step = xsimd::abs(b) | xsimd::bitofsign(a);
    const mask over = ~(rest == batch(T(0))) & differ(rest < batch(T(0)), a < batch(T(0)));
    rest = xsimd::select(over, rest + step, rest);
    const mask other = differ(rest < batch(T(0)), b < batch(T(0)));
    return xsimd::select(rest == batch(T(0)), xsimd::bitofsign(b),
                         xsimd::select(other, rest + b, rest));
  }
  static KROTON_INLINE batch floordiv(batch a, batch b) {
    if (!divides_fast(a, b)) return by_lane([](T x, T y) { return math::floordiv(x, y); }, a, b);
    const batch q = trunc(a / b);
    const batch rest = residual(a, q, b);
    // The exact quotient is q + rest / b with |rest| < |b|: one less if that fraction is negative.
    const mask less = ~(rest == batch(T(0))) & differ(rest < batch(T(0)), b < batch(T(0)));
    const batch floored = xsimd::select(less, q - batch(T(1)), q);
    return xsimd::select(floored == batch(T(0)), xsimd::bitofsign(a) ^ xsimd::bitofsign(b),
                         floored);
  }
};

}  // namespace kroton::cpu
