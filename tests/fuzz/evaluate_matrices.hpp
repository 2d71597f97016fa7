// Linear algebra by elimination, lane by lane: the spread of the lanes is what the condition of a matrix makes of rounding.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "evaluate_indexing.hpp"

namespace fuzz {

class matrix_node : public indexing_node {
 protected:
  using indexing_node::indexing_node;

  /// A square matrix in one lane, and right sides next to it.
  struct matrix {
    long rows = 0, columns = 0;
    std::vector<real> data;
    real& operator()(long i, long j) { return data[static_cast<std::size_t>(i * columns + j)]; }
    real operator()(long i, long j) const { return data[static_cast<std::size_t>(i * columns + j)]; }
  };
  matrix in_lane(int operand, int lane) {
    tensor const& x = in(operand);
    matrix m{x.shape[0], x.shape.size() == 2 ? x.shape[1] : 1, {}};
    for (long i = 0; i < x.count(); ++i) {
      settle(x.flags[static_cast<std::size_t>(i)]);
      m.data.push_back(rounded(lanes_of(x, i)[lane], lane, out_.type));
    }
    return m;
  }
  static matrix identity(long n) {
    matrix m{n, n, std::vector<real>(static_cast<std::size_t>(n * n))};
    for (long i = 0; i < n; ++i) m(i, i) = 1;
    return m;
  }
  void check_square(int operand) const {
    if (in(operand).shape[0] != in(operand).shape[1]) throw std::domain_error("a matrix that is not square");
  }
  void check_system() const {
    check_square(0);
    if (in(0).shape[1] != in(1).shape[0]) throw std::domain_error("extents differ");
  }
  /// What a pivot has to be at least, of a matrix that is far from singular in its element type.
  real least_pivot(matrix const& a) const {
    real most = 0;
    for (real x : a.data) most = std::fmax(most, std::abs(x));
    return most * std::sqrt(roundoff(out_.type)) * 64;
  }

  /// Gauss and Jordan with pivots: a becomes the identity, b the solution. The determinant's sign, and its magnitude's logarithm.
  struct determinant_parts {
    real sign = 1, logarithm = 0, value = 1;
  };
  determinant_parts eliminate(matrix a, matrix& b) const {
    determinant_parts d;
    real const least = least_pivot(a);
    for (long k = 0; k < a.rows; ++k) {
      long pivot = k;
      for (long i = k + 1; i < a.rows; ++i)
        if (std::abs(a(i, k)) > std::abs(a(pivot, k))) pivot = i;
      if (!(std::abs(a(pivot, k)) > least)) throw unsettled("a matrix that is next to singular");
      for (long j = 0; j < a.columns && pivot != k; ++j) std::swap(a(k, j), a(pivot, j));
      for (long j = 0; j < b.columns && pivot != k; ++j) std::swap(b(k, j), b(pivot, j));
      real const p = a(k, k);
      d.sign *= (pivot != k ? -1 : 1) * (p < 0 ? -1 : 1);
      d.logarithm += std::log(std::abs(p));
      d.value *= pivot != k ? -p : p;
      for (long j = 0; j < a.columns; ++j) a(k, j) /= p;
      for (long j = 0; j < b.columns; ++j) b(k, j) /= p;
      for (long i = 0; i < a.rows; ++i) {
        real const factor = a(i, k);
        if (i == k || factor == 0) continue;
        for (long j = 0; j < a.columns; ++j) a(i, j) -= factor * a(k, j);
        for (long j = 0; j < b.columns; ++j) b(i, j) -= factor * b(k, j);
      }
    }
    return d;
  }

