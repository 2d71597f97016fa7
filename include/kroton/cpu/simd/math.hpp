// The functions of SIMD batches: what math/functions.hpp computes for scalars, in every lane.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Within 5 ulp, with SSE2 within 8.5; docs/pitfalls.md has the table of errors, which
// tests/accuracy writes.

#include <concepts>
#include <type_traits>

#include <kroton/cpu/simd/arithmetic.hpp>
#include <kroton/cpu/simd/exponents.hpp>
#include <kroton/cpu/simd/gamma.hpp>
#include <kroton/cpu/simd/intrinsics.hpp>
#include <kroton/cpu/simd/kernels.hpp>
#include <kroton/cpu/simd/library.hpp>
#include <kroton/cpu/simd/power.hpp>
#include <kroton/cpu/simd/sine.hpp>
#include <kroton/cpu/simd/special.hpp>
#include <kroton/math/functions.hpp>

namespace kroton::math {

/// Where each function comes from: our inlined kernels, which need fused multiply-add to be fast,
/// beat a library's calls in a fused loop and are more accurate; xsimd's tan, asin and atan are
/// inlined, too.
#define KROTON_BATCH_FROM(source, name) \
  static KROTON_INLINE batch name(batch x) { return source::name(x); }

template <std::floating_point T, class A>
struct functions<xsimd::batch<T, A>> : cpu::simd_arithmetic<T, A> {
  using batch = xsimd::batch<T, A>;
  using mask = xsimd::batch_bool<T, A>;

#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
  static constexpr bool has_fused = true;
#else
  static constexpr bool has_fused = false;
#endif
#if defined(__AVX512F__)
  static constexpr bool has_tables = std::is_base_of_v<xsimd::avx512f, A>;
#else
  static constexpr bool has_tables = false;
#endif
  using kernels = cpu::simd_kernels<T, A>;
  using library = cpu::simd_library<T, A>;
  using gammas = cpu::simd_gamma<T, A>;
  using special = cpu::simd_special<T, A>;
  using exponents = cpu::simd_exponents<T, A>;
  using fused = std::conditional_t<has_fused, kernels, library>;
  using tables = std::conditional_t<has_tables, kernels, library>;
  using fused_xsimd = std::conditional_t<has_fused, cpu::simd_of_xsimd<T, A>, library>;

  static KROTON_INLINE mask eq(batch a, batch b) { return a == b; }
  // Not with xsimd's !=, which on AVX is false if either is a NaN.
  static KROTON_INLINE mask neq(batch a, batch b) { return ~(a == b); }
  static KROTON_INLINE mask lt(batch a, batch b) { return a < b; }
  static KROTON_INLINE mask le(batch a, batch b) { return a <= b; }
  static KROTON_INLINE mask gt(batch a, batch b) { return a > b; }
  static KROTON_INLINE mask ge(batch a, batch b) { return a >= b; }
  static KROTON_INLINE mask isnan(batch x) { return ~(x == x); }
  static KROTON_INLINE batch select(mask c, batch a, batch b) { return xsimd::select(c, a, b); }

  KROTON_BATCH_FROM(fused, exp)
  KROTON_BATCH_FROM(fused, exp2)
  KROTON_BATCH_FROM(fused, expm1)
  KROTON_BATCH_FROM(fused, log)
  KROTON_BATCH_FROM(fused, log2)
  KROTON_BATCH_FROM(tables, log10)
  KROTON_BATCH_FROM(fused, log1p)
  static KROTON_INLINE batch sin(batch x) {
    if constexpr (has_fused)
      if (cpu::simd_sine<T, A>::fits(x)) return cpu::simd_sine<T, A>::sin(x);
    return library::sin(x);
  }
  static KROTON_INLINE batch cos(batch x) {
    if constexpr (has_fused)
      if (cpu::simd_sine<T, A>::fits(x)) return cpu::simd_sine<T, A>::cos(x);
    return library::cos(x);
  }
  KROTON_BATCH_FROM(fused_xsimd, tan)
  KROTON_BATCH_FROM(fused_xsimd, asin)
  KROTON_BATCH_FROM(library, acos)
  KROTON_BATCH_FROM(fused_xsimd, atan)
  KROTON_BATCH_FROM(tables, sinh)
  KROTON_BATCH_FROM(fused, cosh)
  KROTON_BATCH_FROM(kernels, tanh)
  KROTON_BATCH_FROM(library, asinh)
  static KROTON_INLINE batch acosh(batch x) {
    if constexpr (has_fused)
      return formula::acosh<T>(x);
    else
      return library::acosh(x);
  }
  KROTON_BATCH_FROM(library, atanh)
  static KROTON_INLINE batch atan2(batch y, batch x) { return library::atan2(y, x); }
  static KROTON_INLINE batch pow(batch x, batch y) {
#if defined(KROTON_HAS_TABLE_POWER)
    if constexpr (has_tables)
      if (cpu::table_power<T>::fits(x, y)) return cpu::table_power<T>::pow(x, y);
#endif
    return library::pow(x, y);
  }
  static KROTON_INLINE batch sqrt(batch x) { return xsimd::sqrt(x); }
  KROTON_BATCH_FROM(library, cbrt)
  static KROTON_INLINE batch hypot(batch x, std::same_as<batch> auto... more) {
    return formula::hypot<T>(x, more...);
  }
  static KROTON_INLINE batch loghypot(batch x, batch y) { return formula::loghypot<T>(x, y); }

