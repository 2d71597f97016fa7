// Powers of positive numbers for AVX-512: e^(y log x) with a logarithm in two numbers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/simd/tables.hpp>

#if defined(__AVX512F__) && defined(__AVX512DQ__)
#define KROTON_HAS_TABLE_POWER

namespace kroton::cpu {

/// log 2 and log(16 / t), t as in `logarithms`, cut so short that multiples and sums of them are
/// exact; and what is left of them.
template <class T>
struct cut_logarithms;
template <>
struct cut_logarithms<double> {
  static constexpr double ln2 = 0.69314718055989033019, ln2_left = 5.4979230187083712e-14;
  alignas(64) static constexpr double cut[16] = {
      0, -0.060624621816486978787, -0.11778303565643000184, -0.17185025692674571474,
      -0.22314355131425145373, -0.27193371548355571576, -0.31845373111855224124,
      -0.36290549368936808605, 0.69314718055989033019, 0.57536414490346032835,
      0.47000362924563887645, 0.37469344944133808895, 0.28768207245184385101,
      0.20763936477828792704, 0.13353139262449076341, 0.064538521137592397281};
  alignas(64) static constexpr double left[16] = {
      0, 5.2136206391365041e-14, 4.6547297475984447e-14, 8.6492396072120706e-14,
      4.1697965845271953e-14, -8.6043067728087329e-14, 1.7625431312172663e-14,
      -3.6708569716349382e-16, 5.4979230187083712e-14, 1.0152652766306816e-13,
      9.6677196032355665e-14, 7.2604661499256375e-14, -6.292357389008195e-14,
      -4.3425422595242564e-14, 3.1859736349078333e-14, -2.1225608044809997e-14};
};
template <>
struct cut_logarithms<float> {
  static constexpr float ln2 = 0.693145751953125f, ln2_left = 1.42860682e-6f;
  alignas(64) static constexpr float cut[16] = {
      0.f, -0.0606231689453f, -0.117782592773f, -0.171844482422f, -0.22314453125f,
      -0.271926879883f, -0.318450927734f, -0.362899780273f, 0.693145751953f, 0.57536315918f,
      0.470001220703f, 0.374694824219f, 0.287689208984f, 0.207641601563f, 0.133529663086f,
      0.0645446777344f};
  alignas(64) static constexpr float left[16] = {
      0.f, -1.45287112e-6f, -4.42882946e-7f, -5.77450478e-6f, 9.7993579e-7f, -6.83560083e-6f,
      -2.80338416e-6f, -5.71341593e-6f, 1.42860682e-6f, 9.85723874e-7f, 2.40854261e-6f,
      -1.37477734e-6f, -7.13653259e-6f, -2.23678426e-6f, 1.72953859e-6f, -6.1565968e-6f};
};

/// The exponential magnifies an error of its argument by up to 745, for floats by 104: therefore
/// the logarithm is a sum of two numbers, which is not rounded. Coefficients are from Chebyshev
/// interpolation with 60 digits.
template <class T>
struct table_power : table_kernels<T>, cut_logarithms<T> {
  using kernels = table_kernels<T>;
  using constants = cut_logarithms<T>;
  using typename kernels::batch;
  using kernels::fused, kernels::pair, kernels::look_up, kernels::is_double;

  /// (log(1 + r) - r + r^2 / 2) / r^3 for |r| <= 0.047
  static KROTON_INLINE batch cubic(batch r) {
    batch const r2 = r * r;
    if constexpr (is_double) {
      batch const low = fused(pair(r, 0.20000000000000004, -0.1666666666662962), r2,
                              pair(r, 0.33333333333333333, -0.25000000000000004));
      batch const high = fused(pair(r, 0.11111111198561226, -0.099999033080655976), r2,
                               pair(r, 0.14285714285679708, -0.12500000093692626));
      batch const top = fused(batch(T(0.077330313584678482)), r2,
                              pair(r, 0.090908188417028367, -0.083769645879063689));
      batch const r4 = r2 * r2;
      return fused(fused(top, r4, high), r4, low);
    } else {
      return fused(pair(r, 0.20031672, -0.166943809), r2, pair(r, 0.333333246, -0.249999923));
    }
  }
  struct sum_of_two {
    batch high, low;
  };
  /// Of positive finite x; about 2^-62, for floats 2^-32 of it is lost.
  static KROTON_INLINE sum_of_two precise_log(batch x) {
    auto const s = kernels::decompose(x);  // r is exact
    batch const whole = fused(s.k, batch(constants::ln2), look_up(constants::cut, s.sum));
    batch const rest = fused(s.k, batch(constants::ln2_left), look_up(constants::left, s.sum));
    batch const r = s.r, r2 = r * r, half(T(-0.5));
    // r - r^2 / 2, and what the square and the difference lose
    batch const first = fused(half, r2, r);
    batch const first_lost = fused(half, fused(r, r, -r2), fused(half, r2, r - first));
    // `whole` is 0 or the larger one
    batch const sum = whole + first, sum_lost = first - (sum - whole);
    batch const low = sum_lost + (first_lost + fused(r2 * r, cubic(r), rest)), high = sum + low;
    return {high, low - (high - sum)};
  }
  /// Where nothing is infinite or undefined, and the product's rounding error is small.
  static KROTON_INLINE bool fits(batch x, batch y) {
    constexpr int nan = 1 | 128, zero = 2 | 4, infinite = 8 | 16, negative = 64,
                  unfit = nan | zero | infinite | negative;
    batch const magnitude = xsimd::abs(y);
    if constexpr (is_double)
      return (_mm512_fpclass_pd_mask(x, unfit) |
              _mm512_cmp_pd_mask(magnitude, batch(1073741824), _CMP_NLE_UQ)) == 0;
    else
      return (_mm512_fpclass_ps_mask(x, unfit) |
              _mm512_cmp_ps_mask(magnitude, batch(16384), _CMP_NLE_UQ)) == 0;
  }
  static KROTON_INLINE batch pow(batch x, batch y) {
    constexpr T most = is_double ? T(820) : T(150);
    sum_of_two const l = precise_log(x);
    batch const z = y * l.high, lost = fused(y, l.low, fused(y, l.high, -z));
    auto const e = kernels::reduce(xsimd::max(batch(-most), xsimd::min(batch(most), z)));
    batch const power = look_up(kernels::powers, e.sum);
    return kernels::scaled(fused(kernels::rest(e.r + lost), power, power), e.k);
  }
};

}  // namespace kroton::cpu

#endif
