// Views, spread values, reductions and products of matrices have one spelling too.
// SPDX-License-Identifier: BSD-3-Clause
#include "rewrite_support.hpp"

using namespace rewrite_test;
using dmatrix = kt::dmatrix;

#define EQUAL(type, left, right) static_assert(equal(type, EXPRESSION(left), EXPRESSION(right)))
#define DIFFERENT(type, left, right) static_assert(!equal(type, EXPRESSION(left), EXPRESSION(right)))

// Transposes and added axes.
EQUAL(matrix, transpose(transpose(a)), a);
EQUAL(matrix, transpose(exp(transpose(a)) * b), exp(a) * transpose(b));
EQUAL(matrix, transpose(dot(a, b)), dot(transpose(b), transpose(a)));
EQUAL(matrix, transpose(a + 2 * b), transpose(a) + 2 * transpose(b));
EQUAL(vector, (kt::dimshuffle<'x', 0>(a + b)), (kt::dimshuffle<'x', 0>(a) + kt::dimshuffle<'x', 0>(b)));
DIFFERENT(matrix, transpose(a), a);

// Reshapes.
EQUAL(matrix, kt::flatten(exp(dmatrix(a))), exp(kt::flatten(dmatrix(a))));
EQUAL(matrix, kt::reshape<2>(kt::flatten(dmatrix(a)), dmatrix(a).shape(0), dmatrix(a).shape(1)), a);
EQUAL(vector, kt::flatten(kt::dvector(a)), a);

// Parts.
EQUAL(matrix, dmatrix(a)(kt::slice(), kt::slice()), a);
EQUAL(matrix, dmatrix(a)(kt::slice(0, dmatrix(a).shape(0))), a);
EQUAL(matrix, dmatrix(a * b + 1)(0), dmatrix(a)(0) * dmatrix(b)(0) + 1);
EQUAL(matrix, dmatrix(dot(a, b))(1, 2), dot(dmatrix(a)(1), dmatrix(b)(kt::slice(), 2)));
EQUAL(matrix, dmatrix(dmatrix(a)(kt::slice(1, kt::none)))(kt::slice(), 2)(0), dmatrix(a)(kt::slice(1, kt::none), 2)(0));
// Slices of slices.
constexpr auto from(int n) { return kt::slice(n, kt::none); }
using kt::dvector;
EQUAL(vector, dvector(dvector(a)(from(1)))(from(2)), dvector(a)(from(3)));
EQUAL(vector, dvector(dvector(dvector(a)(from(1)))(from(2)))(from(3)), dvector(a)(from(6)));
EQUAL(vector, dvector(dvector(a)(from(1)))(kt::slice(2)), dvector(a)(kt::slice(1, 3)));
EQUAL(vector, dvector(dvector(a)(kt::slice(5)))(kt::slice(3)), dvector(a)(kt::slice(3)));
EQUAL(vector, dvector(dvector(a)(kt::slice(2, 7)))(kt::slice(1, 3)), dvector(a)(kt::slice(3, 5)));
EQUAL(matrix, dmatrix(exp(dmatrix(dmatrix(a)(from(1)))))(kt::slice(), from(2)), exp(dmatrix(a)(from(1), from(2))));
DIFFERENT(vector, dvector(dvector(a)(from(1)))(from(2)), dvector(a)(from(2)));
DIFFERENT(vector, dvector(dvector(a)(from(1)))(kt::slice(2)), dvector(a)(kt::slice(1, 2)));
EQUAL(matrix, dmatrix(transpose(a))(0), dmatrix(a)(kt::slice(), 0));
EQUAL(matrix, dmatrix(zeros_like(a))(0), zeros_like(dmatrix(a)(0)));
DIFFERENT(matrix, dmatrix(a)(0), dmatrix(a)(1));

