// The functions of SIMD batches: what math/functions.hpp computes for scalars, in every lane.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Within 4 ulp, erfcx of floats within 5.1; docs/pitfalls.md has the table of errors, which tests/run/math_simd.cpp measures.

#include <concepts>

#include <kroton/cpu/intrinsics.hpp>
#include <kroton/cpu/simd_arithmetic.hpp>
#include <kroton/cpu/simd_kernels.hpp>
#include <kroton/cpu/simd_libmvec.hpp>
#include <kroton/cpu/simd_sine.hpp>
#include <kroton/math/functions.hpp>

namespace kroton::math {

// Where each function comes from. libmvec is right everywhere, and fast; our inlined kernels (which
// need fused multiply-add to be fast) beat it in a fused loop and are more accurate. xsimd's own
// exp, exp2 and logarithms are wrong for denormals or close to overflow, its erf and erfc at
// infinity and its acosh below 1, so that without libmvec they are replaced by kernels or by a loop
// over the lanes.
#define KROTON_BATCH_KERNEL(name) \
  static KROTON_INLINE batch name(batch x) { return kernels::name(x); }
#define KROTON_BATCH_BY_LANE(name)                                   \
  static KROTON_INLINE batch name(batch x) {                         \
    return cpu::by_lane([](T lane) { return math::name(lane); }, x); \
  }
#if defined(KROTON_HAS_LIBMVEC)
#define KROTON_BATCH_UNARY(name)                              \
  static KROTON_INLINE batch name(batch x) {                  \
    return cpu::libmvec::name(static_cast<register_type>(x)); \
  }
#define KROTON_BATCH_ELSE_KERNEL(name) KROTON_BATCH_UNARY(name)
#define KROTON_BATCH_ELSE_BY_LANE(name) KROTON_BATCH_UNARY(name)
#define KROTON_BATCH_BINARY(name)                                                            \
  static KROTON_INLINE batch name(batch x, batch y) {                                        \
    return cpu::libmvec::name(static_cast<register_type>(x), static_cast<register_type>(y)); \
  }
#else
#define KROTON_BATCH_UNARY(name) \
  static KROTON_INLINE batch name(batch x) { return xsimd::name(x); }
#define KROTON_BATCH_ELSE_KERNEL(name) KROTON_BATCH_KERNEL(name)
#define KROTON_BATCH_ELSE_BY_LANE(name) KROTON_BATCH_BY_LANE(name)
#define KROTON_BATCH_BINARY(name)                                         \
  static KROTON_INLINE batch name(batch x, batch y) {                     \
    return cpu::by_lane([](T a, T b) { return math::name(a, b); }, x, y); \
  }
#endif
#if defined(KROTON_HAS_LIBMVEC) && !defined(__FMA__)
#define KROTON_BATCH_FUSED_KERNEL(name) KROTON_BATCH_UNARY(name)
#else
#define KROTON_BATCH_FUSED_KERNEL(name) KROTON_BATCH_KERNEL(name)
#endif
#if defined(KROTON_HAS_LIBMVEC)
#define KROTON_BATCH_OF_LIBRARY(name, x) cpu::libmvec::name(static_cast<register_type>(x))
#else
#define KROTON_BATCH_OF_LIBRARY(name, x) xsimd::name(x)
#endif
#if defined(__FMA__)
#define KROTON_BATCH_SINE(name)                                         \
  static KROTON_INLINE batch name(batch x) {                            \
    if (cpu::simd_sine<T, A>::fits(x)) return cpu::simd_sine<T, A>::name(x); \
    return KROTON_BATCH_OF_LIBRARY(name, x);                            \
  }
#else
#define KROTON_BATCH_SINE(name) KROTON_BATCH_UNARY(name)
#endif

template <std::floating_point T, class A>
struct functions<xsimd::batch<T, A>> : cpu::simd_arithmetic<T, A> {
  using batch = xsimd::batch<T, A>;
  using mask = xsimd::batch_bool<T, A>;
  using register_type = typename batch::register_type;
  using kernels = cpu::simd_kernels<T, A>;

