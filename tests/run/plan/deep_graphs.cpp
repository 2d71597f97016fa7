// Expressions of any depth, recorded and optimized in the running program: networks of hundreds of layers, chains and nested
// expressions of up to a hundred thousand operations.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>
#include <kroton/runtime.hpp>

#include <catch2/catch.hpp>

#include "run/deep.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

namespace kt = kroton;

namespace {

using vector = kt::variable<double, 1>;
using array = xt::xtensor<double, 1>;

/// A step of a chain, on variables and on numbers.
struct step {
  std::string name;
  std::function<vector(vector, vector, int)> record;
  std::function<double(double, double, int)> compute;
};

std::vector<step> const steps{
    {"sin", [](vector h, vector, int) { return sin(h); },
     [](double h, double, int) { return std::sin(h); }},
    {"exp(-h)", [](vector h, vector, int) { return exp(-h); },
     [](double h, double, int) { return std::exp(-h); }},
    {"sin(h) + x", [](vector h, vector x, int) { return sin(h) + x; },
     [](double h, double x, int) { return std::sin(h) + x; }},
    {"sum", [](vector h, vector x, int i) { return h + sin(x + i); },
     [](double h, double x, int i) { return h + std::sin(x + i); }},
    {"product", [](vector h, vector x, int i) { return h * (1 + 0.5 * sin(x + i)); },
     [](double h, double x, int i) { return h * (1 + 0.5 * std::sin(x + i)); }},
    {"sums and products", [](vector h, vector x, int i) { return i % 2 == 0 ? h * 0.5 : h + x; },
     [](double h, double x, int i) { return i % 2 == 0 ? h * 0.5 : h + x; }},
    {"alternating", [](vector h, vector x, int i) { return i % 3 == 0 ? h * x : i % 3 == 1 ? h - x : sin(h); },
     [](double h, double x, int i) { return i % 3 == 0 ? h * x : i % 3 == 1 ? h - x : std::sin(h); }},
    {"quotient", [](vector h, vector x, int) { return x / (h * h + 1); },
     [](double h, double x, int) { return x / (h * h + 1); }},
    {"where", [](vector h, vector x, int i) { return where(h > 0, h - x, x + 0.5 * i); },
     [](double h, double x, int i) { return h > 0 ? h - x : x + 0.5 * i; }},
    {"extrema", [](vector h, vector x, int i) { return maximum(minimum(h, sin(x + i)), x - i); },
     [](double h, double x, int i) { return std::max(std::min(h, std::sin(x + i)), x - i); }}};

vector chain_of(step const& s, vector x, int depth) {
  vector h = x;
  for (int i = 0; i < depth; ++i) h = s.record(h, x, i);
  return h;
}
int count(kt::graph const& g, std::string_view op) {
  int found = 0;
  for (int id = 0; id < g.size(); ++id) found += g[id].op->name == op;
  return found;
}

}  // namespace

