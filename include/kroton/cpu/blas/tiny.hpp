// Matrices of a few rows and columns, for which a call of BLAS or LAPACK takes longer than the
// arithmetic.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/machine.hpp>

#include <cmath>
#include <cstddef>
#include <utility>

namespace kroton::cpu::tiny {

/// A matrix with any strides, in elements.
template <class T>
struct matrix {
  T const* data;
  std::ptrdiff_t to_row, to_column;

  T operator()(std::ptrdiff_t i, std::ptrdiff_t j) const {
    return data[i * to_row + j * to_column];
  }
};

/// Whether matrices of these extents go without BLAS and LAPACK.
constexpr bool is_tiny(std::ptrdiff_t rows, std::ptrdiff_t inner, std::ptrdiff_t columns) {
  constexpr std::ptrdiff_t most = machine::max_tiny_extent;
  return rows <= most && inner <= most && columns <= most;
}
/// c = alpha * a.b + beta * c; c is row-major without gaps, and is not read where beta is 0.
template <class T>
void multiply(matrix<T> a, matrix<T> b, std::ptrdiff_t rows, std::ptrdiff_t inner,
              std::ptrdiff_t columns, T alpha, T beta, T* c) {
  for (std::ptrdiff_t i = 0; i < rows; ++i)
    for (std::ptrdiff_t j = 0; j < columns; ++j, ++c) {
      T sum = a(i, 0) * b(0, j);
      for (std::ptrdiff_t k = 1; k < inner; ++k) sum += a(i, k) * b(k, j);
      *c = beta == T(0) ? alpha * sum : alpha * sum + beta * *c;
    }
}

/// LU factors of a column-major square matrix, in its memory, with row exchanges counted from 1;
/// the number of the first pivot that is 0, or 0. (LAPACK's getf2)
template <class T>
int factorize(T* a, int n, int* pivots) {
  int singular = 0;
  auto at = [&](int i, int j) -> T& { return a[j * n + i]; };
  for (int k = 0; k < n; ++k) {
    int largest = k;
    for (int i = k + 1; i < n; ++i)
      if (std::abs(at(i, k)) > std::abs(at(largest, k))) largest = i;
    pivots[k] = largest + 1;
    if (at(largest, k) == T(0)) {
      if (singular == 0) singular = k + 1;
      continue;
    }
    if (largest != k)
      for (int j = 0; j < n; ++j) std::swap(at(k, j), at(largest, j));
    for (int i = k + 1; i < n; ++i) at(i, k) /= at(k, k);
    for (int j = k + 1; j < n; ++j)
      for (int i = k + 1; i < n; ++i) at(i, j) -= at(i, k) * at(k, j);
  }
  return singular;
}

/// Solves with a triangle of a matrix, in the memory of the right side, which is row-major and has
/// `columns`.
template <class T>
void solve_triangle(bool lower, bool unit, matrix<T> a, int n, int columns, T* x) {
  for (int step = 0; step < n; ++step) {
    int const i = lower ? step : n - 1 - step;
    T* const row = x + i * columns;
    for (int k = lower ? 0 : i + 1, end = lower ? i : n; k < end; ++k)
      for (int j = 0; j < columns; ++j) row[j] -= a(i, k) * x[k * columns + j];
    if (!unit)
      for (int j = 0; j < columns; ++j) row[j] /= a(i, i);
  }
}

}  // namespace kroton::cpu::tiny
