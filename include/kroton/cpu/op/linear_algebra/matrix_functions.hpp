// What pseudoinverses, triangular factors and the eigenvalues of matrices that are not symmetric
// compute by.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/blas/blas.hpp>
#include <kroton/cpu/op/linear_algebra/decompositions.hpp>
#include <kroton/ops/linear_algebra/eigenvalues.hpp>
#include <kroton/ops/linear_algebra/pseudoinverse.hpp>
#include <kroton/ops/linear_algebra/triangular_factors.hpp>

#include <algorithm>
#include <type_traits>

namespace kroton::cpu {

template <>
struct kernel<op::pinv> {
  template <ops::linear_number T>
  static void run(invocation const& call) {
    using R = lapack::real_t<T>;
    array_ref const& a = call.operand(0);
    int const m = lapack::rows_of(a), n = lapack::columns_of(a), k = m < n ? m : n;
    if (k == 0) return;
    std::ptrdiff_t const width = n;
    T* const memory = lapack::work<T, 1>(m * width);
    lapack::pack(memory, a);
    R* const s = lapack::work<R, 3>(k);
    T *const u = lapack::work<T, 2>((m + width) * k), *const vt = u + std::ptrdiff_t{m} * k;
    lapack::singular_values("pinv", memory, m, n, s, u, vt);
    double const least =
        *lapack::data_of<double const>(call.operand(1)) * static_cast<double>(s[0]);
    for (std::ptrdiff_t i = 0; i < k; ++i) {
      R const by = static_cast<double>(s[i]) > least ? 1 / s[i] : R(0);
      for (std::ptrdiff_t j = 0; j < n; ++j) vt[i * n + j] *= by;
    }
    blas::gemm(CblasConjTrans, CblasConjTrans, n, m, k, T(1), vt, n, u, k, T(0),
               lapack::data_of<T>(call.result()), m);
  }
};

template <>
struct kernel<op::plu> {
  template <ops::linear_number T>
  static void run(invocation const& call) {
    array_ref const& a = call.operand(0);
    int const m = lapack::rows_of(a), n = lapack::columns_of(a), k = m < n ? m : n;
    // By columns, so that rows are exchanged.
    T* const factors = lapack::work<T, 1>(std::ptrdiff_t{m} * n);
    int* const rows = lapack::work<int, 0>(std::ptrdiff_t{m} + k);
    int* const pivots = rows + m;
    int info = 0;
    if (k > 0) {
      lapack::pack(factors, a, true);
      lapack::getrf<T>(&m, &n, factors, &m, pivots, &info);
    }
    using R = lapack::real_t<T>;
    if (R* const p = lapack::data_of<R>(call.result(0))) {
      std::fill(p, p + std::ptrdiff_t{m} * m, R(0));
      for (int i = 0; i < m; ++i) rows[i] = i;
      for (int i = 0; i < k; ++i) std::swap(rows[i], rows[pivots[i] - 1]);
      for (int i = 0; i < m; ++i) p[std::ptrdiff_t{rows[i]} * m + i] = R(1);
    }
    if (T* const l = lapack::data_of<T>(call.result(1)))
      for (std::ptrdiff_t i = 0; i < m; ++i)
        for (std::ptrdiff_t j = 0; j < k; ++j)
          l[i * k + j] = j < i ? factors[j * m + i] : T(j == i);
    if (T* const u = lapack::data_of<T>(call.result(2)))
      for (std::ptrdiff_t i = 0; i < k; ++i)
        for (std::ptrdiff_t j = 0; j < n; ++j) u[i * n + j] = j < i ? T(0) : factors[j * m + i];
  }
};

template <>
struct kernel<op::eig> {
  template <ops::linear_number T>
  static void run(invocation const& call) {
    using R = lapack::real_t<T>;
    using C = std::complex<R>;
    int const n = lapack::rows_of(call.operand(0)), one = 1;
    if (n == 0) return;
    std::ptrdiff_t const side = n;
    T* const memory = lapack::work<T, 1>(side * side);
    lapack::pack(memory, call.operand(0), true);
    lapack::require_finite("eig", memory, side * side);
    C *const w = lapack::data_of<C>(call.result(0)), *const v = lapack::data_of<C>(call.result(1));
    char const* const job = v != nullptr ? "V" : "N";
    T* const columns = lapack::work<T, 2>(v != nullptr ? side * side : 1);
    T nothing{};
    int info = 0;
    if constexpr (is_complex_number<T>) {
      C* const values = w != nullptr ? w : lapack::work<C, 5>(side);
      lapack::with_work<T>([&](T* work, int const* count) {
        lapack::geev<T>("N", job, &n, memory, &n, values, &nothing, &one, columns, &n, work, count,
                        lapack::work<R, 4>(2 * side), &info, 1, 1);
      });
    } else {
      R *const re = lapack::work<R, 4>(2 * side), *const im = re + side;
      lapack::with_work<T>([&](T* work, int const* count) {
        lapack::geev<T>("N", job, &n, memory, &n, re, im, &nothing, &one, columns, &n, work, count,
                        &info, 1, 1);
      });
      for (std::ptrdiff_t i = 0; i < n && w != nullptr; ++i) w[i] = {re[i], im[i]};
    }
    if (info != 0) lapack::refuse("eig", "the eigenvalues did not converge");
    if (v == nullptr) return;
    if constexpr (is_complex_number<T>) {
      for (std::ptrdiff_t i = 0; i < n; ++i)
        for (std::ptrdiff_t j = 0; j < n; ++j) v[i * n + j] = columns[j * n + i];
    } else {
      // Two conjugate values have two columns: the real and the imaginary parts of the first
      // vector.
      R const* const im = lapack::work<R, 4>(2 * side) + side;
      for (std::ptrdiff_t j = 0; j < n; ++j) {
        bool const paired = im[j] != R(0);
        for (std::ptrdiff_t i = 0; i < n; ++i) {
          v[i * n + j] = {columns[j * n + i], paired ? columns[(j + 1) * n + i] : R(0)};
          if (paired) v[i * n + j + 1] = std::conj(v[i * n + j]);
        }
        if (paired) ++j;
      }
    }
  }
};

}  // namespace kroton::cpu
