// The digamma function and its derivatives of SIMD batches.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/simd/arithmetic.hpp>
#include <kroton/cpu/simd/conversion.hpp>
#include <kroton/math/polygamma_difference.hpp>

namespace kroton::cpu {

/// They are too long to be inlined into a loop. Floats are computed as doubles, so that lanes equal
/// scalars.
template <class T, class A>
struct simd_gamma {
  using batch = xsimd::batch<T, A>;

  [[gnu::noinline]] static batch digamma(batch x) {
    return in_doubles([](auto y) { return math::formula::digamma(y); }, x);
  }
  [[gnu::noinline]] static batch trigamma(batch x) {
    return in_doubles([](auto y) { return math::formula::trigamma(y); }, x);
  }
  /// The order is nearly always one number for all lanes.
  [[gnu::noinline]] static batch polygamma(batch n, batch x) {
    const T order = n.get(0);
    if (!xsimd::all(n == batch(order)) || !math::formula::is_order(order))
      return by_lane([](T m, T y) { return math::polygamma(m, y); }, n, x);
    return in_doubles(
        [order](auto y) { return math::formula::polygamma(static_cast<int>(order), y); }, x);
  }

  [[gnu::noinline]] static batch polygamma_difference(batch n, batch a, batch b) {
    const T order = n.get(0);
    if constexpr (sizeof(T) == 8)
      if (xsimd::all(n == batch(order)) && math::formula::is_order(order))
        return math::formula::polygamma_difference(static_cast<int>(order), a, b);
    return by_lane([](T m, T x, T y) { return math::polygamma_difference(m, x, y); }, n, a, b);
  }

 private:
  template <class F>
  static KROTON_INLINE batch in_doubles(F f, batch x) {
    if constexpr (sizeof(T) == 8) {
      return f(x);
    } else {
      alignas(A::alignment()) T lanes[batch::size];
      x.store_aligned(lanes);
      for (std::size_t i = 0; i < batch::size; i += xsimd::batch<double>::size)
        cpu::store_converted(xsimd::batch<double>(f(cpu::load_converted<double>(lanes + i))),
                             lanes + i);
      return batch::load_aligned(lanes);
    }
  }
};

}  // namespace kroton::cpu
