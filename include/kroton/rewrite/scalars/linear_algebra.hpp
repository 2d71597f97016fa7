// Solutions, determinants and factors of small matrices as formulas on their elements.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/as_it_stands.hpp>
#include <kroton/ops/assertion.hpp>
#include <kroton/ops/linear_algebra/decompositions.hpp>
#include <kroton/ops/linear_algebra/determinants.hpp>
#include <kroton/rewrite/scalars/replacement.hpp>

#include <utility>

namespace kroton::rewrite {

using term_rows = list<list<term>>;

/// By measurement: beyond these numbers of rows a call of LAPACK is faster than the formulas.
inline constexpr int most_rows_of_formulas = 4, most_rows_of_triangles = 6;

/// An op on matrices, or the same op for each of many matrices, which are then an array each of
/// whose elements is one of all matrices.
class matrix_function {
 public:
  constexpr matrix_function(scalar_replacement& r, int id) : r_(r), id_(id) {}

  constexpr bool has_formulas(int most_rows) const {
    int const matrix = r_.from().input_of(id_, 0);
    return is_float(r_.from().type(matrix).element) &&
           r_.array(matrix).extents[r_.leading_axes(id_, 0)] <= most_rows;
  }
  constexpr long long attribute(int i) const {
    return r_.from().attribute(id_, i + (r_.leading_axes(id_) > 0 ? each_attributes : 0));
  }
  /// The elements of an operand; a vector is a matrix of one column.
  constexpr term_rows rows(int k) const {
    small_array const& a = r_.operand(id_, k);
    int const lead = r_.leading_axes(id_, k),
              columns = a.rank() == lead + 2 ? a.extents[lead + 1] : 1;
    term_rows rows;
    for (int i = 0; i < a.extents[lead]; ++i) {
      list<term> row;
      for (int j = 0; j < columns; ++j) row.push_back({&r_.made, a.elements[i * columns + j]});
      rows.push_back(row);
    }
    return rows;
  }
  constexpr term number(int n) const {
    return {&r_.made, r_.made.literal(n, r_.from().type(id_).element)};
  }
  constexpr void give(list<int>& elements, term x) const {
    for (int k = 0; x.rank() < r_.leading_axes(id_); ++k)
      if (r_.leading_axes(id_, k) > 0)
        x.id = r_.spread(x.id, extents_of(r_.made, r_.operand(id_, k).elements[0]));
    elements.push_back(x.id);
  }
  constexpr void give(list<int>& elements, term_rows const& rows) const {
    for (list<term> const& row : rows)
      for (term const& x : row) give(elements, x);
  }

 private:
  scalar_replacement& r_;
  int id_;
};
constexpr bool is_zero(term x) { return x.of->is_literal(x.id, 0); }
/// x, if the condition holds; otherwise a call throws kt::linalg_error.
constexpr term checked(term x, term condition, ops::matrix_fault fault, int at, int of) {
  if (condition.rank() > 0) condition = all(condition);
  int const inputs[] = {x.id, condition.id};
  return {x.of, x.of->apply(identity<op::assertion>(), inputs, ops::attributes_of(fault, at, of))};
}
/// x / y, by which others are multiplied. A rule would divide last: the product before, of two
/// elements of a matrix, may be out of range where all elements and results are in it.
constexpr term quotient(term x, term y) { return call<op::as_it_stands>(x / y); }
/// x less the sum of products of some elements of two rows.
constexpr term without_products(term x, int first, int last, auto left, auto right) {
  for (int k = first; k < last; ++k)
    if (!is_zero(left(k)) && !is_zero(right(k))) x = x - left(k) * right(k);
  return x;
}

/// Gaussian elimination with partial pivoting, of a square matrix and of what stands right of it.
/// Rows are exchanged by choices. (Golub and Van Loan, Matrix Computations, algorithm 3.4.1)
class elimination {
 public:
  constexpr elimination(term_rows matrix, term_rows const& right) : rows(std::move(matrix)) {
    for (int i = 0; i < rows.size(); ++i)
      for (term const& x : right[i]) rows[i].push_back(x);
  }
  /// `pivot(x, k)`: what to divide by in place of the pivot x of column k.
  template <class Pivot>
  constexpr void run(Pivot pivot) {
    for (int k = 0; k < rows.size(); ++k) {
      for (int i = k + 1; i < rows.size(); ++i) exchange(k, i);
      divisors.push_back(pivot(rows[k][k], k));
      for (int i = k + 1; i < rows.size(); ++i) {
        if (is_zero(rows[i][k])) continue;
        term const factor = quotient(rows[i][k], divisors[k]);
        for (int j = k + 1; j < rows[i].size(); ++j)
          if (!is_zero(rows[k][j])) rows[i][j] = rows[i][j] - factor * rows[k][j];
      }
    }
  }
  /// What stood right of the matrix, solved for.
  constexpr term_rows solution() const {
    int const n = rows.size();
    term_rows x(n, {});
    for (int i = n - 1; i >= 0; --i)
      for (int j = n; j < rows[i].size(); ++j)
        x[i].push_back(quotient(without_products(
                                    rows[i][j], i + 1, n, [&](int k) { return rows[i][k]; },
                                    [&](int k) { return x[k][j - n]; }),
                                divisors[i]));
    return x;
  }

