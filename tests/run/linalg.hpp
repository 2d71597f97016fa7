// What the tests of linear algebra share: matrices to feed, products by plain loops, and the words of an error.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "run/reference.hpp"

namespace linalg_test {

using namespace reference;

/// A matrix far from singular.
template <class T>
mat<T> regular(std::size_t n, unsigned seed) {
  mat<T> a = matrix<T>(n, n, seed);
  for (std::size_t i = 0; i < n; ++i) a(i, i) += static_cast<T>(n) * (i % 2 == 0 ? T(1) : T(-1));
  return a;
}
template <class A, class B>
mat<double> product(A const& a, B const& b) {
  mat<double> c(std::array<std::size_t, 2>{a.shape()[0], b.shape()[1]}, 0.0);
  for (std::size_t i = 0; i < c.shape()[0]; ++i)
    for (std::size_t j = 0; j < c.shape()[1]; ++j)
      for (std::size_t k = 0; k < a.shape()[1]; ++k) c(i, j) += static_cast<double>(a(i, k)) * static_cast<double>(b(k, j));
  return c;
}
template <class A>
mat<double> transposed(A const& a) {
  return xt::transpose(a);
}
inline mat<double> identity(std::size_t n) {
  mat<double> a(std::array<std::size_t, 2>{n, n}, 0.0);
  for (std::size_t i = 0; i < n; ++i) a(i, i) = 1;
  return a;
}
template <class V>
mat<double> as_column(V const& v) {
  mat<double> a(std::array<std::size_t, 2>{v.shape()[0], 1});
  for (std::size_t i = 0; i < v.shape()[0]; ++i) a(i, 0) = static_cast<double>(v(i));
  return a;
}
template <class A>
mat<double> diagonal(A const& v) {
  mat<double> a(std::array<std::size_t, 2>{v.shape()[0], v.shape()[0]}, 0.0);
  for (std::size_t i = 0; i < v.shape()[0]; ++i) a(i, i) = static_cast<double>(v(i));
  return a;
}

/// Whether two matrices have the same extents, and elements that differ by no more than e.
template <class A, class B>
bool almost(A const& a, B const& b, double e) {
  if (a.shape()[0] != b.shape()[0] || a.shape()[1] != b.shape()[1]) return false;
  for (std::size_t i = 0; i < a.shape()[0]; ++i)
    for (std::size_t j = 0; j < a.shape()[1]; ++j)
      if (!(std::abs(static_cast<double>(a(i, j)) - static_cast<double>(b(i, j))) <= e)) return false;
  return true;
}

/// The words of the exception of type E that f throws.
template <class E, class F>
std::string said(F f) {
  try {
    f();
  } catch (E const& error) {
    return error.what();
  }
  return "nothing";
}

}  // namespace linalg_test
