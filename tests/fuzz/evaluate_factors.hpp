// Factors and functions of matrices, lane by lane. What computes them is stable for a matrix as a
// whole, not for each of its elements, so lanes carry errors of the size of the largest one.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "evaluate_matrices.hpp"

namespace fuzz {

class factor_node : public matrix_node {
 protected:
  using matrix_node::matrix_node;

  /// An output of a node, which is this one or the one that it reads; whether it is one of these.
  bool factors(int node, int output) {
    std::string_view const name = g_[node].op->name;
    if (name == "svd") each_lane(node, [&](int k) { return of_singular_values(node, output, k); });
    else if (name == "eigh")
      each_lane(node, [&](int k) { return of_eigenvalues(node, output, k); });
    else if (name == "qr") each_lane(node, [&](int k) { return of_reflections(node, output, k); });
    else if (name == "plu") each_lane(node, [&](int k) { return of_pivots(node, output, k); });
    else if (name == "pinv") each_lane(node, [&](int k) { return pseudoinverse(node, k); });
    else if (name == "lstsq")
      each_lane(node, [&](int k) { return product(pseudoinverse(node, k), in_lane(1, k)); });
    else if (name == "expm") each_lane(node, [&](int k) { return exponential(node, k); });
    else if (name == "solve_sylvester") each_lane(node, [&](int k) { return sylvester(k); });
    else return false;
    return true;
  }

 private:
  static constexpr long largest_extent = 20;

  tensor const& operand(int node, int i) const { return e_[g_.input_of(node, i)]; }
  template <class F>
  void each_lane(int node, F f) {
    for (long e : operand(node, 0).shape)
      if (e == 0 || e > largest_extent) throw unsettled("a matrix without elements, or of many");
    for (int k = 0; k < lanes_; ++k) {
      matrix const m = f(k);
      if (k == 0) make(g_.type(id_).rank == 1 ? index{m.rows} : index{m.rows, m.columns});
      write(k, m);
    }
  }
  static real largest_of(matrix const& a) {
    real most = 0;
    for (real x : a.data) most = std::fmax(most, std::abs(x));
    return most;
  }
  /// A matrix that a node reads, with errors.
  matrix given(int node, int lane, int which = 0) {
    tensor const& x = operand(node, which);
    matrix m{x.shape[0], x.shape[1], {}};
    for (long i = 0; i < x.count(); ++i) {
      settle(x.flags[static_cast<std::size_t>(i)]);
      m.data.push_back(lanes_of(x, i)[lane]);
    }
    real const most = largest_of(m);
    if (lane > 0)
      for (real& v : m.data) v += error_of(most, out_.type);
    return m;
  }
  long count_of_factors(int node) const { return static_cast<long>(operand(node, 1).data.at(0)); }
  static matrix zeros(long rows, long columns) {
    return {rows, columns, std::vector<real>(static_cast<std::size_t>(rows * columns))};
  }
  static matrix turned(matrix const& a) {
    matrix b = zeros(a.columns, a.rows);
    for (long i = 0; i < a.rows; ++i)
      for (long j = 0; j < a.columns; ++j) b(j, i) = a(i, j);
    return b;
  }
  static matrix product(matrix const& a, matrix const& b) {
    if (a.columns != b.rows) throw std::domain_error("extents differ");
    matrix c = zeros(a.rows, b.columns);
    for (long i = 0; i < a.rows; ++i)
      for (long m = 0; m < a.columns; ++m)
        for (long j = 0; j < b.columns; ++j) c(i, j) += a(i, m) * b(m, j);
    return c;
  }
  static matrix part(matrix const& a, long rows, long columns) {
    matrix b = zeros(rows, columns);
    for (long i = 0; i < rows; ++i)
      for (long j = 0; j < columns; ++j) b(i, j) = a(i, j);
    return b;
  }
  /// Columns in another order.
  static void sort_columns(matrix& a, std::vector<long> const& order) {
    matrix const from = a;
    for (long i = 0; i < a.rows; ++i)
      for (std::size_t j = 0; j < order.size(); ++j) a(i, static_cast<long>(j)) = from(i, order[j]);
  }
  /// Turns columns p and q by the angle whose tangent solves t^2 + 2 zeta t = 1, the smaller one.
  static void rotate(matrix& a, long p, long q, real zeta) {
    real const t = (zeta < 0 ? -1 : 1) / (std::abs(zeta) + std::sqrt(1 + zeta * zeta));
    real const c = 1 / std::sqrt(1 + t * t), s = c * t;
    for (long i = 0; i < a.rows; ++i) {
      real const x = a(i, p), y = a(i, q);
      a(i, p) = c * x - s * y;
      a(i, q) = s * x + c * y;
    }
  }

