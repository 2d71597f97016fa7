// What functions of matrices compute by that are easy for triangles: Schur's form of any square
// matrix.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/blas/blas.hpp>
#include <kroton/cpu/op/linear_algebra/decompositions.hpp>

#include <algorithm>
#include <complex>
#include <limits>

namespace kroton::cpu {

/// An upper triangular column-major matrix of complex numbers.
template <class C>
struct upper_triangle {
  C* elements;
  std::ptrdiff_t side;

  C& operator()(std::ptrdiff_t i, std::ptrdiff_t j) const { return elements[j * side + i]; }
  /// What an element may be by rounding alone.
  auto rounding() const {
    using R = typename C::value_type;
    R largest(0);
    for (std::ptrdiff_t j = 0; j < side; ++j)
      for (std::ptrdiff_t i = 0; i <= j; ++i) largest = std::max(largest, std::abs((*this)(i, j)));
    return static_cast<R>(10 * side) * std::numeric_limits<R>::epsilon() * largest;
  }
};

/// Schur's form of a square matrix in column-major memory, which becomes a triangle, or nearly one
/// if it is real; the columns of `vectors` are its basis.
template <class T>
void triangular_form(char const* op, T* a, int n, T* vectors) {
  std::ptrdiff_t const side = n;
  lapack::require_finite(op, a, side * side);
  int selected = 0, info = 0;
  lapack::with_work<T>([&](T* work, int const* count) {
    if constexpr (is_complex_number<T>) {
      T* const values = lapack::work<T, 5>(side);
      lapack::gees<T>("V", "N", nullptr, &n, a, &n, &selected, values, vectors, &n, work, count,
                      lapack::work<lapack::real_t<T>, 4>(side), nullptr, &info, 1, 1);
    } else {
      T* const values = lapack::work<T, 5>(2 * side);
      lapack::gees<T>("V", "N", nullptr, &n, a, &n, &selected, values, values + side, vectors, &n,
                      work, count, nullptr, &info, 1, 1);
    }
  });
  if (info != 0) lapack::refuse(op, "the eigenvalues did not converge");
}

/// Writes a row-major m by n matrix in the bases of two forms, whose vectors are rows there;
/// `between` is work memory.
template <class T>
void into_bases(T const* left, int m, T const* right, int n, T const* x, T* between, T* to) {
  blas::gemm(CblasNoTrans, CblasNoTrans, m, n, m, T(1), left, m, x, n, T(0), between, n);
  blas::gemm(CblasNoTrans, CblasConjTrans, m, n, n, T(1), between, n, right, n, T(0), to, n);
}
/// The matrix of which this is that.
template <class T>
void out_of_bases(T const* left, int m, T const* right, int n, T const* x, T* between, T* to) {
  blas::gemm(CblasConjTrans, CblasNoTrans, m, n, m, T(1), left, m, x, n, T(0), between, n);
  blas::gemm(CblasNoTrans, CblasNoTrans, m, n, n, T(1), between, n, right, n, T(0), to, n);
}

/// Copies what was computed in complex numbers to a result, which is real if its operands are.
template <class T, class C>
void write_result(C const* from, invocation const& call, std::ptrdiff_t count) {
  T* const to = lapack::data_of<T>(call.result());
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    if constexpr (is_complex_number<T>) to[i] = static_cast<T>(from[i]);
    else to[i] = static_cast<T>(from[i].real());
  }
}

/// Writes a function of the operand, a square matrix: `f` makes an upper_triangle<C> that of
/// itself. Of a real matrix the function is real.
template <class T, class C, class F>
void by_triangular_form(char const* op, invocation const& call, F f) {
  int const n = lapack::rows_of(call.operand(0));
  if (n == 0) return;
  std::ptrdiff_t const side = n, size = side * side;
  T* const x = lapack::data_of<T>(call.result());
  lapack::pack(x, call.operand(0));
  C* const memory = lapack::work<C, 1>(3 * size);
  C *const vectors = memory + size, *const between = vectors + size;
  std::copy(x, x + size, memory);
  triangular_form(op, memory, n, vectors);
  f(upper_triangle<C>{memory, side});
  for (std::ptrdiff_t j = 0; j < side; ++j)
    std::fill(memory + j * side + j + 1, memory + (j + 1) * side, C(0));
  // The vectors are rows of row-major memory, where the form is that of the transpose.
  out_of_bases(vectors, n, vectors, n, memory, between, memory);
  write_result<T>(memory, call, size);
}

}  // namespace kroton::cpu
