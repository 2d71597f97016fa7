// What equations with a factor on either side of the unknown compute by: triangular forms of both.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/op/linear_algebra/triangular_form.hpp>
#include <kroton/ops/linear_algebra/sylvester.hpp>

namespace kroton::cpu {

template <>
struct kernel<op::solve_sylvester> {
  // LAPACK reads row-major memory as transposes, which solve the equation of b', a' and q'.
  template <ops::linear_number T>
  static void run(invocation const& call) {
    array_ref const &a = call.operand(0), &b = call.operand(1), &q = call.operand(2);
    int const m = lapack::rows_of(a), n = lapack::rows_of(b);
    if (m == 0 || n == 0) return;
    std::ptrdiff_t const of_a = std::ptrdiff_t{m} * m, of_b = std::ptrdiff_t{n} * n,
                         of_q = std::ptrdiff_t{m} * n;
    T* const memory = lapack::work<T, 1>(2 * (of_a + of_b + of_q));
    T *const left = memory + of_a, *const other = left + of_a, *const right = other + of_b,
             *const x = right + of_b, *const between = x + of_q;
    lapack::pack(memory, a);
    lapack::pack(other, b);
    // As in the gradient of a square root.
    bool const are_equal = m == n && std::equal(memory, memory + of_a, other);
    triangular_form("solve_sylvester", memory, m, left);
    if (are_equal) std::copy(left, left + of_a, right), std::copy(memory, memory + of_a, other);
    else triangular_form("solve_sylvester", other, n, right);
    T* const result = lapack::data_of<T>(call.result());
    lapack::pack(result, q);
    into_bases(left, m, right, n, result, between, x);
    lapack::real_t<T> scale = 1;
    int const plus = 1;
    int info = 0;
    lapack::trsyl<T>("N", "N", &plus, &n, &m, other, &n, memory, &m, x, &n, &scale, &info, 1, 1);
    if (info != 0)
      lapack::refuse("solve_sylvester",
                     "an eigenvalue of the first matrix is the negative of one of the second, up "
                     "to rounding, so that the solution is not unique");
    out_of_bases(left, m, right, n, x, between, result);
    if (scale != 1)
      for (std::ptrdiff_t i = 0; i < of_q; ++i) result[i] /= scale;
  }
};

}  // namespace kroton::cpu
