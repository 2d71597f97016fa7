// Sums and products are computed in the order in which they are written, unless another takes fewer
// operations.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/function/mode.hpp>

#include "rewrite_support.hpp"

#include <limits>

using namespace rewrite_test;

/// After all stages.
template <class F>
constexpr kt::graph in_order(F f, kt::tensor_type type) {
  kt::graph g = kt::rewrite::optimize(trace(f, type), kt::stage::specialize, {});
  g.constraints().clear();
  return kt::rewrite::cleaner(g).run();
}

/// Whether what runs is the expression as it stands, except for the order of the operands of a sum or
/// a product.
template <class F>
constexpr bool kept(kt::tensor_type type, F f) {
  kt::rewrite::rewrite_options as_it_stands;
  as_it_stands.ieee = true;
  kt::graph g = trace(f, type);
  g.constraints().clear();
  return same(in_order(f, type),
              kt::rewrite::cleaner(kt::rewrite::lowering(g, false).run()).run());
}
#define KEPT(type, ...) static_assert(kept(type, EXPRESSION(__VA_ARGS__)))

KEPT(number, a * b * c * d);
KEPT(number, (a * b) * (c * d));
KEPT(number, a / b / c);
KEPT(number, a * (b / c));
KEPT(number, (a / b) * (c / d));
KEPT(number, a * b * b);
KEPT(number, sqr(a / b));
KEPT(number, a * (sin(b) / b));
KEPT(number, a - (b + c));
KEPT(number, (a - b) - (c - d));
KEPT(number, a * (b - c));
KEPT(vector, (a - b) * c * (d / b));
KEPT(matrix, exp(a * b * c) - d * (c - b));
KEPT(number, 2 * (a + b));

/// How often an op is computed.
template <class Op, class F>
constexpr int count(kt::tensor_type type, F f) {
  kt::graph const g = in_order(f, type);
  int n = 0;
  for (int id = 0; id < g.size(); ++id) n += g.is<Op>(id);
  return n;
}
#define COUNT(Op, type, ...) count<kt::op::Op>(type, EXPRESSION(__VA_ARGS__))

// What cancels, merges or is shared is not computed again.
static_assert(COUNT(mul, number, a * b * c / b) == 1 && COUNT(div, number, a * b * c / b) == 0);
static_assert(COUNT(mul, number, 2 * a * 3 * b) == 2);
static_assert(COUNT(mul, number, a * a * a * a) == 0 && COUNT(sqr, number, a * a * a * a) == 2);
static_assert(COUNT(mul, vector, a * sum(b) * sum(c)) == 2);
static_assert(COUNT(neg, number, -(a / b) * -(c * d)) == 0);
static_assert(COUNT(neg, number, a - -(b * c * d)) == 0);
static_assert(COUNT(mul, number, exp(a * b * c) + a * (b * c)) == 2);
// Literals become one coefficient.
static_assert(COUNT(mul, number, sqr(2 * a / b)) == 1 && COUNT(div, number, sqr(2 * a / b)) == 1);
// Canonical forms know nothing of it.
static_assert(equal(number, EXPRESSION(a * b * c), EXPRESSION(c * (b * a))));
static_assert(equal(number, EXPRESSION(a / b / c), EXPRESSION(a / (c * b))));

// Modes that leave it out divide once.
template <class Mode>
constexpr int divisions(Mode) {
  kt::graph const g = Mode::optimize(trace(EXPRESSION(a / b / c), number));
  int n = 0;
  for (int id = 0; id < g.size(); ++id) n += g.is<kt::op::div>(id);
  return n;
}
static_assert(divisions(kt::mode::fast_run) == 2);
static_assert(divisions(kt::mode::fast_run.excluding<"written_order">()) == 1);

// Literals at the ends of the range, with which a compiler does not compute.
constexpr double big = 1e200, tiny = 5e-324, infinite = std::numeric_limits<double>::infinity(), no_number = std::numeric_limits<double>::quiet_NaN();
#define OPTIMIZES(...) static_assert(in_order(EXPRESSION(__VA_ARGS__), number).size() > 0)
OPTIMIZES(big * a * (big * b));
OPTIMIZES(a / tiny / b);
OPTIMIZES(1 / (tiny * a) * b);
OPTIMIZES(pow(big * a * b, 2) * c + pow(tiny * a / b, -3) * c);
OPTIMIZES((big * a) / (tiny * b) * (big * c));
OPTIMIZES(a * infinite * b * c + a / (infinite * b) * c);
OPTIMIZES(no_number * a * b * (no_number * c));
OPTIMIZES(a / 0. / b + 0. * a * b / 0. + (infinite * a) * (0. * b) * c);
OPTIMIZES((a - b) * infinite * -infinite);
OPTIMIZES(log(a + infinite) - log(a - infinite) + sqrt(a + no_number) - sqrt(a + infinite));
