// kt::least_squares: classic problems, shapes of residuals, robust losses.
// SPDX-License-Identifier: BSD-3-Clause
#include <run/minimize/problems.hpp>

#include <random>

namespace {

constexpr auto decay = [](kt::dvector p, kt::dvector t, kt::dvector y) {
  return p(0) * exp(-p(1) * t) - y;
};

struct observations {
  std::vector<double> t, y;
};
// 40 points of 2.5 exp(-0.8 t), with noise
observations decaying(double deviation) {
  std::mt19937 random(3);
  std::normal_distribution<double> noise(0, 1);
  observations o;
  for (int i = 0; i < 40; ++i) {
    o.t.push_back(0.1 * i);
    o.y.push_back(2.5 * std::exp(-0.8 * o.t.back()) + deviation * noise(random));
  }
  return o;
}

}  // namespace

TEST_CASE("least_squares: problems with known minima", "[minimize]") {
  auto const r = kt::least_squares(problems::rosenbrock, std::vector{-1.2, 1.0});
  CHECK(r.converged);
  CHECK(agrees(r.x, {1, 1}, 1e-12));
  CHECK(r.evaluations < 20);

  auto const b = kt::least_squares(problems::brown, std::vector{1.0, 1.0});
  CHECK(b.converged);
  CHECK(b.x(0) == Approx(1e6).epsilon(1e-12));
  CHECK(b.x(1) == Approx(2e-6).epsilon(1e-9));
  CHECK(b.evaluations < 25);

  auto const w = kt::least_squares(problems::wood, std::vector{-3., -1., -3., -1.});
  CHECK(w.converged);
  CHECK(agrees(w.x, {1, 1, 1, 1}, 1e-10));

  // Singular at the minimum, so that convergence is linear
  auto const p = kt::least_squares(problems::powell, std::vector{3., -1., 0., 1.});
  CHECK(p.converged);
  CHECK(agrees(p.x, {0, 0, 0, 0}, 1e-6));

  // The residuals at the minimum are not 0
  auto const e = kt::least_squares(problems::beale, std::vector{1.0, 1.0});
  CHECK(e.converged);
  CHECK(agrees(e.x, {3, 0.5}, 1e-10));
}

TEST_CASE("least_squares: a curve, with data", "[minimize]") {
  auto const exact = decaying(0);
  auto const r = kt::least_squares(decay, std::vector{1.0, 1.0}, kt::given(exact.t, exact.y));
  CHECK(r.converged);
  CHECK(agrees(r.x, {2.5, 0.8}, 1e-12));
  CHECK(r.evaluations < 12);

  auto const noisy = decaying(0.05);
  auto const s = kt::least_squares(decay, std::vector{1.0, 1.0}, kt::given(noisy.t, noisy.y));
  CHECK(s.converged);
  CHECK(agrees(s.x, {2.5, 0.8}, 0.1));
  CHECK(s.value > 0.01);
  CHECK(s.value < 0.1);  // about 40 * 0.05^2 / 2
  CHECK(s.gradient_norm < 1e-8);
  CHECK(s.evaluations < 15);
}

TEST_CASE("least_squares: robust losses find the curve among outliers", "[minimize]") {
  auto o = decaying(0.01);
  for (std::size_t i = 3; i < o.y.size(); i += 6) o.y[i] += 5;
  std::vector<double> const start{2.0, 1.0};
  auto const plain = kt::least_squares(decay, start, kt::given(o.t, o.y));
  CHECK(plain.converged);
  CHECK_FALSE(agrees(plain.x, {2.5, 0.8}, 0.3));
  for (auto loss : {kt::loss::soft_l1(0.05), kt::loss::huber(0.05), kt::loss::cauchy(0.05),
                    kt::loss::arctan(0.05)}) {
    auto const r = kt::least_squares(decay, start, kt::given(o.t, o.y), {.loss = loss});
    CHECK(r.converged);
    CHECK(agrees(r.x, {2.5, 0.8}, 0.05));
    CHECK(r.gradient_norm < 1e-6);
  }
  // Tukey's loss ignores what lies far, so it starts where another one ended.
  auto const near =
      kt::least_squares(decay, start, kt::given(o.t, o.y), {.loss = kt::loss::huber(0.05)});
  auto const r =
      kt::least_squares(decay, near.x, kt::given(o.t, o.y), {.loss = kt::loss::tukey(0.1)});
  CHECK(r.converged);
  CHECK(agrees(r.x, {2.5, 0.8}, 0.02));
}
