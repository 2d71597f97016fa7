// Naive formulas become their accurate spellings, wherever they stand.
// SPDX-License-Identifier: BSD-3-Clause
#include "rewrite_support.hpp"

using namespace rewrite_test;
using dmatrix = kt::dmatrix;

#define STABLE(type, left, right) static_assert(stable(type, EXPRESSION(left), EXPRESSION(right)))

STABLE(number, log(1 + a), log1p(a));
STABLE(number, log(2 + (a - 1)), log1p(a));
STABLE(number, log(1 - a), log1p(-a));
STABLE(number, log(1 + exp(a)), softplus(a));
STABLE(number, log(exp(a) + 1), softplus(a));
STABLE(number, 1 / (1 + exp(-a)), sigmoid(a));
STABLE(number, exp(a) / (1 + exp(a)), sigmoid(a));
STABLE(number, 3 * b * exp(a) / (1 + exp(a)), 3 * sigmoid(a) * b);
STABLE(number, c / (1 + exp(a)), c * sigmoid(-a));
STABLE(number, exp(a) / pow(1 + exp(a), 2), sigmoid(a) * sigmoid(-a));
STABLE(number, exp(2 * a) / pow(1 + exp(a), 3), sqr(sigmoid(a)) * sigmoid(-a));
STABLE(number, 1 - 1 / (1 + exp(a)), sigmoid(a));
STABLE(number, 2 - 2 * sigmoid(a), 2 * sigmoid(-a));
STABLE(number, log(sigmoid(a)), -softplus(-a));
STABLE(number, log(1 - 1 / (1 + exp(-a))), -softplus(a));
STABLE(matrix, log(transpose(1 / (1 + exp(-a)))), -softplus(-transpose(a)));
STABLE(matrix, log(1 - kt::flatten(sigmoid(dmatrix(a)))), -softplus(kt::flatten(dmatrix(a))));
STABLE(number, log(exp(a) + exp(b)), logaddexp(a, b));
STABLE(number, exp(a) / (exp(a) + exp(b)), sigmoid(a - b));
STABLE(number, exp(a) - 1, expm1(a));
STABLE(number, 3 * exp(a) - 3, 3 * expm1(a));
STABLE(number, log(1 - exp(a)), log1mexp(a));
STABLE(number, log(exp(a) - exp(b)), a + log1mexp(b - a));
STABLE(number, (exp(a) - exp(-a)) / 2, sinh(a));
STABLE(number, (exp(a) + exp(-a)) / 2, cosh(a));
STABLE(number, (exp(a) - exp(-a)) / (exp(a) + exp(-a)), tanh(a));
STABLE(number, (exp(2 * a) - 1) / (exp(2 * a) + 1), tanh(a));
STABLE(number, (1 - exp(-2 * a)) / (1 + exp(-2 * a)), tanh(a));
STABLE(number, 2 * sigmoid(2 * a) - 1, tanh(a));
STABLE(number, 1 - sqr(tanh(a)), pow(cosh(a), -2));
STABLE(number, 1 - cos(a), 2 * sqr(sin(a / 2)));
// A function at two arguments with a term in common.
STABLE(number, sqrt(a + 1) - sqrt(a), 1 / (sqrt(a + 1) + sqrt(a)));
STABLE(number, b + 3 * sqrt(a + c + 2) - 3 * sqrt(a + c), b + 6 / (sqrt(a + c + 2) + sqrt(a + c)));
STABLE(number, 1 / (a + 1) - 1 / a, -1 / (a * (a + 1)));
STABLE(number, 1 / sqrt(a) - 1 / sqrt(a + 1), 1 / ((sqrt(a) + sqrt(a + 1)) * sqrt(a) * sqrt(a + 1)));
STABLE(number, log(a + 1) - log(a), log1p(1 / a));
STABLE(number, log(a) - log(a + 2), -log1p(2 / a));
STABLE(number, sin(a + b) - sin(a), 2 * sin(b / 2) * cos(a + b / 2));
STABLE(number, cos(a + b) - cos(a), -2 * sin(b / 2) * sin(a + b / 2));
STABLE(number, tan(a + b) - tan(a), sin(b) / (cos(a) * cos(a + b)));
STABLE(number, atan(a + 1) - atan(a), atan2(1, 1 + a * (a + 1)));
STABLE(number, (sqrt(a + 1) - sqrt(a)) + (sqrt(b + 1) - sqrt(b)), 1 / (sqrt(a + 1) + sqrt(a)) + 1 / (sqrt(b + 1) + sqrt(b)));
// Arguments that share nothing, or that merge, stay; so does what might be 0/0.
STABLE(number, sqrt(a + b) - sqrt(a), sqrt(a + b) - sqrt(a));
STABLE(number, sqrt(a) - sqrt(b), sqrt(a) - sqrt(b));
static_assert(size_of(number, EXPRESSION(log(a) - log(1 - a)), kt::stage::stabilize) == size_of(number, EXPRESSION(log(a) - log1p(-a)), kt::stage::stabilize));
static_assert(size_of(number, EXPRESSION(sin(2 * a) - sin(a)), kt::stage::stabilize) < 9);
STABLE(number, sigmoid(log(a / (1 - a))), a);
STABLE(number, sigmoid(a) / (1 - sigmoid(a)), exp(a));

