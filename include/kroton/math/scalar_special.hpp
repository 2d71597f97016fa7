// Special and compound functions of float and double.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <limits>
#include <type_traits>

#include <kroton/core/config.hpp>
#include <kroton/math/bessel.hpp>
#include <kroton/math/constant.hpp>
#include <kroton/math/formulas.hpp>
#include <kroton/math/gamma.hpp>
#include <kroton/math/incomplete_gamma_orders.hpp>
#include <kroton/math/inverse_error.hpp>
#include <kroton/math/polygamma.hpp>
#include <kroton/math/polygamma_difference.hpp>

namespace kroton::math {

namespace constant {

/// The formula is a constant where nothing overflows and nothing is divided by 0. (A template,
/// since the functions of doubles are defined later.)
template <class R = double>
constexpr R polygamma(int n, R x) {
  const bool odd = n % 2 != 0;
  if (is_nan(x) || x == -infinity) return not_a_number;
  if (x == infinity) return n == 0 ? x : odd ? 0.0 : -0.0;
  const double distance = x > 0 ? x : x - round(x);
  if (x < 0 && distance == 0) return odd ? infinity : not_a_number;
  if (x == 0 || gammaln(n + 1.0) - (n + 1.0) * log(abs(distance)) > 709.782)
    return odd || is_negative(x == 0 ? x : distance) ? infinity : -infinity;
  return formula::polygamma(n, x);
}

}  // namespace constant

template <class R>
struct scalar_special {
  static KROTON_FN R erf(R x) {
    if (std::is_constant_evaluated()) return constant::rounded<R>(constant::erf(x));
    return std::erf(x);
  }
  static KROTON_FN R erfc(R x) {
    if (std::is_constant_evaluated()) return constant::rounded<R>(constant::erfc(x));
    return std::erfc(x);
  }

  static KROTON_FN R gammaln(R x) {
    if (std::is_constant_evaluated()) return constant::rounded<R>(constant::gammaln(x));
#if defined(__GLIBC__) && !defined(__CUDA_ARCH__)
    // lgamma writes the sign of Gamma to a global variable: a race between threads.
    int sign = 0;
    if constexpr (sizeof(R) == sizeof(float)) return ::lgammaf_r(x, &sign);
    else return ::lgamma_r(x, &sign);
#else
    return std::lgamma(x);
#endif
  }
  // In constant evaluation the ends are decided first, where something would overflow.
  static KROTON_FN R gamma(R x) {
    if (std::is_constant_evaluated()) {
      if (constant::abs(x) < 1e-30) return math::inv(x);
      if (x > R(sizeof(R) == 4 ? 35.04011 : 171.6243769563027))
        return std::numeric_limits<R>::infinity();
      return constant::rounded<R>(formula::gamma<double>(x));
    }
    return static_cast<R>(formula::gamma<double>(x));
  }
  static KROTON_FN R betaln(R a, R b) {
    if (std::is_constant_evaluated()) {
      if (a > 1e308 && b > 1e308) return -std::numeric_limits<R>::infinity();
      return constant::rounded<R>(formula::betaln<double>(a, b));
    }
    return static_cast<R>(formula::betaln<double>(a, b));
  }
  static KROTON_FN R gammainc(R a, R x) {
    return constant::rounded<R>(formula::gammainc<false, double>(a, x));
  }
  static KROTON_FN R gammaincc(R a, R x) {
    return constant::rounded<R>(formula::gammainc<true, double>(a, x));
  }
  static KROTON_FN R gamma_density(R n, R a, R x) {
    return constant::rounded<R>(formula::gamma_density<double>(static_cast<int>(n), a, x));
  }
  static KROTON_FN R gammainc_by_a(R n, R a, R x) {
    return constant::rounded<R>(formula::gammainc_by_a<double>(static_cast<int>(n), a, x));
  }
  static KROTON_FN R erfinv(R x) {
    if (std::is_constant_evaluated() && x != x) return x;
    return static_cast<R>(formula::erfinv<double>(x));
  }
  static KROTON_FN R erfcinv(R x) {
    if (std::is_constant_evaluated() && x != x) return x;
    return static_cast<R>(formula::erfcinv<double>(x));
  }
  template <int Order, bool Scaled>
  static KROTON_FN R bessel_i(R x) {
    if (std::is_constant_evaluated()) {
      if (x != x) return x;
      if (!Scaled && constant::abs(x) > (Order == 0 ? 713.98690854396 : 713.98760981854))
        return Order == 1 && x < 0 ? -std::numeric_limits<R>::infinity()
                                   : std::numeric_limits<R>::infinity();
      return constant::rounded<R>(formula::bessel_i<Order, Scaled, double>(x));
    }
    return static_cast<R>(formula::bessel_i<Order, Scaled, double>(x));
  }
  static KROTON_FN R i0(R x) { return bessel_i<0, false>(x); }
  static KROTON_FN R i1(R x) { return bessel_i<1, false>(x); }
  static KROTON_FN R i0e(R x) { return bessel_i<0, true>(x); }
  static KROTON_FN R i1e(R x) { return bessel_i<1, true>(x); }
  static KROTON_FN R j0(R x) { return static_cast<R>(formula::bessel_j<0, double>(x)); }
  static KROTON_FN R j1(R x) { return static_cast<R>(formula::bessel_j<1, double>(x)); }
  static KROTON_FN R digamma(R x) {
    if (std::is_constant_evaluated())
      return constant::rounded<R>(constant::polygamma<double>(0, x));
    return static_cast<R>(formula::digamma<double>(x));
  }
  static KROTON_FN R trigamma(R x) {
    if (std::is_constant_evaluated())
      return constant::rounded<R>(constant::polygamma<double>(1, x));
    return static_cast<R>(formula::trigamma<double>(x));
  }
  static KROTON_FN R polygamma(R n, R x) {
    if (!formula::is_order(n)) return std::numeric_limits<R>::quiet_NaN();
    const int order = static_cast<int>(n);
    if (std::is_constant_evaluated())
      return constant::rounded<R>(constant::polygamma<double>(order, x));
    return static_cast<R>(formula::polygamma<double>(order, x));
  }
  static KROTON_FN R polygamma_difference(R n, R a, R b) {
    if (!formula::is_order(n)) return std::numeric_limits<R>::quiet_NaN();
    return constant::rounded<R>(formula::polygamma_difference<double>(static_cast<int>(n), a, b));
  }

