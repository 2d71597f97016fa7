// The paper's logistic regression against plain loops, and against the values of a small fixture worked out beforehand.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>

#include <kroton/kroton.hpp>

#include <cmath>
#include <random>
#include <vector>

namespace kt = kroton;

namespace {

constexpr auto step = [](kt::dmatrix x, kt::lvector y, kt::dvector w, kt::dscalar b) {
  auto p_1 = 1 / (1 + exp(-dot(x, w) - b));
  auto xent = -y * log(p_1) - (1 - y) * log(1 - p_1);
  auto cost = mean(xent) + 0.01 * sum(pow(w, 2));
  auto [gw, gb] = grad(cost, w, b);
  auto prediction = p_1 > 0.5;
  return kt::outputs(prediction, xent).update(w, w - 0.1 * gw).update(b, b - 0.1 * gb);
};

struct plain {
  std::vector<double> w;
  double b = 0;

  void train(xt::xtensor<double, 2> const& x, xt::xtensor<std::int64_t, 1> const& y) {
    std::size_t const n = x.shape()[0], m = x.shape()[1];
    std::vector<double> gw(m, 0.0);
    double gb = 0;
    for (std::size_t i = 0; i < n; ++i) {
      double z = b;
      for (std::size_t j = 0; j < m; ++j) z += x(i, j) * w[j];
      double const d = (1 / (1 + std::exp(-z)) - static_cast<double>(y(i))) / static_cast<double>(n);
      gb += d;
      for (std::size_t j = 0; j < m; ++j) gw[j] += d * x(i, j);
    }
    for (std::size_t j = 0; j < m; ++j) w[j] -= 0.1 * (gw[j] + 0.02 * w[j]);
    b -= 0.1 * gb;
  }
};

}  // namespace

TEST_CASE("25 steps of logistic regression agree with plain loops") {
  auto const [n, m] = GENERATE(std::pair<std::size_t, std::size_t>{4, 100}, std::pair<std::size_t, std::size_t>{400, 784});
  std::mt19937_64 random(20261121);
  INFO("seed 20261121, " << n << " x " << m);
  std::normal_distribution<double> normal;
  xt::xtensor<double, 2> x(std::array<std::size_t, 2>{n, m});
  xt::xtensor<std::int64_t, 1> y(std::array<std::size_t, 1>{n});
  xt::xtensor<double, 1> w0(std::array<std::size_t, 1>{m});
  for (auto& v : x) v = normal(random);
  for (auto& v : y) v = static_cast<std::int64_t>(random() % 2);
  for (auto& v : w0) v = 0.1 * normal(random);
  kt::shared w(w0);
  kt::shared b(0.0);
  auto train = kt::function(step, w, b);
  plain reference{{w0.begin(), w0.end()}};
  for (int i = 0; i < 25; ++i) {
    train(x, y);
    reference.train(x, y);
  }
  auto const trained = w.get_value();
  for (std::size_t j = 0; j < m; ++j) REQUIRE(std::abs(trained(j) - reference.w[j]) < 1e-10);
  CHECK(std::abs(b.get_value() - reference.b) < 1e-10);
}

TEST_CASE("the small fixture gives the values worked out beforehand") {
  kt::shared w(xt::xtensor<double, 1>{.1, -.2, .3});
  kt::shared b(0.0);
  auto train = kt::function(step, w, b);
  xt::xtensor<double, 2> const x{{.5, -1, 2}, {1.5, .25, -.5}, {-1, 1, 0}, {0, -2, 1}};
  xt::xtensor<std::int64_t, 1> const y{1, 0, 1, 0};
  auto const [prediction, xent] = train(x, y);
  CHECK(xent(0) == Approx(0.35586506844219584).epsilon(1e-14));
  CHECK(xent(1) == Approx(0.66845964801328629).epsilon(1e-14));
  CHECK(xent(2) == Approx(0.85435524446852712).epsilon(1e-14));
  CHECK(xent(3) == Approx(1.1031860488854579).epsilon(1e-14));
  CHECK(prediction(0));
  CHECK_FALSE(prediction(1));
  CHECK(w.get_value()(0) == Approx(0.070900500166941751).epsilon(1e-14));
  CHECK(b.get_value() == Approx(-0.0070453750336567431).epsilon(1e-14));
  for (int i = 1; i < 10; ++i) train(x, y);
  CHECK(w.get_value()(0) == Approx(-0.15145287572056793).epsilon(1e-13));
  CHECK(w.get_value()(1) == Approx(0.11504496308754728).epsilon(1e-13));
  CHECK(w.get_value()(2) == Approx(0.3696231415755586).epsilon(1e-13));
  CHECK(b.get_value() == Approx(-0.04670414008931831).epsilon(1e-13));
}

TEST_CASE("a training step is two products, one loop and one step of scalars") {
  kt::graph const g = kt::functions::graph_of_compiled<decltype(kt::function(step, kt::shared(xt::xtensor<double, 1>{1.}),
                                                                        kt::shared(0.0)))>::optimized();
  kt::graph copy = g;
  kt::plan::planner const plan(copy);
  int loops = 0, scalars = 0, products = 0;
  for (auto const& s : plan.steps) {
    if (s.kind == kt::core::step_kind::loop) ++(s.space.empty() ? scalars : loops);
    if (s.kind == kt::core::step_kind::dot || s.kind == kt::core::step_kind::gemm) ++products;
  }
  CHECK(products == 2);
  CHECK(loops == 1);
  CHECK(scalars <= 2);
}
