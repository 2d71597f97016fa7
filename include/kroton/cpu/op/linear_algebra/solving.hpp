// What solve, solve_triangular, inverses and determinants compute by: LU factors, and triangles.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/blas/blas.hpp>
#include <kroton/cpu/blas/lapack.hpp>
#include <kroton/cpu/loop/transposition.hpp>
#include <kroton/cpu/op/kernel.hpp>
#include <kroton/ops/linear_algebra/factors.hpp>
#include <kroton/ops/linear_algebra/faults.hpp>

#include <cmath>

namespace kroton::cpu {

namespace blas {

inline void trsv(CBLAS_UPLO uplo, CBLAS_TRANSPOSE t, CBLAS_DIAG diagonal, int n, double const* a,
                 int lda, double* x) {
  cblas_dtrsv(CblasRowMajor, uplo, t, diagonal, n, a, lda, x, 1);
}
inline void trsv(CBLAS_UPLO uplo, CBLAS_TRANSPOSE t, CBLAS_DIAG diagonal, int n, float const* a,
                 int lda, float* x) {
  cblas_strsv(CblasRowMajor, uplo, t, diagonal, n, a, lda, x, 1);
}
inline void trsm(CBLAS_UPLO uplo, CBLAS_TRANSPOSE t, CBLAS_DIAG diagonal, int n, int k,
                 double const* a, int lda, double* x) {
  cblas_dtrsm(CblasRowMajor, CblasLeft, uplo, t, diagonal, n, k, 1, a, lda, x, k);
}
inline void trsm(CBLAS_UPLO uplo, CBLAS_TRANSPOSE t, CBLAS_DIAG diagonal, int n, int k,
                 float const* a, int lda, float* x) {
  cblas_strsm(CblasRowMajor, CblasLeft, uplo, t, diagonal, n, k, 1, a, lda, x, k);
}

inline void trsv(CBLAS_UPLO uplo, CBLAS_TRANSPOSE t, CBLAS_DIAG diagonal, int n,
                 std::complex<double> const* a, int lda, std::complex<double>* x) {
  cblas_ztrsv(CblasRowMajor, uplo, t, diagonal, n, a, lda, x, 1);
}
inline void trsv(CBLAS_UPLO uplo, CBLAS_TRANSPOSE t, CBLAS_DIAG diagonal, int n,
                 std::complex<float> const* a, int lda, std::complex<float>* x) {
  cblas_ctrsv(CblasRowMajor, uplo, t, diagonal, n, a, lda, x, 1);
}
inline void trsm(CBLAS_UPLO uplo, CBLAS_TRANSPOSE t, CBLAS_DIAG diagonal, int n, int k,
                 std::complex<double> const* a, int lda, std::complex<double>* x) {
  std::complex<double> const one = 1;
  cblas_ztrsm(CblasRowMajor, CblasLeft, uplo, t, diagonal, n, k, &one, a, lda, x, k);
}
inline void trsm(CBLAS_UPLO uplo, CBLAS_TRANSPOSE t, CBLAS_DIAG diagonal, int n, int k,
                 std::complex<float> const* a, int lda, std::complex<float>* x) {
  std::complex<float> const one = 1;
  cblas_ctrsm(CblasRowMajor, CblasLeft, uplo, t, diagonal, n, k, &one, a, lda, x, k);
}

/// Solves with a triangle of a row-major matrix, in the memory of the right side, which has k
/// columns.
template <class T>
void solve_triangle(bool lower, bool unit, matrix<T> const& a, int n, int k, T* x) {
  if constexpr (std::is_floating_point_v<T>)
    if (tiny::is_tiny(n, n, k)) {
      bool const flips = a.transposed == CblasTrans;
      tiny::matrix<T> const strided{a.data, flips ? 1 : a.leading, flips ? a.leading : 1};
      return tiny::solve_triangle(lower, unit, strided, n, k, x);
    }
  // The triangle in memory, of which the transpose may be meant.
  CBLAS_UPLO const uplo = lower == (a.transposed == CblasNoTrans) ? CblasLower : CblasUpper;
  CBLAS_DIAG const diagonal = unit ? CblasUnit : CblasNonUnit;
  if (k == 1) trsv(uplo, a.transposed, diagonal, n, a.data, a.leading, x);
  else trsm(uplo, a.transposed, diagonal, n, k, a.data, a.leading, x);
}

}  // namespace blas

namespace lapack {

/// LU factors of the transpose of a packed square matrix, in its memory; the number of the first
/// pivot that is 0, or 0.
template <class T>
int factorize(T* a, int n, int* pivots) {
  if constexpr (std::is_floating_point_v<T>)
    if (tiny::is_tiny(n, n, n)) return tiny::factorize(a, n, pivots);
  int info = 0;
  getrf<T>(&n, &n, a, &n, pivots, &info);
  return info;
}
[[noreturn]] inline void refuse(ops::matrix_fault fault, std::ptrdiff_t at, int n) {
  throw linalg_error(ops::text_of(fault, at, n));
}

}  // namespace lapack

/// LU factors of a square matrix A: the memory holds U', not of unit diagonal, below and L' above,
/// where A' = P L U for its transpose A', so that A = U' L' P'. LAPACK counts pivots from 1.
template <class T>
struct lu_factors {
  T const* packed;
  int const* pivots;
  int n;

