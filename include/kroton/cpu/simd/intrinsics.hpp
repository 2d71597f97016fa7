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

// For float on ARM of 64 bits, xsimd 8 takes the estimates of ARM of 32 bits: quotients off by a
// unit in the last place, 0 / 1e-45 NaN, and the root of -0 is 0.
#if defined(__aarch64__) && XSIMD_VERSION_MAJOR < 10
namespace xsimd {
template <>
inline batch<float, neon64>& batch<float, neon64>::operator/=(batch const& other) noexcept {
  return *this = vdivq_f32(*this, other);
}
template <>
inline batch<float, neon64> sqrt(batch<float, neon64> const& x) noexcept {
  return vsqrtq_f32(x);
}
}  // namespace xsimd
#endif

#if defined(KROTON_HUSH_INTRINSICS)
#undef KROTON_HUSH_INTRINSICS
#pragma GCC diagnostic pop
#endif
