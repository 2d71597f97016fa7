// kt::mode::ieee: every value, sign of zero, infinity and NaN is that of the expression as written, up to rounding.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>

#include <kroton/runtime.hpp>

#include "run/ieee.hpp"
#include "run/rule_sides.hpp"

namespace {

namespace kt = kroton;
using namespace ieee_test;
using kt::element;

struct formula {
  char const* text;
  kt::term (*record)(kt::term, kt::term, kt::term);
};
#define FORMULA(...) formula{#__VA_ARGS__, [](kt::term a, kt::term b, kt::term c) -> kt::term { (void)a, (void)b, (void)c; return __VA_ARGS__; }}

formula const formulas[] = {
    // What the normal form and the laws of the ops could change.
    FORMULA(a + b - a), FORMULA(a * b / a), FORMULA(a - b), FORMULA(-(a - b)), FORMULA(-(-a)), FORMULA(0 * a), FORMULA(a * 1), FORMULA(a / 1),
    FORMULA(a - 0), FORMULA(a + 0), FORMULA(0 - a), FORMULA(a * -1), FORMULA(a + a), FORMULA(2 * a - a), FORMULA(a * b + a * c),
    FORMULA(sqr(a) + 2 * a * b + sqr(b)), FORMULA(sqrt(sqr(a))), FORMULA(sqrt(a * a)), FORMULA(pow(pow(a, 2), 0.5)), FORMULA(pow(a, 0)),
    FORMULA(pow(1, a)), FORMULA(pow(a, 1)), FORMULA(pow(a, -1)), FORMULA(pow(a, 0.5)), FORMULA(pow(a, 3) / a), FORMULA(1 / (1 / a)),
    FORMULA(inv(inv(a))), FORMULA(a / b / c), FORMULA(a / (b / c)), FORMULA(exp(a) * exp(b)), FORMULA(a / exp(b)), FORMULA(exp(a) / exp(a)),
    FORMULA(a / abs(a)), FORMULA(sgn(a) * abs(a)), FORMULA(abs(-a)), FORMULA(abs(a * b)), FORMULA(sgn(2 * a)), FORMULA(sgn(-a)), FORMULA(abs(abs(a))),
    FORMULA(sin(-a)), FORMULA(tan(-a)), FORMULA(asin(-a)), FORMULA(atan(-a)), FORMULA(sinh(-a)), FORMULA(tanh(-a)), FORMULA(asinh(-a)),
    FORMULA(atanh(-a)), FORMULA(erf(-a)), FORMULA(cos(-a)), FORMULA(cosh(-a)), FORMULA(round(-a)), FORMULA(trunc(-a)), FORMULA(floor(-a)),
    FORMULA(expm1(-a)), FORMULA(sin(b - a)), FORMULA(cos(b - a)), FORMULA(floor(floor(a))), FORMULA(trunc(round(a))), FORMULA(tanh(-2 * a)),
    FORMULA(maximum(a, maximum(b, a))), FORMULA(log(a * b)), FORMULA(log(pow(a, 2))), FORMULA(log(sqrt(a))),
    FORMULA(log(a / b)), FORMULA(exp(a + b)), FORMULA(a % b), FORMULA(floordiv(a, 1)), FORMULA(floordiv(-a, b)), FORMULA((a * b) * c),
    // The stable forms.
    FORMULA(exp(a) / (1 + exp(a))), FORMULA(1 / (1 + exp(-a))), FORMULA(log(1 + a)), FORMULA(log(1 - a)), FORMULA(exp(a) - 1), FORMULA(1 - exp(a)),
    FORMULA(log(1 + exp(a))), FORMULA(log(exp(a) + exp(b))), FORMULA(log(exp(a) - exp(b))), FORMULA(1 - sigmoid(a)), FORMULA(sigmoid(a) - 1),
    FORMULA(0.5 - sigmoid(a)), FORMULA(1 - tanh(a)), FORMULA(tanh(a) - 1), FORMULA(1 + tanh(a)), FORMULA(1 - sqr(tanh(a))), FORMULA(1 - pow(tanh(a), 2)),
    FORMULA(1 - erf(a)), FORMULA(erf(a) - 1), FORMULA(1 + erf(a)), FORMULA(1 - erfc(a)), FORMULA(1 - cos(a)), FORMULA(cos(a) - 1), FORMULA(cosh(a) - 1),
    FORMULA(1 - cosh(a)), FORMULA(exp(a) - exp(-a)), FORMULA(exp(a) + exp(-a)), FORMULA(sinh(a) / cosh(a)), FORMULA(log(cosh(a))), FORMULA(log(sigmoid(a))),
    FORMULA(log(1 - sigmoid(a))), FORMULA(sigmoid(a) / sigmoid(-a)), FORMULA(sigmoid(a) * sigmoid(-a)), FORMULA(exp(a) * sigmoid(-a)), FORMULA(log(erfc(a))),
    FORMULA(exp(a * a) * erfc(a)), FORMULA(softplus(a) - a), FORMULA(softplus(-a) + a), FORMULA(sigmoid(log(a))), FORMULA(exp(a) / (exp(a) + exp(b))),
    FORMULA((exp(a) - 1) / (exp(a) + 1)), FORMULA(-log(1 / (1 + exp(-a))) * b), FORMULA(expm1(a) * exp(-a)), FORMULA(1 + expm1(a)), FORMULA(2 * (1 - sigmoid(a))),
    FORMULA(logaddexp(0, a)), FORMULA(logaddexp(a, b)), FORMULA(log(exp(a) * b)), FORMULA(exp(a + log(b)) / exp(a)), FORMULA(exp(2 * a) - sqr(exp(a))),
    // Functions and their inverses, conversions and choices.
    FORMULA(log(exp(a))), FORMULA(log2(exp2(a))), FORMULA(sinh(asinh(a))), FORMULA(tan(atan(a))), FORMULA(sin(asin(a))), FORMULA(atanh(tanh(a))),
    FORMULA(where(a > 0, b, 0) * c), FORMULA(where(a > b, a, b)), FORMULA(where(a > 0, a, 0) + where(a > 0, 0, b)), FORMULA(where(a > b, a, c) + where(a > b, b, a)),
    FORMULA(where(eq(a, a), b, c)), FORMULA(where(~(a > b), b, c)), FORMULA(where(a > 0, where(a > 0, b, c), a)), FORMULA(where(le(a, b) & eq(a, a), a, c)),
    FORMULA(kt::cast<float>(kt::cast<double>(a)) + 0 * a), FORMULA(where(a - b > 0, a, b)), FORMULA(where(a + c > b + c, a, b)), FORMULA(sqrt(a) * sqrt(a)),
};
formula const matrix_formulas[] = {
    FORMULA(sum(a, kt::axis<1>)), FORMULA(sum(2 * a, kt::axis<1>)), FORMULA(sum(b * sum(a), kt::axis<1>)), FORMULA(prod(a, kt::axis<1>)), FORMULA(max(-a, kt::axis<1>)),
    FORMULA(max(2 * a, kt::axis<1>)), FORMULA(mean(a, kt::axis<1>)), FORMULA(exp(a) / sum(exp(a), kt::axis<1>, kt::keepdims)), FORMULA(log(softmax(a, kt::axis<1>))),
    FORMULA(log(sum(exp(a), kt::axis<1>))), FORMULA(a - log(sum(exp(a), kt::axis<1>, kt::keepdims))), FORMULA(exp(log_softmax(a, kt::axis<1>))),
    FORMULA(softmax(a - max(a, kt::axis<1>, kt::keepdims), kt::axis<1>)), FORMULA(log(prod(exp(a), kt::axis<1>))), FORMULA(sum(sum(a, kt::axis<1>, kt::keepdims) + b, kt::axis<1>)),
    FORMULA(sum(a, kt::axis<1>, kt::keepdims) * b), FORMULA(sum(where(a > 0, a * b, a * c), kt::axis<1>)), FORMULA(sum(sum(kt::reshape<3>(b, -1, 2, 2), kt::axis<2>), kt::axis<1>)),
    FORMULA(prod(prod(kt::reshape<3>(b, -1, 2, 2), kt::axis<1>), kt::axis<1>)), FORMULA(max(max(kt::reshape<3>(a, -1, 2, 2), kt::axis<2>), kt::axis<1>)),
    FORMULA(sum(where(a > 0, a, 0), kt::axis<1>) + sum(where(a > 0, 0, b), kt::axis<1>)),
    FORMULA(transpose(transpose(a) * transpose(b))), FORMULA(kt::flatten(a) - kt::flatten(b)),
};
#undef FORMULA

}  // namespace

