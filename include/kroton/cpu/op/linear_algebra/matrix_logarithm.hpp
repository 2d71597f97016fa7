// What logarithms of matrices compute by: inverse scaling and squaring of triangular forms.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/op/linear_algebra/matrix_roots.hpp>

#include <cmath>
#include <numbers>

namespace kroton::cpu {

/// Up to which size of the matrix less the identity Pade approximants of the logarithm suffice, of
/// degree 1, 2 ... (Al-Mohy and Higham 2012, SIAM J. Sci. Comput. 34, table 2.1).
inline constexpr double size_of_logarithm[] = {1.59e-5, 2.31e-3, 1.94e-2, 6.21e-2,
                                               1.28e-1, 2.06e-1, 2.88e-1};
inline constexpr int largest_degree_of_logarithm = 7;

/// A node and a weight of Gauss's quadrature on (0, 1): log(1 + x) is about the sum of
/// weight x / (1 + node x) (Higham 2001, SIAM J. Matrix Anal. Appl. 22, equation 3.5).
struct quadrature_point {
  double node, weight;
};
/// The k-th of `count` points: a root of Legendre's polynomial, by Newton's method.
inline quadrature_point quadrature(int k, int count) {
  double x = std::cos(std::numbers::pi * (k + 0.75) / (count + 0.5)), slope = 0;
  for (int step = 0; step < 8; ++step) {
    double before = 1, now = x;
    for (int j = 2; j <= count; ++j) {
      double const next = ((2 * j - 1) * x * now - (j - 1) * before) / j;
      before = now;
      now = next;
    }
    slope = count * (x * now - before) / (x * x - 1);
    x -= now / slope;
  }
  return {(1 + x) / 2, 1 / ((1 - x * x) * slope * slope)};
}

/// Makes a triangle its logarithm. Roots are taken until it is close to the identity, by the size
/// of powers of the difference: where elements far from the diagonal are large it is much smaller
/// than the norm. The diagonal and the one above it come from the triangle itself, since what the
/// identity leaves of roots has lost digits.
class triangle_logarithm {
  using C = std::complex<double>;
  using triangle = upper_triangle<C>;

 public:
  explicit triangle_logarithm(triangle t)
      : t_(t), n_(t.side), memory_(lapack::work<C, 2>(4 * n_ * n_ + 3 * n_)) {}

  void run(bool is_real) {
    auto const [degree, part] = approach_identity(is_real);
    triangle const sum = block(0), rest = block(1);
    std::fill(sum.elements, sum.elements + n_ * n_, C(0));
    for (int k = 0; k < degree; ++k) add(sum, rest, quadrature(k, degree));
    for (std::ptrdiff_t j = 0; j < n_; ++j) {
      for (std::ptrdiff_t i = 0; i < j; ++i) t_(i, j) = sum(i, j) / part;
      t_(j, j) = logs()[j];
      if (j > 0) t_(j - 1, j) = above()[j - 1] * quotient_of_logs(j - 1);
    }
  }

  /// Makes a column-major matrix how the logarithm changes in its direction: each root changes by
  /// the solution of Sylvester's equation of it, and the approximant by its derivative (Al-Mohy,
  /// Higham and Relton 2013, SIAM J. Sci. Comput. 35).
  void change(bool is_real, C* direction) {
    change_ = direction;
    auto const [degree, part] = approach_identity(is_real);
    C *const sum = memory_, *const term = sum + n_ * n_, *const factor = term + n_ * n_;
    std::fill(sum, sum + n_ * n_, C(0));
    // The derivative has the error of the approximant times twice its degree.
    for (int k = 0; k <= degree; ++k) {
      quadrature_point const at = quadrature(k, degree + 1);
      for (std::ptrdiff_t j = 0; j < n_; ++j)
        for (std::ptrdiff_t i = 0; i <= j; ++i) factor[j * n_ + i] = C(i == j) + at.node * t_(i, j);
      std::copy(direction, direction + n_ * n_, term);
      for (CBLAS_SIDE side : {CblasLeft, CblasRight}) divide(side, factor, term);
      for (std::ptrdiff_t i = 0; i < n_ * n_; ++i) sum[i] += at.weight * term[i];
    }
    for (std::ptrdiff_t i = 0; i < n_ * n_; ++i) direction[i] = sum[i] / part;
  }