  // ---- by rotations ----------------------------------------------------------------------------

  struct singular_values {
    std::vector<real> s;
    matrix u, v;  // columns
  };
  /// Hestenes' rotations of columns, for a matrix with no more columns than rows.
  static singular_values rotated(matrix u) {
    matrix v = identity(u.columns);
    for (int sweep = 0; sweep < 60; ++sweep) {
      bool done = true;
      for (long p = 0; p < u.columns; ++p)
        for (long q = p + 1; q < u.columns; ++q) {
          real pp = 0, qq = 0, pq = 0;
          for (long i = 0; i < u.rows; ++i)
            pp += u(i, p) * u(i, p), qq += u(i, q) * u(i, q), pq += u(i, p) * u(i, q);
          if (std::abs(pq) <= 1e-19L * std::sqrt(pp * qq)) continue;
          done = false;
          real const zeta = (qq - pp) / (2 * pq);
          rotate(u, p, q, zeta);
          rotate(v, p, q, zeta);
        }
      if (done) break;
    }
    std::vector<real> s;
    std::vector<long> order;
    for (long j = 0; j < u.columns; ++j) {
      real sum = 0;
      for (long i = 0; i < u.rows; ++i) sum += u(i, j) * u(i, j);
      s.push_back(std::sqrt(sum));
      order.push_back(j);
      for (long i = 0; i < u.rows && sum > 0; ++i) u(i, j) /= s.back();
    }
    std::sort(order.begin(), order.end(), [&](long i, long j) {
      real const x = s[static_cast<std::size_t>(i)], y = s[static_cast<std::size_t>(j)];
      return x > y || (x == y && i < j);
    });
    singular_values r{{}, std::move(u), std::move(v)};
    for (long j : order) r.s.push_back(s[static_cast<std::size_t>(j)]);
    sort_columns(r.u, order);
    sort_columns(r.v, order);
    return r;
  }
  singular_values singular_values_of(matrix const& a) const {
    if (a.rows >= a.columns) return rotated(a);
    singular_values r = rotated(turned(a));
    std::swap(r.u, r.v);
    return r;
  }
  /// Vectors next to each other are not settled, nor is the direction of those of a small value.
  void settle_vectors(std::vector<real> const& values, real most, bool of_zero) const {
    real const least = most * std::sqrt(roundoff(out_.type)) * 64;
    for (std::size_t j = 0; j < values.size(); ++j)
      if ((!of_zero && !(std::abs(values[j]) > least)) ||
          (j > 0 && !(std::abs(values[j] - values[j - 1]) > least)))
        throw unsettled("vectors of values that are equal");
  }
  /// The signs of vectors, columns of lane 0 and of another one.
  static void align(matrix const& to, matrix& u, matrix& v) {
    for (long j = 0; j < to.columns; ++j) {
      real along = 0;
      for (long i = 0; i < to.rows; ++i) along += to(i, j) * u(i, j);
      for (long i = 0; i < u.rows && along < 0; ++i) u(i, j) = -u(i, j);
      for (long i = 0; i < v.rows && along < 0; ++i) v(i, j) = -v(i, j);
    }
  }
  matrix of_singular_values(int node, int output, int lane) {
    if (g_[node].attribute_count > 0) throw std::logic_error("the fuzzer has no full factors");
    singular_values r = singular_values_of(given(node, lane));
    if (output == 0) return {static_cast<long>(r.s.size()), 1, r.s};
    settle_vectors(r.s, r.s.front(), false);
    align(singular_values_of(given(node, 0)).u, r.u, r.v);
    return output == 1 ? r.u : turned(r.v);
  }
  /// Jacobi's rotations from both sides; the lower triangle is read.
  matrix of_eigenvalues(int node, int output, int lane) {
    auto const [w, v] = eigenvalues_of(given(node, lane));
    if (output == 0) return {static_cast<long>(w.size()), 1, w};
    settle_vectors(w, std::fmax(std::abs(w.front()), std::abs(w.back())), true);
    matrix u = v, copy = v;
    align(eigenvalues_of(given(node, 0)).second, u, copy);
    return u;
  }
  static std::pair<std::vector<real>, matrix> eigenvalues_of(matrix a) {
    if (a.rows != a.columns) throw std::domain_error("a matrix that is not square");
    for (long i = 0; i < a.rows; ++i)
      for (long j = i + 1; j < a.rows; ++j) a(i, j) = a(j, i);
    matrix v = identity(a.rows);
    real const most = largest_of(a);
    for (int sweep = 0; sweep < 60; ++sweep) {
      bool done = true;
      for (long p = 0; p < a.rows; ++p)
        for (long q = p + 1; q < a.rows; ++q) {
          if (std::abs(a(p, q)) <= 1e-21L * most) continue;
          done = false;
          real const zeta = (a(q, q) - a(p, p)) / (2 * a(p, q));
          for (int side = 0; side < 2; ++side) {
            rotate(a, p, q, zeta);
            turn(a);
          }
          rotate(v, p, q, zeta);
        }
      if (done) break;
    }
    std::vector<long> order;
    for (long j = 0; j < a.rows; ++j) order.push_back(j);
    std::sort(order.begin(), order.end(),
              [&](long i, long j) { return a(i, i) < a(j, j) || (a(i, i) == a(j, j) && i < j); });
    std::vector<real> w;
    for (long j : order) w.push_back(a(j, j));
    sort_columns(v, order);
    return {std::move(w), std::move(v)};
  }
  /// Of a matrix whose rank rounding does not decide.
  matrix pseudoinverse(int node, int lane) {
    singular_values const r = singular_values_of(given(node, lane));
    real const least = r.s.front() * std::sqrt(roundoff(out_.type)) * 64;
    if (!(r.s.back() > least)) throw unsettled("a rank that rounding decides");
    // A limit that is given, not one of the size of rounding, is not looked at.
    if (g_[node].op->name == std::string_view("pinv") &&
        !(operand(node, 1).data.at(0) * r.s.front() < least))
      throw unsettled("a limit of ranks");
    matrix scaled = r.v;
    for (long i = 0; i < scaled.rows; ++i)
      for (long j = 0; j < scaled.columns; ++j) scaled(i, j) /= r.s[static_cast<std::size_t>(j)];
    return product(scaled, turned(r.u));
  }

