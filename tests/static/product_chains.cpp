// Which products the chains pass gathers, seen in the compiler.
// SPDX-License-Identifier: BSD-3-Clause
#include "rewrite_support.hpp"

#include <kroton/function/mode.hpp>

using namespace rewrite_test;

/// The factors of the largest product in the graph that is compiled.
template <class F, class Mode>
constexpr int factors(kt::tensor_type type, F f, Mode const& mode) {
  kt::graph const g = mode.prepare(trace(f, type));
  auto const live = g.live();
  int most = 0;
  for (int id = 0; id < g.size(); ++id) {
    if (!live[id]) continue;
    int const count = g[id].input_count;
    int const found = g.is<kt::op::dot>(id) || g.is<kt::op::product_chain>(id) ? count : g.is<kt::op::gemm>(id) ? count - 3 : 0;
    if (found > most) most = found;
  }
  return most;
}
template <class F>
constexpr int factors(kt::tensor_type type, F f) {
  return factors(type, f, kt::mode::fast_run);
}

inline constexpr kt::tensor_type whole{kt::element::int64, 2, 0};

static_assert(factors(matrix, EXPRESSION(dot(a, b))) == 2);
static_assert(factors(matrix, EXPRESSION(dot(dot(a, b), c))) == 3);
static_assert(factors(matrix, EXPRESSION(dot(a, dot(b, c)))) == 3);
static_assert(factors(floats, EXPRESSION(dot(dot(a, b), dot(c, d)))) == 4);
static_assert(factors(matrix, EXPRESSION(dot(2 * dot(a, b), c))) == 3);
static_assert(factors(matrix, EXPRESSION(2 * dot(dot(a, b), c) + d)) == 3);
static_assert(factors(matrix, EXPRESSION(transpose(dot(transpose(dot(a, b)), c)))) == 3);
static_assert(factors(matrix, EXPRESSION(dot(exp(dot(a, b)), c))) == 2);
static_assert(factors(matrix, EXPRESSION(dot(dot(a, b), c) + exp(dot(a, b)))) == 2);
static_assert(factors(whole, EXPRESSION(dot(dot(a, b), c))) == 2);
static_assert(factors(matrix, EXPRESSION(dot(dot(a, b), c)), kt::mode::fast_run.excluding<"chains">()) == 2);
static_assert(factors(matrix, EXPRESSION(dot(dot(a, b), c)), kt::mode::ieee) == 2);