// Written, taken and joined parts.
EQUAL(matrix, set_subtensor(dmatrix(a)(0), 2 * dmatrix(b)(1))(0), 2 * dmatrix(b)(1));
EQUAL(matrix, inc_subtensor(set_subtensor(dmatrix(a)(0), 1)(0), dmatrix(b)(1)), set_subtensor(dmatrix(a)(0), 1 + dmatrix(b)(1)));
EQUAL(matrix, set_subtensor(dmatrix(a)(0), dmatrix(a)(0) + dmatrix(b)(1)), inc_subtensor(dmatrix(a)(0), dmatrix(b)(1)));
EQUAL(matrix, b - sum(c) * inc_subtensor(dmatrix(zeros_like(a))(1), dmatrix(a)(0)), inc_subtensor(dmatrix(b)(1), -sum(c) * dmatrix(a)(0)));
EQUAL(matrix, kt::concatenate<0>(dmatrix(a)(kt::slice(2)), dmatrix(a)(from(2))), a);
EQUAL(matrix, kt::concatenate<0>(dmatrix(a), dmatrix(b))(kt::slice(dmatrix(a).shape(0), kt::none)), b);
EQUAL(matrix, sum(kt::stack(dmatrix(a), dmatrix(b)), kt::axis<0>), a + b);
EQUAL(matrix, take(dmatrix(a * b), kt::cast<std::int64_t>(dmatrix(c)(0)), kt::axis<0>), take(dmatrix(b * a), kt::cast<std::int64_t>(dmatrix(c)(0)), kt::axis<0>));
DIFFERENT(matrix, inc_subtensor(dmatrix(a)(0), 1.), inc_subtensor(dmatrix(a)(1), 1.));
DIFFERENT(matrix, inc_subtensor(dmatrix(a)(0), 1.), set_subtensor(dmatrix(a)(0), 1.));

// Values that are spread.
EQUAL(matrix, a * 0 + b, b);
EQUAL(matrix, zeros_like(a + b), zeros_like(b + a));
EQUAL(matrix, exp(zeros_like(a)) + b, 1 + b);
EQUAL(matrix, a - a + ones_like(b), ones_like(a + b));
EQUAL(matrix, sum(c) * a / a, full_like(a, 1) * sum(c));

// Reductions.
EQUAL(matrix, sum(-a), -sum(a));
EQUAL(matrix, sum(3 * a * sum(b)), 3 * sum(b) * sum(a));
EQUAL(matrix, sum(a / sum(b)), sum(a) / sum(b));
EQUAL(matrix, sum(sum(a, kt::axis<0>)), sum(a));
EQUAL(matrix, max(max(a, kt::axis<1>)), max(a));
EQUAL(matrix, sum(transpose(a), kt::axis<0>), sum(a, kt::axis<1>));
EQUAL(matrix, sum(transpose(a)), sum(a));
EQUAL(matrix, sum(a, kt::axis<>), a);
EQUAL(matrix, sum(a, kt::axis<1>, kt::keepdims), (kt::dimshuffle<0, 'x'>(sum(a, kt::axis<1>))));
EQUAL(matrix, mean(ones_like(a)), 1 + 0 * sum(a));
EQUAL(matrix, -max(-a), min(a));
EQUAL(matrix, sum(a * sum(b, kt::axis<1>, kt::keepdims), kt::axis<1>), sum(a, kt::axis<1>) * sum(b, kt::axis<1>));
DIFFERENT(matrix, sum(a, kt::axis<0>), sum(a, kt::axis<1>));

// Products of matrices.
EQUAL(matrix, dot(2 * a, 3 * b), 6 * dot(a, b));
EQUAL(matrix, dot(a, zeros_like(b)) + c, c + 0 * dot(a, b));
EQUAL(matrix, dot(sum(c) * a, b), sum(c) * dot(a, b));
DIFFERENT(matrix, dot(a, b), dot(b, a));

// Conversions.
EQUAL(floats, kt::cast<float>(kt::cast<double>(a)), a);
EQUAL(integers, kt::cast<std::int64_t>(kt::cast<std::int32_t>(a)), kt::cast<std::int64_t>(kt::cast<std::int32_t>(a)));
DIFFERENT(integers, kt::cast<std::int64_t>(kt::cast<std::int32_t>(a)), a);

// Extents are known without their tensors.
EQUAL(matrix, dmatrix(exp(a) + b).shape(1), dmatrix(a).shape(1));
EQUAL(matrix, dmatrix(dot(a, b)).shape(1), dmatrix(b).shape(1));
EQUAL(matrix, dmatrix(transpose(a)).shape(0), dmatrix(a).shape(1));