// The seven spellings of the error functions.
STABLE(number, 1 + erf(a), erfc(-a));
STABLE(number, 1 - erf(a), erfc(a));
STABLE(number, 1 + (-1) * erf(a), erfc(a));
STABLE(number, erf(a) - 1, -erfc(a));
STABLE(number, -1 - erf(a), -erfc(-a));
STABLE(number, 1 - erfc(a), erf(a));
STABLE(number, erfc(-a) - 1, erf(a));
STABLE(number, log(1 - erf(a)), logerfc(a));
STABLE(number, b * exp(-a * a) / erfc(a), b / erfcx(a));

// Sums of exponentials over axes.
STABLE(matrix, log(sum(exp(a), kt::axis<1>)), logsumexp(a, kt::axis<1>));
STABLE(matrix, log(sum(exp(a), kt::axis<1>, kt::keepdims)), logsumexp(a, kt::axis<1>, kt::keepdims));
STABLE(matrix, log(mean(exp(a))), logsumexp(a) - log(mean(exp(0 * a)) * sum(ones_like(a))));
STABLE(matrix, exp(a) / sum(exp(a), kt::axis<1>, kt::keepdims), softmax(a));
STABLE(matrix, exp(a) / sum(exp(a), kt::axis<0>), softmax(a, kt::axis<0>));
STABLE(matrix, log(exp(a) / sum(exp(a), kt::axis<1>, kt::keepdims)), log_softmax(a));
STABLE(matrix, a - log(sum(exp(a), kt::axis<1>, kt::keepdims)), log_softmax(a));
STABLE(matrix, exp(a - max(a, kt::axis<1>, kt::keepdims)) / sum(exp(a - max(a, kt::axis<1>, kt::keepdims)), kt::axis<1>, kt::keepdims), softmax(a));
STABLE(matrix, max(a, kt::axis<1>) + log(sum(exp(a - max(a, kt::axis<1>, kt::keepdims)), kt::axis<1>)), logsumexp(a, kt::axis<1>));
STABLE(matrix, log(sum(exp(a - max(a, kt::axis<1>, kt::keepdims)), kt::axis<1>, kt::keepdims)) + max(a, kt::axis<1>, kt::keepdims), logsumexp(a, kt::axis<1>, kt::keepdims));
STABLE(matrix, b - log(sum(exp(a - max(a)))) - max(a), b - logsumexp(a));
STABLE(matrix, logsumexp(a + 2 * sum(b, kt::axis<0>), kt::axis<0>) - 2 * sum(b, kt::axis<0>), logsumexp(a, kt::axis<0>));
STABLE(matrix, 3 * logsumexp(a - sum(b) - sum(c, kt::axis<1>, kt::keepdims), kt::axis<1>) + 3 * sum(b), 3 * logsumexp(a - sum(c, kt::axis<1>, kt::keepdims), kt::axis<1>));
// What nothing cancels stays inside.
STABLE(matrix, logsumexp(a - 200000), logsumexp(a - 200000));
STABLE(matrix, logsumexp(a + sum(b, kt::axis<0>), kt::axis<0>), logsumexp(a + sum(b, kt::axis<0>), kt::axis<0>));
STABLE(matrix, logsumexp(a - sum(b), kt::axis<0>) + 2 * sum(b), logsumexp(a - sum(b), kt::axis<0>) + 2 * sum(b));
STABLE(matrix, exp(log_softmax(a)), softmax(a));
STABLE(matrix, sum(b * log(softmax(a))), sum(b * log_softmax(a)));

// A function of constants is folded after it was stabilized.
static_assert(optimized(EXPRESSION(log(1 + exp(0 * a + 800))), number, kt::stage::specialize).is_literal(4, 800));
// What the stages before leave alone.
static_assert(!equal(number, EXPRESSION(log(1 + exp(a))), EXPRESSION(softplus(a))));

// Strict floating point overflows where the expression as written does, and has its signs of zero.
static_assert(!equal(number, EXPRESSION(log(1 + exp(a))), EXPRESSION(softplus(a)), kt::stage::stabilize, true));
static_assert(!equal(number, EXPRESSION(1 / (1 + exp(-a))), EXPRESSION(sigmoid(a)), kt::stage::stabilize, true));
static_assert(!equal(number, EXPRESSION(exp(a) - 1), EXPRESSION(expm1(a)), kt::stage::stabilize, true));
static_assert(!equal(number, EXPRESSION(log(1 - exp(a))), EXPRESSION(log1mexp(a)), kt::stage::stabilize, true));