TEMPLATE_TEST_CASE("ieee: every rule and pass that is on keeps values, signs, infinities and NaN", "[rewrite]", float, double) {
  std::vector<std::string> found;
  std::set<std::string> fired;
  element const e = kt::core::element_of<TestType>();
  auto compare = [&](std::string const& text, kt::graph const& g, std::vector<array> const& with) {
    if (!g.error().empty()) return;
    if (std::string const d = difference<TestType>(g, with, fired); !d.empty()) found.push_back(text + " " + d);
  };
  auto record = [&](formula const& f, std::uint8_t rank) {
    kt::graph g;
    kt::term x[3];
    for (int k = 0; k < 3; ++k) x[k] = {&g, g.input({e, rank, 0}, k)};
    g.results().push_back(f.record(x[0], x[1], x[2]).id);
    return g;
  };
  std::vector<array> const line = arguments<TestType>(false), rows = arguments<TestType>(true);
  for (formula const& f : formulas) compare(f.text, record(f, 1), line);
  for (formula const& f : matrix_formulas) compare(f.text, record(f, 2), rows);
  for (auto const& book : kt::functions::books())
    for (auto const& rule : book.rules) {
      if (rule.has_build) continue;
      kt::rewrite::pattern const sides = book.as_written(rule);
      rewrite_test::side const left(sides, sides.left, {e, 1, 0});
      if (left.is_typed || left.g.template has<kt::op::assertion>()) continue;  // assertions of these numbers throw
      kt::graph g = left.g;
      g.results()[0] = g.cast(g.results()[0], e);  // a comparison gives bools
      compare("the rule " + std::string(rule.name), g, line);
    }
  CHECK(found == std::vector<std::string>{});
  CHECK(fired.size() > 12);
}
