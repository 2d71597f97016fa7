// Exponential, logarithm and their relatives for AVX-512, where a table of sixteen numbers fits in
// registers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/simd/intrinsics.hpp>

#if defined(__AVX512F__)

#include <kroton/core/config.hpp>
#include <kroton/core/layers.hpp>

#include <type_traits>

namespace kroton::cpu {

/// The instructions that these functions are made of, by element type.
template <class T>
struct wide_registers;
template <>
struct wide_registers<double> {
  using batch = xsimd::batch<double>;
  static KROTON_INLINE batch fused(batch a, batch b, batch c) { return _mm512_fmadd_pd(a, b, c); }
  static KROTON_INLINE batch scaled(batch x, batch k) { return _mm512_scalef_pd(x, k); }
  static KROTON_INLINE batch exponent(batch x) { return _mm512_getexp_pd(x); }
  static KROTON_INLINE batch significand(batch x) {
    return _mm512_getmant_pd(x, _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_nan);
  }
  static KROTON_INLINE batch about_inverse(batch x) { return _mm512_rcp14_pd(x); }
  static KROTON_INLINE batch floor(batch x) {
    return _mm512_roundscale_pd(x, _MM_FROUND_TO_NEG_INF);
  }
  static KROTON_INLINE batch add_where_less(batch x, batch a, batch b, batch y) {
    return _mm512_mask_add_pd(x, _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ), x, y);
  }
  static KROTON_INLINE batch look_up(double const* table, batch sixteenths) {
    return _mm512_permutex2var_pd(_mm512_load_pd(table), _mm512_castpd_si512(sixteenths),
                                  _mm512_load_pd(table + 8));
  }
};
template <>
struct wide_registers<float> {
  using batch = xsimd::batch<float>;
  static KROTON_INLINE batch fused(batch a, batch b, batch c) { return _mm512_fmadd_ps(a, b, c); }
  static KROTON_INLINE batch scaled(batch x, batch k) { return _mm512_scalef_ps(x, k); }
  static KROTON_INLINE batch exponent(batch x) { return _mm512_getexp_ps(x); }
  static KROTON_INLINE batch significand(batch x) {
    return _mm512_getmant_ps(x, _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_nan);
  }
  static KROTON_INLINE batch about_inverse(batch x) { return _mm512_rcp14_ps(x); }
  static KROTON_INLINE batch floor(batch x) {
    return _mm512_roundscale_ps(x, _MM_FROUND_TO_NEG_INF);
  }
  static KROTON_INLINE batch add_where_less(batch x, batch a, batch b, batch y) {
    return _mm512_mask_add_ps(x, _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ), x, y);
  }
  static KROTON_INLINE batch look_up(float const* table, batch sixteenths) {
    return _mm512_permutexvar_ps(_mm512_castps_si512(sixteenths), _mm512_load_ps(table));
  }
};

/// Polynomials are evaluated in pairs of terms, not by Horner's rule: what waits for the term
/// before it keeps the batches that follow from being begun. Coefficients are from Chebyshev
/// interpolation with 60 digits.
template <class T>
struct table_kernels : wide_registers<T> {
  using registers = wide_registers<T>;
  using batch = xsimd::batch<T>;
  using registers::fused, registers::scaled, registers::look_up;
  static constexpr bool is_double = sizeof(T) == 8;

  /// Adding it rounds to a sixteenth; the sum's lowest four bits number the sixteenths.
  static constexpr T magic = (is_double ? T(6755399441055744) : T(12582912)) / 16;
  static constexpr T log2_e = T(1.4426950408889634);
  /// ln 2 in two parts: a number of sixteenths times the first is taken from x exactly.
  static constexpr T ln2_high = T(0.69314718055994531);
  static constexpr T ln2_low = is_double ? T(2.3190468138462996e-17) : T(-1.9046543e-9);