 private:
  triangle block(int k) const { return {memory_ + k * n_ * n_, n_}; }
  C* values() const { return memory_ + 4 * n_ * n_; }
  C* logs() const { return values() + n_; }
  C* above() const { return logs() + n_; }

  /// The degree that suffices for the triangle once it is less the identity, and the power of the
  /// given one that it then is.
  struct approach {
    int degree;
    double part;
  };
  approach approach_identity(bool is_real) {
    keep_diagonals(is_real);
    int roots = 0;
    int const degree = choose_degree(roots);
    double const part = std::ldexp(1.0, -roots);
    for (std::ptrdiff_t i = 0; i < n_; ++i) {
      t_(i, i) = exponential_less_one(part * logs()[i]);
      if (i + 1 < n_) t_(i, i + 1) = above()[i] * quotient_of_powers(i, part);
    }
    return {degree, part};
  }

  /// The eigenvalues, their logarithms, and the elements above the diagonal.
  void keep_diagonals(bool is_real) {
    double const nothing = t_.rounding();
    for (std::ptrdiff_t i = 0; i < n_; ++i) {
      C const value(t_(i, i).real(), t_(i, i).imag() + 0.0);
      if (value == C(0)) lapack::refuse("logm", "the matrix is singular and has no logarithm");
      if (is_real && value.real() <= 0 && std::abs(value.imag()) <= nothing)
        lapack::refuse("logm",
                       "an eigenvalue is not positive, so that the logarithm is complex: "
                       "convert the matrix with kt::cast<std::complex<double>>");
      values()[i] = value;
      logs()[i] = std::log(value);
      if (i + 1 < n_) above()[i] = t_(i, i + 1);
    }
  }

  /// Takes roots, which it counts, until a degree suffices.
  int choose_degree(int& roots) {
    constexpr double most = size_of_logarithm[largest_degree_of_logarithm - 1];
    for (;; ++roots) {
      double distance = 0;
      for (std::ptrdiff_t i = 0; i < n_; ++i)
        distance = std::max(distance, std::abs(t_(i, i) - 1.0));
      if (distance <= most)
        if (int const degree = sufficient_degree(); degree > 0) return degree;
      if (roots == std::numeric_limits<double>::max_exponent)
        lapack::refuse("logm", "the roots of the matrix do not become the identity");
      take_root(t_, false);
      if (change_ != nullptr) change_root();
    }
  }
  /// Makes the change of a square that of its root.
  void change_root() const {
    int const n = blas_int(n_), plus = 1;
    double scale = 1;
    int info = 0;
    lapack::trsyl<C>("N", "N", &plus, &n, &n, t_.elements, &n, t_.elements, &n, change_, &n, &scale,
                     &info, 1, 1);
    if (info != 0) lapack::refuse("logm", "the matrix is nearly singular and has no gradient");
    for (std::ptrdiff_t i = 0; i < n_ * n_; ++i) change_[i] /= scale;
  }
  /// Divides a column-major matrix by a triangle.
  void divide(CBLAS_SIDE side, C const* by, C* x) const {
    int const n = blas_int(n_);
    C const one = 1;
    cblas_ztrsm(CblasColMajor, side, CblasUpper, CblasNoTrans, CblasNonUnit, n, n, &one, by, n, x,
                n);
  }
  /// By the roots of the norms of the second, third and fourth power; 0 if no degree suffices.
  int sufficient_degree() const {
    triangle const x = block(0), second = block(1), third = block(2), fourth = block(3);
    for (std::ptrdiff_t j = 0; j < n_; ++j)
      for (std::ptrdiff_t i = 0; i <= j; ++i) x(i, j) = t_(i, j) - C(i == j);
    multiply(x, x, second);
    multiply(second, x, third);
    multiply(second, second, fourth);
    double const size_of_third = std::cbrt(norm(third)),
                 small = std::max(std::sqrt(norm(second)), size_of_third),
                 large = std::max(size_of_third, std::sqrt(std::sqrt(norm(fourth))));
    for (int degree = 1; degree <= largest_degree_of_logarithm; ++degree)
      if ((degree < 3 ? small : large) <= size_of_logarithm[degree - 1]) return degree;
    return 0;
  }
  void multiply(triangle a, triangle b, triangle to) const {
    for (std::ptrdiff_t j = 0; j < n_; ++j) {
      for (std::ptrdiff_t i = 0; i <= j; ++i) to(i, j) = C(0);
      for (std::ptrdiff_t k = 0; k <= j; ++k)
        for (std::ptrdiff_t i = 0; i <= k; ++i) to(i, j) += times(a(i, k), b(k, j));
    }
  }
  double norm(triangle x) const {
    double most = 0;
    for (std::ptrdiff_t j = 0; j < n_; ++j) {
      double column = 0;
      for (std::ptrdiff_t i = 0; i <= j; ++i) column += std::abs(x(i, j));
      if (!std::isfinite(column)) return std::numeric_limits<double>::infinity();
      most = std::max(most, column);
    }
    return most;
  }

