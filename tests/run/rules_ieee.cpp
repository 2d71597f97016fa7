// kt::mode::ieee: every value, sign of zero, infinity and NaN is that of the expression as written, up to rounding.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>

#include <kroton/runtime.hpp>

#include <set>
#include <sstream>

#include "rule_sides.hpp"

namespace {

namespace kt = kroton;
using kt::element;
using kt::runtime::array;

template <class T>
std::vector<T> extremes() {
  using limits = std::numeric_limits<T>;
  std::vector<T> x{limits::quiet_NaN()};
  for (T v : {T(0), limits::denorm_min(), limits::min(), T(1e-20), T(1e-5), T(0.5), T(1), T(2), T(18), T(40), T(100), T(800), T(1e17),
              std::sqrt(limits::max()), limits::max() / 2, limits::max(), limits::infinity()})
    for (T sign : {T(1), T(-1)}) x.push_back(sign * v);
  return x;
}

/// All pairs of extremes, and a third number beside them, as rows of a matrix or in a line.
template <class T>
std::vector<array> arguments(bool matrices) {
  std::vector<T> const x = extremes<T>();
  T const third[] = {T(-0.0), T(3), T(1e-30), -std::numeric_limits<T>::infinity()};
  std::size_t const n = x.size();
  std::vector<std::size_t> const shape = matrices ? std::vector<std::size_t>{n * n, 4} : std::vector<std::size_t>{4 * n * n};
  std::vector<array> result(3, array(kt::core::element_of<T>(), shape));
  for (std::size_t i = 0; i < 4 * n * n; ++i) {
    result[0].data<T>()[i] = x[i / 4 % n];
    result[1].data<T>()[i] = x[(i / 4 / n + i % 4) % n];
    result[2].data<T>()[i] = third[(i / 2) % 4];
  }
  return result;
}

std::vector<array> values(kt::graph const& g, kt::stage last, std::vector<array> const& arguments, std::set<std::string>* fired = nullptr) {
  kt::core::rewrite_options options;
  kt::core::rewrite_log log;
  options.ieee = true;
  options.log = &log;
  kt::runtime::function<std::vector<array>> const f(kt::runtime::make_program(g, last, options));
  std::vector<array const*> list;
  for (int k = 0; k < g.parameters().size(); ++k) list.push_back(&arguments[static_cast<std::size_t>(k)]);
  std::vector<array> result;
  f.into(result, {list.data(), static_cast<int>(list.size())});
  if (fired != nullptr)
    for (auto name : log) fired->insert(std::string(name));
  return result;
}

/// Of each element the largest finite magnitude that the expression as written goes through on the way.
template <class T>
std::vector<T> scales(kt::graph g, std::vector<array> const& arguments) {
  std::size_t const size = values(g, kt::stage::as_written, arguments)[0].size();
  std::vector<T> scale(size, std::numeric_limits<T>::min() / std::numeric_limits<T>::epsilon());
  kt::tensor_type const type = g.type(g.results()[0]);
  g.results().clear();
  for (int id = 0; id < g.size(); ++id)
    if (g.type(id) == type && !g.is<kt::op::input>(id) && !g.is_literal(id)) g.results().push_back(id);
  for (array const& a : values(g, kt::stage::as_written, arguments))
    for (std::size_t i = 0; i < size; ++i)
      if (T const v = std::abs(a.data<T>()[i]); std::isfinite(v)) scale[i] = std::max(scale[i], v);
  return scale;
}

/// Where a form of a graph differs from the graph as written; "" where it does nowhere.
template <class T>
std::string difference(kt::graph const& g, std::vector<array> const& arguments, std::set<std::string>& fired) {
  std::vector<array> const written = values(g, kt::stage::as_written, arguments);
  if (written[0].element_type() != kt::core::element_of<T>()) return "another element type";
  std::vector<T> const scale = scales<T>(g, arguments);
  for (kt::stage last : {kt::stage::canonicalize, kt::stage::stabilize, kt::stage::specialize}) {
    std::vector<array> const got = values(g, last, arguments, &fired);
    for (std::size_t i = 0; i < got[0].size(); ++i) {
      T const want = written[0].data<T>()[i], have = got[0].data<T>()[i];
      bool same = std::isnan(want) ? std::isnan(have) : want == have;
      if (want == 0 && have == 0) same = std::signbit(want) == std::signbit(have);
      else if (std::isfinite(want) && std::isfinite(have))
        same = std::abs(want - have) <= 100 * std::numeric_limits<T>::epsilon() * scale[i];
      if (same) continue;
      std::ostringstream text;
      text << "at";
      std::size_t const at = got[0].size() == arguments[0].size() ? i : i * (arguments[0].size() / got[0].size());
      for (int k = 0; k < g.parameters().size(); ++k) text << " " << arguments[static_cast<std::size_t>(k)].data<T>()[at];
      text << ": " << want << " becomes " << have;
      return text.str();
    }
  }
  return "";
}

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
  for (auto const& book : kt::core::books())
    for (auto const& rule : book.rules) {
      if (rule.has_build) continue;
      kt::core::pattern const sides = book.as_written(rule);
      kt::graph g = rewrite_test::side(sides, sides.left, {e, 1, 0}).g;
      g.results()[0] = g.cast(g.results()[0], e);  // a comparison gives bools
      compare("the rule " + std::string(rule.name), g, line);
    }
  CHECK(found == std::vector<std::string>{});
  CHECK(fired.size() > 12);
}
