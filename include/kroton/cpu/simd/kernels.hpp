// Exponential, logarithm and their relatives inlined on SIMD batches: a call would spill every
// register of the loop. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include <kroton/cpu/simd/arithmetic.hpp>
#include <kroton/cpu/simd/intrinsics.hpp>
#include <kroton/cpu/simd/tables.hpp>
#include <kroton/math/polynomial.hpp>

namespace kroton::cpu {

/// The kernels of one batch type. Every coefficient is from Chebyshev interpolation with 60 digits;
/// the truncation errors are 1.7e-17 and 1e-8 (exp), 4.5e-18 and 2.8e-9 (log), relative to the
/// result, in double and float.
template <class T, class A>
struct simd_kernels {
  using batch = xsimd::batch<T, A>;
  using mask = xsimd::batch_bool<T, A>;
  static constexpr bool is_double = sizeof(T) == 8;
  using integer = std::conditional_t<is_double, std::int64_t, std::int32_t>;
  using bits = xsimd::batch<integer, A>;

  static constexpr int stored_bits = is_double ? 52 : 23;
  /// 1.5 * 2^stored_bits: adding it rounds to an integer, whose bits are then the sum's lowest.
  static constexpr T magic = is_double ? T(6755399441055744) : T(12582912);
  /// ln 2 in two parts, the first short enough that its product with an exponent is exact.
  static constexpr T ln2_high = is_double ? T(0.693147180559663) : T(0.693145751953125);
  static constexpr T ln2_low = is_double ? T(2.8235290563031577e-13) : T(1.4286068203094173e-06);

  static KROTON_INLINE bits to_bits(batch x) { return xsimd::bitwise_cast<bits>(x); }
  static KROTON_INLINE batch from_bits(bits x) { return xsimd::bitwise_cast<batch>(x); }
  static KROTON_INLINE batch fused(batch a, batch b, batch c) {
    return simd_arithmetic<T, A>::muladd(a, b, c);
  }

  /// 2^k of an integral k within the range of normal numbers.
  static KROTON_INLINE batch power_of_two(batch k) {
    return from_bits((to_bits(k + batch(magic)) << stored_bits) + to_bits(batch(T(1))));
  }

  /// e^r - 1 for |r| <= ln 2 / 2.
  static KROTON_INLINE batch exp_minus_one(batch r) {
    const batch square = r * r;
    batch q = r;
    if constexpr (is_double)
      q = math::polynomial_by_halves(r, square, 0.50000000000000011, 0.16666666666666671,
                                     0.041666666666624157, 0.0083333333333261411,
                                     0.0013888888917198588, 0.00019841269874802173,
                                     2.4801521319879672e-05, 2.7557255423879841e-06,
                                     2.7620076916113328e-07, 2.510520706464424e-08);
    else
      q = math::polynomial_by_halves(r, square, 0.500000001, 0.16666577, 0.041666465, 0.00836317557,
                                     0.00139336435);
    return fused(square, q, r);
  }
  /// x = k ln 2 + r, and e^r - 1; `rounded` has k in its lowest bits.
  struct reduced {
    batch rounded, k, minus_one;
  };
  static KROTON_INLINE reduced reduce(batch x) {
    const batch rounded = fused(x, batch(T(1.4426950408889634)), batch(magic));
    const batch k = rounded - batch(magic);
    return {rounded, k, exp_minus_one(fused(-k, batch(ln2_low), fused(-k, batch(ln2_high), x)))};
  }

  /// p * 2^k, in two factors: the power of two exceeds the range of normal numbers where the result
  /// is large or denormal.
  static KROTON_INLINE batch scaled(batch p, batch k) {
    const batch half = fused(k, batch(T(0.5)), batch(magic)) - batch(magic);
    return p * power_of_two(half) * power_of_two(k - half);
  }

  /// Where all results are normal numbers, k is added to their exponents.
  static KROTON_INLINE batch exp(batch x) {
    if (!xsimd::all(xsimd::abs(x) <= batch(is_double ? T(708) : T(87)))) return exp_of_any(x);
    const reduced e = reduce(x);
    return from_bits(to_bits(e.minus_one + batch(T(1))) + (to_bits(e.rounded) << stored_bits));
  }
  /// The argument is bounded to where the result is 0 or inf already; a NaN passes, as the second
  /// operand of min and max.
  [[gnu::noinline, gnu::cold]] static batch exp_of_any(batch x) {
    x = xsimd::max(batch(is_double ? T(-746) : T(-104)),
                   xsimd::min(batch(is_double ? T(710) : T(89)), x));
    const reduced e = reduce(x);
    return scaled(e.minus_one + batch(T(1)), e.k);
  }