  static KROTON_INLINE mask eq(batch a, batch b) { return a == b; }
  // Not with xsimd's !=, which on AVX is false if either is a NaN.
  static KROTON_INLINE mask neq(batch a, batch b) { return ~(a == b); }
  static KROTON_INLINE mask lt(batch a, batch b) { return a < b; }
  static KROTON_INLINE mask le(batch a, batch b) { return a <= b; }
  static KROTON_INLINE mask gt(batch a, batch b) { return a > b; }
  static KROTON_INLINE mask ge(batch a, batch b) { return a >= b; }
  static KROTON_INLINE mask isnan(batch x) { return ~(x == x); }
  static KROTON_INLINE batch select(mask c, batch a, batch b) { return xsimd::select(c, a, b); }

  KROTON_BATCH_FUSED_KERNEL(exp)
  KROTON_BATCH_FUSED_KERNEL(exp2)
  KROTON_BATCH_FUSED_KERNEL(expm1)
  KROTON_BATCH_FUSED_KERNEL(log)
  KROTON_BATCH_FUSED_KERNEL(log2)
  KROTON_BATCH_FUSED_KERNEL(log1p)
  KROTON_BATCH_SINE(sin)
  KROTON_BATCH_SINE(cos)
  KROTON_BATCH_UNARY(tan)
  KROTON_BATCH_UNARY(asin)
  KROTON_BATCH_UNARY(acos)
  KROTON_BATCH_UNARY(atan)
  KROTON_BATCH_FUSED_KERNEL(cosh)
  KROTON_BATCH_KERNEL(tanh)
  KROTON_BATCH_UNARY(asinh)
  KROTON_BATCH_ELSE_BY_LANE(acosh)
  KROTON_BATCH_UNARY(atanh)
  KROTON_BATCH_ELSE_BY_LANE(erf)
  KROTON_BATCH_ELSE_BY_LANE(erfc)
  KROTON_BATCH_BINARY(atan2)
  KROTON_BATCH_BINARY(pow)
  KROTON_BATCH_BY_LANE(gammaln)
  KROTON_BATCH_BY_LANE(digamma)
  static KROTON_INLINE batch sqrt(batch x) { return xsimd::sqrt(x); }

  static KROTON_INLINE batch erfcx(batch x) { return formula::erfcx<T>(x); }
  static KROTON_INLINE batch logerfc(batch x) { return formula::logerfc<T>(x); }
  KROTON_BATCH_KERNEL(softplus)
#if defined(__AVX512F__)
  KROTON_BATCH_KERNEL(log10)
  KROTON_BATCH_KERNEL(sinh)
  KROTON_BATCH_KERNEL(sigmoid)
#else
  KROTON_BATCH_ELSE_KERNEL(log10)
  KROTON_BATCH_UNARY(sinh)
  static KROTON_INLINE batch sigmoid(batch x) { return formula::sigmoid(x); }
#endif
  static KROTON_INLINE batch log1mexp(batch x) { return formula::log1mexp(x); }
  static KROTON_INLINE batch logaddexp(batch a, batch b) { return formula::logaddexp(a, b); }
};
#undef KROTON_BATCH_KERNEL
#undef KROTON_BATCH_BY_LANE
#undef KROTON_BATCH_UNARY
#undef KROTON_BATCH_ELSE_KERNEL
#undef KROTON_BATCH_ELSE_BY_LANE
#undef KROTON_BATCH_BINARY
#undef KROTON_BATCH_FUSED_KERNEL
#undef KROTON_BATCH_OF_LIBRARY
#undef KROTON_BATCH_SINE

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
  static KROTON_INLINE mask logical_and(mask a, mask b) { return a & b; }
  static KROTON_INLINE mask logical_or(mask a, mask b) { return a | b; }
  static KROTON_INLINE mask logical_xor(mask a, mask b) { return cpu::differ(a, b); }
  static KROTON_INLINE mask logical_not(mask a) { return ~a; }
  static KROTON_INLINE mask select(mask c, mask a, mask b) { return (c & a) | (~c & b); }
};

}  // namespace kroton::math
