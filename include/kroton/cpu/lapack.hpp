// LAPACK's routines in two precisions under one name, and the work memory that their callers keep.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/array.hpp>
#include <kroton/core/error.hpp>

#include <type_traits>
#include <vector>

// Fortran passes everything by address, and the lengths of characters at the end. The routines are declared here under names of
// our own that stand for LAPACK's symbols, so that no prototype of another header is contradicted.
namespace kroton::core::lapack {

using flag = char const*;
using size = int const*;
using length = std::size_t;

template <class T> using getrf_t = void(size m, size n, T* a, size lda, int* pivots, int* info);
template <class T> using getri_t = void(size n, T* a, size lda, int const* pivots, T* work, size lwork, int* info);
template <class T> using potrf_t = void(flag uplo, size n, T* a, size lda, int* info, length);
template <class T> using gelqf_t = void(size m, size n, T* a, size lda, T* tau, T* work, size lwork, int* info);
template <class T> using orglq_t = void(size m, size n, size k, T* a, size lda, T const* tau, T* work, size lwork, int* info);
template <class T> using gesdd_t = void(flag job, size m, size n, T* a, size lda, T* s, T* u, size ldu, T* vt, size ldvt, T* work,
                                        size lwork, int* iwork, int* info, length);
template <class T> using syevd_t = void(flag job, flag uplo, size n, T* a, size lda, T* w, T* work, size lwork, int* iwork,
                                        size liwork, int* info, length, length);
template <class T> using gelsd_t = void(size m, size n, size columns, T* a, size lda, T* b, size ldb, T* s, T const* rcond,
                                        int* rank, T* work, size lwork, int* iwork, int* info);

#define KROTON_LAPACK_TEXT_(prefix) #prefix
#define KROTON_LAPACK_TEXT(prefix) KROTON_LAPACK_TEXT_(prefix)
#define KROTON_LAPACK(name)                                                                             \
  extern "C" name##_t<float> kroton_s##name __asm__(KROTON_LAPACK_TEXT(__USER_LABEL_PREFIX__) "s" #name "_");  \
  extern "C" name##_t<double> kroton_d##name __asm__(KROTON_LAPACK_TEXT(__USER_LABEL_PREFIX__) "d" #name "_"); \
  template <class T>                                                                                    \
  inline constexpr name##_t<T>* name = nullptr;                                                         \
  template <>                                                                                           \
  inline constexpr name##_t<float>* name<float> = &kroton_s##name;                                      \
  template <>                                                                                           \
  inline constexpr name##_t<double>* name<double> = &kroton_d##name;
KROTON_LAPACK(getrf)  // LU factors
KROTON_LAPACK(getri)  // the inverse from them
KROTON_LAPACK(potrf)  // the Cholesky factor
KROTON_LAPACK(gelqf)  // LQ factors
KROTON_LAPACK(orglq)  // Q from them
KROTON_LAPACK(gesdd)  // singular values
KROTON_LAPACK(syevd)  // eigenvalues of a symmetric matrix
KROTON_LAPACK(gelsd)  // least squares
#undef KROTON_LAPACK
#undef KROTON_LAPACK_TEXT
#undef KROTON_LAPACK_TEXT_

[[noreturn]] inline void refuse(std::string const& op, std::string const& what) { throw linalg_error(op + ": " + what); }

/// Extents as LAPACK counts them.
inline int rows_of(array_ref const& a) { return static_cast<int>(a.extents[0]); }
inline int columns_of(array_ref const& a) { return static_cast<int>(a.rank > 1 ? a.extents[1] : 1); }
template <class T>
T* data_of(array_ref const& a) {
  return reinterpret_cast<T*>(a.data);
}

/// Work memory of the thread, one block a number: repeated calls do not allocate.
template <class T, int Number>
T* work(std::ptrdiff_t count) {
  static thread_local std::vector<T> memory;
  if (memory.size() < static_cast<std::size_t>(count)) memory.resize(static_cast<std::size_t>(count));
  return memory.data();
}
/// The memory that a routine asks for: it is called once with lwork = -1, and once with what it wants.
template <class T, class Call>
void with_work(Call call) {
  T wanted{};
  int const ask = -1;
  call(&wanted, &ask);
  int const count = static_cast<int>(wanted);
  call(work<T, 0>(count), &count);
}

/// Copies a matrix to row-major memory, or its transpose, which is the matrix in column-major memory.
template <class T>
void pack(T* to, array_ref const& a, bool transposed = false) {
  T const* const from = reinterpret_cast<T const*>(a.data);
  std::ptrdiff_t const rows = a.extents[transposed ? 1 : 0], columns = a.extents[transposed ? 0 : 1];
  std::ptrdiff_t const down = a.strides[transposed ? 1 : 0], right = a.strides[transposed ? 0 : 1];
  // In tiles, since one of the two may stride through memory.
  constexpr std::ptrdiff_t tile = 32;
  for (std::ptrdiff_t top = 0; top < rows; top += tile)
    for (std::ptrdiff_t left = 0; left < columns; left += tile)
      for (std::ptrdiff_t i = top; i < rows && i < top + tile; ++i)
        for (std::ptrdiff_t j = left; j < columns && j < left + tile; ++j) to[i * columns + j] = from[i * down + j * right];
}

}  // namespace kroton::core::lapack
