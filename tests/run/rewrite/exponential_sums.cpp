// Logarithms of written sums of exponentials, and their gradients, where every term overflows or vanishes.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>

#include <kroton/grad/reverse.hpp>
#include <kroton/ops/shapes/extents.hpp>

#include "run/rewrite_interpreter.hpp"

using namespace rewrite_test;

namespace {

struct derivatives {
  double value, by_a, by_b, by_a_twice;
};

/// f of three numbers, after the whole optimizer, with derivatives.
template <class F>
derivatives of(F f, double a, double b, double c) {
  kt::graph g;
  kt::tensor_type const number{kt::element::float64, 0, 0};
  kt::term const x{&g, g.input(number, 0)}, y{&g, g.input(number, 1)}, z{&g, g.input(number, 2)};
  kt::term const result = f(x, y, z);
  auto const first = grad(result, x, y, kt::disconnected::zero);
  kt::term const twice = grad(std::get<0>(first), x);
  for (kt::term t : {result, std::get<0>(first), std::get<1>(first), twice}) g.results().push_back(t.id);
  kt::graph const after = kt::rewrite::optimize(g, kt::stage::specialize);
  REQUIRE(after.error() == "");
  interpreter const run(after, {value::scalar(a), value::scalar(b), value::scalar(c)});
  auto at = [&](int k) { return run[after.results()[k]].data[0]; };
  return {at(0), at(1), at(2), at(3)};
}
/// "" where a weighted sum of exponentials has its logarithm, the weights' shares as gradient, and p - p^2 as second derivative.
template <class F>
std::string wrong(F f, double a, double b, double c, double wa, double wb, double wc) {
  derivatives const got = of(f, a, b, c);
  double const m = std::max({a, b, c}), ea = wa * std::exp(a - m), eb = wb * std::exp(b - m), sum = ea + eb + wc * std::exp(c - m);
  double const p = ea / sum, q = (eb + wc * std::exp(c - m)) / sum;
  auto close = [](double x, double y) { return std::abs(x - y) <= 1e-11 * std::max(std::abs(y), 1e-3); };
  if (!close(got.value, m + std::log(sum))) return "value " + std::to_string(got.value);
  if (!close(got.by_a, p)) return "derivative by a " + std::to_string(got.by_a);
  if (!close(got.by_b, eb / sum)) return "derivative by b " + std::to_string(got.by_b);
  return close(got.by_a_twice, p * q) ? "" : "second derivative " + std::to_string(got.by_a_twice);
}

constexpr double places[][3] = {{1e4, 1e4, 9999}, {-800, -801, -800}, {1e4, -800, 3}, {1, 2, 3}, {-1e4, 0, 1e4}, {-1e4, -1e4, -1e4}};

}  // namespace

TEST_CASE("logarithms of sums of exponentials neither overflow nor vanish, nor do two gradients", "[rewrite]") {
  for (auto const& [a, b, c] : places) {
    CAPTURE(a, b, c);
    CHECK(wrong([](auto x, auto y, auto z) { return log(exp(x) + exp(y) + exp(z)); }, a, b, c, 1, 1, 1) == "");
    CHECK(wrong([](auto x, auto y, auto z) { return log(2 * exp(x) + 0.5 * exp(y) + exp(z)); }, a, b, c, 2, 0.5, 1) == "");
    CHECK(wrong([](auto x, auto y, auto z) { return log((0 * z + 3) * exp(x) + exp(y) + (0 * z + 2) * exp(z)); }, a, b, c, 3, 1, 2) == "");
    CHECK(wrong([](auto x, auto y, auto z) { return log((exp(x) + exp(y) + exp(z)) / 4); }, a, b, c, 0.25, 0.25, 0.25) == "");
    CHECK(wrong([](auto x, auto y, auto) { return log(1 + exp(x) + exp(y)); }, a, b, 0, 1, 1, 1) == "");
    CHECK(wrong([](auto x, auto y, auto) { return log1p(exp(x) + exp(y)); }, a, b, 0, 1, 1, 1) == "");
  }
}

