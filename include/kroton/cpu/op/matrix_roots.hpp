// What square roots of matrices compute by: those of triangular forms.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/blas/blas.hpp>
#include <kroton/cpu/op/decompositions.hpp>
#include <kroton/ops/matrix_functions.hpp>

#include <algorithm>
#include <complex>
#include <limits>

namespace kroton::cpu {

/// The square root of an upper triangular column-major matrix, in its memory. An eigenvalue of a
/// real matrix must not be negative; one that is so only by rounding counts as 0.
template <class C>
void root_of_triangle(C* t, std::ptrdiff_t n, bool is_real) {
  using R = typename C::value_type;
  R largest(0);
  for (std::ptrdiff_t j = 0; j < n; ++j)
    for (std::ptrdiff_t i = 0; i <= j; ++i) largest = std::max(largest, std::abs(t[j * n + i]));
  R const nothing = static_cast<R>(10 * n) * std::numeric_limits<R>::epsilon() * largest;
  for (std::ptrdiff_t j = 0; j < n; ++j) {
    // On the negative real axis all roots are above 0, whatever the sign of the imaginary 0 is: the
    // sums of roots below must not vanish.
    C const value(t[j * n + j].real(), t[j * n + j].imag() + R(0));
    bool const is_negative = is_real && value.real() < 0 && std::abs(value.imag()) <= nothing;
    if (is_negative && value.real() < -nothing)
      lapack::refuse("sqrtm",
                     "an eigenvalue is negative, so that the square root is complex: "
                     "convert the matrix with kt::cast<std::complex<double>>");
    t[j * n + j] = is_negative ? C(0) : std::sqrt(value);
    for (std::ptrdiff_t i = j - 1; i >= 0; --i) {
      C rest = t[j * n + i];
      for (std::ptrdiff_t k = i + 1; k < j; ++k) rest -= times(t[k * n + i], t[j * n + k]);
      C const by = t[i * n + i] + t[j * n + j];
      if (by == C(0) && std::abs(rest) > nothing)
        lapack::refuse("sqrtm", "the matrix has no square root");
      t[j * n + i] = by == C(0) ? C(0) : rest / by;
    }
  }
}

template <>
struct kernel<op::sqrtm> {
  template <ops::linear_number T>
  static void run(invocation const& call) {
    using R = lapack::real_t<T>;
    using C = std::complex<R>;
    constexpr bool is_real = !is_complex_number<T>;
    int const n = lapack::rows_of(call.operand(0));
    if (n == 0) return;
    std::ptrdiff_t const side = n, size = side * side;
    T* const x = lapack::data_of<T>(call.result());
    lapack::pack(x, call.operand(0));
    lapack::require_finite("sqrtm", x, size);
    C* const memory = lapack::work<C, 1>(3 * size + side);
    C *const vectors = memory + size, *const product = vectors + size, *const w = product + size;
    std::copy(x, x + size, memory);
    int selected = 0, info = 0;
    lapack::with_work<C>([&](C* work, int const* count) {
      lapack::gees<C>("V", "N", nullptr, &n, memory, &n, &selected, w, vectors, &n, work, count,
                      lapack::work<R, 4>(side), nullptr, &info, 1, 1);
    });
    if (info != 0) lapack::refuse("sqrtm", "the eigenvalues did not converge");
    root_of_triangle(memory, side, is_real);
    // The transpose is vectors times the triangle times the adjoint of the vectors, by columns.
    for (std::ptrdiff_t j = 0; j < side; ++j)
      std::fill(memory + j * side + j + 1, memory + (j + 1) * side, C(0));
    blas::gemm(CblasConjTrans, CblasNoTrans, n, n, n, C(1), vectors, n, memory, n, C(0), product,
               n);
    blas::gemm(CblasNoTrans, CblasNoTrans, n, n, n, C(1), product, n, vectors, n, C(0), memory, n);
    for (std::ptrdiff_t i = 0; i < size; ++i) {
      if constexpr (is_real) x[i] = memory[i].real();
      else x[i] = memory[i];
    }
  }
};

}  // namespace kroton::cpu
