// What exponentials of matrices compute by: scaling and squaring of Pade approximants.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/blas/blas.hpp>
#include <kroton/cpu/op/linear_algebra/decompositions.hpp>
#include <kroton/cpu/op/linear_algebra/exponential_of_two_rows.hpp>
#include <kroton/ops/linear_algebra/matrix_functions.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <type_traits>

namespace kroton::cpu {

/// The degrees of Pade approximants of the exponential, and up to which size of the matrix each
/// suffices, by element type (Higham 2005, SIAM J. Matrix Anal. Appl. 26, table 2.3, 2008,
/// Functions of Matrices, section 10.3, and, for degree 13, Al-Mohy and Higham 2009, SIAM J. Matrix
/// Anal. Appl. 31, section 6). The last one is for matrices that are scaled.
struct pade_degree {
  int degree;
  double size;
};
inline constexpr pade_degree pade_of_double[] = {{3, 1.495585217958292e-2},
                                                 {5, 2.539398330063230e-1},
                                                 {7, 9.504178996162932e-1},
                                                 {9, 2.097847961257068},
                                                 {13, 4.25}};
inline constexpr pade_degree pade_of_float[] = {
    {3, 4.258730016922831e-1}, {5, 1.880152677804762}, {7, 3.925724783138660}};

/// The exponential of a packed row-major matrix of side n, by the algorithm of Al-Mohy and Higham.
/// The size of a matrix a is that of its powers, norm(a**p)**(1/p): where elements far from the
/// diagonal are large it is much smaller than the norm, and each halving that the norm alone asks
/// for loses digits.
template <class T>
class matrix_exponential {
  using real = lapack::real_t<T>;
  static constexpr bool is_single = std::is_same_v<real, float>;

 public:
  explicit matrix_exponential(int n)
      : n_(n), size_(std::ptrdiff_t{n} * n), memory_(lapack::work<T, 1>(7 * size_)) {}

  /// Where the matrix is stored before the call.
  T* matrix() const { return memory_; }

  /// Writes the exponential to x.
  void run(T* x) {
    // Balancing moves eigenvalues that stand alone to the ends of the diagonal and scales rows and
    // columns between them by powers of 2. The LU factors then exchange no rows of what is
    // triangular, and no large elements with small ones. What is triangular after an exchange of
    // rows and columns LAPACK sees as an upper triangle, of which the lower half stays exactly 0.
    real* const scales = lapack::work<real, 3>(n_);
    int low = 0, high = 0, info = 0;
    lapack::gebal<T>("B", &n_, matrix(), &n_, &low, &high, scales, &info, 1);
    bool const is_triangle = low == high;
    int const halvings = scale();
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
    lapack::gesv<T>(&n_, &n_, below, &n_, pivots, even, &n_, &info);
    T *now = even, *next = odd;
    if (is_triangle) refine_diagonals(now, 0);
    for (int k = 1; k <= halvings; ++k) {
      multiply(now, now, next);
      std::swap(now, next);
      if (is_triangle) refine_diagonals(now, k);
    }
    undo_balance(now, scales, low - 1, high - 1);
    std::copy(now, now + size_, x);
  }

 private:
  T* block(int k) const { return memory_ + k * size_; }
  /// The power 2 k of the matrix.
  T* power(int k) const { return block(k); }
  void multiply(T const* a, T const* b, T* c, T beta = T(0)) const {
    blas::gemm(CblasNoTrans, CblasNoTrans, n_, n_, n_, T(1), a, n_, b, n_, beta, c, n_);
  }
  /// The norm of block k: infinity if it is not finite.
  double norm(int k) const {
    double most = 0;
    for (std::ptrdiff_t i = 0; i < n_; ++i) {
      double row = 0;
      for (std::ptrdiff_t j = 0; j < n_; ++j)
        row += static_cast<double>(std::abs(block(k)[i * n_ + j]));
      if (!std::isfinite(row)) return std::numeric_limits<double>::infinity();
      most = std::max(most, row);
    }
    return most;
  }

