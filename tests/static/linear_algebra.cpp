// Inverses, factors, determinants and diagonals have one spelling, which is the one that computes least.
// SPDX-License-Identifier: BSD-3-Clause
#include "rewrite_support.hpp"

#include <kroton/grad/reverse.hpp>

using namespace rewrite_test;
using dmatrix = kt::dmatrix;

#define EQUAL(type, left, right) static_assert(equal(type, EXPRESSION(left), EXPRESSION(right)))
#define DIFFERENT(type, left, right) static_assert(!equal(type, EXPRESSION(left), EXPRESSION(right)))

// Inverses.
EQUAL(matrix, matrix_inverse(matrix_inverse(a)), a);
EQUAL(matrix, matrix_inverse(transpose(a)), transpose(matrix_inverse(a)));
EQUAL(matrix, dot(matrix_inverse(a), b), solve(a, b));
EQUAL(matrix, dot(matrix_inverse(a), dmatrix(b)(0)), solve(a, dmatrix(b)(0)));
EQUAL(matrix, dot(b, matrix_inverse(a)), transpose(solve(transpose(a), transpose(b))));
EQUAL(matrix, dot(dmatrix(b)(0), matrix_inverse(a)), solve(transpose(a), dmatrix(b)(0)));
EQUAL(matrix, dot(matrix_inverse(transpose(a)), b), solve(transpose(a), b));
EQUAL(matrix, solve(matrix_inverse(a), b), dot(a, b));
DIFFERENT(matrix, solve(a, b), solve(b, a));
DIFFERENT(matrix, dot(matrix_inverse(a), b), solve(transpose(a), b));

// Factors.
EQUAL(matrix, solve(cholesky(a), b), solve_triangular(cholesky(a), b, kt::lower));
EQUAL(matrix, solve(transpose(cholesky(a)), b), solve_triangular(transpose(cholesky(a)), b, kt::upper));
EQUAL(matrix, solve(dot(cholesky(a), transpose(cholesky(a))), b),
      solve_triangular(transpose(cholesky(a)), solve_triangular(cholesky(a), b, kt::lower), kt::upper));
EQUAL(matrix, cholesky(dot(cholesky(a), transpose(cholesky(a)))), cholesky(a));
DIFFERENT(matrix, cholesky(dot(transpose(cholesky(a)), cholesky(a))), cholesky(a));

// Determinants.
EQUAL(matrix, det(transpose(a)), det(a));
EQUAL(matrix, det(matrix_inverse(a)), 1 / det(a));
EQUAL(matrix, det(dot(a, b)) + det(a) + det(b), det(a) * det(b) + det(a) + det(b));  // the sum says that both are square
DIFFERENT(matrix, det(dot(a, b)), det(a) * det(b));
EQUAL(matrix, det(cholesky(a)), prod(diag(cholesky(a))));
EQUAL(matrix, log(abs(det(a))), std::get<1>(slogdet(a)));
EQUAL(matrix, log(det(cholesky(a))), sum(log(diag(cholesky(a)))));
EQUAL(matrix, grad(log(det(dmatrix(a))), dmatrix(a)), transpose(matrix_inverse(a)));

// Diagonals.
EQUAL(vector, diag(diag(a)), a);
EQUAL(vector, matrix_inverse(diag(a)), diag(1 / a));
EQUAL(vector, det(diag(a)), prod(a));
EQUAL(vector, solve(diag(a), b), b / a);
EQUAL(vector, dot(diag(a), b), a * b);
EQUAL(vector, dot(a, diag(b)), a * b);
EQUAL(matrix, dot(diag(diag(a)), b) + 0 * dmatrix(b)(0), (kt::dimshuffle<0, 'x'>(diag(a))) * b + 0 * dmatrix(b)(0));
EQUAL(matrix, dot(b, diag(dmatrix(a)(0))), b * dmatrix(a)(0));
EQUAL(matrix, diag(transpose(a)), diag(a));
EQUAL(matrix, trace(dot(a, b)) + 0 * det(dot(a, b)), sum(a * transpose(b)) + 0 * det(dot(a, b)));
DIFFERENT(vector, diag(diag(a), 1), a);
