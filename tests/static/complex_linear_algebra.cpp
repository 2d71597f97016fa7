// Rules of linear algebra on complex matrices: what is true of them too, and what needs a conjugate.
// SPDX-License-Identifier: BSD-3-Clause
#include "rewrite_support.hpp"

#include <kroton/grad/reverse.hpp>

using namespace rewrite_test;

inline constexpr kt::tensor_type complexes{kt::element::complex128, 2, 0};
inline constexpr auto adjoint = [](kt::term a) { return conj(transpose(a)); };

#define EQUAL(left, right) static_assert(equal(complexes, EXPRESSION(left), EXPRESSION(right)))
#define DIFFERENT(left, right) static_assert(!equal(complexes, EXPRESSION(left), EXPRESSION(right)))

// Inverses.
EQUAL(matrix_inverse(matrix_inverse(a)), a);
EQUAL(matrix_inverse(transpose(a)), transpose(matrix_inverse(a)));
EQUAL(dot(b, matrix_inverse(a)), transpose(solve(transpose(a), transpose(b))));
EQUAL(dot(adjoint(matrix_inverse(a)), b), solve(adjoint(a), b));
EQUAL(dot(conj(matrix_inverse(a)), b), solve(conj(a), b));
EQUAL(solve(matrix_inverse(a), b), dot(a, b));

// Factors: their product has a conjugate.
EQUAL(solve(dot(cholesky(a), adjoint(cholesky(a))), b),
      solve_triangular(adjoint(cholesky(a)), solve_triangular(cholesky(a), b, kt::lower), kt::upper));
EQUAL(solve(transpose(cholesky(a)), b), solve_triangular(transpose(cholesky(a)), b, kt::upper));
EQUAL(cholesky(dot(cholesky(a), adjoint(cholesky(a)))), cholesky(a));
DIFFERENT(cholesky(dot(cholesky(a), transpose(cholesky(a)))), cholesky(a));

// Determinants and diagonals.
EQUAL(det(transpose(a)), det(a));
EQUAL(det(adjoint(a)), conj(det(a)));
EQUAL(log(abs(det(a))), std::get<1>(slogdet(a)));
EQUAL(log(det(cholesky(a))), sum(log(diag(cholesky(a)))));
EQUAL(log(det(a)), complex(std::get<1>(slogdet(a)), angle(std::get<0>(slogdet(a)))));
EQUAL(trace(dot(a, b)) + 0 * det(dot(a, b)), sum(a * transpose(b)) + 0 * det(dot(a, b)));
EQUAL(matrix_inverse(diag(diag(a))), diag(1 / diag(a)));

// The direction of a determinant takes part in gradients without its magnitude, which could overflow.
EQUAL(sgn(det(a)) * conj(det(a)) * b, abs(det(a)) * b);
EQUAL(grad(log(abs(det(kt::zmatrix(a)))), kt::zmatrix(a)), adjoint(matrix_inverse(a)));
