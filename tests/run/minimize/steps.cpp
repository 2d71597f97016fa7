// The parts of the algorithms that know nothing of lambdas: line search, trust-region steps,
// singular values, losses.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>
#include <kroton/kroton.hpp>
#include <kroton/minimize.hpp>

#include <random>

namespace kt = kroton;
namespace parts = kroton::minimization;

namespace {

// Searches along f from 0; `slope` is its derivative.
template <class F, class G>
parts::line_point search(F f, G slope, double first, int& count) {
  count = 0;
  auto evaluate = [&](double t) {
    ++count;
    return parts::line_point{t, f(t), slope(t)};
  };
  parts::line_point const start{0, f(0), slope(0)};
  parts::wolfe_search line(evaluate, start, 0, 40);
  return line.run(first);
}
// Both strong Wolfe conditions.
template <class F, class G>
void check_wolfe(F f, G slope) {
  for (double first : {1e-3, 1e-1, 1., 10., 1e3}) {
    int count = 0;
    auto const p = search(f, slope, first, count);
    INFO("first step " << first << ", step " << p.step);
    CHECK(p.step > 0);
    CHECK(p.value <= f(0) + 1e-4 * p.step * slope(0));
    CHECK(std::abs(slope(p.step)) <= 0.9 * std::abs(slope(0)));
    CHECK(count <= 20);
  }
}

}  // namespace

// The first three functions of Moré and Thuente (1994), and others.
TEST_CASE("minimize, parts: the line search meets the Wolfe conditions", "[minimize]") {
  check_wolfe([](double t) { return -t / (t * t + 2); },
              [](double t) { return (t * t - 2) / ((t * t + 2) * (t * t + 2)); });
  check_wolfe([](double t) { return std::pow(t + 0.004, 5) - 2 * std::pow(t + 0.004, 4); },
              [](double t) { return 5 * std::pow(t + 0.004, 4) - 8 * std::pow(t + 0.004, 3); });
  check_wolfe([](double t) { return t * t - 4 * t + 0.1 * std::sin(20 * t); },
              [](double t) { return 2 * t - 4 + 2 * std::cos(20 * t); });
  check_wolfe([](double t) { return std::cosh(t - 3); }, [](double t) { return std::sinh(t - 3); });
}

TEST_CASE("minimize, parts: the line search stays where the function has a value", "[minimize]") {
  auto f = [](double t) { return -std::log(1 - t) - 3 * t; };  // NaN beyond 1
  auto slope = [](double t) { return 1 / (1 - t) - 3; };
  check_wolfe(f, slope);
  int count = 0;
  auto const rising = search([](double t) { return t; }, [](double) { return -1.; }, 1, count);
  CHECK(rising.step == 0);
  auto const endless = search([](double t) { return t > 1e5 ? -INFINITY : -t; },
                              [](double) { return -1.; }, 1, count);
  CHECK(endless.value == -INFINITY);
}

