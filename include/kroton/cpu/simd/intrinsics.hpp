// The vector instructions of the target: xsimd's batches, and the compiler's own names for them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// g++ 12 takes the undefined operand inside its own AVX-512 functions for a mistake of whoever
// calls them.
#if defined(__AVX512F__) && defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 13
#define KROTON_HUSH_INTRINSICS
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

// immintrin.h declares the functions of every instruction set there is, a megabyte of them.
#if defined(__AVX__)
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif
#include <xsimd/xsimd.hpp>

#if defined(KROTON_HUSH_INTRINSICS)
#undef KROTON_HUSH_INTRINSICS
#pragma GCC diagnostic pop
#endif