TEST_CASE("coefficients of exponentials may be variables", "[rewrite]") {
  auto mixture = [](auto x, auto y, auto w) { return log(abs(w) * exp(x) + 2 * exp(y)); };
  for (auto const& [a, b, c] : {std::array{1e4, 1e4, 3.}, {-800., -801., 0.25}, {1e4, -800., -5.}}) {
    double const m = std::max(a, b), ea = std::abs(c) * std::exp(a - m), eb = 2 * std::exp(b - m);
    derivatives const got = of(mixture, a, b, c);
    CHECK(got.value == Approx(m + std::log(ea + eb)).epsilon(1e-13));
    CHECK(got.by_a == Approx(ea / (ea + eb)).epsilon(1e-11));
    CHECK(got.by_a_twice == Approx(ea * eb / (ea + eb) / (ea + eb)).epsilon(1e-10).margin(1e-15));
  }
}

TEST_CASE("a softmax written for three numbers, and a mixture of Gaussians far from both", "[rewrite]") {
  auto share = [](auto x, auto y, auto z) { return exp(x) / (exp(x) + exp(y) + exp(z)); };
  for (auto const& [a, b, c] : places) {
    double const m = std::max({a, b, c}), p = std::exp(a - m) / (std::exp(a - m) + std::exp(b - m) + std::exp(c - m));
    derivatives const got = of(share, a, b, c);
    CHECK(got.value == Approx(p).epsilon(1e-13).margin(1e-300));
    CHECK(got.by_a == Approx(p * (1 - p)).epsilon(1e-11).margin(1e-15));
  }
  auto gaussians = [](auto x, auto y, auto) { return log(0.3 * exp(-x * x / 2) + 0.7 * exp(-(x - y) * (x - y) / 2)); };
  derivatives const far = of(gaussians, 100, 3, 0);
  CHECK(far.value == Approx(std::log(0.7) - 97. * 97 / 2).epsilon(1e-13));
  CHECK(far.by_a == Approx(-97).epsilon(1e-12));
  CHECK(far.by_a_twice == Approx(-1).epsilon(1e-9));
}

TEST_CASE("sums of exponentials are those as written where exponents are infinite", "[rewrite]") {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  auto value_of = [](auto f, double a, double b, double c) {
    kt::graph g;
    kt::tensor_type const number{kt::element::float64, 0, 0};
    kt::term const x{&g, g.input(number, 0)}, y{&g, g.input(number, 1)}, z{&g, g.input(number, 2)};
    g.results().push_back(f(x, y, z).id);
    kt::graph const after = kt::rewrite::optimize(g, kt::stage::specialize);
    REQUIRE(after.error() == "");
    return interpreter(after, {value::scalar(a), value::scalar(b), value::scalar(c)})[after.results()[0]].data[0];
  };
  auto mixture = [](auto x, auto y, auto z) { return log(z * exp(x) + 2 * exp(y)); };
  CHECK(value_of(mixture, infinite, 3, 5) == infinite);
  CHECK(value_of(mixture, 1e308, infinite, 5) == infinite);
  CHECK(value_of(mixture, -infinite, -infinite, 5) == -infinite);
  CHECK(value_of(mixture, -infinite, 0, 5) == Approx(std::log(2)));
  auto share = [](auto x, auto y, auto z) { return exp(x) / (exp(x) + exp(y) + exp(z)); };
  CHECK(value_of(share, 3, infinite, 5) == 0);
  CHECK(value_of(share, -infinite, 0, 0) == 0);
}

TEST_CASE("exponentials stay outside of sums that are divided by roots of exponentials", "[rewrite]") {
  auto quotient = [](auto x, auto y, auto z) { return sqrt(exp(x) * (z / sqrt(exp(x) + exp(y)) + 2)); };
  for (auto const& [a, b, c] : {std::array{1e3, 2., 3.}, {1e3, 1e3, 3.}}) {
    kt::graph g;
    kt::tensor_type const number{kt::element::float64, 0, 0};
    kt::term const x{&g, g.input(number, 0)}, y{&g, g.input(number, 1)}, z{&g, g.input(number, 2)};
    g.results().push_back(quotient(x, y, z).id);
    kt::graph const after = kt::rewrite::optimize(g, kt::stage::specialize);
    interpreter const run(after, {value::scalar(a), value::scalar(b), value::scalar(c)});
    CHECK(!std::isnan(run[after.results()[0]].data[0]));
  }
}
