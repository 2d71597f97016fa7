// Binary exponents and neighbours of floating-point numbers, of SIMD batches.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/simd/arithmetic.hpp>
#include <kroton/cpu/simd/kernels.hpp>
#include <kroton/math/exponents.hpp>

namespace kroton::cpu {

template <class T, class A>
struct simd_exponents {
  using batch = xsimd::batch<T, A>;
  using kernels = simd_kernels<T, A>;

  /// In three factors that are normal numbers. The last one is the least where n is below it: what
  /// rounding before it loses is then below every number.
  static KROTON_INLINE batch ldexp(batch x, batch n) {
    const T most(sizeof(T) == 4 ? 126 : 1022), furthest(sizeof(T) == 4 ? 300 : 2200);
    const auto within = [](batch k, T limit) {
      return xsimd::max(xsimd::min(k, batch(limit)), batch(-limit));
    };
    const batch k = within(n, furthest), last = within(k, most);
    const batch middle = within(k - last, most);
    return x * kernels::power_of_two(k - last - middle) * kernels::power_of_two(middle) *
           kernels::power_of_two(last);
  }
  static KROTON_INLINE batch frexp_exponent(batch x) {
    return by_lane([](T y) { return math::frexp_exponent(y); }, x);
  }
  static KROTON_INLINE batch nextafter(batch x, batch y) {
    return by_lane([](T a, T b) { return math::nextafter(a, b); }, x, y);
  }
};

}  // namespace kroton::cpu
