// What libraries compute on SIMD batches: libmvec where it is, else what is right of xsimd's.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/simd/arithmetic.hpp>
#include <kroton/cpu/simd/kernels.hpp>
#include <kroton/cpu/simd/libmvec.hpp>
#include <kroton/math/functions.hpp>

#include <type_traits>

namespace kroton::cpu {

#define KROTON_BATCH_BY_LANE(name)                                   \
  static KROTON_INLINE batch name(batch x) {                         \
    return cpu::by_lane([](T lane) { return math::name(lane); }, x); \
  }
#define KROTON_BATCH_BY_TWO_LANES(name)                                   \
  static KROTON_INLINE batch name(batch x, batch y) {                     \
    return cpu::by_lane([](T a, T b) { return math::name(a, b); }, x, y); \
  }

/// Those functions of xsimd that are within 4 ulp everywhere.
template <class T, class A>
struct simd_of_xsimd {
  using batch = xsimd::batch<T, A>;
#define KROTON_OF_XSIMD(name) \
  static KROTON_INLINE batch name(batch x) { return xsimd::name(x); }
  KROTON_OF_XSIMD(sin)
  KROTON_OF_XSIMD(cos)
  KROTON_OF_XSIMD(tan)
  KROTON_OF_XSIMD(asin)
  KROTON_OF_XSIMD(acos)
  KROTON_OF_XSIMD(atan)
  KROTON_OF_XSIMD(sinh)
  KROTON_OF_XSIMD(asinh)
  KROTON_OF_XSIMD(atanh)
#undef KROTON_OF_XSIMD
};

#if defined(KROTON_HAS_LIBMVEC)

/// Right everywhere, and fast, but each function is a call.
template <class T, class A>
struct simd_library {
  using batch = xsimd::batch<T, A>;
  using register_type = typename batch::register_type;
#define KROTON_OF_LIBMVEC(name)                               \
  static KROTON_INLINE batch name(batch x) {                  \
    return cpu::libmvec::name(static_cast<register_type>(x)); \
  }
#define KROTON_OF_LIBMVEC_BINARY(name)                                                       \
  static KROTON_INLINE batch name(batch x, batch y) {                                        \
    return cpu::libmvec::name(static_cast<register_type>(x), static_cast<register_type>(y)); \
  }
  KROTON_OF_LIBMVEC(exp)
  KROTON_OF_LIBMVEC(exp2)
  KROTON_OF_LIBMVEC(expm1)
  KROTON_OF_LIBMVEC(log)
  KROTON_OF_LIBMVEC(log2)
  KROTON_OF_LIBMVEC(log10)
  KROTON_OF_LIBMVEC(log1p)
  KROTON_OF_LIBMVEC(sin)
  KROTON_OF_LIBMVEC(cos)
  KROTON_OF_LIBMVEC(tan)
  KROTON_OF_LIBMVEC(asin)
  KROTON_OF_LIBMVEC(acos)
  KROTON_OF_LIBMVEC(atan)
  KROTON_OF_LIBMVEC(sinh)
  KROTON_OF_LIBMVEC(cosh)
  KROTON_OF_LIBMVEC(asinh)
  KROTON_OF_LIBMVEC(acosh)
  KROTON_OF_LIBMVEC(atanh)
  KROTON_OF_LIBMVEC(cbrt)
  KROTON_OF_LIBMVEC(erf)
  KROTON_OF_LIBMVEC(erfc)
  KROTON_OF_LIBMVEC_BINARY(atan2)
  KROTON_OF_LIBMVEC_BINARY(pow)
#undef KROTON_OF_LIBMVEC
#undef KROTON_OF_LIBMVEC_BINARY
  KROTON_BATCH_BY_LANE(gammaln)
};

#else

/// xsimd's own exp, exp2 and logarithms are wrong for denormals or close to overflow, its erf and
/// erfc at infinity and its acosh below 1: kernels take their place, or a loop over the lanes.
template <class T, class A>
struct simd_library : simd_kernels<T, A>, simd_of_xsimd<T, A> {
  using batch = xsimd::batch<T, A>;
  KROTON_BATCH_BY_LANE(acosh)
  KROTON_BATCH_BY_LANE(cbrt)
  KROTON_BATCH_BY_LANE(erf)
  KROTON_BATCH_BY_LANE(erfc)
  KROTON_BATCH_BY_LANE(gammaln)
  KROTON_BATCH_BY_TWO_LANES(atan2)
  KROTON_BATCH_BY_TWO_LANES(pow)
};

#endif

#undef KROTON_BATCH_BY_LANE
#undef KROTON_BATCH_BY_TWO_LANES

}  // namespace kroton::cpu