  // ---- by elimination and reflections

  /// As LAPACK does: the diagonal of r has signs that are not those of the columns, but where one
  /// has a single element.
  matrix of_reflections(int node, int output, int lane) {
    matrix r = given(node, lane);
    matrix q = identity(r.rows);
    real const least = least_pivot(r);
    for (long k = 0; k < std::min(r.rows - 1, r.columns); ++k) {
      real rest = 0;
      for (long i = k + 1; i < r.rows; ++i) rest += r(i, k) * r(i, k);
      real const alpha = r(k, k), norm = std::sqrt(alpha * alpha + rest);
      if (!(std::abs(alpha) > least) || !(std::sqrt(rest) > least))
        throw unsettled("a sign that rounding decides");
      std::vector<real> v(static_cast<std::size_t>(r.rows));
      real const beta = alpha < 0 ? norm : -norm;
      for (long i = k; i < r.rows; ++i) v[static_cast<std::size_t>(i)] = r(i, k);
      v[static_cast<std::size_t>(k)] -= beta;
      real const square = rest + v[static_cast<std::size_t>(k)] * v[static_cast<std::size_t>(k)];
      auto reflect = [&](matrix& a) {
        for (long j = 0; j < a.columns; ++j) {
          real along = 0;
          for (long i = k; i < a.rows; ++i) along += v[static_cast<std::size_t>(i)] * a(i, j);
          for (long i = k; i < a.rows; ++i)
            a(i, j) -= 2 * along / square * v[static_cast<std::size_t>(i)];
        }
      };
      reflect(r);
      reflect(q);
      for (long i = k + 1; i < r.rows; ++i) r(i, k) = 0;
    }
    long const count = count_of_factors(node);
    return output == 0 ? part(turned(q), r.rows, count) : part(r, count, r.columns);
  }
  matrix of_pivots(int node, int output, int lane) {
    matrix a = given(node, lane);
    long const count = std::min(a.rows, a.columns);
    real const least = least_pivot(a);
    std::vector<long> rows;
    for (long i = 0; i < a.rows; ++i) rows.push_back(i);
    for (long k = 0; k < count && k + 1 < a.rows; ++k) {
      long pivot = k;
      for (long i = k + 1; i < a.rows; ++i)
        if (std::abs(a(i, k)) > std::abs(a(pivot, k))) pivot = i;
      for (long i = k; i < a.rows; ++i)
        if (i != pivot && !(std::abs(a(pivot, k)) > std::abs(a(i, k)) + least))
          throw unsettled("a pivot that rounding decides");
      for (long j = 0; j < a.columns && pivot != k; ++j) std::swap(a(k, j), a(pivot, j));
      std::swap(rows[static_cast<std::size_t>(k)], rows[static_cast<std::size_t>(pivot)]);
      for (long i = k + 1; i < a.rows; ++i) {
        a(i, k) /= a(k, k);
        for (long j = k + 1; j < a.columns; ++j) a(i, j) -= a(i, k) * a(k, j);
      }
    }
    matrix m = zeros(output == 2 ? count : a.rows, output == 0   ? a.rows
                                                   : output == 1 ? count
                                                                 : a.columns);
    for (long i = 0; i < m.rows; ++i)
      for (long j = 0; j < m.columns; ++j)
        if (output == 0) m(i, j) = rows[static_cast<std::size_t>(j)] == i;
        else if (output == 1) m(i, j) = i == j ? 1 : j < i ? a(i, j) : 0;
        else m(i, j) = j < i ? 0 : a(i, j);
    return m;
  }

