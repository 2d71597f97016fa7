// Sine and cosine inlined on SIMD batches, of arguments that are not large.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/simd/arithmetic.hpp>

#include <cstdint>
#include <type_traits>

namespace kroton::cpu {

/// x = k pi + r, and sin x = +-sin r; the cosine is the sine of x + pi/2. pi is in four parts, of
/// which the first two are so short that with fused multiply-add their products with k are exact.
/// Truncation errors of the polynomial are 1.2e-18 and 2.5e-8.
template <class T, class A>
struct simd_sine {
  using batch = xsimd::batch<T, A>;
  static constexpr bool is_double = sizeof(T) == 8;
  using integer = std::conditional_t<is_double, std::int64_t, std::int32_t>;
  using bits = xsimd::batch<integer, A>;
  static constexpr T magic = is_double ? T(6755399441055744) : T(12582912);
  /// Up to here k has few enough digits.
  static constexpr T most = is_double ? T(1e7) : T(1e4);

  static KROTON_INLINE batch fused(batch a, batch b, batch c) {
    return simd_arithmetic<T, A>::muladd(a, b, c);
  }
  static KROTON_INLINE batch pair(batch x, double c, double d) {
    return fused(batch(T(d)), x, batch(T(c)));
  }

  /// sin r, negative where the lowest bit of `sum` is 1.
  static KROTON_INLINE batch signed_sine(batch r, batch sum) {
    batch const sign =
        xsimd::bitwise_cast<batch>(xsimd::bitwise_cast<bits>(sum) << (is_double ? 63 : 31));
    batch const z = r * r, z2 = z * z;
    batch p = z;
    if constexpr (is_double) {
      batch const low = fused(pair(z, -0.00019841269841254795, 2.7557319219115035e-6), z2,
                              pair(z, -0.16666666666666667, 0.0083333333333333156));
      batch const high = fused(pair(z, -7.6439576289007203e-13, 2.7312869702054163e-15), z2,
                               pair(z, -2.5052107610864233e-8, 1.6058976915293984e-10));
      p = fused(high, z2 * z2, low);
    } else {
      p = fused(pair(z, -0.000198226663, 2.63451968e-6), z2, pair(z, -0.16666666, 0.00833324159));
    }
    return fused(p, z * r, r) ^ sign;
  }
  static KROTON_INLINE batch rest(batch x, batch k) {
    if constexpr (is_double) {
      batch const r = fused(k, batch(T(-3.1415926516056060791)), x);
      batch const rest = fused(k, batch(T(-1.0340365963588211138e-18)),
                               fused(k, batch(T(-1.9841871583270442869e-9)), r));
      // What is left close to a multiple of pi needs it
      return fused(k, batch(T(-8.67181013e-35)), rest);
    } else {
      batch const r = fused(k, batch(T(-0.000967502593994)), fused(k, batch(T(-3.140625)), x));
      return fused(k, batch(T(-5.12668830319e-12)), fused(k, batch(T(-1.5099067241e-7)), r));
    }
  }
  static KROTON_INLINE bool fits(batch x) { return xsimd::all(xsimd::abs(x) <= batch(most)); }
  static KROTON_INLINE batch sin(batch x) {
    batch const magnitude = xsimd::abs(x);  // so that the sign of 0 is kept
    batch const sum = fused(magnitude, batch(T(0.31830988618379067)), batch(magic));
    return signed_sine(rest(magnitude, sum - batch(magic)), sum) ^ xsimd::bitofsign(x);
  }
  static KROTON_INLINE batch cos(batch x) {
    batch const sum = fused(x, batch(T(0.31830988618379067)), batch(T(0.5))) + batch(magic);
    return signed_sine(rest(x, (sum - batch(magic)) - batch(T(0.5))), sum);
  }
};

}  // namespace kroton::cpu
