// Sums, products, powers and signs: expressions that are equal are one list of nodes after canonicalization.
// SPDX-License-Identifier: BSD-3-Clause
#include "rewrite_support.hpp"

using namespace rewrite_test;

#define EQUAL(type, left, right) static_assert(equal(type, EXPRESSION(left), EXPRESSION(right)))
#define DIFFERENT(type, left, right) static_assert(!equal(type, EXPRESSION(left), EXPRESSION(right)))

// The paper's chain, and quotients.
EQUAL(matrix, a / (((a * b) / c) / d), (c * d) / b);
EQUAL(matrix, (a * b) / a, b);
EQUAL(matrix, a / b / a, 1 / b);
EQUAL(matrix, a / b / c, a / (b * c));
EQUAL(matrix, a / (b / c), (a * c) / b);
EQUAL(matrix, (a / b) * (b / c) * (c / d), a / d);
EQUAL(matrix, (2 * a) / (4 * b), 0.5 * a / b);
EQUAL(matrix, 2 * a / 2, a);
EQUAL(matrix, 49 * a / 49, a);
EQUAL(matrix, a / a, ones_like(a));
EQUAL(matrix, a / 1, a);
EQUAL(matrix, 1 / (1 / a), a);
EQUAL(matrix, 0 / a, zeros_like(a));
DIFFERENT(matrix, a / b, b / a);

// Commutative and associative.
EQUAL(matrix, a * b * c, c * (b * a));
EQUAL(matrix, a + b + c + d, (d + c) + (b + a));
EQUAL(matrix, (a + 2) + (b + 3), a + b + 5);
EQUAL(matrix, maximum(a, maximum(b, a)), maximum(b, a));
EQUAL(matrix, eq(a, b), eq(b, a));
DIFFERENT(matrix, a - b, b - a);
DIFFERENT(matrix, a + b, a + c);

// Like terms and factors.
EQUAL(matrix, a + b - a, b);
EQUAL(matrix, a * b - b * a, zeros_like(a));
EQUAL(matrix, a + a + a, 3 * a);
EQUAL(matrix, a * a * a, pow(a, 3));
EQUAL(matrix, a * b + a * c, a * (b + c));
EQUAL(matrix, a * b + c + a * b, c + 2 * a * b);
EQUAL(matrix, a * b + a * c + d, d + a * c + b * a);
EQUAL(matrix, a / (a + b) + b / (a + b), ones_like(a));
EQUAL(matrix, (a / b + c / d) * b * d, a * d + c * b);
EQUAL(matrix, (a / b + c) * b, a + c * b);
DIFFERENT(matrix, (a + b) * c, a * c + b);

// A value that several nodes read: the form does not depend on the order in which it is read, nor grow with its square.
constexpr auto shared_sum = [](auto a, auto b, auto c, auto d) {
  auto h = a + b + c;
  return d * h + (sin(h) + 2 * h);
};
constexpr auto same_shared_sum = [](auto a, auto b, auto c, auto d) {
  auto h = c + (a + b);
  return (2 * h + h * d) + sin(h);
};
static_assert(equal(matrix, shared_sum, same_shared_sum));
constexpr auto shared_product = [](auto a, auto b, auto c, auto d) {
  auto h = a * b * c;
  return h / d + log(h) * h;
};
constexpr auto same_shared_product = [](auto a, auto b, auto c, auto d) {
  auto h = c * (b * a);
  return h * log(h) + 1 / d * h;
};
static_assert(equal(matrix, shared_product, same_shared_product));
template <int Steps>
constexpr auto recurrence = [](auto a, auto b, auto c, auto) {
  auto h = tanh(a * b) + c * a + b;
  for (int i = 1; i < Steps; ++i) h = tanh(h * b) + 0.1 * h + c;
  return h;
};
static_assert(size_of(matrix, recurrence<20>) < 2.1 * size_of(matrix, recurrence<10>));

// Signs.
EQUAL(matrix, -(-a), a);
EQUAL(matrix, -(a - b), b - a);
EQUAL(matrix, a - (-b), a + b);
EQUAL(matrix, -(a / b), (-a) / b);
EQUAL(matrix, (a - b) * (a - b), (b - a) * (b - a));
EQUAL(matrix, (a - b) * (c - d), (b - a) * (d - c));
EQUAL(matrix, sin(a - b), -sin(b - a));
EQUAL(matrix, cosh(-a), cosh(a));
EQUAL(matrix, abs(-a * b), abs(a) * abs(b));
EQUAL(matrix, a / abs(a), sgn(a));
EQUAL(matrix, 4 * a / abs(2 * a), 2 * sgn(a));
EQUAL(matrix, (2 * a) / (3 * abs(a)), (2.0 / 3) * sgn(a));
EQUAL(matrix, sgn(1 / a), sgn(a));

