// A number type for KISS FFT, whose complex products are what they are on paper.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <complex>
#include <concepts>
#include <type_traits>

namespace kroton::cpu::fourier {

/// A double. Products of std::complex<double> look for NaN, to find infinities that it hides, which
/// takes longer than all the rest of a transform.
struct plain {
  double value = 0;

  constexpr plain() = default;
  template <class T>
    requires std::is_arithmetic_v<T>
  constexpr plain(T x) : value(static_cast<double>(x)) {}
  constexpr operator double() const { return value; }

  constexpr plain& operator+=(plain x) { return value += x.value, *this; }
  constexpr plain& operator-=(plain x) { return value -= x.value, *this; }
  constexpr plain& operator*=(plain x) { return value *= x.value, *this; }
  constexpr plain& operator/=(plain x) { return value /= x.value, *this; }
  friend constexpr plain operator+(plain a, plain b) { return a.value + b.value; }
  friend constexpr plain operator-(plain a, plain b) { return a.value - b.value; }
  friend constexpr plain operator*(plain a, plain b) { return a.value * b.value; }
  friend constexpr plain operator/(plain a, plain b) { return a.value / b.value; }
  friend constexpr plain operator-(plain a) { return -a.value; }
  // Neither the built-in operators nor those above, which would be as good
  template <class T>
    requires std::is_arithmetic_v<T>
  friend constexpr plain operator*(T a, plain b) {
    return plain(a) * b;
  }
  template <class T>
    requires std::is_arithmetic_v<T>
  friend constexpr plain operator*(plain a, T b) {
    return a * plain(b);
  }
  template <class T>
    requires std::is_arithmetic_v<T>
  friend constexpr plain operator/(plain a, T b) {
    return a / plain(b);
  }
};

#ifdef _LIBCPP_VERSION  // whose std::complex is for floating-point types only
using kiss_number = double;
#else
using kiss_number = plain;
#endif
static_assert(sizeof(std::complex<kiss_number>) == sizeof(std::complex<double>));

}  // namespace kroton::cpu::fourier
