// The cofactors of a matrix, and how they change: by LU factors of a regular matrix, and by
// singular values of any.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/blas/blas.hpp>
#include <kroton/cpu/op/linear_algebra/decompositions.hpp>
#include <kroton/cpu/op/linear_algebra/solving.hpp>

#include <limits>
#include <utility>
#include <vector>

namespace kroton::cpu {

/// A square matrix as u s vt, with unitary u and vt and the singular values s. Its cofactors are
/// det(u) det(vt) times conj(u) c conj(vt) for those of s, c; likewise their change.
template <class T>
class singular_form {
 public:
  using real = lapack::real_t<T>;
  using matrix = std::vector<T>;  // row-major

  explicit singular_form(array_ref const& a)
      : n_(lapack::rows_of(a)),
        values_(static_cast<std::size_t>(n_)),
        u_(packed(a)),
        vt_(u_.size()) {
    matrix memory = u_;
    lapack::singular_values("det", memory.data(), n_, n_, values_.data(), u_.data(), vt_.data());
    direction_ = times(direction_of(u_), direction_of(vt_));
    for (matrix* m : {&u_, &vt_})
      if constexpr (is_complex_number<T>)
        for (T& x : *m) x = std::conj(x);
  }

  void cofactors(T* to) const {
    matrix c(u_.size());
    for (int i = 0; i < n_; ++i) c[at(i, i)] = others(i, i);
    outside(c, to);
  }
  /// The gradient of the sum of g times the cofactors: of a diagonal matrix, each 2 x 2 minor with
  /// all other elements of the diagonal.
  void change(array_ref const& g, T* to) const {
    matrix between = packed(g), inner(u_.size()), c(u_.size());
    multiply(CblasTrans, u_, CblasNoTrans, between, inner.data());
    multiply(CblasNoTrans, inner, CblasTrans, vt_, between.data());
    for (int i = 0; i < n_; ++i)
      for (int j = 0; j < n_; ++j) {
        if (i == j) continue;
        real const rest = others(i, j);
        c[at(i, i)] += between[at(j, j)] * rest;
        c[at(i, j)] = -between[at(j, i)] * rest;
      }
    outside(c, to);
  }

 private:
  std::size_t at(int i, int j) const {
    return static_cast<std::size_t>(i) * static_cast<std::size_t>(n_) + static_cast<std::size_t>(j);
  }
  matrix packed(array_ref const& a) const {
    matrix result(at(n_, 0));
    lapack::pack(result.data(), a);
    return result;
  }
  /// The product of all singular values but two, or but one: large and small ones in turn, so that
  /// what is in range does not leave it on the way.
  real others(int i, int j) const {
    real product(1);
    for (int first = 0, end = n_; first < end;) {
      int const k = product < 1 ? first++ : --end;
      if (k != i && k != j) product *= values_[static_cast<std::size_t>(k)];
    }
    return product;
  }
  /// The determinant of a unitary matrix, whose magnitude is 1.
  T direction_of(matrix factors) const {
    std::vector<int> pivots(values_.size());
    lapack::factorize(factors.data(), n_, pivots.data());
    T const d = det_by(lu_factors<T>{factors.data(), pivots.data(), n_});
    return d / std::abs(d);
  }
  void multiply(CBLAS_TRANSPOSE ta, matrix const& a, CBLAS_TRANSPOSE tb, matrix const& b,
                T* to) const {
    blas::gemm(ta, tb, n_, n_, n_, T(1), a.data(), n_, b.data(), n_, T(0), to, n_);
  }
  void outside(matrix const& m, T* to) const {
    matrix inner(m.size());
    multiply(CblasNoTrans, u_, CblasNoTrans, m, inner.data());
    for (T& x : inner) x = times(direction_, x);
    multiply(CblasNoTrans, inner, CblasNoTrans, vt_, to);
  }