  alignas(64) static constexpr T powers[16] = {
      T(1), T(1.0442737824274138), T(1.0905077326652577), T(1.1387886347566917),
      T(1.1892071150027211), T(1.241857812073484), T(1.2968395546510097), T(1.3542555469368927),
      T(1.414213562373095), T(1.4768261459394993), T(1.5422108254079408), T(1.6104903319492543),
      T(1.6817928305074291), T(1.7562521603732995), T(1.8340080864093425), T(1.9152065613971473)};
  /// 2^(j/16) - 1 of j from 0 to 7, and from -8 to -1.
  alignas(64) static constexpr T powers_minus_one[16] = {
      T(0), T(0.04427378242741384), T(0.090507732665257659), T(0.13878863475669165),
      T(0.18920711500272107), T(0.24185781207348405), T(0.29683955465100967),
      T(0.35425554693689273), T(-0.29289321881345248), T(-0.26158692703025034),
      T(-0.22889458729602959), T(-0.19475483402537285), T(-0.15910358474628546),
      T(-0.12187391981335026), T(-0.082995956795328768), T(-0.042396719301426353)};
  /// -log(t / 16) of t from 16 to 23, and from 8 to 15; the same to base 2, and to base 10.
  alignas(64) static constexpr T logarithms[16] = {
      T(0), T(-0.060624621816434843), T(-0.11778303565638345), T(-0.17185025692665922),
      T(-0.22314355131420976), T(-0.27193371548364176), T(-0.31845373111853462),
      T(-0.36290549368936845), T(0.69314718055994531), T(0.57536414490356185),
      T(0.47000362924573555), T(0.37469344944141069), T(0.28768207245178093),
      T(0.2076393647782445), T(0.13353139262452262), T(0.064538521137571172)};
  alignas(64) static constexpr T logarithms_2[16] = {
      T(0), T(-0.087462841250339408), T(-0.16992500144231236), T(-0.24792751344358549),
      T(-0.32192809488736235), T(-0.39231742277876029), T(-0.45943161863729726),
      T(-0.52356195605701287), T(1), T(0.83007499855768764), T(0.67807190511263765),
      T(0.54056838136270274), T(0.41503749927884382), T(0.29956028185890784),
      T(0.19264507794239589), T(0.093109404391481471)};
  alignas(64) static constexpr T logarithms_10[16] = {
      T(0), T(-0.026328938722349148), T(-0.051152522447381289), T(-0.074633618296904181),
      T(-0.096910013008056414), T(-0.11809931207799449), T(-0.13830269816628146),
      T(-0.1576078533616681), T(0.3010299956639812), T(0.24987747321659991),
      T(0.20411998265592478), T(0.16272729749769974), T(0.12493873660829995),
      T(0.090176630349088012), T(0.057991946977686755), T(0.028028723600243539)};

  static KROTON_INLINE batch fused_with(batch a, batch b, double c) {
    return fused(a, b, batch(T(c)));
  }
  /// c + d x
  static KROTON_INLINE batch pair(batch x, double c, double d) {
    return fused_with(batch(T(d)), x, c);
  }

  /// x = k ln 2 + r, k a number of sixteenths; `sum` numbers them in its lowest bits.
  struct reduced {
    batch sum, k, r;
  };
  static KROTON_INLINE reduced reduce(batch x) {
    batch const sum = fused(x, batch(log2_e), batch(magic)), k = sum - batch(magic);
    return {sum, k, fused(k, batch(-ln2_low), fused(k, batch(-ln2_high), x))};
  }
  /// e^r - 1 for |r| <= ln 2 / 32, to what e^r needs.
  static KROTON_INLINE batch rest(batch r) {
    batch const r2 = r * r;
    if constexpr (is_double) {
      batch const high = fused(batch(T(0.0013889034377693012)), r2,
                               pair(r, 0.041666666664959767, 0.0083334497245283562));
      return fused(fused(high, r2, pair(r, 0.5, 0.16666666665301145)), r2, r);
    } else {
      return fused(pair(r, 0.500009777, 0.166668622), r2, r);
    }
  }
  /// The same, to its own last place.
  static KROTON_INLINE batch precise_rest(batch r) {
    batch const r2 = r * r;
    if constexpr (is_double) {
      batch const high = fused(pair(r, 0.001388906347556763, 0.00019841463826261545), r2,
                               pair(r, 0.041666666663594244, 0.0083333333329919535));
      return fused(fused(high, r2, pair(r, 0.50000000000000008, 0.16666666666666668)), r2, r);
    } else {
      return fused(fused(batch(T(0.0416671555)), r2, pair(r, 0.5, 0.1666696)), r2, r);
    }
  }