  /// Adds weight (1 + node t)^-1 t.
  void add(triangle sum, triangle rest, quadrature_point at) const {
    for (std::ptrdiff_t j = 0; j < n_; ++j) {
      for (std::ptrdiff_t i = 0; i <= j; ++i) rest(i, j) = t_(i, j);
      for (std::ptrdiff_t k = j; k >= 0; --k) {
        C const x = rest(k, j) / (1.0 + at.node * t_(k, k)), by = at.node * x;
        sum(k, j) += at.weight * x;
        for (std::ptrdiff_t i = 0; i < k; ++i) rest(i, j) -= times(t_(i, k), by);
      }
    }
  }

  /// Where logarithms are close, differences of them stand for those of eigenvalues: what errors
  /// these have then cancels.
  struct neighbours {
    C half_of_difference, mean, difference_of_values;
    bool are_close() const { return std::abs(half_of_difference) < 1; }
  };
  neighbours at(std::ptrdiff_t i) const {
    return {(logs()[i + 1] - logs()[i]) / 2.0, (logs()[i + 1] + logs()[i]) / 2.0,
            values()[i + 1] - values()[i]};
  }
  C quotient_of_logs(std::ptrdiff_t i) const {
    neighbours const x = at(i);
    C const half = x.half_of_difference;
    if (!x.are_close()) return 2.0 * half / x.difference_of_values;
    return std::exp(-x.mean) * (half == C(0) ? C(1) : half / std::sinh(half));
  }
  C quotient_of_powers(std::ptrdiff_t i, double p) const {
    neighbours const x = at(i);
    C const half = x.half_of_difference;
    if (!x.are_close())
      return 2.0 * std::exp(p * x.mean) * std::sinh(p * half) / x.difference_of_values;
    return std::exp((p - 1) * x.mean) *
           (half == C(0) ? C(p) : std::sinh(p * half) / std::sinh(half));
  }
  static C exponential_less_one(C x) {
    double const sine = std::sin(x.imag() / 2);
    return {std::expm1(x.real()) * std::cos(x.imag()) - 2 * sine * sine,
            std::exp(x.real()) * std::sin(x.imag())};
  }

  triangle t_;
  std::ptrdiff_t n_;
  C* memory_;
  C* change_ = nullptr;
};

template <>
struct kernel<op::logm> {
  template <ops::linear_number T>
  static void run(invocation const& call) {
    // That of single precision is computed in double precision.
    by_triangular_form<T, std::complex<double>>(
        "logm", call, [](auto t) { triangle_logarithm(t).run(!is_complex_number<T>); });
  }
};

template <>
struct kernel<op::logm_change> {
  template <ops::linear_number T>
  static void run(invocation const& call) {
    using C = std::complex<double>;
    int const n = lapack::rows_of(call.operand(0));
    if (n == 0) return;
    std::ptrdiff_t const side = n, size = side * side;
    C* const memory = lapack::work<C, 1>(4 * size);
    C *const vectors = memory + size, *const between = vectors + size, *const e = between + size;
    T* const x = lapack::data_of<T>(call.result());
    lapack::pack(x, call.operand(0));
    std::copy(x, x + size, memory);
    lapack::pack(x, call.operand(1));
    std::copy(x, x + size, between);
    triangular_form("logm", memory, n, vectors);
    into_bases(vectors, n, vectors, n, between, e, between);
    triangle_logarithm(upper_triangle<C>{memory, side}).change(!is_complex_number<T>, between);
    out_of_bases(vectors, n, vectors, n, between, e, between);
    write_result<T>(between, call, size);
  }
};

}  // namespace kroton::cpu
