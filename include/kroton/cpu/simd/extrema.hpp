// Maxima and minima of many floats: NaN is looked for next to them, in two batches at a time.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/simd/intrinsics.hpp>
#include <kroton/ops/along_axes/reduction.hpp>

#include <limits>
#include <type_traits>

namespace kroton::cpu {

/// Whether a reduction gives NaN where there is one, and compares otherwise.
template <class Op, class L>
inline constexpr bool is_extremum_of_floats =
    std::is_floating_point_v<L> && (std::is_same_v<Op, op::max> || std::is_same_v<Op, op::min>);

/// Where either of two batches is NaN.
template <class L>
KROTON_INLINE xsimd::batch_bool<L> unordered(xsimd::batch<L> const& a, xsimd::batch<L> const& b) {
#if defined(__AVX512F__)
  if constexpr (std::is_same_v<L, double>) return _mm512_cmp_pd_mask(a, b, _CMP_UNORD_Q);
  else return _mm512_cmp_ps_mask(a, b, _CMP_UNORD_Q);
#elif defined(__AVX__)
  if constexpr (std::is_same_v<L, double>) return _mm256_cmp_pd(a, b, _CMP_UNORD_Q);
  else return _mm256_cmp_ps(a, b, _CMP_UNORD_Q);
#elif defined(__SSE2__)
  if constexpr (std::is_same_v<L, double>) return _mm_cmpunord_pd(a, b);
  else return _mm_cmpunord_ps(a, b);
#else
  return (a != a) | (b != b);
#endif
}

/// A maximum or minimum without regard to NaN: where one of two values is, either.
template <class Op>
struct among_numbers {
  template <class L>
  static KROTON_INLINE xsimd::batch<L> combine(xsimd::batch<L> const& a, xsimd::batch<L> const& b) {
    if constexpr (std::is_same_v<Op, op::max>) return xsimd::max(a, b);
    else return xsimd::min(a, b);
  }
};

}  // namespace kroton::cpu