  // ---- functions

  /// Scaled until the series converges fast, and squared as often.
  matrix exponential(int node, int lane) {
    check_square(0);
    matrix a = given(node, lane);
    real norm = largest_of(a) * static_cast<real>(a.rows);
    if (norm > 1000) throw unsettled("an exponential that is too large");
    int squarings = 0;
    for (; norm > 0.25L; norm /= 2) ++squarings;
    for (real& x : a.data) x = std::ldexp(x, -squarings);
    matrix sum = identity(a.rows), term = sum;
    for (int n = 1; n < 20; ++n) {
      term = product(term, a);
      for (std::size_t i = 0; i < term.data.size(); ++i)
        sum.data[i] += term.data[i] /= static_cast<real>(n);
    }
    for (; squarings > 0; --squarings) sum = product(sum, sum);
    return sum;
  }
  /// a x + x b = q as one system for the elements of x.
  matrix sylvester(int lane) {
    matrix const a = given(id_, lane), b = given(id_, lane, 1), q = given(id_, lane, 2);
    if (a.rows != a.columns || b.rows != b.columns || q.rows != a.rows || q.columns != b.rows)
      throw std::domain_error("extents differ");
    long const size = a.rows * b.rows;
    if (size > largest_extent * 5) throw unsettled("a system of many unknowns");
    matrix all = zeros(size, size), x{size, 1, q.data};
    for (long i = 0; i < a.rows; ++i)
      for (long j = 0; j < b.rows; ++j) {
        for (long m = 0; m < a.rows; ++m) all(i * b.rows + j, m * b.rows + j) += a(i, m);
        for (long m = 0; m < b.rows; ++m) all(i * b.rows + j, i * b.rows + m) += b(m, j);
      }
    eliminate(all, x);
    return {q.rows, q.columns, x.data};
  }
};

}  // namespace fuzz