TEST_CASE("chains of a thousand operations have the values of their steps", "[depth]") {
  // Of no small ratio to the numbers in the steps: where terms cancel, rounding would decide a comparison.
  array const x{0.70710678, 1.23606798, -0.41421356};
  for (step const& s : steps) {
    kt::runtime::graph g;
    vector const v = g.input<double, 1>("x");
    auto const f = g.function({v}, chain_of(s, v, 1000));
    array const y = f(x);
    INFO(s.name);
    for (std::size_t k = 0; k < x.size(); ++k) {
      double h = x(k);
      for (int i = 0; i < 1000; ++i) h = s.compute(h, x(k), i);
      CHECK(y(k) == Approx(h).epsilon(1e-8));
    }
  }
}
TEST_CASE("chains of a hundred thousand operations are optimized in the same way", "[depth]") {
  for (std::size_t k : {0u, 2u, 3u, 6u, 7u}) {
    step const& s = steps[k];
    kt::runtime::graph g;
    vector const v = g.input<double, 1>("x");
    g.recording().results().push_back(chain_of(s, v, 100'000).id);
    INFO(s.name);
    CHECK(kt::optimize(g.recording(), kt::stage::specialize).error().empty());
  }
}
TEST_CASE("the gradient of a chain of ten thousand operations is the product of their derivatives", "[depth]") {
  kt::runtime::graph g;
  vector const x = g.input<double, 1>("x");
  vector h = x;
  for (int i = 0; i < 10'000; ++i) h = sin(h);
  auto const f = g.function({x}, kt::grad(sum(h), x));
  array const gradient = f(array{0.7});
  double value = 0.7, product = 1;
  for (int i = 0; i < 10'000; ++i) {
    product *= std::cos(value);
    value = std::sin(value);
  }
  CHECK(gradient(0) == Approx(product).epsilon(1e-9));
}
TEST_CASE("products of matrices nest a thousand deep", "[depth]") {
  kt::runtime::graph g;
  auto const w = g.input<double, 2>("w");
  auto left = w, right = w;
  for (int i = 0; i < 1000; ++i) {
    left = dot(left, w);
    right = dot(w, right).T();
  }
  auto const f = g.function({w}, std::tuple(left, right));
  xt::xtensor<double, 2> const turn{{0.8, -0.6}, {0.6, 0.8}};
  auto const [a, b] = f(turn);
  double const angle = 1001 * std::atan2(0.6, 0.8);
  CHECK(a(0, 0) == Approx(std::cos(angle)).epsilon(1e-9));
  CHECK(a(1, 0) == Approx(std::sin(angle)).epsilon(1e-9));
  // (w r)' is r' w': after every two steps the turn has moved by nothing.
  CHECK(b(0, 0) == Approx(turn(0, 0)).epsilon(1e-9));
  CHECK(b(1, 0) == Approx(turn(1, 0)).epsilon(1e-9));
}
TEST_CASE("networks of many layers have their gradients, by three products a layer", "[depth]") {
  for (auto const unit : {deep::unit::tanh, deep::unit::relu})
    for (bool const has_bias : {false, true})
      for (bool const is_shared : {false, true}) {
        kt::runtime::graph g;
        auto const x = g.input<double, 2>("x");
        auto const w = g.input<double, 3>("w");
        auto const b = g.input<double, 2>("b");
        auto const cost = deep::cost(unit, has_bias, is_shared, 300, x, w, b);
        kt::graph& recording = g.recording();
        recording.results().push_back(cost.id);
        recording.results().push_back(kt::grad(cost, w).id);
        if (has_bias) recording.results().push_back(kt::grad(cost, b).id);
        kt::graph const optimized = kt::optimize(recording, kt::stage::specialize);
        INFO(has_bias << is_shared);
        CHECK(optimized.error().empty());
        CHECK(count(optimized, "dot") == 3 * 300 - 1);
      }
}

TEST_CASE("stable forms are looked for in chains of choices and of views without end, but not without limit", "[depth]") {
  auto optimized = [](int depth, auto step, bool differentiates) {
    kt::runtime::graph g;
    auto const a = g.input<double, 2>("a"), b = g.input<double, 2>("b");
    kt::term t = a;
    for (int i = 0; i < depth; ++i) t = step(t, kt::term(b), i);
    kt::graph& recording = g.recording();
    kt::term const cost = sum(log(t));
    recording.results().push_back(differentiates ? grad(cost, a).id : cost.id);
    int const size = recording.size();
    kt::graph const form = kt::optimize(recording, kt::stage::specialize);
    CHECK(form.error() == "");
    return static_cast<double>(form.size()) / size;
  };
  auto choice = [](kt::term t, kt::term b, int i) { return where(b > 0.1 * i, log1p(t), exp(t)); };
  auto sigmoids = [](kt::term t, kt::term b, int i) { return where(b > 0.1 * i, sigmoid(t), tanh(t)); };
  auto nested = [](kt::term t, kt::term b, int i) { return where(b > 0.1 * i, where(b > t, t * 2, exp(t)), exp(t) + 1); };
  auto diagonal = [](kt::term t, kt::term b, int) { return exp(b + kt::diag(kt::dmatrix(sigmoid(t)))); };
  for (int const depth : {20, 80}) {
    CHECK(optimized(depth, choice, false) < 3);
    CHECK(optimized(depth, sigmoids, true) < 3);
    CHECK(optimized(depth, nested, false) < 3);
    CHECK(optimized(depth, diagonal, true) < 2);
  }
}