  /// Chooses the degree, computes the powers that it takes and, if the matrix is too large for all
  /// degrees, divides it by a power of 2, whose exponent it returns.
  int scale() {
    constexpr auto const& degrees = []() -> auto const& {
      if constexpr (is_single) return pade_of_float;
      else return pade_of_double;
    }();
    if (std::isfinite(norm(0))) {
      multiply(matrix(), matrix(), power(1));
      double const second = norm(1);
      if (suffices(degrees[0], std::sqrt(second))) return 0;
      multiply(power(1), power(1), power(2));
      double const fourth = std::pow(norm(2), 0.25);
      double const product = std::cbrt(std::sqrt(second) * fourth * fourth);
      if (suffices(degrees[1], std::max(fourth, product))) return 0;
      multiply(power(2), power(1), power(3));
      double const larger = std::max(fourth, std::pow(norm(3), 1.0 / 6));
      for (std::size_t k = 2; k < std::size(degrees); ++k)
        if (suffices(degrees[k], larger)) return 0;
      if (std::isfinite(larger)) {
        int const count = halvings_for(std::log2(larger));
        halve(count);
        return count;
      }
    }
    // Powers of it are too large for the type: halved until its sixth power fits.
    real largest(0);
    for (std::ptrdiff_t i = 0; i < size_; ++i)
      largest =
          std::max({largest, std::abs(std::real(matrix()[i])), std::abs(std::imag(matrix()[i]))});
    constexpr int fits = std::numeric_limits<real>::max_exponent / 6 - 2;
    int const before = std::max(0, std::ilogb(largest) + std::ilogb(n_) + 3 - fits);
    for (std::ptrdiff_t i = 0; i < size_; ++i) matrix()[i] = halved(matrix()[i], before);
    multiply(matrix(), matrix(), power(1));
    multiply(power(1), power(1), power(2));
    multiply(power(2), power(1), power(3));
    degree_ = std::end(degrees)[-1].degree;
    int const count =
        halvings_for(std::log2(std::max(std::pow(norm(2), 0.25), std::pow(norm(3), 1.0 / 6))));
    halve(count);
    return before + count;
  }
  /// Whether a degree does for a matrix of that size: notes the degree.
  bool suffices(pade_degree d, double size) {
    degree_ = d.degree;
    return size <= d.size && spread() <= 0;
  }
  int halvings_for(double size) const {
    double const most =
        is_single ? std::end(pade_of_float)[-1].size : std::end(pade_of_double)[-1].size;
    double const count = std::ceil(std::max(size - std::log2(most), spread()));
    return count > 0 ? static_cast<int>(count) : 0;
  }
  void halve(int count) {
    for (int k = 0; k <= 3; ++k)
      for (std::ptrdiff_t i = 0; i < size_; ++i)
        block(k)[i] = halved(block(k)[i], std::max(1, 2 * k) * count);
  }
  static T halved(T x, int count) {
    if constexpr (is_complex_number<T>)
      return {std::ldexp(x.real(), -count), std::ldexp(x.imag(), -count)};
    else return std::ldexp(x, -count);
  }
  /// How many halvings it takes until the first term of the error of the approximant is below
  /// rounding for all matrices with elements of these magnitudes: powers may be small because terms
  /// cancel, of which rounding leaves something. (Al-Mohy and Higham, equation 5.2)
  double spread() const {
    double const norm_of_all = norm(0);
    double *const now = lapack::work<double, 6>(2 * std::ptrdiff_t{n_}), *const next = now + n_;
    std::fill(now, now + n_, 1.0);
    double bits = -std::log2(norm_of_all) + std::numeric_limits<real>::digits;
    for (int k = 0; k <= 2 * degree_; ++k) {
      double most = 0;
      for (std::ptrdiff_t i = 0; i < n_; ++i) {
        next[i] = 0;
        for (std::ptrdiff_t j = 0; j < n_; ++j)
          next[i] += static_cast<double>(std::abs(matrix()[i * n_ + j])) * now[j];
        most = std::max(most, next[i]);
      }
      if (most == 0) return -std::numeric_limits<double>::infinity();
      for (std::ptrdiff_t i = 0; i < n_; ++i) now[i] = next[i] / most;
      bits += std::log2(most);
    }
    // The coefficient is 1 / (binomial(2 m, m) (2 m + 1)!) for degree m.
    for (int j = 1; j <= degree_; ++j) bits -= std::log2(double(degree_ + j) / j);
    for (int j = 2; j <= 2 * degree_ + 1; ++j) bits -= std::log2(j);
    return bits / (2 * degree_);
  }

  /// The diagonal of a triangle's exponential and the first one above it, from those of the matrix
  /// times 2**doublings (Al-Mohy and Higham, code fragment 2.1): squarings alone lose digits where
  /// its elements are far apart.
  void refine_diagonals(T* x, int doublings) const {
    std::ptrdiff_t const next = n_ + std::ptrdiff_t{1};
    T const* const a = matrix();
    for (std::ptrdiff_t i = 0; i < n_; ++i) {
      T const here = halved(a[i * next], -doublings);
      x[i * next] = std::exp(here);
      if (i + 1 == n_) break;
      T const there = halved(a[(i + 1) * next], -doublings), half = (there - here) / real(2);
      T& above = x[i * next + n_];
      T const slope = halved(a[i * next + n_], -doublings);
      if (slope == T(0)) above = T(0);
      else if (half == T(0)) above = slope * std::exp(here);
      else if (std::abs(half) < 1) above = slope * std::exp(here + half) * (std::sinh(half) / half);
      else above = slope * ((std::exp(there) - std::exp(here)) / (half + half));
    }
  }

  /// Makes the exponential of the balanced matrix that of the matrix.
  void undo_balance(T* x, real const* scales, int low, int high) const {
    for (std::ptrdiff_t i = 0; i < n_; ++i)
      for (std::ptrdiff_t j = 0; j < n_; ++j) {
        auto const of = [&](std::ptrdiff_t k) { return k < low || k > high ? real(1) : scales[k]; };
        x[i * n_ + j] *= of(j) / of(i);
      }
    auto const exchange = [&](std::ptrdiff_t i) {
      auto const k = static_cast<std::ptrdiff_t>(scales[i]) - 1;
      if (k == i) return;
      std::swap_ranges(x + i * n_, x + (i + 1) * n_, x + k * n_);
      for (std::ptrdiff_t row = 0; row < n_; ++row) std::swap(x[row * n_ + i], x[row * n_ + k]);
    };
    for (int i = low - 1; i >= 0; --i) exchange(i);
    for (int i = high + 1; i < n_; ++i) exchange(i);
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
    T* const x = lapack::data_of<T>(call.result());
    if constexpr (!is_complex_number<T>) {
      if (n == 2) {
        T const* const a = exponential.matrix();
        double y[4];
        if (exponential_of_two_rows({a[0], a[1], a[2], a[3]}, y)) {
          for (int i = 0; i < 4; ++i) x[i] = static_cast<T>(y[i]);
          return;
        }
      }
    }
    exponential.run(x);
  }
};

}  // namespace kroton::cpu
