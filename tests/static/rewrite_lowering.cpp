// What the back end gets: unary and binary ops, one division, squarings; and no work twice.
// SPDX-License-Identifier: BSD-3-Clause
#include "rewrite_support.hpp"

using namespace rewrite_test;
using dmatrix = kt::dmatrix;

/// Counts the nodes of an op after all stages.
template <class Op, class F>
constexpr int count(kt::tensor_type type, F f) {
  kt::graph const g = optimized(f, type, kt::stage::specialize);
  int found = 0;
  for (int id = 0; id < g.size(); ++id) found += g.is<Op>(id);
  return found;
}
template <class F>
constexpr int arithmetic(kt::tensor_type type, F f) {
  kt::graph const g = optimized(f, type, kt::stage::specialize);
  int found = 0;
  for (int id = 0; id < g.size(); ++id) found += g[id].op->elementwise;
  return found;
}
#define COUNT(Op, type, ...) count<kt::op::Op>(type, EXPRESSION(__VA_ARGS__))
#define OPERATIONS(type, ...) arithmetic(type, EXPRESSION(__VA_ARGS__))

static_assert(COUNT(sqr, number, pow(a, 10)) == 3 && OPERATIONS(number, pow(a, 10)) == 4);
static_assert(COUNT(sqr, number, pow(a, 16)) == 4 && OPERATIONS(number, pow(a, 16)) == 4);
static_assert(OPERATIONS(number, pow(a, 15)) == 6);
static_assert(COUNT(pow, number, pow(a, 513)) == 1);
static_assert(COUNT(sqr, number, maximum(pow(a, 4), pow(a, 8))) == 3);
static_assert(COUNT(inv, number, pow(a, -2)) == 1 && COUNT(sqr, number, pow(a, -2)) == 1);
static_assert(COUNT(sqrt, number, pow(a, 0.5)) == 1 && OPERATIONS(number, pow(a, 0.5)) == 1);
static_assert(COUNT(sqrt, number, pow(a, -0.5)) == 1 && COUNT(inv, number, pow(a, -0.5)) == 1);
static_assert(OPERATIONS(number, a * a) == 1 && COUNT(sqr, number, a * a) == 1);
static_assert(OPERATIONS(matrix, a / (((a * b) / c) / d)) == 2 && COUNT(div, matrix, a / (((a * b) / c) / d)) == 1);
static_assert(COUNT(div, number, a / b / c / d) == 3);
static_assert(COUNT(div, number, a / 3) == 0 && COUNT(mul, number, a / 3) == 1);
static_assert(OPERATIONS(number, -a) == 1 && COUNT(neg, number, -a) == 1);
static_assert(OPERATIONS(number, a - b) == 1 && COUNT(sub, number, a - b) == 1);
static_assert(OPERATIONS(number, a - 2 * b) == 2 && OPERATIONS(number, 1 - a) == 1);
static_assert(OPERATIONS(number, -a * b) == 2);
static_assert(OPERATIONS(number, a + b - c - d) == 3);
static_assert(OPERATIONS(integers, -(a * a * a) + 2 * b - 5) == 5);
// What a sum takes away is negated for others.
static_assert(OPERATIONS(number, exp(-2 * a * b) * cos(c - 2 * a * b)) == 7 && OPERATIONS(matrix, exp(-a / b) * cos(c - a / b)) == 6);
// The derivative of tanh is made from tanh where that is there.
static_assert(COUNT(sech2, matrix, 1 - sqr(tanh(a))) == 1 && COUNT(tanh, matrix, 1 - sqr(tanh(a))) == 0);
static_assert(COUNT(sech2, matrix, tanh(a) + b * (1 - sqr(tanh(a)))) == 0 && OPERATIONS(matrix, tanh(a) + b * (1 - sqr(tanh(a)))) == 5);
// A multiple of a sum that is there, of whichever sign; elsewhere every term keeps its factor.
static_assert(OPERATIONS(number, exp(a - b) + erf(3 * a - 3 * b)) == 5 && OPERATIONS(number, exp(a - b) + erf(3 * b - 3 * a)) == 5);
static_assert(OPERATIONS(number, exp(a + 1) + cos(2 * a + 2)) == 5 && OPERATIONS(number, exp(a - 1) + cos(2 * a + 2)) == 6);
static_assert(OPERATIONS(number, exp(a + b) + cos(exp(-2 * a - 2 * b))) == 6);
static_assert(OPERATIONS(number, 2 * a - 2 * b) == 3 && OPERATIONS(number, exp(a - b) + cos(2 * a - 3 * b)) == 7);
static_assert(OPERATIONS(number, tanh(a + b) + erf(0.5 * a + 0.5 * b)) == 7 && OPERATIONS(number, cos(2 * a - 2 * b) + erf(3 * a - 3 * b)) == 6);
// The square of a sum.
static_assert(OPERATIONS(matrix, a * a + b * b + 2 * a * b) == 2 && OPERATIONS(matrix, a * a - 2 * a * b + b * b) == 2);
static_assert(OPERATIONS(number, 3 * a * a + 6 * a * b + 3 * b * b - c) == 4);

// Scalars meet scalars before they meet a matrix.
static_assert([] {
  kt::graph const g = optimized(EXPRESSION(a * sum(b) / sum(d)), matrix, kt::stage::specialize);
  int on_matrices = 0;
  for (int id = 0; id < g.size(); ++id) on_matrices += g[id].op->elementwise && g.type(id).rank == 2;
  return on_matrices;
}() == 1);

// A view that sank below a function comes up again where the function is computed anyway.
static_assert(COUNT(exp, matrix, sum(exp(a)) * transpose(exp(a))) == 1);
static_assert(COUNT(exp, matrix, dmatrix(exp(a))(0) + sum(exp(a), kt::axis<0>)) == 1);
// Where it adds axes, all that follows comes with it, so that one loop computes all.
static_assert([] {
  auto const f = EXPRESSION(sum(tan(sum(c, kt::axis<0>) + sum(a, kt::axis<1>))) + sum(tanh(dimshuffle<0, 'x'>(sum(c, kt::axis<0>) + sum(a, kt::axis<1>))) * b));
  kt::graph const g = optimized(f, matrix, kt::stage::specialize);
  for (int id = 0; id < g.size(); ++id)
    if (g.is<kt::op::tanh>(id)) return g.type(id).rank == 1 && g.is<kt::op::add>(g.input_of(id, 0));
  return false;
}());
// So does one that sank below a product, as in the gradient of a layer.
static_assert(COUNT(dot, matrix, dot(a, b) + transpose(dot(a, b))) == 1);
static_assert(COUNT(dot, matrix, dot(a, transpose(b)) + transpose(dot(a, transpose(b)))) == 1);
static_assert(COUNT(dot, matrix, dot(transpose(tanh(dot(a, b) + sum(c, kt::axis<0>))), d) + dot(tanh(dot(a, b) + sum(c, kt::axis<0>)), d)) == 3);

// Nothing n-ary is left.
static_assert([] {
  kt::graph const g = optimized(EXPRESSION(a * b * c * d + a + b + c + sum(a) * 2), matrix, kt::stage::specialize);
  for (int id = 0; id < g.size(); ++id)
    if (g[id].op->elementwise && g[id].op->arity != g[id].input_count) return false;
  return true;
}());
// Products of matrices keep their scalars in front.
static_assert(COUNT(dot, matrix, 2 * dot(a, b) + 3 * c) == 1 && OPERATIONS(matrix, 2 * dot(a, b) + 3 * c) == 3);