  /// The number of the first pivot that is 0, from 1 on; or 0.
  int singular() const {
    for (std::ptrdiff_t i = 0; i < n; ++i)
      if (packed[i * n + i] == T(0)) return static_cast<int>(i) + 1;
    return 0;
  }
  /// Solves in the memory of the right side, which has k columns, with A or with its transpose.
  void solve(T* x, int k, bool transposed) const {
    if (transposed) {
      for (std::ptrdiff_t i = 0; i < n; ++i) exchange(x, i, k);
      blas::matrix<T> const both{packed, CblasTrans, n};
      blas::solve_triangle(true, true, both, n, k, x);
      blas::solve_triangle(false, false, both, n, k, x);
    } else {
      blas::matrix<T> const both{packed, CblasNoTrans, n};
      blas::solve_triangle(true, false, both, n, k, x);
      blas::solve_triangle(false, true, both, n, k, x);
      for (std::ptrdiff_t i = n - 1; i >= 0; --i) exchange(x, i, k);
    }
  }

 private:
  void exchange(T* x, std::ptrdiff_t i, int k) const {
    std::ptrdiff_t const other = pivots[i] - 1;
    if (other == i) return;
    for (std::ptrdiff_t j = 0; j < k; ++j) std::swap(x[i * k + j], x[other * k + j]);
  }
};

/// The factors of a matrix in work memory of the thread.
template <class T>
lu_factors<T> factors_of(array_ref const& a) {
  int const n = lapack::rows_of(a);
  T* const packed = lapack::work<T, 1>(std::ptrdiff_t{n} * n);
  int* const pivots = lapack::work<int, 0>(n);
  lapack::pack(packed, a);
  if (n > 0) lapack::factorize(packed, n, pivots);
  return {packed, pivots, n};
}
/// Those that op::lu gives, operands of an op, which are dense.
template <class T>
lu_factors<T> given_factors(invocation const& call) {
  return {lapack::data_of<T const>(call.operand(0)), lapack::data_of<int const>(call.operand(1)),
          lapack::rows_of(call.operand(0))};
}

template <>
struct kernel<op::lu> {
  template <ops::linear_number T>
  static void run(invocation const& call) {
    int const n = lapack::rows_of(call.operand(0));
    if (n == 0) return;
    // Either output alone may be asked for.
    T* const factors = lapack::data_of<T>(call.result(0));
    int* const pivots = lapack::data_of<int>(call.result(1));
    T* const packed = factors != nullptr ? factors : lapack::work<T, 1>(std::ptrdiff_t{n} * n);
    lapack::pack(packed, call.operand(0));
    lapack::factorize(packed, n, pivots != nullptr ? pivots : lapack::work<int, 0>(n));
  }
};

// The factors lie in the memory of the result.
template <class T>
void invert_by(lu_factors<T> const& factors, T* x) {
  int const n = factors.n;
  if (int const pivot = factors.singular(); pivot > 0)
    lapack::refuse(ops::matrix_fault::pivot_of_inverse, pivot, n);
  int info = 0;
  lapack::with_work<T>([&](T* work, int const* count) {
    lapack::getri<T>(&n, x, &n, factors.pivots, work, count, &info);
  });
}
template <>
struct kernel<op::matrix_inverse> {
  template <ops::linear_number T>
  static void run(invocation const& call) {
    T* const x = lapack::data_of<T>(call.result());
    int const n = lapack::rows_of(call.result());
    if (n == 0) return;
    int* const pivots = lapack::work<int, 0>(n);
    lapack::pack(x, call.operand(0));
    lapack::factorize(x, n, pivots);
    invert_by<T>({x, pivots, n}, x);
  }
};
template <>
struct kernel<op::inverse_of_factors> {
  template <ops::linear_number T>
  static void run(invocation const& call) {
    lu_factors<T> const given = given_factors<T>(call);
    if (given.n == 0) return;
    T* const x = lapack::data_of<T>(call.result());
    copy_array(call.result(), call.operand(0));
    invert_by<T>({x, given.pivots, given.n}, x);
  }
};

template <class T>
void solve_by(lu_factors<T> const& factors, array_ref const& b, array_ref const& x,
              bool transposed) {
  if (int const pivot = factors.singular(); pivot > 0)
    lapack::refuse(ops::matrix_fault::pivot_of_solve, pivot, factors.n);
  copy_array(x, b);
  factors.solve(lapack::data_of<T>(x), lapack::columns_of(b), transposed);
}
template <>
struct kernel<op::solve> {
  template <ops::linear_number T>
  static void run(invocation const& call) {
    array_ref const& b = call.operand(1);
    if (lapack::rows_of(b) == 0 || lapack::columns_of(b) == 0) return;
    solve_by<T>(factors_of<T>(call.operand(0)), b, call.result(), false);
  }
};
template <>
struct kernel<op::solve_by_factors> {
  template <ops::linear_number T>
  static void run(invocation const& call) {
    array_ref const& b = call.operand(2);
    if (lapack::rows_of(b) == 0 || lapack::columns_of(b) == 0) return;
    solve_by<T>(given_factors<T>(call), b, call.result(), call.attribute(0) != 0);
  }
};

template <>
struct kernel<op::solve_triangular> {
  template <ops::linear_number T>
  static void run(invocation const& call) {
    array_ref const &a = call.operand(0), &b = call.operand(1);
    int const n = lapack::rows_of(a), k = lapack::columns_of(b);
    if (n == 0 || k == 0) return;
    bool const lower = call.attribute(0) != 0, unit = call.attribute(1) != 0;
    for (std::ptrdiff_t i = 0; i < n && !unit; ++i)
      if (lapack::data_of<T const>(a)[i * (a.strides[0] + a.strides[1])] == T(0))
        lapack::refuse(ops::matrix_fault::diagonal, i, n);
    static thread_local std::vector<T> memory;
    copy_array(call.result(), b);
    blas::solve_triangle(lower, unit, blas::as_matrix<T>(a, memory), n, k,
                         lapack::data_of<T>(call.result()));
  }
};

/// Calls visit(u) with each pivot, and gives whether the number of exchanges is odd.
template <class T, class Visit>
bool visit_pivots(lu_factors<T> const& factors, Visit visit) {
  bool odd = false;
  for (std::ptrdiff_t i = 0; i < factors.n; ++i) {
    odd = odd != (factors.pivots[i] != i + 1);
    visit(factors.packed[i * factors.n + i]);
  }
  return odd;
}

/// A number whose larger part lies between 1/2 and 1, and the exponent of 2 that makes it x.
template <class T>
T fraction_of(T x, int& exponent) {
  if constexpr (is_complex_number<T>) {
    auto const re = std::abs(x.real()), im = std::abs(x.imag());
    // Not the maximum, which loses NaN.
    std::frexp(re < im ? im : re, &exponent);
    return {std::ldexp(x.real(), -exponent), std::ldexp(x.imag(), -exponent)};
  } else {
    return std::frexp(x, &exponent);
  }
}
template <class T>
T times_power_of_2(T x, int exponent) {
  if constexpr (is_complex_number<T>)
    return {std::ldexp(x.real(), exponent), std::ldexp(x.imag(), exponent)};
  else return std::ldexp(x, exponent);
}

template <class T>
T det_by(lu_factors<T> const& factors) {
  // Scaled on the way, so that only what cannot be represented at the end overflows.
  T product(1);
  int exponent = 0;
  bool const odd = visit_pivots(factors, [&](T pivot) {
    int of_pivot = 0, of_product = 0;
    T const fraction = fraction_of(pivot, of_pivot);
    product = fraction_of(times(product, fraction), of_product);
    // frexp says nothing of the exponent of an infinity or a NaN.
    if (std::isfinite(std::abs(product))) exponent += of_pivot + of_product;
  });
  return times_power_of_2(odd ? -product : product, exponent);
}
template <>
struct kernel<op::det> {
  template <ops::linear_number T>
  static void run(invocation const& call) {
    *lapack::data_of<T>(call.result()) = det_by(factors_of<T>(call.operand(0)));
  }
};
template <>
struct kernel<op::det_of_factors> {
  template <ops::linear_number T>
  static void run(invocation const& call) {
    *lapack::data_of<T>(call.result()) = det_by(given_factors<T>(call));
  }
};

template <class T>
void slogdet_by(lu_factors<T> const& factors, invocation const& call) {
  using R = lapack::real_t<T>;
  T sign(1);
  R sum(0);
  bool const odd = visit_pivots(factors, [&](T pivot) {
    R const size = std::abs(pivot);
    if constexpr (is_complex_number<T>) sign = times(sign, size == R(0) ? pivot : pivot / size);
    else if (pivot < T(0)) sign = -sign;
    else if (!(pivot > T(0))) sign = sign * pivot;  // 0 and NaN stay
    sum += std::log(size);
  });
  if (T* const out = lapack::data_of<T>(call.result(0))) *out = odd && sign != T(0) ? -sign : sign;
  if (R* const out = lapack::data_of<R>(call.result(1))) *out = sum;
}
template <>
struct kernel<op::slogdet> {
  template <ops::linear_number T>
  static void run(invocation const& call) {
    slogdet_by(factors_of<T>(call.operand(0)), call);
  }
};
template <>
struct kernel<op::slogdet_of_factors> {
  template <ops::linear_number T>
  static void run(invocation const& call) {
    slogdet_by(given_factors<T>(call), call);
  }
};

}  // namespace kroton::cpu
