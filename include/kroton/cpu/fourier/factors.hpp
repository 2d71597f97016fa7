// Lengths of transforms: their largest prime factors, and the roots of unity.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <complex>
#include <cstddef>

namespace kroton::cpu::fourier {

inline std::size_t largest_prime_factor(std::size_t n) {
  std::size_t largest = 1;
  for (std::size_t p = 2; p * p <= n; ++p)
    for (; n % p == 0; n /= p) largest = p;
  return n > largest ? n : largest;
}

/// exp(2 pi i k / n), as exact as sine and cosine are for an angle of at most pi / 4.
inline std::complex<double> root_of_unity(std::size_t k, std::size_t n) {
  // The octant, and the angle within it
  std::size_t const eighths = 8 * (k % n);
  std::size_t const octant = eighths / n;
  std::size_t const within = octant % 2 == 0 ? eighths % n : n - eighths % n;
  double const angle = std::acos(-1.0) / 4 * static_cast<double>(within) / static_cast<double>(n);
  double const c = std::cos(angle), s = std::sin(angle);
  switch (octant) {
    case 0: return {c, s};
    case 1: return {s, c};
    case 2: return {-s, c};
    case 3: return {-c, s};
    case 4: return {-c, -s};
    case 5: return {-s, -c};
    case 6: return {s, -c};
    default: return {c, -s};
  }
}

/// a * b where neither has infinities, which std::complex looks for.
inline std::complex<double> times(std::complex<double> a, std::complex<double> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

}  // namespace kroton::cpu::fourier