  static KROTON_INLINE batch exp2(batch x) {
    x = xsimd::max(batch(is_double ? T(-1080) : T(-155)),
                   xsimd::min(batch(is_double ? T(1025) : T(129)), x));
    const batch k = (x + batch(magic)) - batch(magic);
    const batch r = (x - k) * batch(T(0.6931471805599453));
    return scaled(exp_minus_one(r) + batch(T(1)), k);
  }

  static KROTON_INLINE batch expm1(batch x) {
    x = xsimd::max(batch(is_double ? T(-40) : T(-20)),
                   xsimd::min(batch(is_double ? T(710) : T(89)), x));
    const reduced e = reduce(x);
    // 2^k m + (2^k - 1) at half scale: 2^1024 is not a number.
    const batch scale = power_of_two(e.k - batch(T(1)));
    const batch sum = fused(scale, e.minus_one, scale - batch(T(0.5)));
    // The result has the sign of x; the fused operation alone would give +0 for -0.
    return xsimd::select(e.k == batch(T(0)), e.minus_one, sum + sum) | xsimd::bitofsign(x);
  }

  /// h + 1 / (4 h) with h = e^|x| / 2, which is finite wherever the result is.
  static KROTON_INLINE batch cosh(batch x) {
    const reduced e = reduce(xsimd::min(batch(is_double ? T(711) : T(90)), xsimd::abs(x)));
    const batch half = scaled(e.minus_one + batch(T(1)), e.k - batch(T(1)));
    return half + batch(T(0.25)) / half;
  }

  /// m / (m + 2) with m = e^2|x| - 1, relatively accurate near 0.
  static KROTON_INLINE batch tanh(batch x) {
    const batch magnitude = xsimd::min(batch(is_double ? T(20) : T(10)), xsimd::abs(x));
    const reduced e = reduce(magnitude + magnitude);
    const batch scale = power_of_two(e.k);
    const batch m = fused(scale, e.minus_one, scale - batch(T(1)));
    return (m / (m + batch(T(2)))) | xsimd::bitofsign(x);
  }

  /// log((1 + f) * 2^k) + correction for 1 + f in [sqrt(1/2), sqrt(2)), by the series in
  /// s = f / (2 + f), arranged as in fdlibm so that the leading term f is added last.
  static KROTON_INLINE batch log1p_of(batch f, batch k, batch correction) {
    const batch s = f / (batch(T(2)) + f);
    const batch z = s * s;
    batch r = z;
    if constexpr (is_double)
      r = math::polynomial(z, 0.66666666666666696, 0.39999999999898944, 0.28571428626200962,
                           0.22222211101577205, 0.1818289133623783, 0.1533165379922582,
                           0.14617229114009048);
    else
      r = math::polynomial(z, 0.666666852, 0.399887475, 0.29581102);
    const batch half_square = batch(T(0.5)) * f * f;
    const batch small = fused(k, batch(ln2_low), correction) + s * fused(z, r, half_square);
    return fused(k, batch(ln2_high), f - (half_square - small));
  }
  static KROTON_INLINE batch log_of(batch m, batch k, batch correction) {
    return log1p_of(m - batch(T(1)), k, correction);
  }

  /// max(x, 0) + log(1 + e) with e = exp(-|x|); where 1 + e is larger than sqrt(2), (1 + e) / 2 is
  /// taken, which is an exact number away from 1.
  static KROTON_INLINE batch softplus(batch x) {
    const batch e = exp(-xsimd::abs(x));
    const mask large = e > batch(T(0.41421356));
    const batch f = xsimd::select(large, fused(e, batch(T(0.5)), batch(T(-0.5))), e);
    const batch k = xsimd::select(large, batch(T(1)), batch(T(0)));
    return xsimd::max(x, batch(T(0))) + log1p_of(f, k, batch(T(0)));
  }