  int n_;
  std::vector<real> values_;
  matrix u_, vt_;  // their conjugates
  T direction_;
};

/// Whether the determinant d has the digits that cofactors need: those that overflow and subnormal
/// ones have lost them. NaN passes.
template <class T>
bool has_all_digits(lu_factors<T> const& factors, T d) {
  using limits = std::numeric_limits<lapack::real_t<T>>;
  auto const size = std::abs(d);
  bool all = size != size || (size >= limits::min() && size <= limits::max());
  visit_pivots(factors, [&](T pivot) { all = all && !(std::abs(pivot) < limits::min()); });
  return all;
}
/// The largest sum of magnitudes of a row.
template <class T>
lapack::real_t<T> largest_row(T const* a, std::ptrdiff_t n) {
  lapack::real_t<T> largest(0);
  for (std::ptrdiff_t i = 0; i < n; ++i) {
    lapack::real_t<T> sum(0);
    for (std::ptrdiff_t j = 0; j < n; ++j) sum += std::abs(a[i * n + j]);
    if (!(sum <= largest)) largest = sum;  // NaN stays
  }
  return largest;
}

/// The cofactors of a from its LU factors, which lie in the memory of the result, where the inverse
/// is in range; otherwise from its singular values.
template <class T>
void cofactors_by(lu_factors<T> const& factors, array_ref const& a, T* result) {
  int const n = factors.n;
  T const d = det_by(factors);
  if (!has_all_digits(factors, d)) return singular_form<T>(a).cofactors(result);
  invert_by(factors, result);
  for (std::ptrdiff_t i = 0; i < n; ++i)
    for (std::ptrdiff_t j = 0; j <= i; ++j) {
      std::swap(result[i * n + j], result[j * n + i]);
      result[i * n + j] = times(d, result[i * n + j]);
      if (i != j) result[j * n + i] = times(d, result[j * n + i]);
    }
}
/// The gradient of the sum of g times the cofactors of a, by the inverse: with its transpose x,
/// det(a) * (sum(g * x) * x - x.g'.x). False, with nothing said, where the difference would lose
/// more than a quarter of the digits or leave the range.
template <class T>
bool change_by_inverse(array_ref const& a, array_ref const& g, T* result) {
  using real = lapack::real_t<T>;
  int const n = lapack::rows_of(a);
  auto const count = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
  auto const at = [&](int i, int j) { return static_cast<std::ptrdiff_t>(i) * n + j; };
  std::vector<T> x(count), weights(count), inner(count);
  lapack::pack(x.data(), a);
  real const size = largest_row(x.data(), n),
             bound = std::sqrt(std::sqrt(std::sqrt(std::numeric_limits<real>::max())));
  if (!(size <= bound && size >= 1 / bound)) return false;  // squares stay in range
  int* const pivots = lapack::work<int, 0>(n);
  lapack::factorize(x.data(), n, pivots);
  lu_factors<T> const factors{x.data(), pivots, n};
  T const d = det_by(factors);
  if (!has_all_digits(factors, d) || factors.singular() > 0) return false;
  invert_by(factors, x.data());
  real const condition = size * largest_row(x.data(), n),
             most = std::sqrt(std::sqrt(1 / std::numeric_limits<real>::epsilon()));
  if (!(condition <= most)) return false;
  lapack::pack(weights.data(), g);
  T along(0);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) along += times(weights.data()[at(i, j)], x.data()[at(j, i)]);
  blas::gemm(CblasTrans, CblasTrans, n, n, n, T(1), x.data(), n, weights.data(), n, T(0),
             inner.data(), n);
  blas::gemm(CblasNoTrans, CblasTrans, n, n, n, T(1), inner.data(), n, x.data(), n, T(0), result,
             n);
  bool in_range = true;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      T& y = result[at(i, j)];
      y = times(d, times(along, x.data()[at(j, i)]) - y);
      in_range = in_range && std::isfinite(std::abs(y));
    }
  return in_range;
}

template <>
struct kernel<op::cofactors> {
  template <ops::linear_number T>
  static void run(invocation const& call) {
    T* const x = lapack::data_of<T>(call.result());
    int const n = lapack::rows_of(call.result());
    if (n == 0) return;
    int* const pivots = lapack::work<int, 0>(n);
    lapack::pack(x, call.operand(0));
    lapack::factorize(x, n, pivots);
    cofactors_by<T>({x, pivots, n}, call.operand(0), x);
  }
};
template <>
struct kernel<op::cofactors_of_factors> {
  template <ops::linear_number T>
  static void run(invocation const& call) {
    lu_factors<T> const given = given_factors<T>(call);
    if (given.n == 0) return;
    T* const x = lapack::data_of<T>(call.result());
    copy_array(call.result(), call.operand(0));
    cofactors_by<T>({x, given.pivots, given.n}, call.operand(2), x);
  }
};
template <>
struct kernel<op::cofactors_change> {
  template <ops::linear_number T>
  static void run(invocation const& call) {
    if (lapack::rows_of(call.result()) == 0) return;
    T* const out = lapack::data_of<T>(call.result());
    if (!change_by_inverse(call.operand(0), call.operand(1), out))
      singular_form<T>(call.operand(0)).change(call.operand(1), out);
  }
};

}  // namespace kroton::cpu