  /// The argument is bounded to where the result is 0 or inf already; a NaN passes, as the second
  /// operand of min and max.
  static KROTON_INLINE batch exp(batch x) { return exp_scaled<0>(x); }
  /// e^x 2^Shift
  template <int Shift>
  static KROTON_INLINE batch exp_scaled(batch x) {
    constexpr T least = is_double ? T(-820) : T(-150), most = is_double ? T(820) : T(150);
    reduced const e = reduce(xsimd::max(batch(least), xsimd::min(batch(most), x)));
    batch const power = look_up(powers, e.sum),
                k = Shift == 0 ? e.k : e.sum - batch(magic - T(Shift));
    return scaled(fused(rest(e.r), power, power), k);  // by the floor of k
  }
  static KROTON_INLINE batch exp2(batch x) {
    x = xsimd::max(batch(is_double ? T(-1080) : T(-155)),
                   xsimd::min(batch(is_double ? T(1025) : T(129)), x));
    batch const sum = x + batch(magic), k = sum - batch(magic), power = look_up(powers, sum);
    return scaled(fused(rest((x - k) * batch(T(0.6931471805599453))), power, power), k);
  }
  /// e^-|x|, which does not overflow, so that the power can be scaled while the rest is computed.
  static KROTON_INLINE batch exp_of_negative(batch x) {
    reduced const e = reduce(xsimd::max(batch(is_double ? T(-760) : T(-120)), x | batch(T(-0.0))));
    batch const power = scaled(look_up(powers, e.sum), e.k);
    return fused(rest(e.r), power, power);
  }

  /// e^x - 1 = 2^n (m + 1) - 1 with m near 0: relatively accurate where n is 0.
  struct near_one {
    batch m, n;
  };
  static KROTON_INLINE near_one split_exp(batch x) {
    reduced const e = reduce(x);
    batch const power = look_up(powers_minus_one, e.sum);
    // N is the floor
    return {fused(power + batch(T(1)), precise_rest(e.r), power), e.k + batch(T(0.5))};
  }
  static KROTON_INLINE batch expm1(batch x) {
    near_one const e = split_exp(xsimd::max(batch(is_double ? T(-40) : T(-20)),
                                            xsimd::min(batch(is_double ? T(720) : T(100)), x)));
    batch const n = registers::floor(e.n);
    // Scaled last, since 2^1024 is not a number.
    return scaled(e.m + (batch(T(1)) - scaled(batch(T(1)), -n)), n) | xsimd::bitofsign(x);
  }
  /// m / (m + 2) with m = e^2|x| - 1.
  static KROTON_INLINE batch tanh(batch x) {
    batch const magnitude = xsimd::min(batch(is_double ? T(20) : T(10)), xsimd::abs(x));
    near_one const e = split_exp(magnitude + magnitude);
    batch const scale = scaled(batch(T(1)), e.n), m = fused(scale, e.m, scale - batch(T(1)));
    return (m / (m + batch(T(2)))) | xsimd::bitofsign(x);
  }
  /// h + h / (2 h + 1) with h = (e^|x| - 1) / 2, which is finite wherever the result is.
  static KROTON_INLINE batch sinh(batch x) {
    batch const magnitude = xsimd::min(batch(is_double ? T(712) : T(91)), xsimd::abs(x));
    near_one const e = split_exp(magnitude);
    batch const n = registers::floor(e.n);
    batch const h = scaled(e.m + (batch(T(1)) - scaled(batch(T(1)), -n)), n - batch(T(1)));
    // Of inf it is not inf / inf
    batch const result = h + xsimd::min(h / fused(batch(T(2)), h, batch(T(1))), batch(T(0.5)));
    // Half of a denormal number may be none.
    return xsimd::select(magnitude < batch(is_double ? T(1e-300) : T(1e-30)), magnitude, result) |
           xsimd::bitofsign(x);
  }
  /// h + 1 / (4 h) with h = e^|x| / 2.
  static KROTON_INLINE batch cosh(batch x) {
    batch const h = exp_scaled<-1>(xsimd::abs(x));
    return h + batch(T(0.25)) / h;
  }
  /// 1 / (1 + e^-x), both sides of the quotient scaled so that the power is finite wherever the
  /// result is not 0.
  static KROTON_INLINE batch sigmoid(batch x) {
    constexpr int shift = is_double ? -128 : -64;
    batch const one(is_double ? T(2.938735877055719e-39) : T(5.421010862427522e-20));  // 2^shift
    return one / (one + exp_scaled<shift>(x ^ batch(T(-0.0))));
  }