  struct split {
    batch m, k;
  };
  /// x = m 2^k for a positive normal x, by moving the exponent field's boundary to sqrt(1/2).
  static KROTON_INLINE split decompose(batch x) {
    const bits root(is_double ? static_cast<integer>(0x3fe6a09e667f3bcd)
                              : static_cast<integer>(0x3f3504f3));
    const bits field_mask(static_cast<integer>((integer(1) << stored_bits) - 1));
    const bits shifted = to_bits(x) + (to_bits(batch(T(1))) - root);
    // The biased exponent is read as a number by placing it in the significand of 2^stored_bits.
    const batch base(static_cast<T>(integer(1) << stored_bits));
    const batch k = from_bits(xsimd::bitwise_cast<bits>(exponent_field(shifted)) | to_bits(base)) -
                    (base + batch(is_double ? T(1023) : T(127)));
    return {from_bits((shifted & field_mask) + root), k};
  }
  static KROTON_INLINE bits exponent_field(bits x) {
    using natural = xsimd::batch<std::make_unsigned_t<integer>, A>;
    return xsimd::bitwise_cast<bits>(xsimd::bitwise_cast<natural>(x) >> stored_bits);
  }

  /// What a logarithm gives outside the positive finite numbers: -inf at 0, NaN below, inf and NaN
  /// themselves.
  static KROTON_INLINE batch log_ends(batch x, batch inside) {
    const batch inf(std::numeric_limits<T>::infinity());
    const batch end = xsimd::select(x < batch(T(0)), batch(std::numeric_limits<T>::quiet_NaN()), x);
    const batch outside = xsimd::select(x == batch(T(0)), -inf, end);
    return xsimd::select((x > batch(T(0))) & (x < inf), inside, outside);
  }

  /// decompose of any positive number.
  static KROTON_INLINE split decompose_all(batch x) {
    const mask denormal = x < batch(std::numeric_limits<T>::min());
    const batch up(is_double ? T(18014398509481984) : T(33554432));  // 2^54, 2^25
    const split parts = decompose(xsimd::select(denormal, x * up, x));
    return {parts.m,
            parts.k - xsimd::select(denormal, batch(is_double ? T(54) : T(25)), batch(T(0)))};
  }
  static KROTON_INLINE mask is_normal(batch x) {
    return (x >= batch(std::numeric_limits<T>::min())) &
           (x <= batch(std::numeric_limits<T>::max()));
  }
  static KROTON_INLINE batch log(batch x) {
    if (!xsimd::all(is_normal(x))) return log_of_any(x);
    const split parts = decompose(x);
    return log_of(parts.m, parts.k, batch(T(0)));
  }
  [[gnu::noinline, gnu::cold]] static batch log_of_any(batch x) {
    const split parts = decompose_all(x);
    return log_ends(x, log_of(parts.m, parts.k, batch(T(0))));
  }
  /// Exact for powers of two, whose m is 1.
  static KROTON_INLINE batch log2(batch x) {
    const split parts = decompose_all(x);
    const batch fraction = log_of(parts.m, batch(T(0)), batch(T(0)));
    return log_ends(x, fused(fraction, batch(T(1.4426950408889634)), parts.k));
  }
  static KROTON_INLINE batch log10(batch x) { return log(x) * batch(T(0.4342944819032518)); }

  /// log of the rounded u = 1 + x, corrected by (what rounding lost) / u.
  static KROTON_INLINE batch log1p(batch x) {
    const batch u = x + batch(T(1));
    const split parts = decompose(u);
    const batch larger = xsimd::select(x > batch(T(1)), x, batch(T(1)));
    const batch smaller = xsimd::select(x > batch(T(1)), batch(T(1)), x);
    const batch lost = smaller - (u - larger);
    const batch inside = log_of(parts.m, parts.k, lost / u);
    const batch result = xsimd::all(is_normal(u)) ? inside : log_ends(u, inside);
    // Where u = 1, the correction is all there is, and it must keep the sign of zero.
    return xsimd::select(u == batch(T(1)), x, result);
  }
};

#if defined(__AVX512F__)
template <class T, class A>
  requires(std::is_base_of_v<xsimd::avx512f, A>)
struct simd_kernels<T, A> : table_kernels<T> {};
#endif

}  // namespace kroton::cpu
