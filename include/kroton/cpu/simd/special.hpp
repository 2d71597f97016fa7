// Special functions of SIMD batches that are computed in double.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/simd/arithmetic.hpp>
#include <kroton/cpu/simd/conversion.hpp>
#include <kroton/math/bessel.hpp>
#include <kroton/math/gamma.hpp>
#include <kroton/math/inverse_error.hpp>

namespace kroton::cpu {

/// They are too long to be inlined into a loop. Floats are computed as doubles, so that lanes equal
/// scalars.
template <class T, class A>
struct simd_special {
  using batch = xsimd::batch<T, A>;

#define KROTON_IN_DOUBLES(name, ...)                                            \
  [[gnu::noinline]] static batch name(batch x) {                                \
    return in_doubles([](auto y) { return math::formula::__VA_ARGS__(y); }, x); \
  }
  KROTON_IN_DOUBLES(erfinv, erfinv)
  KROTON_IN_DOUBLES(erfcinv, erfcinv)
  KROTON_IN_DOUBLES(gamma, gamma)
  KROTON_IN_DOUBLES(i0, bessel_i<0, false>)
  KROTON_IN_DOUBLES(i1, bessel_i<1, false>)
  KROTON_IN_DOUBLES(i0e, bessel_i<0, true>)
  KROTON_IN_DOUBLES(i1e, bessel_i<1, true>)
  KROTON_IN_DOUBLES(j0, bessel_j<0>)
  KROTON_IN_DOUBLES(j1, bessel_j<1>)
#undef KROTON_IN_DOUBLES
  [[gnu::noinline]] static batch betaln(batch a, batch b) {
    return in_doubles([](auto p, auto q) { return math::formula::betaln(p, q); }, a, b);
  }

  // Lane by lane: each takes as many steps of a series as it needs.
  [[gnu::noinline]] static batch gammainc(batch a, batch x) {
    return by_lane([](T p, T y) { return math::gammainc(p, y); }, a, x);
  }
  [[gnu::noinline]] static batch gammaincc(batch a, batch x) {
    return by_lane([](T p, T y) { return math::gammaincc(p, y); }, a, x);
  }
  [[gnu::noinline]] static batch gamma_density(batch n, batch a, batch x) {
    return by_lane([](T k, T p, T y) { return math::gamma_density(k, p, y); }, n, a, x);
  }
  [[gnu::noinline]] static batch gammainc_by_a(batch n, batch a, batch x) {
    return by_lane([](T k, T p, T y) { return math::gammainc_by_a(k, p, y); }, n, a, x);
  }

 private:
  template <class F, class... B>
  static KROTON_INLINE batch in_doubles(F f, B... x) {
    if constexpr (sizeof(T) == 8) {
      return f(x...);
    } else {
      alignas(A::alignment()) T lanes[batch::size];
      for (std::size_t i = 0; i < batch::size; i += xsimd::batch<double>::size)
        cpu::store_converted(f(part(x, i)...), lanes + i);
      return batch::load_aligned(lanes);
    }
  }
  static KROTON_INLINE xsimd::batch<double> part(batch x, std::size_t first) {
    alignas(A::alignment()) T lanes[batch::size];
    x.store_aligned(lanes);
    return cpu::load_converted<double>(lanes + first);
  }
};

}  // namespace kroton::cpu