  term_rows rows;
  list<term> divisors{};
  list<term> exchanges{};  // conditions

 private:
  constexpr void exchange(int upper, int lower) {
    if (is_zero(rows[lower][upper])) return;
    term const swaps = call<op::gt>(abs(rows[lower][upper]), abs(rows[upper][upper]));
    exchanges.push_back(swaps);
    for (int j = upper; j < rows[upper].size(); ++j) {
      term const above = rows[upper][j], below = rows[lower][j];
      rows[upper][j] = call<op::where>(swaps, below, above);
      rows[lower][j] = call<op::where>(swaps, above, below);
    }
  }
};
constexpr term_rows solved(term_rows matrix, term_rows const& right, ops::matrix_fault fault) {
  int const n = matrix.size();
  elimination of(std::move(matrix), right);
  of.run([&](term x, int k) { return checked(x, call<op::neq>(x, 0), fault, k + 1, n); });
  return of.solution();
}

constexpr void elements_of_solve(scalar_replacement& r, int id, list<int>& elements) {
  matrix_function const f(r, id);
  if (f.has_formulas(most_rows_of_formulas))
    f.give(elements, solved(f.rows(0), f.rows(1), ops::matrix_fault::pivot_of_solve));
}
constexpr void elements_of_inverse(scalar_replacement& r, int id, list<int>& elements) {
  matrix_function const f(r, id);
  if (!f.has_formulas(most_rows_of_formulas)) return;
  term_rows const matrix = f.rows(0);
  term_rows identity(matrix.size(), {});
  for (int i = 0; i < matrix.size(); ++i)
    for (int j = 0; j < matrix.size(); ++j) identity[i].push_back(f.number(i == j));
  f.give(elements, solved(matrix, identity, ops::matrix_fault::pivot_of_inverse));
}
constexpr void elements_of_solve_triangular(scalar_replacement& r, int id, list<int>& elements) {
  matrix_function const f(r, id);
  if (!f.has_formulas(most_rows_of_triangles)) return;
  bool const lower = f.attribute(0) != 0, unit = f.attribute(1) != 0;
  term_rows const a = f.rows(0), b = f.rows(1);
  int const n = a.size();
  term_rows x(n, {});
  for (int step = 0; step < n; ++step) {
    int const i = lower ? step : n - 1 - step;
    term pivot{};
    if (!unit)
      pivot = checked(a[i][i], call<op::neq>(a[i][i], 0), ops::matrix_fault::diagonal, i, n);
    for (int j = 0; j < b[i].size(); ++j) {
      term const rest = without_products(
          b[i][j], lower ? 0 : i + 1, lower ? i : n, [&](int k) { return a[i][k]; },
          [&](int k) { return x[k][j]; });
      x[i].push_back(unit ? rest : quotient(rest, pivot));
    }
  }
  f.give(elements, x);
}

/// The determinant of the rows and columns of a matrix that are not left out, by expansion along
/// the first of these rows; 1 where all are.
constexpr term determinant(term_rows const& a, unsigned rows_left_out, unsigned columns_left_out) {
  int const n = a.size();
  int first = 0;
  while (first < n && (rows_left_out >> first & 1u) != 0) ++first;
  graph* const of = a[0][0].of;
  element const e = a[0][0].element();
  if (first == n) return {of, of->literal(1, e)};
  rows_left_out |= 1u << first;
  term sum{};
  for (int j = 0, sign = 1; j < n; ++j) {
    unsigned const column = 1u << j;
    if ((columns_left_out & column) != 0) continue;
    if (term const x = a[first][j]; !is_zero(x)) {
      term const product = rows_left_out + 1 == 1u << n
                               ? x
                               : term(x * determinant(a, rows_left_out, columns_left_out | column));
      if (!sum.exists()) sum = sign > 0 ? product : term(-product);
      else sum = sign > 0 ? term(sum + product) : term(sum - product);
    }
    sign = -sign;
  }
  return sum.exists() ? sum : term{of, of->literal(0, e)};
}
constexpr void elements_of_det(scalar_replacement& r, int id, list<int>& elements) {
  matrix_function const f(r, id);
  if (f.has_formulas(most_rows_of_formulas)) f.give(elements, determinant(f.rows(0), 0, 0));
}
constexpr void elements_of_cofactors(scalar_replacement& r, int id, list<int>& elements) {
  matrix_function const f(r, id);
  if (!f.has_formulas(most_rows_of_formulas)) return;
  term_rows const a = f.rows(0);
  for (int i = 0; i < a.size(); ++i)
    for (int j = 0; j < a.size(); ++j) {
      term const minor = determinant(a, 1u << i, 1u << j);
      f.give(elements, (i + j) % 2 == 0 ? minor : term(-minor));
    }
}
/// Each element is the sum of all of g in other rows and columns, times what is left of the matrix
/// without both.
constexpr void elements_of_cofactors_change(scalar_replacement& r, int id, list<int>& elements) {
  matrix_function const f(r, id);
  if (!f.has_formulas(most_rows_of_formulas)) return;
  term_rows const a = f.rows(0), g = f.rows(1);
  int const n = a.size();
  for (int k = 0; k < n; ++k)
    for (int l = 0; l < n; ++l) {
      term sum = f.number(0);
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
          if (i == k || j == l || is_zero(g[i][j])) continue;
          term const rest = determinant(a, 1u << i | 1u << k, 1u << j | 1u << l),
                     product = n == 2 ? g[i][j] : term(g[i][j] * rest);
          // Among the others, a row below the first one that is left out has moved up.
          bool const is_even = (i + j + k + l + (i > k) + (j > l)) % 2 == 0;
          if (is_zero(sum)) sum = is_even ? product : term(-product);
          else sum = is_even ? term(sum + product) : term(sum - product);
        }
      f.give(elements, sum);
    }
}
/// The sign of a determinant, and the logarithm of its magnitude.
constexpr std::pair<term, term> sign_and_logarithm(term_rows const& a) {
  elimination of(a, term_rows(a.size(), {}));
  // Below a pivot that is 0 there are zeros.
  of.run([](term x, int) { return call<op::where>(call<op::eq>(x, 0), 1, x); });
  term sign = call<op::sgn>(of.rows[0][0]), log = call<op::log>(abs(of.rows[0][0]));
  for (int k = 1; k < a.size(); ++k) {
    sign = sign * call<op::sgn>(of.rows[k][k]);
    log = log + call<op::log>(abs(of.rows[k][k]));
  }
  for (term const& swaps : of.exchanges) sign = call<op::where>(swaps, -sign, sign);
  return {sign, log};
}
constexpr void elements_of_slogdet(scalar_replacement& r, int id, list<int>& elements) {
  matrix_function const f(r, id);
  if (f.has_formulas(most_rows_of_formulas)) f.give(elements, sign_and_logarithm(f.rows(0)).first);
}
constexpr void elements_of_item(scalar_replacement& r, int id, list<int>& elements) {
  int const of = r.from().input_of(id, 0);
  if (r.op_of(of).key != identity<op::slogdet>()->key || !r.is_taken_apart(of)) return;
  matrix_function const f(r, of);
  if (f.has_formulas(most_rows_of_formulas)) f.give(elements, sign_and_logarithm(f.rows(0)).second);
}

constexpr void elements_of_cholesky(scalar_replacement& r, int id, list<int>& elements) {
  matrix_function const f(r, id);
  if (!f.has_formulas(most_rows_of_triangles)) return;
  term_rows l = f.rows(0);
  int const n = l.size();
  for (int j = 0; j < n; ++j) {
    auto const of_row_j = [&](int k) { return l[j][k]; };
    term const square = without_products(l[j][j], 0, j, of_row_j, of_row_j);
    l[j][j] = call<op::sqrt>(
        checked(square, ~call<op::le>(square, 0), ops::matrix_fault::minor, j + 1, n));
    for (int i = j + 1; i < n; ++i) {
      l[i][j] = quotient(
          without_products(l[i][j], 0, j, [&](int k) { return l[i][k]; }, of_row_j), l[j][j]);
      l[j][i] = f.number(0);
    }
  }
  f.give(elements, l);
}

}  // namespace kroton::rewrite
