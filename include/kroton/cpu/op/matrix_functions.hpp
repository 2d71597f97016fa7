// What pseudoinverses, exponentials of matrices, their triangular factors and the eigenvalues of
// matrices that are not symmetric compute by.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/blas/blas.hpp>
#include <kroton/cpu/op/decompositions.hpp>
#include <kroton/ops/eigenvalues.hpp>
#include <kroton/ops/matrix_functions.hpp>
#include <kroton/ops/pseudoinverse.hpp>
#include <kroton/ops/triangular_factors.hpp>

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

/// How many terms a Pade approximant of the exponential needs for matrices up to a norm, by element
/// type (Higham 2005, SIAM J. Matrix Anal. Appl. 26, table 2.3, and 2008, Functions of Matrices,
/// section 10.3). The last one is for matrices that are scaled.
struct pade_degree {
  int degree;
  double norm;
};
inline constexpr pade_degree pade_of_double[] = {{3, 1.495585217958292e-2},
                                                 {5, 2.539398330063230e-1},
                                                 {7, 9.504178996162932e-1},
                                                 {9, 2.097847961257068},
                                                 {13, 5.371920351148152}};
inline constexpr pade_degree pade_of_float[] = {
    {3, 4.258730016922831e-1}, {5, 1.880152677804762}, {7, 3.925724783138660}};

/// The exponential of a packed row-major matrix of side n.
template <class T>
class matrix_exponential {
  using real = lapack::real_t<T>;

 public:
  explicit matrix_exponential(int n)
      : n_(n), size_(std::ptrdiff_t{n} * n), memory_(lapack::work<T, 1>(7 * size_)) {}

  /// Where the matrix is stored before the call.
  T* matrix() const { return memory_; }

  /// Writes the exponential to x.
  void run(T* x) {
    int const halvings = scale();
    multiply(matrix(), matrix(), power(1));
    if (degree_ >= 5) multiply(power(1), power(1), power(2));
    if (degree_ >= 7) multiply(power(2), power(1), power(3));
    T *const odd = block(4), *const even = block(5), *const spare = block(6);
    polynomial(even, 1, spare);
    multiply(matrix(), even, odd);
    polynomial(even, 0, spare);
    // The approximant is (even - odd)^-1 (even + odd), of which the parts commute, so that it does
    // not matter that LAPACK sees transposes.
    T* const below = spare;
    for (std::ptrdiff_t i = 0; i < size_; ++i) {
      below[i] = even[i] - odd[i];
      even[i] += odd[i];
    }
    int* const pivots = lapack::work<int, 0>(n_);
    int info = 0;
    lapack::gesv<T>(&n_, &n_, below, &n_, pivots, even, &n_, &info);
    T *now = even, *next = odd;
    for (int k = 0; k < halvings; ++k) {
      multiply(now, now, next);
      std::swap(now, next);
    }
    std::copy(now, now + size_, x);
  }

 private:
  T* block(int k) const { return memory_ + k * size_; }
  /// The power 2 k of the matrix.
  T* power(int k) const { return block(k); }
  void multiply(T const* a, T const* b, T* c, T beta = T(0)) const {
    blas::gemm(CblasNoTrans, CblasNoTrans, n_, n_, n_, T(1), a, n_, b, n_, beta, c, n_);
  }

  /// Chooses the degree and, if the norm is too large for all, divides the matrix by a power of 2,
  /// whose exponent it returns.
  int scale() {
    constexpr bool is_single = std::is_same_v<real, float>;
    auto const& degrees = [&]() -> auto const& {
      if constexpr (is_single) return pade_of_float;
      else return pade_of_double;
    }();
    // Divided by n, so that it is finite.
    double mean = 0;
    for (std::ptrdiff_t i = 0; i < n_; ++i) {
      double row = 0;
      for (std::ptrdiff_t j = 0; j < n_; ++j)
        row += static_cast<double>(std::abs(matrix()[i * n_ + j])) / n_;
      mean = std::max(mean, row);
    }
    for (auto const& d : degrees) {
      degree_ = d.degree;
      if (mean <= d.norm / n_) return 0;
    }
    double const halvings =
        std::ceil(std::log2(mean) + std::log2(n_) - std::log2(std::end(degrees)[-1].norm));
    int const count = halvings > 0 ? static_cast<int>(halvings) : 0;
    for (std::ptrdiff_t i = 0; i < size_; ++i) matrix()[i] = halved(matrix()[i], count);
    return count;
  }
  static T halved(T x, int count) {
    if constexpr (is_complex_number<T>)
      return {std::ldexp(x.real(), -count), std::ldexp(x.imag(), -count)};
    else return std::ldexp(x, -count);
  }

  /// The sum of the coefficients of the numerator, every second one from `first` on, times powers
  /// of the matrix's square.
  void polynomial(T* out, int first, T* spare) const {
    double c[14] = {1};
    for (int j = 1; j <= degree_; ++j)
      c[j] = c[j - 1] * (degree_ - j + 1) / (static_cast<double>(j) * (2 * degree_ - j + 1));
    auto const add = [&](T* to, int from, int end) {
      std::fill(to, to + size_, T(0));
      for (int k = 0; 2 * k + from <= end; ++k) {
        auto const by = static_cast<real>(c[2 * k + from]);
        if (k == 0 && from < 8)
          for (std::ptrdiff_t i = 0; i < n_; ++i) to[i * (n_ + std::ptrdiff_t{1})] += by;
        else
          for (std::ptrdiff_t i = 0; i < size_; ++i) to[i] += by * power(from < 8 ? k : k + 1)[i];
      }
    };
    add(out, first, degree_ > 7 ? 6 + first : degree_ - 1 + first);
    if (degree_ <= 7) return;
    // Powers from the eighth on are multiples of the sixth.
    add(spare, 8 + first, degree_ - 1 + first);
    multiply(power(3), spare, out, T(1));
  }

  int n_;
  std::ptrdiff_t size_;
  T* memory_;
  int degree_ = 0;
};

template <>
struct kernel<op::expm> {
  template <ops::linear_number T>
  static void run(invocation const& call) {
    int const n = lapack::rows_of(call.operand(0));
    if (n == 0) return;
    matrix_exponential<T> exponential(n);
    lapack::pack(exponential.matrix(), call.operand(0));
    lapack::require_finite("expm", exponential.matrix(), std::ptrdiff_t{n} * n);
    exponential.run(lapack::data_of<T>(call.result()));
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
