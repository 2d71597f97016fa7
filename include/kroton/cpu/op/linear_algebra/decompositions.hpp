// What the ops of linear algebra compute by: LAPACK on row-major matrices. It sees the transpose of
// such a one, so that the transposed problem is solved wherever that saves a copy.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/blas/lapack.hpp>
#include <kroton/cpu/op/kernel.hpp>
#include <kroton/ops/linear_algebra/decompositions.hpp>
#include <kroton/ops/linear_algebra/faults.hpp>

#include <cmath>
#include <limits>

namespace kroton::cpu {

namespace lapack {

/// Iterative methods need not end for what is not finite.
template <class T>
void require_finite(char const* op, T const* a, std::ptrdiff_t count) {
  if constexpr (is_complex_number<T>)
    return require_finite(op, reinterpret_cast<real_t<T> const*>(a), 2 * count);
  else
    for (std::ptrdiff_t i = 0; i < count; ++i)
      if (!std::isfinite(a[i])) refuse(op, "an element of the matrix is not finite");
}
template <class T>
void fill_identity(T* to, std::ptrdiff_t side) {
  for (std::ptrdiff_t i = 0; i < side; ++i)
    for (std::ptrdiff_t j = 0; j < side; ++j) to[i * side + j] = T(i == j);
}

}  // namespace lapack

template <>
struct kernel<op::cholesky> {
  template <ops::linear_number T>
  static void run(invocation const& call) {
    T* const l = lapack::data_of<T>(call.result());
    int const n = lapack::rows_of(call.result());
    if (n == 0) return;
    lapack::pack(l, call.operand(0));
    int info = 0;
    lapack::potrf<T>("U", &n, l, &n, &info, 1);
    if (info > 0) throw linalg_error(ops::text_of(ops::matrix_fault::minor, info, n));
    for (std::ptrdiff_t i = 0; i < n; ++i)
      for (std::ptrdiff_t j = i + 1; j < n; ++j) l[i * n + j] = T(0);
  }
};

// The LQ factors of the transpose, transposed, are QR factors. q has as many columns as r has rows:
// k of them reflect, and those beyond complete q.
template <>
struct kernel<op::qr> {
  template <ops::linear_number T>
  static void run(invocation const& call) {
    array_ref const& a = call.operand(0);
    int const m = lapack::rows_of(a), n = lapack::columns_of(a), k = m < n ? m : n;
    auto const count = blas_int(*lapack::data_of<std::int64_t const>(call.operand(1)));
    T *const q = lapack::data_of<T>(call.result(0)), *const r = lapack::data_of<T>(call.result(1));
    if (k == 0) return lapack::fill_identity(q, q != nullptr ? count : 0);
    T* const factors = lapack::work<T, 1>(std::ptrdiff_t{m} * n);
    T* const tau = lapack::work<T, 2>(k);
    lapack::pack(factors, a);
    int info = 0;
    lapack::with_work<T>([&](T* work, int const* length) {
      lapack::gelqf<T>(&n, &m, factors, &n, tau, work, length, &info);
    });
    if (r != nullptr)
      for (std::ptrdiff_t i = 0; i < count; ++i)
        for (std::ptrdiff_t j = 0; j < n; ++j) r[i * n + j] = j < i ? T(0) : factors[i * n + j];
    if (q != nullptr) {
      for (std::ptrdiff_t i = 0; i < m; ++i)
        for (std::ptrdiff_t j = 0; j < count; ++j)
          q[i * count + j] = j < k ? factors[i * n + j] : T(0);
      lapack::with_work<T>([&](T* work, int const* length) {
        lapack::orglq<T>(&count, &m, &k, q, &count, tau, work, length, &info);
      });
    }
  }
};

namespace lapack {

/// The singular values s of a packed matrix, which is overwritten, and the vectors u and vt, which
/// are not computed if both are null; as square matrices if they are to be full. The transpose that
/// LAPACK sees has the same values, and the vectors with their roles exchanged.
template <class T>
void singular_values(char const* op, T* memory, int m, int n, real_t<T>* s, T* u, T* vt,
                     bool full = false) {
  int const k = m < n ? m : n, left = full ? m : k, right = full ? n : k;
  int* const integers = work<int, 0>(std::ptrdiff_t{8} * k);
  require_finite(op, memory, std::ptrdiff_t{m} * n);
  bool const vectors = u != nullptr || vt != nullptr;
  if (u == nullptr) u = work<T, 2>(vectors ? std::ptrdiff_t{m} * left : 1);
  if (vt == nullptr) vt = work<T, 2>(vectors ? std::ptrdiff_t{right} * n : 1);
  char const* const job = !vectors ? "N" : full ? "A" : "S";
  int info = 0;
  with_work<T>([&](T* memory_of_work, int const* count) {
    if constexpr (is_complex_number<T>) {
      // gesdd says nothing of how much of it it needs. Before LAPACK 3.7 it took 7 k without
      // vectors.
      std::ptrdiff_t const small = k, longest = m > n ? m : n,
                           reals = small * (vectors ? 5 * small + 5 + 2 * longest : 7);
      gesdd<T>(job, &n, &m, memory, &n, s, vt, &n, u, &left, memory_of_work, count,
               work<real_t<T>, 4>(reals), integers, &info, 1);
    } else {
      gesdd<T>(job, &n, &m, memory, &n, s, vt, &n, u, &left, memory_of_work, count, integers, &info,
               1);
    }
  });
  if (info != 0) refuse(op, "the singular values did not converge");
}

}  // namespace lapack

template <>
struct kernel<op::svd> {
  template <ops::linear_number T>
  static void run(invocation const& call) {
    array_ref const& a = call.operand(0);
    int const m = lapack::rows_of(a), n = lapack::columns_of(a);
    bool const full = !call.attributes.empty();
    T *const u = lapack::data_of<T>(call.result(1)), *const vt = lapack::data_of<T>(call.result(2));
    if (m == 0 || n == 0) {
      lapack::fill_identity(u, full && u != nullptr ? m : 0);
      lapack::fill_identity(vt, full && vt != nullptr ? n : 0);
      return;
    }
    T* const memory = lapack::work<T, 1>(std::ptrdiff_t{m} * n);
    lapack::pack(memory, a);
    lapack::singular_values("svd", memory, m, n, lapack::data_of<lapack::real_t<T>>(call.result(0)),
                            u, vt, full);
  }
};

template <>
struct kernel<op::eigh> {
  template <ops::linear_number T>
  static void run(invocation const& call) {
    array_ref const& a = call.operand(0);
    int const n = lapack::rows_of(a);
    if (n == 0) return;
    std::ptrdiff_t const rows = n;
    T* const memory = lapack::work<T, 1>(rows * n);
    lapack::pack(memory, a);
    for (std::ptrdiff_t i = 0; i < n; ++i) lapack::require_finite("eigh", memory + i * n, i + 1);
    T* const v = lapack::data_of<T>(call.result(1));
    auto* const w = lapack::data_of<lapack::real_t<T>>(call.result(0));
    char const* const job = v != nullptr ? "V" : "N";
    int integer_count = 3 + 5 * n, info = 0;
    int* const integers = lapack::work<int, 0>(integer_count);
    lapack::with_work<T>([&](T* work, int const* count) {
      // The lower triangle of a row-major matrix is the upper one of what LAPACK sees.
      if constexpr (is_complex_number<T>) {
        int const real_count =
            v != nullptr ? blas_int(1 + 5 * std::ptrdiff_t{n} + 2 * std::ptrdiff_t{n} * n) : n;
        auto* const reals = lapack::work<lapack::real_t<T>, 4>(real_count);
        lapack::syevd<T>(job, "U", &n, memory, &n, w, work, count, reals, &real_count, integers,
                         &integer_count, &info, 1, 1);
      } else {
        lapack::syevd<T>(job, "U", &n, memory, &n, w, work, count, integers, &integer_count, &info,
                         1, 1);
      }
    });
    if (info != 0) lapack::refuse("eigh", "the eigenvalues did not converge");
    if (v == nullptr) return;
    array_ref columns = call.result(1);
    columns.data = reinterpret_cast<std::byte*>(memory);
    lapack::pack(v, columns, true);
    // The vectors are those of the transpose, which is the conjugate.
    if constexpr (is_complex_number<T>)
      for (std::ptrdiff_t i = 0; i < rows * n; ++i) v[i] = std::conj(v[i]);
  }
};

template <>
struct kernel<op::lstsq> {
  template <ops::linear_number T>
  static void run(invocation const& call) {
    array_ref const &a = call.operand(0), &b = call.operand(1), &x = call.result();
    int const m = lapack::rows_of(a), n = lapack::columns_of(a), k = lapack::columns_of(b),
              longest = m > n ? m : n;
    T* const out = lapack::data_of<T>(x);
    if (m == 0 || n == 0 || k == 0) {
      for (std::ptrdiff_t i = 0; i < x.size(); ++i) out[i] = T(0);
      return;
    }
    T* const memory = lapack::work<T, 1>(std::ptrdiff_t{m} * n);
    lapack::pack(memory, a, true);
    lapack::require_finite("lstsq", memory, std::ptrdiff_t{m} * n);
    // Column-major, with room for the solution where that is longer.
    T* const right = lapack::work<T, 2>(std::ptrdiff_t{longest} * k);
    for (std::ptrdiff_t j = 0; j < k; ++j)
      for (std::ptrdiff_t i = 0; i < m; ++i)
        right[j * longest + i] =
            lapack::data_of<T const>(b)[i * b.strides[0] + (b.rank > 1 ? j * b.strides[1] : 0)];
    using R = lapack::real_t<T>;
    R* const singular = lapack::work<R, 3>(m < n ? m : n);
    R const rcond = static_cast<R>(longest) * std::numeric_limits<R>::epsilon();
    int rank = 0, info = 0, integers = 0;
    R reals{};
    auto const solve = [&](T* work, int count, R* rwork, int* iwork) {
      if constexpr (is_complex_number<T>)
        lapack::gelsd<T>(&m, &n, &k, memory, &m, right, &longest, singular, &rcond, &rank, work,
                         &count, rwork, iwork, &info);
      else
        lapack::gelsd<T>(&m, &n, &k, memory, &m, right, &longest, singular, &rcond, &rank, work,
                         &count, iwork, &info);
    };
    T first{};
    solve(&first, -1, &reals, &integers);
    int const count = lapack::wanted_count(first);
    solve(lapack::work<T, 0>(count), count, lapack::work<R, 4>(lapack::wanted_count(reals)),
          lapack::work<int, 0>(integers));
    if (info != 0) lapack::refuse("lstsq", "the singular values did not converge");
    for (std::ptrdiff_t i = 0; i < n; ++i)
      for (std::ptrdiff_t j = 0; j < k; ++j) out[i * k + j] = right[j * longest + i];
  }
};

}  // namespace kroton::cpu
