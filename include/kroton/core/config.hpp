// Differences between compilers, and the version: the only header with compiler switches.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#define KROTON_VERSION "0.2.0"

#if defined(__CUDACC__)
#define KROTON_HOST_DEVICE __host__ __device__
#else
#define KROTON_HOST_DEVICE
#endif

// Without optimization, copying all functions into a loop costs compile time and gains nothing.
#if defined(__OPTIMIZE__)
#define KROTON_INLINE inline __attribute__((always_inline))
#define KROTON_INLINE_LAMBDA __attribute__((always_inline))
#else
#define KROTON_INLINE inline
#define KROTON_INLINE_LAMBDA
#endif

/// Marks a function whose source is shared by C++ scalars, SIMD batches, CUDA threads and the
/// constant folder. It does not contain __device__: under --expt-relaxed-constexpr a kernel may
/// call constexpr functions, and with __device__ nvcc would also compile the instantiations for
/// SIMD batches for the device, which fails.
#define KROTON_FN constexpr KROTON_INLINE

// Before a loop: states that iterations are independent. (clang checks this at run time; with the
// pragma it would warn about loops that it does not vectorize.)
#if defined(__clang__) || defined(__CUDACC__)
#define KROTON_INDEPENDENT
#else
#define KROTON_INDEPENDENT _Pragma("GCC ivdep")
#endif

// Before a loop: so many of its iterations are written out. (nvcc warns of the pragma.)
#define KROTON_PRAGMA(text) _Pragma(#text)
#if defined(__CUDACC__)
#define KROTON_UNROLL(n)
#else
#define KROTON_UNROLL(n) KROTON_PRAGMA(GCC unroll n)
#endif

// How much of a text in a template argument a compiler prints: clang truncates longer ones.
#if defined(__clang__)
#define KROTON_SHOWN_TEXT 36
#else
#define KROTON_SHOWN_TEXT 1000
#endif

// The run-time stage is compiled into the library kroton::runtime or, without the library, wherever
// kroton/runtime.hpp is included.
#if defined(KROTON_RUNTIME_LIBRARY)
#define KROTON_RUNTIME_INLINE
#define KROTON_HAS_LIBRARY true
#else
#define KROTON_RUNTIME_INLINE inline
#define KROTON_HAS_LIBRARY false
#endif

// Without a call, unlike std::is_constant_evaluated: g++ drops the branch that is not taken, and
// what only it refers to, also in unoptimized code.
#define KROTON_IN_COMPILER __builtin_is_constant_evaluated()

// The bytes that a band's rows may occupy at a time; see plan/bands.hpp.
#if !defined(KROTON_BAND_BYTES)
#define KROTON_BAND_BYTES (256 << 10)
#endif

/// Namespace of the library; `namespace kt = kroton;` is the usual alias.
namespace kroton {}