// Powers, exponentials and logarithms.
EQUAL(matrix, pow(a, 0), ones_like(a));
EQUAL(matrix, pow(a, 1), a);
EQUAL(matrix, pow(1, a), ones_like(a));
EQUAL(matrix, sqrt(a) * sqrt(a), a);
EQUAL(matrix, sqrt(a * a), abs(a));
EQUAL(matrix, sqr(sqr(a)), pow(a, 4));
EQUAL(matrix, inv(a), pow(a, -1));
EQUAL(matrix, pow(a, b) * pow(a, c), pow(a, b + c));
EQUAL(matrix, exp(a) * exp(b), exp(a + b));
EQUAL(matrix, exp(a) / exp(b), exp(a - b));
EQUAL(matrix, pow(exp(a), 3), exp(3 * a));
EQUAL(matrix, c / exp(b), c * exp(-b));
EQUAL(matrix, exp(log(a)), a);
EQUAL(matrix, log(exp(a)), a);
EQUAL(matrix, log(sqrt(a)), 0.5 * log(a));
EQUAL(matrix, log(1 / a), -log(a));
EQUAL(matrix, softplus(log(a)), log1p(a));
EQUAL(matrix, exp(log1mexp(a)), -expm1(a));
DIFFERENT(matrix, exp(a), exp(b));

// Choices and comparisons.
EQUAL(matrix, where(a > 0, b, b), b);
EQUAL(matrix, a * where(b > 0, 0, c) * d, where(b > 0, 0, a * c * d));
EQUAL(matrix, where(b > 0, c, 0) / a, where(b > 0, c / a, 0));
EQUAL(matrix, where(a > 0, b, 0) + where(a > 0, 0, c), where(a > 0, b, c));
EQUAL(matrix, kt::cast<double>(eq(a, a)), ones_like(a));
EQUAL(matrix, kt::cast<double>(lt(a, a)), zeros_like(a));
EQUAL(matrix, kt::cast<double>(a < b), kt::cast<double>(b > a));
EQUAL(matrix, kt::cast<double>(a <= b), kt::cast<double>(b >= a));
EQUAL(matrix, sum(where(a > 0, 2 * b * c, b * d)), sum(b * where(a > 0, 2 * c, d)));
EQUAL(matrix, sum(where(a > 0, 2 * b, 2 * d), kt::axis<0>), 2 * sum(where(a > 0, b, d), kt::axis<0>));
EQUAL(matrix, sum(where(a > 0, b * b * c, b * d)), sum(where(a > 0, sqr(b) * c, b * d)));
EQUAL(matrix, where(0 < a, b, c), where(a > 0, b, c));
EQUAL(matrix, where(a >= b, 0, c) * d, where(b <= a, 0, c * d));
EQUAL(matrix, kt::cast<double>(gt(a, a)), zeros_like(a));
EQUAL(matrix, kt::cast<double>(ge(a, a)), ones_like(a));
DIFFERENT(matrix, kt::cast<double>(a < b), kt::cast<double>(a > b));
DIFFERENT(matrix, kt::cast<double>(a < b), kt::cast<double>(a <= b));
DIFFERENT(matrix, where(a < b, c, d), where(a >= b, d, c));  // a NaN makes both conditions false

// Integers: only what holds for them.
EQUAL(integers, a * 3 - b + a * 2 - a * 5, -b);
EQUAL(integers, a * b - b * a, zeros_like(a));
EQUAL(integers, floordiv(a, 1), a);
DIFFERENT(integers, floordiv(a, b) * b, a);
DIFFERENT(integers, kt::cast<std::int64_t>(a / 2) * 2, a);

// float32 stays float32.
static_assert(optimized(EXPRESSION(2 * a / 3 + b), floats, kt::stage::specialize).type(0).element == kt::element::float32);
EQUAL(floats, 0.5 * a + 0.25 * a, 0.75 * a);

// How many nodes are left: one sum, one product, whatever the parentheses.
static_assert(size_of(matrix, EXPRESSION(a + b + c + 2)) == 2);
static_assert(size_of(matrix, EXPRESSION(2 * a * b * c * 2)) == 2);
static_assert(size_of(matrix, EXPRESSION(2 + a + b + c + 2)) == 2);

// Strict floating point: nothing that a NaN, an infinity or a rounding could tell apart.
#define STRICT(left, right) static_assert(!equal(matrix, EXPRESSION(left), EXPRESSION(right), kt::stage::canonicalize, true))
STRICT(a - a, zeros_like(a));
STRICT(a / a, ones_like(a));
STRICT(a * 0, zeros_like(a));
STRICT(exp(log(a)), a);
STRICT((a + b) + c, a + (b + c));
STRICT(a / b / c, a / (b * c));
STRICT(kt::cast<double>(eq(a, a)), ones_like(a));
static_assert(equal(matrix, EXPRESSION(a * b), EXPRESSION(b * a), kt::stage::canonicalize, true));
static_assert(equal(matrix, EXPRESSION(where(a > b, c, d)), EXPRESSION(where(b < a, c, d)), kt::stage::canonicalize, true));
STRICT(log(exp(a)), a);
