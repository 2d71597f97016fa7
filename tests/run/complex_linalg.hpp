// What the tests of complex linear algebra share: products, adjoints and matrices to feed.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "run/complex.hpp"
#include "run/linalg.hpp"

namespace complex_linalg_tests {

using namespace complex_tests;

/// The product of matrices by plain loops.
template <class A, class B>
mat<c128> product(A const& a, B const& b) {
  mat<c128> c(std::array<std::size_t, 2>{a.shape()[0], b.shape()[1]}, 0.0);
  for (std::size_t i = 0; i < c.shape()[0]; ++i)
    for (std::size_t j = 0; j < c.shape()[1]; ++j)
      for (std::size_t k = 0; k < a.shape()[1]; ++k) c(i, j) += c128(a(i, k)) * c128(b(k, j));
  return c;
}
template <class A>
mat<c128> adjoint(A const& a) {
  mat<c128> b(std::array<std::size_t, 2>{a.shape()[1], a.shape()[0]});
  for (std::size_t i = 0; i < a.shape()[0]; ++i)
    for (std::size_t j = 0; j < a.shape()[1]; ++j) b(j, i) = std::conj(c128(a(i, j)));
  return b;
}
template <class V>
mat<c128> with_diagonal(V const& v) {
  mat<c128> a(std::array<std::size_t, 2>{v.size(), v.size()}, 0.0);
  for (std::size_t i = 0; i < v.size(); ++i) a(i, i) = v(i);
  return a;
}
inline mat<c128> identity(std::size_t n) { return with_diagonal(vec<double>(std::array<std::size_t, 1>{n}, 1.0)); }
template <class A>
bool is_upper(A const& r) {
  for (std::size_t i = 0; i < r.shape()[0]; ++i)
    for (std::size_t j = 0; j < i && j < r.shape()[1]; ++j)
      if (r(i, j) != c128(0)) return false;
  return true;
}
template <class T = double>
mat<std::complex<T>> regular(std::size_t n, unsigned seed) {
  auto a = matrix<T>(n, n, seed);
  for (std::size_t i = 0; i < n; ++i) a(i, i) += std::complex<T>(i % 2 == 0 ? 0 : T(n), i % 2 == 0 ? T(n) : 0);
  return a;
}
inline mat<c128> positive(std::size_t n, unsigned seed) {
  auto const a = regular(n, seed);
  return product(a, adjoint(a));
}
template <class A, class B>
void same(A const& got, B const& want, double tolerance) {
  CHECK(complex_tests::difference_of(got, want, tolerance) == "");
}

template <class A>
mat<c128> triangle(A const& a, bool lower, bool unit) {
  mat<c128> t(std::array<std::size_t, 2>{a.shape()[0], a.shape()[0]}, 0.0);
  for (std::size_t i = 0; i < a.shape()[0]; ++i)
    for (std::size_t j = 0; j < a.shape()[0]; ++j)
      if (i == j) t(i, j) = unit ? 1 : c128(a(i, j));
      else if (lower == (j < i)) t(i, j) = a(i, j);
  return t;
}
template <class V>
mat<c128> column(V const& v) {
  mat<c128> a(std::array<std::size_t, 2>{v.size(), 1});
  for (std::size_t i = 0; i < v.size(); ++i) a(i, 0) = v(i);
  return a;
}

}  // namespace complex_linalg_tests
