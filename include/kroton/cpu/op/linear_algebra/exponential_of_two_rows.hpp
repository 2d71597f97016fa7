// The exponential of a matrix of two rows by its eigenvalues.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace kroton::cpu {

/// a b - c d without the cancellation of rounded products (Jeannerod, Louvet and Muller 2013, Math.
/// Comp. 82).
inline double difference_of_products(double a, double b, double c, double d) {
  double const product = c * d, rest = std::fma(-c, d, product);
  return std::fma(a, b, -product) + rest;
}

/// Writes the exponential of the real matrix {{x[0], x[1]}, {x[2], x[3]}}; false, and nothing, for
/// a triangle, and where a number on the way is not finite. With the mean m of the diagonal, half
/// the difference h of its elements and s**2 = h**2 + x[1] x[2] it is
/// exp(m) (cosh(s) + sinh(s) / s (x - m)): large elements cancel in s**2 alone, which is computed
/// as if in twice the precision, where scaling and squaring lose digits in every power.
inline bool exponential_of_two_rows(double const (&x)[4], double (&y)[4]) {
  auto const [a, b, c, d] = x;
  if (b == 0 || c == 0) return false;
  double const difference = a - d, returned = difference - a,
               lost = (a - (difference - returned)) - (d + returned);
  double const m = (a + d) / 2, h = difference / 2;
  double square = difference_of_products(h, h, -b, c) + h * lost, s = std::sqrt(std::abs(square));
  double const largest = std::max({std::abs(h), std::abs(b), std::abs(c)});
  if (largest > 1e150) {  // its square overflows
    double const share =
        difference_of_products(h / largest, h / largest, -(b / largest), c / largest);
    if (!(share > 0)) return false;
    s = largest * std::sqrt(share);
    square = std::numeric_limits<double>::infinity();
  }
  double even = 0, odd = 0;  // exp(m) cosh(s), exp(m) sinh(s) / s
  if (square < 1) {
    double const scale = std::exp(m);
    even = scale * (square < 0 ? std::cos(s) : std::cosh(s));
    odd = s == 0 ? scale : scale * (square < 0 ? std::sin(s) : std::sinh(s)) / s;
  } else {
    // The eigenvalue near 0 is not a difference, but the determinant over the other one.
    bool const is_upper = m >= 0;
    double const far = is_upper ? m + s : m - s, near = difference_of_products(a, d, b, c) / far;
    if (!std::isfinite(far) || !std::isfinite(near)) return false;
    double const upper = std::exp(is_upper ? far : near), lower = std::exp(is_upper ? near : far);
    even = (upper + lower) / 2;
    odd = (upper - lower) / (2 * s);
  }
  double const made[] = {even + h * odd, b * odd, c * odd, even - h * odd};
  for (double const element : made)
    if (!std::isfinite(element)) return false;
  for (int i = 0; i < 4; ++i) y[i] = made[i];
  return true;
}

}  // namespace kroton::cpu
