// The vector variants of the C library's functions (glibc's libmvec), by register type.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// glibc has all of the functions below since 2.35; libm.so pulls libmvec in as needed, so -lm
// suffices. Define KROTON_NO_LIBMVEC to use xsimd's instead.
#if defined(__x86_64__) && defined(__linux__) && !defined(KROTON_NO_LIBMVEC)
#include <features.h>
#if defined(__GLIBC_PREREQ)
#if __GLIBC_PREREQ(2, 35)
#define KROTON_HAS_LIBMVEC 1
#endif
#endif
#endif

#if defined(KROTON_HAS_LIBMVEC)

#include <kroton/core/config.hpp>
#include <kroton/core/layers.hpp>
#include <kroton/cpu/simd/intrinsics.hpp>

/// One overload per register type, named as the scalar function. The symbols follow the x86-64
/// vector function ABI: b is SSE, c AVX, d AVX2, e AVX-512; the c variants only split into two b
/// calls, but spare the caller doing so.
namespace kroton::cpu::libmvec {

#define KROTON_LIBMVEC_128(name)                                       \
  extern "C" __m128d _ZGVbN2v_##name(__m128d) noexcept;                \
  extern "C" __m128 _ZGVbN4v_##name##f(__m128) noexcept;               \
  KROTON_INLINE __m128d name(__m128d x) { return _ZGVbN2v_##name(x); } \
  KROTON_INLINE __m128 name(__m128 x) { return _ZGVbN4v_##name##f(x); }
#define KROTON_LIBMVEC_256(name, isa)                                        \
  extern "C" __m256d _ZGV##isa##N4v_##name(__m256d) noexcept;                \
  extern "C" __m256 _ZGV##isa##N8v_##name##f(__m256) noexcept;               \
  KROTON_INLINE __m256d name(__m256d x) { return _ZGV##isa##N4v_##name(x); } \
  KROTON_INLINE __m256 name(__m256 x) { return _ZGV##isa##N8v_##name##f(x); }
#define KROTON_LIBMVEC_512(name)                                       \
  extern "C" __m512d _ZGVeN8v_##name(__m512d) noexcept;                \
  extern "C" __m512 _ZGVeN16v_##name##f(__m512) noexcept;              \
  KROTON_INLINE __m512d name(__m512d x) { return _ZGVeN8v_##name(x); } \
  KROTON_INLINE __m512 name(__m512 x) { return _ZGVeN16v_##name##f(x); }

#define KROTON_LIBMVEC_BINARY_128(name)                                               \
  extern "C" __m128d _ZGVbN2vv_##name(__m128d, __m128d) noexcept;                     \
  extern "C" __m128 _ZGVbN4vv_##name##f(__m128, __m128) noexcept;                     \
  KROTON_INLINE __m128d name(__m128d x, __m128d y) { return _ZGVbN2vv_##name(x, y); } \
  KROTON_INLINE __m128 name(__m128 x, __m128 y) { return _ZGVbN4vv_##name##f(x, y); }
#define KROTON_LIBMVEC_BINARY_256(name, isa)                                                \
  extern "C" __m256d _ZGV##isa##N4vv_##name(__m256d, __m256d) noexcept;                     \
  extern "C" __m256 _ZGV##isa##N8vv_##name##f(__m256, __m256) noexcept;                     \
  KROTON_INLINE __m256d name(__m256d x, __m256d y) { return _ZGV##isa##N4vv_##name(x, y); } \
  KROTON_INLINE __m256 name(__m256 x, __m256 y) { return _ZGV##isa##N8vv_##name##f(x, y); }
#define KROTON_LIBMVEC_BINARY_512(name)                                               \
  extern "C" __m512d _ZGVeN8vv_##name(__m512d, __m512d) noexcept;                     \
  extern "C" __m512 _ZGVeN16vv_##name##f(__m512, __m512) noexcept;                    \
  KROTON_INLINE __m512d name(__m512d x, __m512d y) { return _ZGVeN8vv_##name(x, y); } \
  KROTON_INLINE __m512 name(__m512 x, __m512 y) { return _ZGVeN16vv_##name##f(x, y); }

#if defined(__AVX512F__)
#define KROTON_LIBMVEC(name) \
  KROTON_LIBMVEC_128(name) KROTON_LIBMVEC_256(name, d) KROTON_LIBMVEC_512(name)
#define KROTON_LIBMVEC_BINARY(name) \
  KROTON_LIBMVEC_BINARY_128(name) KROTON_LIBMVEC_BINARY_256(name, d) KROTON_LIBMVEC_BINARY_512(name)
#elif defined(__AVX2__)
#define KROTON_LIBMVEC(name) KROTON_LIBMVEC_128(name) KROTON_LIBMVEC_256(name, d)
#define KROTON_LIBMVEC_BINARY(name) \
  KROTON_LIBMVEC_BINARY_128(name) KROTON_LIBMVEC_BINARY_256(name, d)
#elif defined(__AVX__)
#define KROTON_LIBMVEC(name) KROTON_LIBMVEC_128(name) KROTON_LIBMVEC_256(name, c)
#define KROTON_LIBMVEC_BINARY(name) \
  KROTON_LIBMVEC_BINARY_128(name) KROTON_LIBMVEC_BINARY_256(name, c)
#else
#define KROTON_LIBMVEC(name) KROTON_LIBMVEC_128(name)
#define KROTON_LIBMVEC_BINARY(name) KROTON_LIBMVEC_BINARY_128(name)
#endif

KROTON_LIBMVEC(exp)
KROTON_LIBMVEC(exp2)
KROTON_LIBMVEC(expm1)
KROTON_LIBMVEC(log)
KROTON_LIBMVEC(log2)
KROTON_LIBMVEC(log10)
KROTON_LIBMVEC(log1p)
KROTON_LIBMVEC(sin)
KROTON_LIBMVEC(cos)
KROTON_LIBMVEC(tan)
KROTON_LIBMVEC(asin)
KROTON_LIBMVEC(acos)
KROTON_LIBMVEC(atan)
KROTON_LIBMVEC(sinh)
KROTON_LIBMVEC(cosh)
KROTON_LIBMVEC(tanh)
KROTON_LIBMVEC(asinh)
KROTON_LIBMVEC(acosh)
KROTON_LIBMVEC(atanh)
KROTON_LIBMVEC(cbrt)
KROTON_LIBMVEC(erf)
KROTON_LIBMVEC(erfc)
KROTON_LIBMVEC_BINARY(atan2)
KROTON_LIBMVEC_BINARY(pow)

#undef KROTON_LIBMVEC
#undef KROTON_LIBMVEC_128
#undef KROTON_LIBMVEC_256
#undef KROTON_LIBMVEC_512
#undef KROTON_LIBMVEC_BINARY
#undef KROTON_LIBMVEC_BINARY_128
#undef KROTON_LIBMVEC_BINARY_256
#undef KROTON_LIBMVEC_BINARY_512

}  // namespace kroton::cpu::libmvec

#endif