  // In constant evaluation, operations that would overflow or give a NaN are no constants: `x` is
  // NaN or so extreme that the result is known is then decided first.
  static KROTON_FN R erfcx(R x) {
    if (std::is_constant_evaluated()) {
      if (x != x) return x;
      if (x < R(sizeof(R) == 4 ? -9.382413 : -26.628735713751))
        return std::numeric_limits<R>::infinity();
    }
    return x < 0 ? formula::erfcx_negative<R>(x) : formula::erfcx_positive<R>(x);
  }
  static KROTON_FN R logerfc(R x) {
    if (std::is_constant_evaluated()) {
      if (x != x) return x;
      if (x > R(sizeof(R) == 4 ? 1.8446743e19 : 1.3407807929942596e154))
        return -std::numeric_limits<R>::infinity();
    }
    return x > R(0.5) ? formula::logerfc_upper<R>(x) : formula::logerfc_lower(x);
  }
  static KROTON_FN R sigmoid(R x) {
    if (std::is_constant_evaluated() && x != x) return x;
    return formula::sigmoid(x);
  }
  static KROTON_FN R softplus(R x) {
    if (std::is_constant_evaluated() && x != x) return x;
    return formula::softplus(x);
  }
  static KROTON_FN R log1mexp(R x) {
    if (std::is_constant_evaluated() && x != x) return x;
    return x > R(-0.6931471805599453) ? math::log(-math::expm1(x)) : math::log1p(-math::exp(x));
  }
  static KROTON_FN R logaddexp(R a, R b) {
    if (std::is_constant_evaluated()) {
      constexpr R inf = std::numeric_limits<R>::infinity();
      const R greater = math::maximum(a, b), lesser = math::minimum(a, b);
      // Also a lesser one that adds nothing; the subtraction could overflow.
      if (!(math::abs(greater) < inf && lesser > -inf) || lesser < greater - 1000)
        return greater == 0 ? 0 : greater;
    }
    return formula::logaddexp(a, b);
  }
};

}  // namespace kroton::math
