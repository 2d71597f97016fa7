// LAPACK's routines for real and complex numbers of both precisions under one name, and the work
// memory that their callers keep.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/array.hpp>
#include <kroton/core/error.hpp>
#include <kroton/cpu/blas/blas_int.hpp>

#include <complex>
#include <type_traits>
#include <vector>

// Fortran passes everything by address, and the lengths of characters at the end. The routines are
// declared here under names of our own that stand for LAPACK's symbols, so that no prototype of
// another header is contradicted.
namespace kroton::cpu::lapack {

using flag = char const*;
using size = int const*;
using length = std::size_t;

/// The type of the parts of a complex number, and a real number's own.
template <class T>
using real_t = value_t<real_of(element_of<T>())>;

template <class T>
using getrf_t = void(size m, size n, T* a, size lda, int* pivots, int* info);
template <class T>
using getri_t = void(size n, T* a, size lda, int const* pivots, T* work, size lwork, int* info);
template <class T>
using gesv_t = void(size n, size columns, T* a, size lda, int* pivots, T* b, size ldb, int* info);
template <class T>
using potrf_t = void(flag uplo, size n, T* a, size lda, int* info, length);
template <class T>
using gelqf_t = void(size m, size n, T* a, size lda, T* tau, T* work, size lwork, int* info);
template <class T>
using orglq_t = void(size m, size n, size k, T* a, size lda, T const* tau, T* work, size lwork,
                     int* info);
template <class T>
using gesdd_t = void(flag job, size m, size n, T* a, size lda, T* s, T* u, size ldu, T* vt,
                     size ldvt, T* work, size lwork, int* iwork, int* info, length);
template <class T>
using syevd_t = void(flag job, flag uplo, size n, T* a, size lda, T* w, T* work, size lwork,
                     int* iwork, size liwork, int* info, length, length);
template <class T>
using gelsd_t = void(size m, size n, size columns, T* a, size lda, T* b, size ldb, T* s,
                     T const* rcond, int* rank, T* work, size lwork, int* iwork, int* info);
template <class T>
using geev_t = void(flag left, flag right, size n, T* a, size lda, T* re, T* im, T* vl, size ldvl,
                    T* vr, size ldvr, T* work, size lwork, int* info, length, length);
template <class T>
using gees_t = void(flag job, flag sort, int (*select)(T const*, T const*), size n, T* a, size lda,
                    int* selected, T* re, T* im, T* vectors, size ldv, T* work, size lwork,
                    int* bwork, int* info, length, length);
template <class T>
using gebal_t = void(flag job, size n, T* a, size lda, int* low, int* high, real_t<T>* scales,
                     int* info, length);
template <class T>
using trsyl_t = void(flag turn_a, flag turn_b, size sign, size m, size n, T const* a, size lda,
                     T const* b, size ldb, T* c, size ldc, real_t<T>* scale, int* info, length,
                     length);
// Those of complex matrices ask for real work memory besides; of R, the type of the parts.
template <class T, class R = typename T::value_type>
using complex_gesdd_t = void(flag job, size m, size n, T* a, size lda, R* s, T* u, size ldu, T* vt,
                             size ldvt, T* work, size lwork, R* rwork, int* iwork, int* info,
                             length);
template <class T, class R = typename T::value_type>
using heevd_t = void(flag job, flag uplo, size n, T* a, size lda, R* w, T* work, size lwork,
                     R* rwork, size lrwork, int* iwork, size liwork, int* info, length, length);
template <class T, class R = typename T::value_type>
using complex_gelsd_t = void(size m, size n, size columns, T* a, size lda, T* b, size ldb, R* s,
                             R const* rcond, int* rank, T* work, size lwork, R* rwork, int* iwork,
                             int* info);
template <class T, class R = typename T::value_type>
using complex_geev_t = void(flag left, flag right, size n, T* a, size lda, T* w, T* vl, size ldvl,
                            T* vr, size ldvr, T* work, size lwork, R* rwork, int* info, length,
                            length);
template <class T, class R = typename T::value_type>
using complex_gees_t = void(flag job, flag sort, int (*select)(T const*), size n, T* a, size lda,
                            int* selected, T* w, T* vectors, size ldv, T* work, size lwork,
                            R* rwork, int* bwork, int* info, length, length);

#define KROTON_LAPACK_TEXT_(prefix) #prefix
#define KROTON_LAPACK_TEXT(prefix) KROTON_LAPACK_TEXT_(prefix)
#define KROTON_LAPACK_OF(name, routine, ...)                   \
  extern "C" __VA_ARGS__ kroton_##routine __asm__(             \
      KROTON_LAPACK_TEXT(__USER_LABEL_PREFIX__) #routine "_"); \
  template <>                                                  \
  inline constexpr __VA_ARGS__* name = &kroton_##routine;
// A routine under its real name, the name among complex ones, and its type there.
#define KROTON_LAPACK(name, complex_name, complex_type)                                           \
  template <class T>                                                                              \
  inline constexpr auto name = nullptr;                                                           \
  KROTON_LAPACK_OF(name<float>, s##name, name##_t<float>)                                         \
  KROTON_LAPACK_OF(name<double>, d##name, name##_t<double>)                                       \
  KROTON_LAPACK_OF(name<std::complex<float>>, c##complex_name, complex_type<std::complex<float>>) \
  KROTON_LAPACK_OF(name<std::complex<double>>, z##complex_name, complex_type<std::complex<double>>)
KROTON_LAPACK(getrf, getrf, getrf_t)          // LU factors
KROTON_LAPACK(getri, getri, getri_t)          // the inverse from them
KROTON_LAPACK(gesv, gesv, gesv_t)             // systems of equations
KROTON_LAPACK(potrf, potrf, potrf_t)          // the Cholesky factor
KROTON_LAPACK(gelqf, gelqf, gelqf_t)          // LQ factors
KROTON_LAPACK(orglq, unglq, orglq_t)          // Q from them
KROTON_LAPACK(gesdd, gesdd, complex_gesdd_t)  // singular values
KROTON_LAPACK(syevd, heevd, heevd_t)          // eigenvalues of a symmetric or Hermitian matrix
KROTON_LAPACK(geev, geev, complex_geev_t)     // eigenvalues of any square matrix
KROTON_LAPACK(gees, gees, complex_gees_t)     // the triangular form of any square matrix
KROTON_LAPACK(trsyl, trsyl, trsyl_t)          // Sylvester's equation of two triangular forms
KROTON_LAPACK(gebal, gebal, gebal_t)          // rows and columns of like norms
KROTON_LAPACK(gelsd, gelsd, complex_gelsd_t)  // least squares
#undef KROTON_LAPACK
#undef KROTON_LAPACK_OF
#undef KROTON_LAPACK_TEXT
#undef KROTON_LAPACK_TEXT_

[[noreturn]] inline void refuse(std::string const& op, std::string const& what) {
  throw linalg_error(op + ": " + what);
}

/// Extents as LAPACK counts them.
inline int rows_of(array_ref const& a) { return blas_int(a.extents[0]); }
inline int columns_of(array_ref const& a) { return blas_int(a.rank > 1 ? a.extents[1] : 1); }
template <class T>
T* data_of(array_ref const& a) {
  return reinterpret_cast<T*>(a.data);
}

/// Work memory of the thread, one block a number: repeated calls do not allocate.
template <class T, int Number>
T* work(std::ptrdiff_t count) {
  static thread_local std::vector<T> memory;
  if (memory.size() < static_cast<std::size_t>(count))
    memory.resize(static_cast<std::size_t>(count));
  return memory.data();
}
/// The number of elements that a routine asks for, which it leaves in one.
template <class T>
int wanted_count(T wanted) {
  return blas_int(static_cast<std::ptrdiff_t>(std::real(wanted)));
}
/// The memory that a routine asks for: it is called once with lwork = -1, and once with what it
/// wants.
template <class T, class Call>
void with_work(Call call) {
  T wanted{};
  int const ask = -1;
  call(&wanted, &ask);
  int const count = wanted_count(wanted);
  call(work<T, 0>(count), &count);
}

/// Copies a matrix to row-major memory, or its transpose, which is the matrix in column-major
/// memory.
template <class T>
void pack(T* to, array_ref const& a, bool transposed = false) {
  T const* const from = reinterpret_cast<T const*>(a.data);
  std::ptrdiff_t const rows = a.extents[transposed ? 1 : 0],
                       columns = a.extents[transposed ? 0 : 1];
  std::ptrdiff_t const down = a.strides[transposed ? 1 : 0], right = a.strides[transposed ? 0 : 1];
  // In tiles, since one of the two may stride through memory.
  constexpr std::ptrdiff_t tile = 32;
  for (std::ptrdiff_t top = 0; top < rows; top += tile)
    for (std::ptrdiff_t left = 0; left < columns; left += tile)
      for (std::ptrdiff_t i = top; i < rows && i < top + tile; ++i)
        for (std::ptrdiff_t j = left; j < columns && j < left + tile; ++j)
          to[i * columns + j] = from[i * down + j * right];
}

}  // namespace kroton::cpu::lapack
