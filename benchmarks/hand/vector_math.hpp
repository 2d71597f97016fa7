// The limit's exponential, logarithm and hyperbolic tangent: kernels inlined on batches, written for AVX-512, where tables fit
// in registers; without it xsimd's own. Largest errors seen: exp 1.2, log 1.8, tanh 2.5 ulp in both types; the ends of the
// range are as those of the functions. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <xsimd/xsimd.hpp>

namespace hand {

template <class T>
using batch = xsimd::batch<T>;

#if defined(__AVX512F__)

/// c0 + c1 x + ..., by Horner's rule.
template <class V, class... C>
[[gnu::always_inline]] inline V polynomial(V x, typename V::value_type c0, C... rest) {
  if constexpr (sizeof...(rest) == 0)
    return V(c0);
  else
    return xsimd::fma(polynomial(x, static_cast<typename V::value_type>(rest)...), x, V(c0));
}

/// e^x: 2^(k/16) from a table in two registers, times a polynomial for the rest.
[[gnu::always_inline]] inline batch<double> exp(batch<double> x) {
  __m512d const first = _mm512_setr_pd(1, 1.0442737824274138, 1.0905077326652577, 1.1387886347566916, 1.189207115002721,
                                       1.241857812073484, 1.2968395546510096, 1.3542555469368927);
  __m512d const second = _mm512_setr_pd(1.4142135623730951, 1.4768261459394993, 1.5422108254079407, 1.6104903319492543,
                                        1.681792830507429, 1.7562521603732995, 1.8340080864093424, 1.9152065613971474);
  using v = batch<double>;
  x = _mm512_max_pd(_mm512_set1_pd(-760), _mm512_min_pd(_mm512_set1_pd(720), x));  // NaN is the second operand's
  v const magic(6755399441055744. / 16);                                           // adding it rounds to a sixteenth
  v const t = xsimd::fma(x, v(1.4426950408889634), magic);
  v const k = t - magic;
  v r = xsimd::fma(k, v(-0.693147180559663), x);
  r = xsimd::fma(k, v(-2.8235290563031577e-13), r);
  v const p = polynomial(r, 0.49999999999997885, 0.16666666665296223, 0.04166666684503563, 0.0083334499341071854,
                         0.0013885970269617842);
  v const power = _mm512_permutex2var_pd(first, _mm512_castpd_si512(t), second);
  v const m = xsimd::fma(xsimd::fma(r, p, v(1)) * r, power, power);
  // scalef takes the floor of k, which is what the table leaves.
  return _mm512_scalef_pd(m, k);
}

[[gnu::always_inline]] inline batch<float> exp(batch<float> x) {
  using v = batch<float>;
  x = _mm512_max_ps(_mm512_set1_ps(-120), _mm512_min_ps(_mm512_set1_ps(100), x));
  v const k = _mm512_roundscale_ps(_mm512_mul_ps(x, _mm512_set1_ps(1.44269504f)), _MM_FROUND_TO_NEAREST_INT);
  v r = xsimd::fma(k, v(-0.693145752f), x);
  r = xsimd::fma(k, v(-1.42860677e-06f), r);
  v const p = polynomial(r, 0.5f, 0.166665766f, 0.0416665542f, 0.00836323288f, 0.00139262508f);
  return _mm512_scalef_ps(xsimd::fma(xsimd::fma(r, p, v(1)), r, v(1)), k);
}

/// log x: x = 2^k m, and m times a short number near 1/m, whose logarithm is in a table, is 1 + r; no division. The
/// instructions that split x leave what gives -inf at 0, inf at inf, and NaN below 0.
[[gnu::always_inline]] inline batch<double> log(batch<double> x) {
  __m512d const first = _mm512_setr_pd(0, -0.06062462181643484, -0.11778303565638346, -0.17185025692665923,
                                       -0.22314355131420976, -0.27193371548364176, -0.31845373111853459, -0.36290549368936847);
  __m512d const second = _mm512_setr_pd(0.69314718055994529, 0.5753641449035618, 0.47000362924573558, 0.3746934494414107,
                                        0.2876820724517809, 0.20763936477824449, 0.13353139262452263, 0.064538521137571178);
  using v = batch<double>;
  v const m = _mm512_getmant_pd(x, _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_nan);
  __m512d const exponent = _mm512_getexp_pd(x);
  // The significand begins at 3/4: where it is below 1 the exponent is one more.
  v const k = _mm512_mask_add_pd(exponent, _mm512_cmp_pd_mask(m, _mm512_set1_pd(1), _CMP_LT_OQ), exponent, _mm512_set1_pd(1));
  v const magic(6755399441055744. / 16);  // adding it rounds to a sixteenth
  v const t = v(_mm512_rcp14_pd(m)) + magic;
  v const r = xsimd::fma(m, t - magic, v(-1));
  v const p = polynomial(r, 0.33333333333331489, -0.24999999999998307, 0.20000000026202494, -0.16666666690686793,
                         0.14285656237956132, -0.12499946787177811, 0.11152241774910496, -0.10037704395672004);
  v const whole = xsimd::fma(k, v(0.6931471805599453), v(_mm512_permutex2var_pd(first, _mm512_castpd_si512(t), second)));
  return whole + xsimd::fma(xsimd::fma(r, p, v(-0.5)), r * r, r);
}

[[gnu::always_inline]] inline batch<float> log(batch<float> x) {
  __m512 const table = _mm512_setr_ps(0, -0.0606246218f, -0.117783036f, -0.171850257f, -0.223143551f, -0.271933715f,
                                      -0.318453731f, -0.362905494f, 0.693147181f, 0.575364145f, 0.470003629f, 0.374693449f,
                                      0.287682072f, 0.207639365f, 0.133531393f, 0.0645385211f);
  using v = batch<float>;
  v const m = _mm512_getmant_ps(x, _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_nan);
  __m512 const exponent = _mm512_getexp_ps(x);
  v const k = _mm512_mask_add_ps(exponent, _mm512_cmp_ps_mask(m, _mm512_set1_ps(1), _CMP_LT_OQ), exponent, _mm512_set1_ps(1));
  v const magic(12582912.f / 16);
  v const t = v(_mm512_rcp14_ps(m)) + magic;
  v const r = xsimd::fma(m, t - magic, v(-1));
  v const p = polynomial(r, 0.333333242f, -0.24999992f, 0.200322817f, -0.166949144f);
  v const whole = xsimd::fma(k, v(0.693147181f), v(_mm512_permutexvar_ps(_mm512_castps_si512(t), table)));
  return whole + xsimd::fma(xsimd::fma(r, p, v(-0.5f)), r * r, r);
}

/// tanh |x| = m / (m + 2) with m = e^2|x| - 1, accurate near 0, too; the sign comes last.
[[gnu::always_inline]] inline batch<double> tanh(batch<double> x) {
  using v = batch<double>;
  v const z = _mm512_min_pd(_mm512_set1_pd(40), v(xsimd::abs(x) + xsimd::abs(x)));
  v const k = _mm512_roundscale_pd(z * v(1.4426950408889634), _MM_FROUND_TO_NEAREST_INT);
  v r = xsimd::fma(k, v(-0.693147180559663), z);
  r = xsimd::fma(k, v(-2.8235290563031577e-13), r);
  v const p = polynomial(r, 0.50000000000000011, 0.16666666666666669, 0.041666666666623824, 0.008333333333330039,
                         0.0013888888917367081, 0.00019841269863171557, 2.4801521057868204e-05, 2.7557268276905696e-06,
                         2.7620201591031547e-07, 2.5100472505694996e-08);
  v const scale = _mm512_scalef_pd(_mm512_set1_pd(1), k);
  v const m = xsimd::fma(scale, xsimd::fma(r * r, p, r), scale - v(1));
  return (m / (m + v(2))) | xsimd::bitofsign(x);
}
[[gnu::always_inline]] inline batch<float> tanh(batch<float> x) {
  using v = batch<float>;
  v const z = _mm512_min_ps(_mm512_set1_ps(20), v(xsimd::abs(x) + xsimd::abs(x)));
  v const k = _mm512_roundscale_ps(z * v(1.44269504f), _MM_FROUND_TO_NEAREST_INT);
  v r = xsimd::fma(k, v(-0.693145752f), z);
  r = xsimd::fma(k, v(-1.42860677e-06f), r);
  v const p = polynomial(r, 0.5f, 0.166665766f, 0.0416665542f, 0.00836323288f, 0.00139262508f);
  v const scale = _mm512_scalef_ps(_mm512_set1_ps(1), k);
  v const m = xsimd::fma(scale, xsimd::fma(r * r, p, r), scale - v(1));
  return (m / (m + v(2))) | xsimd::bitofsign(x);
}

#else

template <class T>
batch<T> exp(batch<T> x) {
  return xsimd::exp(x);
}
template <class T>
batch<T> log(batch<T> x) {
  return xsimd::log(x);
}
template <class T>
batch<T> tanh(batch<T> x) {
  return xsimd::tanh(x);
}

#endif

}  // namespace hand
