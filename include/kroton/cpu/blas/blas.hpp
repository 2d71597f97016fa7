// Products of vectors and matrices: OpenBLAS for floating and complex numbers in any layout it can
// take, plain loops for other types.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/array.hpp>
#include <kroton/cpu/blas/blas_int.hpp>
#include <kroton/cpu/blas/small_products.hpp>
#include <kroton/cpu/blas/tiny.hpp>
#include <kroton/cpu/loop/transposition.hpp>
#include <kroton/cpu/machine.hpp>
#include <kroton/ops/elementwise/wrapping.hpp>

#include <cblas.h>

#include <type_traits>
#include <vector>

namespace kroton::cpu {

// The precisions, real and complex, under one name.
namespace blas {

/// Whether BLAS shares an inner product of so many elements with other threads.
inline bool shares_dot([[maybe_unused]] int n) {
#if defined(OPENBLAS_VERSION)
  return n > machine::min_shared_dot && openblas_get_num_threads() > 1;
#else
  return true;
#endif
}
template <class T>
T inner(T const* x, T const* y, std::ptrdiff_t n) {
  bool const waits = 2 * n * static_cast<std::ptrdiff_t>(sizeof(T)) >= machine::streamed_bytes;
  return waits ? small::inner_of_halves(x, y, n) : small::inner(x, y, n);
}
inline double dot(int n, double const* x, int dx, double const* y, int dy) {
  if (dx == 1 && dy == 1 && !shares_dot(n)) return inner(x, y, n);
  return cblas_ddot(n, x, dx, y, dy);
}
// The product of long float vectors accumulates in double, as sums of floats do; BLAS would do so
// for each element.
inline float dot(int n, float const* x, int dx, float const* y, int dy) {
  if (dx == 1 && dy == 1) return inner(x, y, n);
  return static_cast<float>(cblas_dsdot(n, x, dx, y, dy));
}
// Without conjugation, as numpy.dot.
inline std::complex<double> dot(int n, std::complex<double> const* x, int dx,
                                std::complex<double> const* y, int dy) {
  std::complex<double> result;
  cblas_zdotu_sub(n, x, dx, y, dy, &result);
  return result;
}
inline std::complex<float> dot(int n, std::complex<float> const* x, int dx,
                               std::complex<float> const* y, int dy) {
  std::complex<float> result;
  cblas_cdotu_sub(n, x, dx, y, dy, &result);
  return result;
}
inline void gemv(CBLAS_TRANSPOSE t, int m, int n, double alpha, double const* a, int lda,
                 double const* x, int dx, double beta, double* y, int dy) {
  cblas_dgemv(CblasRowMajor, t, m, n, alpha, a, lda, x, dx, beta, y, dy);
}
inline void gemv(CBLAS_TRANSPOSE t, int m, int n, float alpha, float const* a, int lda,
                 float const* x, int dx, float beta, float* y, int dy) {
  cblas_sgemv(CblasRowMajor, t, m, n, alpha, a, lda, x, dx, beta, y, dy);
}
inline void gemv(CBLAS_TRANSPOSE t, int m, int n, std::complex<double> const& alpha,
                 std::complex<double> const* a, int lda, std::complex<double> const* x, int dx,
                 std::complex<double> const& beta, std::complex<double>* y, int dy) {
  cblas_zgemv(CblasRowMajor, t, m, n, &alpha, a, lda, x, dx, &beta, y, dy);
}
inline void gemv(CBLAS_TRANSPOSE t, int m, int n, std::complex<float> const& alpha,
                 std::complex<float> const* a, int lda, std::complex<float> const* x, int dx,
                 std::complex<float> const& beta, std::complex<float>* y, int dy) {
  cblas_cgemv(CblasRowMajor, t, m, n, &alpha, a, lda, x, dx, &beta, y, dy);
}
inline void gemm(CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, int m, int n, int k, double alpha,
                 double const* a, int lda, double const* b, int ldb, double beta, double* c,
                 int ldc) {
  cblas_dgemm(CblasRowMajor, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
inline void gemm(CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, int m, int n, int k, float alpha,
                 float const* a, int lda, float const* b, int ldb, float beta, float* c, int ldc) {
  cblas_sgemm(CblasRowMajor, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

inline void gemm(CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, int m, int n, int k,
                 std::complex<double> const& alpha, std::complex<double> const* a, int lda,
                 std::complex<double> const* b, int ldb, std::complex<double> const& beta,
                 std::complex<double>* c, int ldc) {
  cblas_zgemm(CblasRowMajor, ta, tb, m, n, k, &alpha, a, lda, b, ldb, &beta, c, ldc);
}
inline void gemm(CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, int m, int n, int k,
                 std::complex<float> const& alpha, std::complex<float> const* a, int lda,
                 std::complex<float> const* b, int ldb, std::complex<float> const& beta,
                 std::complex<float>* c, int ldc) {
  cblas_cgemm(CblasRowMajor, ta, tb, m, n, k, &alpha, a, lda, b, ldb, &beta, c, ldc);
}

/// A matrix as BLAS takes it: row-major with a leading dimension, or the transpose of such a one.
template <class T>
struct matrix {
  T const* data = nullptr;
  CBLAS_TRANSPOSE transposed = CblasNoTrans;
  int leading = 1;
};

/// Finds BLAS's view of a matrix; packs it into `memory` when neither of its strides is 1.
template <class T>
matrix<T> as_matrix(array_ref const& a, std::vector<T>& memory) {
  T const* const data = reinterpret_cast<T const*>(a.data);
  std::ptrdiff_t const rows = a.extents[0], columns = a.extents[1];
  if ((a.strides[1] == 1 || columns <= 1) && (a.strides[0] >= columns || rows <= 1))
    return {data, CblasNoTrans,
            blas_int(rows <= 1          ? (columns > 0 ? columns : 1)
                     : a.strides[0] > 0 ? a.strides[0]
                                        : 1)};
  if ((a.strides[0] == 1 || rows <= 1) && (a.strides[1] >= rows || columns <= 1))
    return {data, CblasTrans, blas_int(columns <= 1 ? (rows > 0 ? rows : 1) : a.strides[1])};
  memory.resize(static_cast<std::size_t>(rows * columns));
  array_ref packed = a;
  packed.data = reinterpret_cast<std::byte*>(memory.data());
  packed.make_contiguous_strides();
  copy_array(packed, a);
  return {memory.data(), CblasNoTrans, blas_int(columns > 0 ? columns : 1)};
}

template <class T>
struct vector {
  T const* data = nullptr;
  int stride = 1;
};
/// BLAS takes the strides of vectors as they are, except that a negative one starts from the other
/// end, and 0 is not allowed.
template <class T>
vector<T> as_vector(array_ref const& a, std::vector<T>& memory) {
  T const* const data = reinterpret_cast<T const*>(a.data);
  if (a.extents[0] <= 1) return {data, 1};
  if (a.strides[0] > 0) return {data, blas_int(a.strides[0])};
  if (a.strides[0] < 0) return {data + (a.extents[0] - 1) * a.strides[0], blas_int(a.strides[0])};
  memory.assign(static_cast<std::size_t>(a.extents[0]), *data);
  return {memory.data(), 1};
}

/// How a product is computed. Its extents alone decide; vectors count as one row or one column.
enum class product_way {
  nothing,  // the result has no elements
  zeros,    // sums of nothing
  inner,    // one row times one column
  outer,    // sums of one element: one pass over the result
  columns,  // a matrix times one column
  rows,     // one row times a matrix
  matrices
};
constexpr product_way way_of(std::ptrdiff_t rows, std::ptrdiff_t inner, std::ptrdiff_t columns) {
  if (rows == 0 || columns == 0) return product_way::nothing;
  if (inner == 0) return product_way::zeros;
  if (rows == 1 && columns == 1) return product_way::inner;
  if (inner == 1) return product_way::outer;
  return columns == 1 ? product_way::columns
         : rows == 1  ? product_way::rows
                      : product_way::matrices;
}

// c = alpha * x.y + beta * c, where c has a row for each element of x; strides are those of the
// arrays, of either sign.
template <class T>
void outer_product(std::ptrdiff_t rows, std::ptrdiff_t columns, T alpha, T const* x,
                   std::ptrdiff_t dx, T const* y, std::ptrdiff_t dy, T beta, T* c) {
  for (std::ptrdiff_t i = 0; i < rows; ++i, c += columns) {
    T const scale = times(alpha, x[i * dx]);
    auto const row = [&](auto stride) {
      if (beta == T(0))
        for (std::ptrdiff_t j = 0; j < columns; ++j) c[j] = times(scale, y[j * stride]);
      else
        for (std::ptrdiff_t j = 0; j < columns; ++j)
          c[j] = times(scale, y[j * stride]) + times(beta, c[j]);
    };
    if (dy == 1) row(std::integral_constant<std::ptrdiff_t, 1>{});
    else row(dy);
  }
}

// c = alpha * m.x + beta * c, or x.m where the matrix stands on the right.
template <class T>
void matrix_vector(array_ref const& given, bool on_right, vector<T> x, T alpha, T beta, T* c,
                   std::vector<T>& memory) {
  auto const m = as_matrix<T>(given, memory);
  bool const flip = (m.transposed == CblasTrans) != on_right;
  // Rows and columns of the memory, which is the transpose of the matrix where that is transposed.
  int const rows = blas_int(m.transposed == CblasTrans ? given.extents[1] : given.extents[0]);
  int const columns = blas_int(m.transposed == CblasTrans ? given.extents[0] : given.extents[1]);
  // What fits in the second-level cache is faster without BLAS, the smaller the more, unless rows
  // are shorter than a batch, and longer than four.
  if constexpr (std::is_floating_point_v<T>) {
    if (x.stride == 1 &&
        (small::is_narrow(m.leading, columns) || columns >= machine::min_matrix_columns) &&
        given.size() * given.bytes <= machine::small_matrix_bytes) {
      small::scaling<T> const by{alpha, beta};
      if (flip)
        return small::vector_times_matrix<T>(x.data, 1, rows, m.data, m.leading, columns, by, c, c);
      return small::matrix_times_vector<T>(m.data, m.leading, rows, x.data, columns, by, c, c);
    }
  }
  gemv(flip ? CblasTrans : CblasNoTrans, rows, columns, alpha, m.data, m.leading, x.data, x.stride,
       beta, c, 1);
}

/// One axis of an array, at the start of the others.
inline array_ref along(array_ref const& a, int axis) {
  array_ref line = a;
  line.rank = 1;
  line.extents[0] = a.extents[axis];
  line.strides[0] = a.strides[axis];
  return line;
}

/// An inner product of any length: in parts of which BLAS can count the elements.
template <class T>
T long_dot(array_ref a, array_ref b, std::vector<T>& left, std::vector<T>& right) {
  constexpr std::ptrdiff_t most = std::ptrdiff_t{1} << 30;
  std::ptrdiff_t const count = a.extents[0];
  T sum = T(0);
  for (std::ptrdiff_t begin = 0; begin < count; begin += most) {
    a.extents[0] = b.extents[0] = count - begin < most ? count - begin : most;
    auto const x = as_vector<T>(a, left), y = as_vector<T>(b, right);
    T const part = dot(static_cast<int>(a.extents[0]), x.data, x.stride, y.data, y.stride);
    sum = begin == 0 ? part : plus(sum, part);
    a.data += most * a.strides[0] * a.bytes;
    b.data += most * b.strides[0] * b.bytes;
  }
  return sum;
}

}  // namespace blas

/// c = alpha * a.b + beta * c for every pairing of vectors and matrices; c is contiguous and is not
/// read where beta is 0. Extents of one choose dot, gemv or a single pass, which are faster than
/// gemm. Memory for packing is kept by the thread, so that repeated calls do not allocate.
template <class T>
void product(array_ref const& a, array_ref const& b, array_ref const& c, T alpha, T beta) {
  T* const out = reinterpret_cast<T*>(c.data);
  std::ptrdiff_t const inner = a.extents[a.rank - 1];
  std::ptrdiff_t const rows = a.rank == 2 ? a.extents[0] : 1,
                       columns = b.rank == 2 ? b.extents[1] : 1;
  if constexpr (std::is_floating_point_v<T> || is_complex_number<T>) {
    using blas::product_way;
    static thread_local std::vector<T> left, right;
    // The last row of a, and the first column of b.
    auto const row = [&] { return blas::as_vector<T>(blas::along(a, a.rank - 1), left); };
    auto const column = [&] { return blas::as_vector<T>(blas::along(b, 0), right); };
    switch (blas::way_of(rows, inner, columns)) {
      case product_way::nothing: return;
      case product_way::zeros:
        for (std::ptrdiff_t i = 0; i < rows * columns; ++i)
          out[i] = beta == T(0) ? T(0) : times(beta, out[i]);
        return;
      case product_way::inner: {
        T const d = times(
            alpha, blas::long_dot<T>(blas::along(a, a.rank - 1), blas::along(b, 0), left, right));
        *out = beta == T(0) ? d : d + times(beta, *out);
        return;
      }
      case product_way::outer: {
        T const *const x = reinterpret_cast<T const*>(a.data), *const y =
                                                                   reinterpret_cast<T const*>(
                                                                       b.data);
        std::ptrdiff_t const dx = a.strides[0], dy = b.strides[b.rank - 1];
        // The longer factor lies along the rows of the result.
        if (columns == 1) blas::outer_product(1, rows, alpha, y, dy, x, dx, beta, out);
        else blas::outer_product(rows, columns, alpha, x, dx, y, dy, beta, out);
        return;
      }
      case product_way::columns:
        return blas::matrix_vector(a, false, column(), alpha, beta, out, left);
      case product_way::rows: return blas::matrix_vector(b, true, row(), alpha, beta, out, right);
      case product_way::matrices: break;
    }
    if constexpr (std::is_floating_point_v<T>)
      if (tiny::is_tiny(rows, inner, columns)) {
        auto const strided = [](array_ref const& m) {
          return tiny::matrix<T>{reinterpret_cast<T const*>(m.data), m.strides[0], m.strides[1]};
        };
        return tiny::multiply(strided(a), strided(b), rows, inner, columns, alpha, beta, out);
      }
    auto const l = blas::as_matrix<T>(a, left), r = blas::as_matrix<T>(b, right);
    blas::gemm(l.transposed, r.transposed, blas_int(rows), blas_int(columns), blas_int(inner),
               alpha, l.data, l.leading, r.data, r.leading, beta, out, blas_int(columns));
  } else {
    std::ptrdiff_t const ai = a.rank == 2 ? a.strides[0] : 0, ak = a.strides[a.rank - 1];
    std::ptrdiff_t const bk = b.strides[0], bj = b.rank == 2 ? b.strides[1] : 0;
    T const* const x = reinterpret_cast<T const*>(a.data);
    T const* const y = reinterpret_cast<T const*>(b.data);
    for (std::ptrdiff_t i = 0; i < rows; ++i)
      for (std::ptrdiff_t j = 0; j < columns; ++j) {
        T sum = T(0);
        for (std::ptrdiff_t k = 0; k < inner; ++k)
          sum = plus(sum, times(x[i * ai + k * ak], y[k * bk + j * bj]));
        T& to = out[i * columns + j];
        to = beta == T(0) ? times(alpha, sum) : plus(times(alpha, sum), times(beta, to));
      }
  }
}

}  // namespace kroton::cpu
