// What the tests of complex numbers share: numbers to feed, and comparisons that say what differs.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sstream>
#include <xtensor/xcomplex.hpp>

#include "run/reference.hpp"

namespace complex_tests {

namespace kt = kroton;
using reference::mat;
using reference::vec;
using c64 = std::complex<float>;
using c128 = std::complex<double>;

inline bool close(c128 a, c128 b, double tolerance) {
  if (std::isnan(a.real()) || std::isnan(a.imag())) return std::isnan(b.real()) || std::isnan(b.imag());
  return std::abs(a - b) <= tolerance * std::max(1.0, std::abs(b));
}

/// The first element that is not the one of the table, in words.
template <class Array, class Want>
std::string difference(Array const& got, Want const* want, double tolerance) {
  for (std::size_t i = 0; i < got.size(); ++i) {
    c128 const have(got.data()[i]), wanted(want[i]);
    if (close(have, wanted, tolerance)) continue;
    std::ostringstream text;
    text.precision(17);
    text << "element " << i << " is " << have << " instead of " << wanted;
    return text.str();
  }
  return {};
}
template <class Array, class Other>
std::string difference_of(Array const& got, Other const& want, double tolerance) {
  if (got.shape() != want.shape()) return "another shape";
  return difference(got, want.data(), tolerance);
}

/// Numbers without a pattern that a wrong index would hide, in a square around 0.
template <class T = double>
vec<std::complex<T>> numbers(std::size_t n, unsigned seed = 1, double size = 1) {
  auto const re = reference::numbers<double>(n, seed, -size, size), im = reference::numbers<double>(n, seed + 1000, -size, size);
  vec<std::complex<T>> z(std::array<std::size_t, 1>{n});
  for (std::size_t i = 0; i < n; ++i) z(i) = {static_cast<T>(re(i)), static_cast<T>(im(i))};
  return z;
}
template <class T = double>
mat<std::complex<T>> matrix(std::size_t n, std::size_t m, unsigned seed = 1) {
  mat<std::complex<T>> a(std::array<std::size_t, 2>{n, m});
  auto const z = numbers<T>(n * m, seed);
  std::copy(z.begin(), z.end(), a.data());
  return a;
}

}  // namespace complex_tests
