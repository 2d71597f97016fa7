// ifelse in the compiler: what the optimizer makes of it, and what the plan leaves to a condition.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

#include "static/rewrite_support.hpp"

using namespace rewrite_test;

// A choice between equals, or by a constant, is none; one by a negated condition is the other one.
static_assert(equal(matrix, EXPRESSION(ifelse(sum(a) > 0, b + c, c + b)), EXPRESSION(b + c)));
static_assert(equal(matrix, EXPRESSION(ifelse(true, a, b) + ifelse(0, a, c)), EXPRESSION(a + c)));
static_assert(equal(number, EXPRESSION(ifelse(~(a > 0), b, c)), EXPRESSION(ifelse(a > 0, c, b))));
static_assert(equal(number, EXPRESSION(ifelse(1 < a, b - b, 0 * c)), EXPRESSION(0 * d)));
// It is lifted over nothing.
static_assert(!equal(number, EXPRESSION(exp(ifelse(a > 0, b, c))), EXPRESSION(ifelse(a > 0, exp(b), exp(c)))));
static_assert(!equal(number, EXPRESSION(ifelse(a > 0, b, c)), EXPRESSION(where(a > 0, b, c))));

namespace {

/// The gradient of the sum of f by b, of b's shape.
template <class F>
constexpr auto gradient(F f) {
  return [=](auto a, auto b, auto c, auto d) { return grad(sum(f(a, b, c, d)), b); };
}

/// Steps that run only under conditions, after all stages, and all steps.
template <class F>
constexpr int guarded_steps(F f) {
  kt::graph g = optimized(f, vector, kt::stage::specialize);
  int count = 0;
  for (auto const& step : kt::plan::planner(g).steps) count += step.guards.empty() ? 0 : 1;
  return count;
}
template <class F>
constexpr int steps(F f) {
  kt::graph g = optimized(f, vector, kt::stage::specialize);
  return kt::plan::planner(g).steps.size();
}

}  // namespace

// Gradients are choices too: of one that goes into both branches, the sum of two choices is one.
static_assert(equal(vector, gradient(EXPRESSION(ifelse(sum(a) > 0, exp(b), c))),
                    EXPRESSION(ifelse(sum(a) > 0, exp(b), zeros_like(b)))));
static_assert(equal(vector, gradient(EXPRESSION(ifelse(sum(a) > 0, exp(b), sin(b)))),
                    EXPRESSION(ifelse(sum(a) > 0, exp(b), cos(b)))));
static_assert(equal(vector, gradient(EXPRESSION(ifelse(sum(a) > 0, exp(b), c) + ifelse(sum(a) > 0, sin(b), d))),
                    EXPRESSION(ifelse(sum(a) > 0, exp(b) + cos(b), zeros_like(b)))));

// The condition (its sum, then the comparison), one loop for each branch, and the choice; what both branches read, or a result
// besides, is not a branch's own.
static_assert(steps(EXPRESSION(ifelse(sum(a) > 0, exp(b), sin(c)))) == 5);
static_assert(guarded_steps(EXPRESSION(ifelse(sum(a) > 0, exp(b), sin(c)))) == 2);
static_assert(guarded_steps(EXPRESSION(ifelse(sum(a) > 0, exp(b), b))) == 1);
static_assert(guarded_steps(EXPRESSION(ifelse(sum(a) > 0, exp(b), exp(b) * c))) == 1);
static_assert(guarded_steps(EXPRESSION(ifelse(sum(a) > 0, exp(b), c) + exp(b))) == 0);
static_assert(guarded_steps(EXPRESSION(ifelse(sum(a) > 0, transpose(b), c))) == 0);
static_assert(guarded_steps(EXPRESSION(exp(a) + where(b > 0, c, d))) == 0);
