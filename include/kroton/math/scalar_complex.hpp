// The functions of complex numbers, at run time, with the branch cuts of C99 and NumPy.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

#include <kroton/core/config.hpp>

namespace kroton::math {

// One line per function that the C++ library has.
#define KROTON_COMPLEX_UNARY(name) \
  static KROTON_FN R name(R const& z) { return std::name(z); }

template <class T>
struct scalar_complex {
  using R = std::complex<T>;

  static KROTON_FN bool eq(R const& a, R const& b) { return a == b; }
  static KROTON_FN bool neq(R const& a, R const& b) { return a != b; }
  static KROTON_FN R select(bool c, R const& a, R const& b) { return c ? a : b; }

  /// The absolute value, which is real; without overflow.
  static KROTON_FN T modulus(R const& z) {
    // Most squares fit a double, those of floats all do.
    double const x = z.real(), y = z.imag(), square = x * x + y * y;
    if (square > 1e-290 && square < 1e300) return static_cast<T>(std::sqrt(square));
    return std::hypot(z.real(), z.imag());
  }
  /// z / |z|; 0 at 0, NaN with a NaN.
  static KROTON_FN R sgn(R const& z) {
    T const size = modulus(z);
    if (size == T(0)) return R(0);
    if (std::isinf(size)) return sgn_of_infinity(z);
    return R(z.real() / size, z.imag() / size);
  }
  /// Smith's quotient: no intermediate overflow where the result does not.
  static KROTON_FN R divide(R const& a, R const& b) {
    T const c = b.real(), d = b.imag();
    if (std::abs(c) >= std::abs(d)) {
      if (c == T(0) && d == T(0)) return R(a.real() / std::abs(c), a.imag() / std::abs(c));
      T const ratio = d / c, scale = T(1) / (c + d * ratio);
      return R((a.real() + a.imag() * ratio) * scale, (a.imag() - a.real() * ratio) * scale);
    }
    T const ratio = c / d, scale = T(1) / (c * ratio + d);
    return R((a.real() * ratio + a.imag()) * scale, (a.imag() * ratio - a.real()) * scale);
  }
  static KROTON_FN R inv(R const& z) { return divide(R(1), z); }
  /// Small whole exponents by multiplication, as in NumPy: exact where the products are; 0 to the
  /// power 0 is 1.
  static KROTON_FN R pow(R const& a, R const& b) {
    if (b == R(0)) return R(1);
    if (a == R(0)) return b.real() > T(0) ? R(0) : R(not_a_number, not_a_number);
    if (b.imag() == T(0) && std::abs(b.real()) < T(100) && std::trunc(b.real()) == b.real()) {
      int const n = static_cast<int>(b.real());
      R const raised = power(a, n < 0 ? -n : n);
      return n < 0 ? inv(raised) : raised;
    }
    return std::pow(a, b);
  }

  KROTON_COMPLEX_UNARY(exp)
  KROTON_COMPLEX_UNARY(log)
  KROTON_COMPLEX_UNARY(log10)
  KROTON_COMPLEX_UNARY(sqrt)
  KROTON_COMPLEX_UNARY(sin)
  KROTON_COMPLEX_UNARY(cos)
  KROTON_COMPLEX_UNARY(tan)
  KROTON_COMPLEX_UNARY(asin)
  KROTON_COMPLEX_UNARY(acos)
  KROTON_COMPLEX_UNARY(atan)
  KROTON_COMPLEX_UNARY(sinh)
  KROTON_COMPLEX_UNARY(cosh)
  KROTON_COMPLEX_UNARY(tanh)
  KROTON_COMPLEX_UNARY(asinh)
  KROTON_COMPLEX_UNARY(acosh)
  KROTON_COMPLEX_UNARY(atanh)
  static KROTON_FN R exp2(R const& z) { return std::exp(z * std::numbers::ln2_v<T>); }
  static KROTON_FN R log2(R const& z) { return std::log(z) * std::numbers::log2e_v<T>; }
  /// Without cancellation near 0.
  static KROTON_FN R expm1(R const& z) {
    T const half = std::sin(z.imag() / T(2));
    return R(std::expm1(z.real()) * std::cos(z.imag()) - T(2) * half * half,
             std::exp(z.real()) * std::sin(z.imag()));
  }
  static KROTON_FN R log1p(R const& z) {
    T const x = z.real(), y = z.imag(), angle = std::atan2(y, T(1) + x);
    bool const is_small = std::abs(x) < T(0.5) && std::abs(y) < T(0.5);
    return R(
        is_small ? std::log1p(x * (T(2) + x) + y * y) / T(2) : std::log(std::hypot(T(1) + x, y)),
        angle);
  }

 private:
  static constexpr T not_a_number = std::numeric_limits<T>::quiet_NaN();

  static KROTON_FN R times(R const& a, R const& b) {
    return R(a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real());
  }
  static KROTON_FN R power(R base, int n) {
    R result(1);
    for (; n > 0; n /= 2) {
      if (n % 2 != 0) result = times(result, base);
      if (n > 1) base = times(base, base);
    }
    return result;
  }
  // The direction of an infinite number along an axis; of any other it is unknown.
  static KROTON_FN R sgn_of_infinity(R const& z) {
    if (std::isfinite(z.imag())) return R(std::copysign(T(1), z.real()), T(0));
    if (std::isfinite(z.real())) return R(T(0), std::copysign(T(1), z.imag()));
    return R(not_a_number, not_a_number);
  }
};
#undef KROTON_COMPLEX_UNARY

}  // namespace kroton::math
