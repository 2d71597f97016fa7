// Solutions, determinants and factors of small matrices as formulas on their elements.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/assertion.hpp>
#include <kroton/ops/decompositions.hpp>
#include <kroton/rewrite/scalars/replacement.hpp>

#include <utility>

namespace kroton::rewrite {

using term_rows = list<list<term>>;

/// By measurement: beyond these numbers of rows a call of LAPACK is faster than the formulas.
inline constexpr int most_rows_of_formulas = 4, most_rows_of_triangles = 6;

constexpr bool has_formulas(scalar_replacement& r, int matrix, int most_rows) {
  return is_float(r.from().type(matrix).element) && r.array(matrix).extents[0] <= most_rows;
}
/// The elements of a matrix; a vector is a matrix of one column.
constexpr term_rows rows_of(scalar_replacement& r, int id) {
  small_array const& a = r.array(id);
  int const columns = a.rank() == 2 ? a.extents[1] : 1;
  term_rows rows;
  for (int i = 0; i < a.extents[0]; ++i) {
    list<term> row;
    for (int j = 0; j < columns; ++j) row.push_back({&r.made, a.elements[i * columns + j]});
    rows.push_back(row);
  }
  return rows;
}
constexpr void give_rows(term_rows const& rows, list<int>& elements) {
  for (list<term> const& row : rows)
    for (term const& x : row) elements.push_back(x.id);
}
constexpr bool is_zero(term x) { return x.of->is_literal(x.id, 0); }
/// x, if the condition holds; otherwise a call throws kt::linalg_error.
constexpr term checked(term x, term condition, ops::matrix_fault fault, int at, int of) {
  int const inputs[] = {x.id, condition.id};
  return {x.of, x.of->apply(identity<op::assertion>(), inputs, ops::attributes_of(fault, at, of))};
}
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
        term const factor = rows[i][k] / divisors[k];
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
        x[i].push_back(without_products(
                           rows[i][j], i + 1, n, [&](int k) { return rows[i][k]; },
                           [&](int k) { return x[k][j - n]; }) /
                       divisors[i]);
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
  int const matrix = r.from().input_of(id, 0);
  if (!has_formulas(r, matrix, most_rows_of_formulas)) return;
  give_rows(solved(rows_of(r, matrix), rows_of(r, r.from().input_of(id, 1)),
                   ops::matrix_fault::pivot_of_solve),
            elements);
}
constexpr void elements_of_inverse(scalar_replacement& r, int id, list<int>& elements) {
  int const matrix = r.from().input_of(id, 0);
  if (!has_formulas(r, matrix, most_rows_of_formulas)) return;
  element const e = r.from().type(id).element;
  term_rows identity;
  for (int i = 0, n = r.extents(id)[0]; i < n; ++i) {
    identity.push_back({});
    for (int j = 0; j < n; ++j) identity[i].push_back({&r.made, r.made.literal(i == j, e)});
  }
  give_rows(solved(rows_of(r, matrix), identity, ops::matrix_fault::pivot_of_inverse), elements);
}
constexpr void elements_of_solve_triangular(scalar_replacement& r, int id, list<int>& elements) {
  int const matrix = r.from().input_of(id, 0);
  if (!has_formulas(r, matrix, most_rows_of_triangles)) return;
  bool const lower = r.from().attribute(id, 0) != 0, unit = r.from().attribute(id, 1) != 0;
  term_rows const a = rows_of(r, matrix), b = rows_of(r, r.from().input_of(id, 1));
  int const n = a.size();
  term_rows x(n, {});
  for (int step = 0; step < n; ++step) {
    int const i = lower ? step : n - 1 - step;
    term const pivot =
        unit ? a[i][i]
             : checked(a[i][i], call<op::neq>(a[i][i], 0), ops::matrix_fault::diagonal, i, n);
    for (int j = 0; j < b[i].size(); ++j) {
      term const rest = without_products(
          b[i][j], lower ? 0 : i + 1, lower ? i : n, [&](int k) { return a[i][k]; },
          [&](int k) { return x[k][j]; });
      x[i].push_back(unit ? rest : term(rest / pivot));
    }
  }
  give_rows(x, elements);
}

/// The determinant of the rows from `first` on without some columns, by expansion along the first
/// one.
constexpr term determinant(term_rows const& a, int first, unsigned columns_left_out) {
  int const n = a.size();
  term sum{};
  for (int j = 0, sign = 1; j < n; ++j) {
    unsigned const column = 1u << j;
    if ((columns_left_out & column) != 0) continue;
    if (term const x = a[first][j]; !is_zero(x)) {
      term const product =
          first + 1 == n ? x : term(x * determinant(a, first + 1, columns_left_out | column));
      if (!sum.exists()) sum = sign > 0 ? product : term(-product);
      else sum = sign > 0 ? term(sum + product) : term(sum - product);
    }
    sign = -sign;
  }
  return sum.exists() ? sum : term{a[0][0].of, a[0][0].of->literal(0, a[0][0].element())};
}
constexpr void elements_of_det(scalar_replacement& r, int id, list<int>& elements) {
  int const matrix = r.from().input_of(id, 0);
  if (!has_formulas(r, matrix, most_rows_of_formulas)) return;
  elements.push_back(determinant(rows_of(r, matrix), 0, 0).id);
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
  int const matrix = r.from().input_of(id, 0);
  if (has_formulas(r, matrix, most_rows_of_formulas))
    elements.push_back(sign_and_logarithm(rows_of(r, matrix)).first.id);
}
constexpr void elements_of_item(scalar_replacement& r, int id, list<int>& elements) {
  int const of = r.from().input_of(id, 0);
  if (!r.from().is<op::slogdet>(of)) return;
  int const matrix = r.from().input_of(of, 0);
  if (has_formulas(r, matrix, most_rows_of_formulas))
    elements.push_back(sign_and_logarithm(rows_of(r, matrix)).second.id);
}

constexpr void elements_of_cholesky(scalar_replacement& r, int id, list<int>& elements) {
  int const matrix = r.from().input_of(id, 0);
  if (!has_formulas(r, matrix, most_rows_of_triangles)) return;
  term_rows l = rows_of(r, matrix);
  term const zero{&r.made, r.zero(r.from().type(id).element)};
  int const n = l.size();
  for (int j = 0; j < n; ++j) {
    auto const of_row_j = [&](int k) { return l[j][k]; };
    term const square = without_products(l[j][j], 0, j, of_row_j, of_row_j);
    l[j][j] = call<op::sqrt>(
        checked(square, call<op::gt>(square, 0), ops::matrix_fault::minor, j + 1, n));
    for (int i = j + 1; i < n; ++i) {
      l[i][j] = without_products(l[i][j], 0, j, [&](int k) { return l[i][k]; }, of_row_j) / l[j][j];
      l[j][i] = zero;
    }
  }
  give_rows(l, elements);
}

}  // namespace kroton::rewrite
