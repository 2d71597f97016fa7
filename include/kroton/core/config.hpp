// What differs between compilers, and the version: the only header with compiler switches.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#define KROTON_VERSION "0.1.0"

#if defined(__CUDACC__)
#define KROTON_HOST_DEVICE __host__ __device__
#else
#define KROTON_HOST_DEVICE
#endif

// Without optimization nothing is gained by what a loop costs the compiler when all of its
// functions are copied into it.
#if defined(__OPTIMIZE__)
#define KROTON_INLINE inline __attribute__((always_inline))
#define KROTON_INLINE_LAMBDA __attribute__((always_inline))
#else
#define KROTON_INLINE inline
#define KROTON_INLINE_LAMBDA
#endif

/// Marks a function that is one source for a C++ scalar, a SIMD batch, a CUDA thread and the
/// constant folder. It bears no
/// __device__: under --expt-relaxed-constexpr a kernel may call what is constexpr, and with the
/// mark nvcc would compile the instantiations for SIMD batches for the device as well, which it
/// refuses.
#define KROTON_FN constexpr KROTON_INLINE

// Before a loop: no iteration waits for what another one writes. (clang asks that at run time; told
// so, it warns of loops that are no vectors.)
#if defined(__clang__) || defined(__CUDACC__)
#define KROTON_INDEPENDENT
#else
#define KROTON_INDEPENDENT _Pragma("GCC ivdep")
#endif

// How much of a text as a template argument a compiler shows: clang cuts longer ones short.
#if defined(__clang__)
#define KROTON_SHOWN_TEXT 36
#else
#define KROTON_SHOWN_TEXT 1000
#endif

// The run-time stage is compiled into the library kroton::runtime, or, without it, wherever
// kroton/runtime.hpp is included.
#if defined(KROTON_RUNTIME_LIBRARY)
#define KROTON_RUNTIME_INLINE
#else
#define KROTON_RUNTIME_INLINE inline
#endif

// What the rows that a band goes through at a time may take, in bytes; see plan/bands.hpp. A test
// takes them one by one.
#if !defined(KROTON_BAND_BYTES)
#define KROTON_BAND_BYTES (256 << 10)
#endif

/// Namespace of the library; `namespace kt = kroton;` is the usual alias.
namespace kroton {}