TEST_CASE("minimize, parts: trust-region steps", "[minimize]") {
  parts::bounded_step s;
  parts::spectral_model m{{-1, 2}, {1, 4}, {}, {}};
  parts::step_solver::solve(m, 10, s);
  CHECK(s.is_free);
  CHECK(s.q[0] == Approx(1));
  CHECK(s.q[1] == Approx(-0.5));
  CHECK(s.decrease == Approx(1));
  parts::step_solver::solve(m, 0.1, s);
  CHECK_FALSE(s.is_free);
  CHECK(s.length == Approx(0.1).epsilon(2e-3));

  // The hard case: no slope along the direction of negative curvature
  m = {{0, 1}, {-1, 2}, {}, {}};
  parts::step_solver::solve(m, 2, s);
  CHECK_FALSE(s.is_free);
  CHECK(s.length == Approx(2));
  CHECK(s.q[1] == Approx(-1. / 3));

  // Curvature 0
  m = {{1, 0}, {0, 0}, {}, {}};
  parts::step_solver::solve(m, 3, s);
  CHECK(s.q[0] == Approx(-3).epsilon(2e-3));
  CHECK(s.q[1] == 0);

  // No other step of that length decreases the model more.
  std::mt19937 random(11);
  std::normal_distribution<double> normal;
  for (int trial = 0; trial < 200; ++trial) {
    m = {{}, {}, {}, {}};
    for (int i = 0; i < 5; ++i) {
      m.slope.push_back(trial % 3 == 0 && i == 0 ? 0 : normal(random));
      m.curvature.push_back(normal(random) * (trial % 2 == 0 ? 1 : 1e3));
    }
    double const radius = std::exp(3 * normal(random));
    parts::step_solver::solve(m, radius, s);
    CHECK(s.length <= 1.002 * radius);
    double best = 0;
    for (int k = 0; k < 200; ++k) {
      parts::numbers q(5);
      for (double& e : q) e = normal(random);
      double const scale = radius / parts::length(q);
      double decrease = 0;
      for (std::size_t i = 0; i < 5; ++i) {
        q[i] *= scale;
        decrease -= q[i] * (m.slope[i] + 0.5 * m.curvature[i] * q[i]);
      }
      best = std::max(best, decrease);
    }
    CHECK(s.decrease >= 0.99 * best);
  }
}

TEST_CASE("minimize, parts: singular values by rotations and by LAPACK", "[minimize]") {
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  for (auto [k, n] : {std::pair(1u, 1u), {3u, 3u}, {2u, 4u}, {12u, 12u}, {13u, 13u}, {5u, 20u}}) {
    parts::numbers a(k * n), z(k);
    for (double& e : a) e = normal(random);
    for (double& e : z) e = normal(random);
    parts::numbers const before = a;
    parts::singular_values svd;
    svd.compute(a, k, n, z.data(), 1);
    // A^T z = V (S U^T z), and the rows of V^T are orthonormal where a value is not 0
    double frobenius = 0, sum = 0;
    for (double e : before) frobenius += e * e;
    for (double v : svd.values) sum += v * v;
    CHECK(sum == Approx(frobenius));
    for (std::size_t j = 0; j < n; ++j) {
      double expected = 0, found = 0;
      for (std::size_t i = 0; i < k; ++i) expected += before[i * n + j] * z[i];
      for (std::size_t c = 0; c < svd.values.size(); ++c)
        found += svd.vectors[c * n + j] * svd.products[c];
      CHECK(found == Approx(expected).margin(1e-12));
    }
    for (std::size_t c = 0; c < svd.values.size(); ++c)
      for (std::size_t d = 0; d <= c; ++d) {
        double product = 0;
        for (std::size_t j = 0; j < n; ++j)
          product += svd.vectors[c * n + j] * svd.vectors[d * n + j];
        CHECK(product == Approx(c == d ? 1 : 0).margin(1e-12));
      }
  }
}

TEST_CASE("minimize, parts: losses and their slopes", "[minimize]") {
  for (auto make :
       {kt::loss::huber, kt::loss::soft_l1, kt::loss::cauchy, kt::loss::arctan, kt::loss::tukey}) {
    kt::robust_loss const loss = make(0.5);
    CHECK(loss(0).value == 0);
    CHECK(loss(0).slope == 1);
    CHECK(loss(1e-8).value == Approx(1e-8).epsilon(1e-6));
    for (double s : {0.01, 0.1, 0.2, 0.3, 1., 10.}) {
      double const h = 1e-5 * s;
      auto const low = loss(s - h), high = loss(s + h), here = loss(s);
      CHECK((high.value - low.value) / (2 * h) == Approx(here.slope).margin(1e-9));
      CHECK(here.value <= s);
    }
  }
  CHECK(kt::loss::squared()(7).value == 7);
  CHECK(kt::loss::huber(2)(9).value == Approx(8));  // 4 (2 * 3 / 2 - 1)
  CHECK_THROWS_WITH(kt::loss::huber(0), "kt::loss: the scale must be positive and finite");
  CHECK_THROWS_AS(kt::loss::cauchy(NAN), kt::value_error);
}