  /// log(1 + r) for |r| <= 0.047.
  static KROTON_INLINE batch log_near_one(batch r) {
    batch const r2 = r * r;
    if constexpr (is_double) {
      batch const low = fused(pair(r, -0.24999999999992874, 0.20000000046714161), r2,
                              pair(r, -0.5, 0.3333333333332556));
      batch const high = fused(pair(r, -0.12499930533369925, 0.11156615756097384), r2,
                               pair(r, -0.16666666709490253, 0.14285638507583105));
      batch const r4 = r2 * r2;
      return fused(fused(fused(batch(T(-0.10041714118744478)), r4, high), r4, low), r2, r);
    } else {
      return fused(
          fused(pair(r, -0.250370274, 0.200317395), r2, pair(r, -0.499999897, 0.333333245)), r2, r);
    }
  }
  /// The same for |r| <= 1/16.
  static KROTON_INLINE batch log_close_to_one(batch r) {
    batch const r2 = r * r;
    if constexpr (is_double) {
      batch const r4 = r2 * r2;
      batch const low = fused(pair(r, -0.24999999999801463, 0.19999999999816718), r2,
                              pair(r, -0.50000000000000016, 0.33333333333333348));
      batch const high = fused(pair(r, -0.124997144012988, 0.11110847460281937), r2,
                               pair(r, -0.16666667069252435, 0.14285714657365122));
      return fused(
          fused(fused(pair(r, -0.10082616779036928, 0.091671754003924598), r4, high), r4, low), r2,
          r);
    } else {
      batch const high = fused(batch(T(-0.167284842)), r2, pair(r, -0.24999939, 0.200706424));
      return fused(fused(high, r2, pair(r, -0.5, 0.333332636)), r2, r);
    }
  }
  /// x = 2^k m, and m times a number of sixteenths near 1/m is 1 + r. The exponents of zeros and
  /// infinities are infinite, and below 0 all is NaN.
  struct split {
    batch k, sum, inverse, r;
  };
  static KROTON_INLINE split decompose(batch x) {
    batch const m = registers::significand(x), e = registers::exponent(x), one(T(1));
    // Significands begin at 3/4, whose exponent is that below
    batch const k = registers::add_where_less(e, m, one, one);
    batch const sum = registers::about_inverse(m) + batch(magic), inverse = sum - batch(magic);
    return {k, sum, inverse, fused(m, inverse, batch(T(-1)))};
  }
  static KROTON_INLINE batch log(batch x) {
    split const s = decompose(x);
    return fused(s.k, batch(T(0.69314718055994531)), look_up(logarithms, s.sum)) +
           log_near_one(s.r);
  }
  /// Exact for powers of two.
  static KROTON_INLINE batch log2(batch x) {
    split const s = decompose(x);
    return fused(log_near_one(s.r), batch(log2_e), s.k + look_up(logarithms_2, s.sum));
  }
  static KROTON_INLINE batch log10(batch x) {
    split const s = decompose(x);
    batch const whole = fused(s.k, batch(T(0.30102999566398120)), look_up(logarithms_10, s.sum));
    return fused(log_near_one(s.r), batch(T(0.43429448190325183)), whole);
  }
  /// log of the rounded u = 1 + x, and of what rounding lost: the inverse of u suffices for its
  /// share.
  static KROTON_INLINE batch log1p(batch x) {
    batch const one(T(1)), u = x + one;
    batch const larger = xsimd::max(x, one), smaller = xsimd::min(x, one),
                lost = smaller - (u - larger);
    split const s = decompose(u);
    // A NaN, of an infinite exponent, is not the result of min; elsewhere the share is small.
    batch const share = xsimd::min(scaled(lost, -s.k) * s.inverse, one);
    batch const whole = fused(s.k, batch(T(0.69314718055994531)), look_up(logarithms, s.sum));
    return (whole + log_near_one(s.r + share)) | xsimd::bitofsign(x);
  }
  /// max(x, 0) + log(1 + e) with e = e^-|x|: 1 + e times a number of sixteenths, without rounding 1
  /// + e.
  static KROTON_INLINE batch softplus(batch x) {
    batch const e = exp_of_negative(x), one(T(1));
    batch const sum = registers::about_inverse(one + e) + batch(magic),
                inverse = sum - batch(magic);
    batch const r = fused(e, inverse, sum - batch(magic + T(1)));
    return (xsimd::max(x, batch(T(0))) + look_up(logarithms, sum)) + log_close_to_one(r);
  }
};

}  // namespace kroton::cpu

#endif
