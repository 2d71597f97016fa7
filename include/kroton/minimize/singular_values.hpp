// Singular values and right singular vectors of a matrix of at most as many rows as columns.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/blas/lapack.hpp>
#include <kroton/minimize/objective.hpp>

#include <algorithm>
#include <limits>

namespace kroton::minimization {

/// For a matrix A = U S V^T and a vector z: S, S U^T z and V^T, a singular vector a row. Up to 12
/// columns by Hestenes' rotations (Golub and Van Loan, Section 8.6.3), which are faster there.
class singular_values {
 public:
  numbers values, products, vectors;

  /// `a` has k rows of n elements and is overwritten.
  void compute(numbers& a, std::size_t k, std::size_t n, double const* z, std::size_t z_stride) {
    if (n <= 12) by_rotations(a, k, n, z, z_stride);
    else by_lapack(a, k, n, z, z_stride);
  }

 private:
  void by_rotations(numbers const& a, std::size_t k, std::size_t n, double const* z,
                    std::size_t z_stride) {
    // The columns of A V and of V, as rows.
    rotated_.resize(n * k);
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t i = 0; i < k; ++i) rotated_[j * k + i] = a[i * n + j];
    vectors.assign(n * n, 0);
    for (std::size_t j = 0; j < n; ++j) vectors[j * n + j] = 1;
    bool done = false;
    for (int sweep = 0; sweep < 40 && !done; ++sweep) {
      done = true;
      for (std::size_t p = 0; p + 1 < n; ++p)
        for (std::size_t q = p + 1; q < n; ++q) done = !orthogonalize(p, q, k, n) && done;
    }
    values.resize(n);
    products.assign(n, 0);
    for (std::size_t j = 0; j < n; ++j) {
      double square = 0;
      for (std::size_t i = 0; i < k; ++i) {
        double const e = rotated_[j * k + i];
        square += e * e;
        products[j] += e * z[i * z_stride];
      }
      values[j] = std::sqrt(square);
    }
  }
  // Makes two columns orthogonal by a rotation; whether they were not.
  bool orthogonalize(std::size_t p, std::size_t q, std::size_t k, std::size_t n) {
    double *x = rotated_.data() + p * k, *y = rotated_.data() + q * k;
    double xx = 0, yy = 0, xy = 0;
    for (std::size_t i = 0; i < k; ++i) {
      xx += x[i] * x[i];
      yy += y[i] * y[i];
      xy += x[i] * y[i];
    }
    if (std::abs(xy) <= 4 * std::numeric_limits<double>::epsilon() * std::sqrt(xx * yy))
      return false;
    double const zeta = (yy - xx) / (2 * xy);
    double const t = std::copysign(1 / (std::abs(zeta) + std::sqrt(1 + zeta * zeta)), zeta);
    double const c = 1 / std::sqrt(1 + t * t), s = c * t;
    auto rotate = [c, s](double* u, double* v, std::size_t count) {
      for (std::size_t i = 0; i < count; ++i) {
        double const e = u[i];
        u[i] = c * e - s * v[i];
        v[i] = s * e + c * v[i];
      }
    };
    rotate(x, y, k);
    rotate(vectors.data() + p * n, vectors.data() + q * n, n);
    return true;
  }

  void by_lapack(numbers& a, std::size_t k, std::size_t n, double const* z, std::size_t z_stride) {
    namespace lapack = cpu::lapack;
    int const rows = static_cast<int>(k), columns = static_cast<int>(n);
    values.resize(k);
    vectors.resize(k * n);
    rotated_.resize(k * k);
    int* const integers = lapack::work<int, 0>(8 * std::ptrdiff_t{rows});
    int info = 0;
    lapack::with_work<double>([&](double* work, int const* count) {
      lapack::gesdd<double>("S", &columns, &rows, a.data(), &columns, values.data(), vectors.data(),
                            &columns, rotated_.data(), &rows, work, count, integers, &info, 1);
    });
    if (info != 0)
      throw linalg_error("kt::least_squares: the singular values of the Jacobian did not converge");
    products.assign(k, 0);
    for (std::size_t c = 0; c < k; ++c)
      for (std::size_t i = 0; i < k; ++i)
        products[c] += values[c] * rotated_[i * k + c] * z[i * z_stride];
  }

  numbers rotated_;
};

}  // namespace kroton::minimization
