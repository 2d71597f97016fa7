// What functions of matrices compute by that are easy for triangles: Schur's form of any square
// matrix.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/blas/blas.hpp>
#include <kroton/cpu/op/decompositions.hpp>

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

/// Writes a function of the operand, a square matrix: `f` makes an upper_triangle<C> that of
/// itself. Of a real matrix the function is real.
template <class T, class C, class F>
void by_triangular_form(char const* op, invocation const& call, F f) {
  using R = typename C::value_type;
  int const n = lapack::rows_of(call.operand(0));
  if (n == 0) return;
  std::ptrdiff_t const side = n, size = side * side;
  T* const x = lapack::data_of<T>(call.result());
  lapack::pack(x, call.operand(0));
  lapack::require_finite(op, x, size);
  C* const memory = lapack::work<C, 1>(3 * size + side);
  C *const vectors = memory + size, *const product = vectors + size, *const w = product + size;
  std::copy(x, x + size, memory);
  int selected = 0, info = 0;
  lapack::with_work<C>([&](C* work, int const* count) {
    lapack::gees<C>("V", "N", nullptr, &n, memory, &n, &selected, w, vectors, &n, work, count,
                    lapack::work<R, 4>(side), nullptr, &info, 1, 1);
  });
  if (info != 0) lapack::refuse(op, "the eigenvalues did not converge");
  f(upper_triangle<C>{memory, side});
  // The transpose is vectors times the triangle times the adjoint of the vectors, by columns.
  for (std::ptrdiff_t j = 0; j < side; ++j)
    std::fill(memory + j * side + j + 1, memory + (j + 1) * side, C(0));
  blas::gemm(CblasConjTrans, CblasNoTrans, n, n, n, C(1), vectors, n, memory, n, C(0), product, n);
  blas::gemm(CblasNoTrans, CblasNoTrans, n, n, n, C(1), product, n, vectors, n, C(0), memory, n);
  for (std::ptrdiff_t i = 0; i < size; ++i) {
    if constexpr (is_complex_number<T>) x[i] = static_cast<T>(memory[i]);
    else x[i] = static_cast<T>(memory[i].real());
  }
}

}  // namespace kroton::cpu