  static KROTON_INLINE batch ldexp(batch x, batch n) {
    if constexpr (has_tables) return kernels::scaled(x, n);
    else return exponents::ldexp(x, n);
  }
  KROTON_BATCH_FROM(exponents, frexp_exponent)
  static KROTON_INLINE batch nextafter(batch x, batch y) { return exponents::nextafter(x, y); }

  KROTON_BATCH_FROM(library, erf)
  static KROTON_INLINE batch erfc(batch x) {
    if constexpr (has_fused && sizeof(T) == 4)
      return formula::erfc<T>(x);  // in half the time of the library's
    else
      return library::erfc(x);
  }
  static KROTON_INLINE batch erfcx(batch x) { return formula::erfcx<T>(x); }
  static KROTON_INLINE batch logerfc(batch x) { return formula::logerfc<T>(x); }
  KROTON_BATCH_FROM(special, erfinv)
  KROTON_BATCH_FROM(special, erfcinv)
  KROTON_BATCH_FROM(library, gammaln)
  KROTON_BATCH_FROM(special, gamma)
  KROTON_BATCH_FROM(special, i0)
  KROTON_BATCH_FROM(special, i1)
  KROTON_BATCH_FROM(special, i0e)
  KROTON_BATCH_FROM(special, i1e)
  KROTON_BATCH_FROM(special, j0)
  KROTON_BATCH_FROM(special, j1)
  static KROTON_INLINE batch betaln(batch a, batch b) { return special::betaln(a, b); }
  static KROTON_INLINE batch gammainc(batch a, batch x) { return special::gammainc(a, x); }
  static KROTON_INLINE batch gammaincc(batch a, batch x) { return special::gammaincc(a, x); }
  static KROTON_INLINE batch gamma_density(batch n, batch a, batch x) {
    return special::gamma_density(n, a, x);
  }
  static KROTON_INLINE batch gammainc_by_a(batch n, batch a, batch x) {
    return special::gammainc_by_a(n, a, x);
  }
  KROTON_BATCH_FROM(gammas, digamma)
  KROTON_BATCH_FROM(gammas, trigamma)
  static KROTON_INLINE batch polygamma(batch n, batch x) { return gammas::polygamma(n, x); }
  static KROTON_INLINE batch polygamma_difference(batch n, batch a, batch b) {
    return gammas::polygamma_difference(n, a, b);
  }

  KROTON_BATCH_FROM(kernels, softplus)
  static KROTON_INLINE batch sigmoid(batch x) {
    if constexpr (has_tables)
      return kernels::sigmoid(x);
    else
      return formula::sigmoid(x);
  }
  static KROTON_INLINE batch log1mexp(batch x) { return formula::log1mexp(x); }
  static KROTON_INLINE batch logaddexp(batch a, batch b) { return formula::logaddexp(a, b); }
};
#undef KROTON_BATCH_FROM

/// The functions of a mask, the truth values of a batch.
template <class T, class A>
struct functions<xsimd::batch_bool<T, A>> {
  using mask = xsimd::batch_bool<T, A>;

  static KROTON_INLINE mask eq(mask a, mask b) { return ~cpu::differ(a, b); }
  static KROTON_INLINE mask neq(mask a, mask b) { return cpu::differ(a, b); }
  static KROTON_INLINE mask lt(mask a, mask b) { return ~a & b; }
  static KROTON_INLINE mask le(mask a, mask b) { return ~a | b; }
  static KROTON_INLINE mask gt(mask a, mask b) { return a & ~b; }
  static KROTON_INLINE mask ge(mask a, mask b) { return a | ~b; }
  static KROTON_INLINE mask minimum(mask a, mask b) { return a & b; }
  static KROTON_INLINE mask maximum(mask a, mask b) { return a | b; }
  static KROTON_INLINE mask fmin(mask a, mask b) { return a & b; }
  static KROTON_INLINE mask fmax(mask a, mask b) { return a | b; }
  static KROTON_INLINE mask logical_and(mask a, mask b) { return a & b; }
  static KROTON_INLINE mask logical_or(mask a, mask b) { return a | b; }
  static KROTON_INLINE mask logical_xor(mask a, mask b) { return cpu::differ(a, b); }
  static KROTON_INLINE mask logical_not(mask a) { return ~a; }
  static KROTON_INLINE bool any(mask a) { return xsimd::any(a); }
  static KROTON_INLINE mask select(mask c, mask a, mask b) { return (c & a) | (~c & b); }
};

}  // namespace kroton::math