  void write(int lane, matrix const& m) {
    for (std::size_t i = 0; i < m.data.size(); ++i) {
      at(static_cast<long>(i))[lane] = m.data[i];
      if (lane == 0 && m.data[i] == 0) flags(static_cast<long>(i)) |= either_zero;
    }
  }
  static void turn(matrix& m) {
    for (long i = 0; i < m.rows; ++i)
      for (long j = 0; j < i; ++j) std::swap(m(i, j), m(j, i));
  }
  void invert() {
    check_square(0);
    make(in(0).shape);
    for (int k = 0; k < lanes_; ++k) {
      matrix result = identity(in(0).shape[0]);
      eliminate(in_lane(0, k), result);
      write(k, result);
    }
  }
  void solve() {
    check_system();
    make(in(1).shape);
    for (int k = 0; k < lanes_; ++k) {
      matrix result = in_lane(1, k);
      eliminate(in_lane(0, k), result);
      write(k, result);
    }
  }
  void solve_triangle() {
    check_system();
    make(in(1).shape);
    bool const lower = g_.attribute(id_, 0) != 0, unit = g_.attribute(id_, 1) != 0;
    for (int k = 0; k < lanes_; ++k) {
      matrix a = in_lane(0, k), result = in_lane(1, k);
      for (long i = 0; i < a.rows; ++i)
        for (long j = 0; j < a.rows; ++j)
          if (i == j ? unit : (j > i) == lower) a(i, j) = i == j ? 1 : 0;
      eliminate(a, result);
      write(k, result);
    }
  }
  /// The lower triangle of which the product with its transpose is the matrix; only its lower triangle is read.
  void factor() {
    check_square(0);
    make(in(0).shape);
    for (int k = 0; k < lanes_; ++k) {
      matrix const a = in_lane(0, k);
      matrix l{a.rows, a.columns, std::vector<real>(a.data.size())};
      real const least = least_pivot(a);
      for (long i = 0; i < a.rows; ++i)
        for (long j = 0; j <= i; ++j) {
          real rest = a(i, j);
          for (long m = 0; m < j; ++m) rest -= l(i, m) * l(j, m);
          if (i == j && !(rest > least)) throw unsettled("a matrix that is hardly positive definite");
          l(i, j) = i == j ? std::sqrt(rest) : rest / l(j, j);
        }
      write(k, l);
    }
  }
  void determinant(bool sign) {
    check_square(0);
    make({});
    for (int k = 0; k < lanes_; ++k) {
      matrix none{in(0).shape[0], 0, {}};
      auto const d = eliminate(in_lane(0, k), none);
      at(0)[k] = sign ? d.sign : d.value;
    }
  }
  /// The derivatives of the determinant: its products with the elements of the transposed inverse.
  void cofactors() {
    check_square(0);
    make(in(0).shape);
    for (int k = 0; k < lanes_; ++k) {
      matrix c = identity(in(0).shape[0]);
      real const value = eliminate(in_lane(0, k), c).value;
      turn(c);
      for (real& x : c.data) x *= value;
      write(k, c);
    }
  }
  /// And how they change: (sum(g c) c - c g' c) / det.
  void change_cofactors() {
    check_square(0);
    make(in(0).shape);
    for (int k = 0; k < lanes_; ++k) {
      matrix x = identity(in(0).shape[0]);
      matrix const g = in_lane(1, k);
      real const value = eliminate(in_lane(0, k), x).value;
      turn(x);
      real along = 0;
      for (std::size_t i = 0; i < g.data.size(); ++i) along += g.data[i] * x.data[i];
      matrix result = x;
      for (long i = 0; i < x.rows; ++i)
        for (long j = 0; j < x.rows; ++j) {
          real sum = along * x(i, j);
          for (long l = 0; l < x.rows; ++l)
            for (long m = 0; m < x.rows; ++m) sum -= x(i, m) * g(l, m) * x(l, j);
          result(i, j) = value * sum;
        }
      write(k, result);
    }
  }
  /// Output 1 of `slogdet`, the node that this one reads.
  void logarithm_of_determinant() {
    int const operand = g_.input_of(g_.input_of(id_, 0), 0);
    tensor const& x = e_[operand];
    make({});
    for (int k = 0; k < lanes_; ++k) {
      matrix a{x.shape[0], x.shape[1], {}}, none{x.shape[0], 0, {}};
      for (long i = 0; i < x.count(); ++i) a.data.push_back(rounded(lanes_of(x, i)[k], k, out_.type));
      at(0)[k] = eliminate(a, none).logarithm;
    }
  }
};

}  // namespace fuzz
