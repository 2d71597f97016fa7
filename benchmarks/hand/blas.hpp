// The limit's BLAS calls on dense matrices in rows, for both types: a product with one row is one of a vector.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cblas.h>

#include <cstddef>

namespace hand {

inline int extent(std::size_t n) { return static_cast<int>(n); }

inline void gemm(CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, int m, int n, int k, double alpha, double const* a, int lda,
                 double const* b, int ldb, double beta, double* c, int ldc) {
  cblas_dgemm(CblasRowMajor, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
inline void gemm(CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, int m, int n, int k, float alpha, float const* a, int lda,
                 float const* b, int ldb, float beta, float* c, int ldc) {
  cblas_sgemm(CblasRowMajor, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
inline void gemv(CBLAS_TRANSPOSE t, int m, int n, double alpha, double const* a, double const* x, double beta, double* y) {
  cblas_dgemv(CblasRowMajor, t, m, n, alpha, a, n, x, 1, beta, y, 1);
}
inline void gemv(CBLAS_TRANSPOSE t, int m, int n, float alpha, float const* a, float const* x, float beta, float* y) {
  cblas_sgemv(CblasRowMajor, t, m, n, alpha, a, n, x, 1, beta, y, 1);
}
inline void ger(int m, int n, double alpha, double const* x, double const* y, double* a) {
  cblas_dger(CblasRowMajor, m, n, alpha, x, 1, y, 1, a, n);
}
inline void ger(int m, int n, float alpha, float const* x, float const* y, float* a) {
  cblas_sger(CblasRowMajor, m, n, alpha, x, 1, y, 1, a, n);
}

/// C (m x n) = alpha A (m x k) B (k x n) + beta C.
template <class T>
void product(std::size_t m, std::size_t n, std::size_t k, T alpha, T const* a, T const* b, T beta, T* c) {
  if (m == 1)
    gemv(CblasTrans, extent(k), extent(n), alpha, b, a, beta, c);
  else
    gemm(CblasNoTrans, CblasNoTrans, extent(m), extent(n), extent(k), alpha, a, extent(k), b, extent(n), beta, c, extent(n));
}

/// C (m x n) = alpha A (m x k) Bᵀ + beta C, for B (n x k).
template <class T>
void product_with_transposed(std::size_t m, std::size_t n, std::size_t k, T alpha, T const* a, T const* b, T beta, T* c) {
  if (m == 1)
    gemv(CblasNoTrans, extent(n), extent(k), alpha, b, a, beta, c);
  else
    gemm(CblasNoTrans, CblasTrans, extent(m), extent(n), extent(k), alpha, a, extent(k), b, extent(k), beta, c, extent(n));
}

/// C (m x n) += alpha Aᵀ B, for A (k x m) and B (k x n).
template <class T>
void add_transposed_product(std::size_t m, std::size_t n, std::size_t k, T alpha, T const* a, T const* b, T* c) {
  if (k == 1)
    ger(extent(m), extent(n), alpha, a, b, c);
  else
    gemm(CblasTrans, CblasNoTrans, extent(m), extent(n), extent(k), alpha, a, extent(m), b, extent(n), T(1), c, extent(n));
}

}  // namespace hand
