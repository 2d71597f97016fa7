// Cost functions for Ceres against its automatic derivatives, and where they are refused.
// SPDX-License-Identifier: BSD-3-Clause
#include "ceres/tests.hpp"

#include <boost/hana/define_struct.hpp>

#include <memory>
#include <random>
#include <thread>

using namespace reference;

namespace {

using vec2 = kt::fixed<double, 2>;
using vec3 = kt::fixed<double, 3>;

struct lens : kt::structure {
  BOOST_HANA_DEFINE_STRUCT(lens, (kt::dscalar, focal), (kt::dscalar, k));
};
struct camera : kt::structure {
  BOOST_HANA_DEFINE_STRUCT(camera, (vec3, at), (lens, inner));
};

constexpr auto seen_from = [](camera c, vec3 p, vec2 seen) {
  auto q = p - c.at;
  auto flat = q(kt::slice(0, 2)) / q(2);
  return c.inner.focal * (1 + c.inner.k * sum(sqr(flat))) * flat - seen;
};
struct seen_from_of_jets {
  template <class T>
  bool operator()(T const* c, T const* p, T* r) const {
    T const x = (p[0] - c[0]) / (p[2] - c[2]), y = (p[1] - c[1]) / (p[2] - c[2]);
    T const scale = c[3] * (1. + c[4] * (x * x + y * y));
    r[0] = scale * x - 0.25;
    r[1] = scale * y + 0.5;
    return true;
  }
};

/// What a cost function gives; a Jacobian that is not wanted stays empty.
struct evaluated {
  bool succeeded = false;
  std::vector<double> residuals;
  std::vector<std::vector<double>> jacobians;
};
evaluated evaluate(ceres::CostFunction const& f, std::vector<double const*> const& blocks,
                   std::vector<bool> const& wanted) {
  evaluated e;
  e.residuals.assign(static_cast<std::size_t>(f.num_residuals()), 7);
  e.jacobians.resize(blocks.size());
  std::vector<double*> to(blocks.size());
  for (std::size_t k = 0; k < blocks.size(); ++k)
    if (wanted[k]) {
      e.jacobians[k].assign(
          static_cast<std::size_t>(f.num_residuals() * f.parameter_block_sizes()[k]), 7);
      to[k] = e.jacobians[k].data();
    }
  e.succeeded = f.Evaluate(blocks.data(), e.residuals.data(), to.data());
  return e;
}
void check_same(std::vector<double> const& a, std::vector<double> const& b) {
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    CHECK(a[i] == Approx(b[i]).epsilon(1e-13).margin(1e-14));
}

double const c[] = {0.5, -0.25, -3, 2, 0.125}, p[] = {0.75, 0.5, 1};

}  // namespace

TEST_CASE("a struct and a vector as parameter blocks, an observation as a constant") {
  std::unique_ptr<ceres::CostFunction> const f(
      kt::ceres::cost_function<seen_from>(std::array{0.25, -0.5}));
  ceres::AutoDiffCostFunction<seen_from_of_jets, 2, 5, 3> const g(new seen_from_of_jets);
  CHECK(f->parameter_block_sizes() == std::vector{5, 3});
  CHECK(f->num_residuals() == 2);
  std::vector<double const*> const blocks{c, p};
  for (auto const& wanted : {std::vector{true, true}, std::vector{true, false},
                             std::vector{false, true}, std::vector{false, false}}) {
    auto const a = evaluate(*f, blocks, wanted), b = evaluate(g, blocks, wanted);
    REQUIRE(a.succeeded);
    check_same(a.residuals, b.residuals);
    for (std::size_t k = 0; k < 2; ++k) check_same(a.jacobians[k], b.jacobians[k]);
  }
  double r[2] = {};
  REQUIRE(f->Evaluate(blocks.data(), r, nullptr));
  check_same({r, r + 2}, evaluate(g, blocks, {false, false}).residuals);
}

TEST_CASE("scalars and matrices: residuals and blocks row by row") {
  static constexpr auto scalar = [](kt::dscalar x, kt::dscalar y) { return exp(x) * y; };
  std::unique_ptr<ceres::CostFunction> const f(kt::ceres::cost_function<scalar>(3.));
  double const x = 0.5;
  auto const e = evaluate(*f, {&x}, {true});
  CHECK(e.residuals == std::vector{3 * std::exp(0.5)});
  check_same(e.jacobians[0], {3 * std::exp(0.5)});

  static constexpr auto matrix = [](kt::fixed<double, 2, 3> a, kt::fixed<double, 3, 2> b) {
    return dot(a, b);
  };
  std::unique_ptr<ceres::CostFunction> const g(
      kt::ceres::cost_function<matrix>(xt::xtensor<double, 2>{{1, 2}, {3, 4}, {5, 6}}));
  double const a[] = {1, 0, 2, -1, 1, 0};
  auto const m = evaluate(*g, {a}, {true});
  CHECK(m.residuals == std::vector<double>{11, 14, 2, 2});
  CHECK(m.jacobians[0] == std::vector<double>{1, 3, 5, 0, 0, 0, 2, 4, 6, 0, 0, 0,
                                              0, 0, 0, 1, 3, 5, 0, 0, 0, 2, 4, 6});
}

TEST_CASE(
    "a parameter that no residual depends on has a Jacobian of zeros, integers are converted") {
  static constexpr auto two = [](vec2 x, kt::dscalar, kt::lscalar n) {
    return x * cast<double>(n);
  };
  std::unique_ptr<ceres::CostFunction> const f(kt::ceres::cost_function<two>(3));
  double const x[] = {1, 2}, y = 5;
  auto const e = evaluate(*f, {x, &y}, {true, true});
  CHECK(e.residuals == std::vector<double>{3, 6});
  CHECK(e.jacobians[1] == std::vector<double>{0, 0});
}

TEST_CASE("data of any length decide how many residuals there are") {
  static constexpr auto decay = [](kt::dscalar rate, kt::dscalar offset, kt::dvector t,
                                   kt::dvector seen) { return exp(-rate * t) + offset - seen; };
  std::vector<double> const t{0, 0.5, 1, 2}, seen{1, 0.6, 0.4, 0.2};
  std::unique_ptr<ceres::CostFunction> const f(kt::ceres::cost_function<decay>(t, seen));
  CHECK(f->num_residuals() == 4);
  double const rate = 0.75, offset = 0.125;
  auto const e = evaluate(*f, {&rate, &offset}, {true, true});
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(e.residuals[i] == Approx(std::exp(-rate * t[i]) + offset - seen[i]).epsilon(1e-14));
    CHECK(e.jacobians[0][i] == Approx(-t[i] * std::exp(-rate * t[i])).epsilon(1e-14));
    CHECK(e.jacobians[1][i] == 1);
  }
  CHECK_THROWS_AS(kt::ceres::cost_function<decay>(t, std::vector<double>{1, 2}), kt::shape_error);
}

TEST_CASE("data for a kt::fixed parameter must have its extents") {
  CHECK_THROWS_WITH(kt::ceres::cost_function<seen_from>(std::vector<double>{1, 2, 3}),
                    "kt::ceres: the value of parameter 3 has the extent 3 along axis 0, but its "
                    "type, kt::fixed, says 2");
}

TEST_CASE("structs are data, too") {
  static constexpr auto moved = [](vec3 p, camera c) { return c.inner.focal * (p - c.at); };
  vec<double> const at{c[0], c[1], c[2]};
  double const factor = 2;
  std::unique_ptr<ceres::CostFunction> const f(
      kt::ceres::cost_function<moved>(std::tuple(at, std::tuple(factor, 0.5)))),
      g(kt::ceres::cost_function<moved>(kt::values<camera>(at, kt::values<lens>(factor, 0.5))));
  CHECK_THROWS_AS(
      kt::ceres::cost_function<moved>(std::tuple(vec<double>{1, 2}, std::tuple(factor, 0.5))),
      kt::shape_error);
  auto const e = evaluate(*f, {p}, {true});
  CHECK(e.residuals == std::vector{2 * (p[0] - c[0]), 2 * (p[1] - c[1]), 2 * (p[2] - c[2])});
  CHECK(evaluate(*g, {p}, {true}).residuals == e.residuals);
}

TEST_CASE("a matrix without an inverse makes the evaluation fail") {
  static constexpr auto solution = [](kt::fixed<double, 3, 3> a, vec3 b) { return solve(a, b); };
  std::unique_ptr<ceres::CostFunction> const f(
      kt::ceres::cost_function<solution>(xt::xtensor<double, 1>{1, 2, 3}));
  double const regular[] = {2, 0, 0, 0, 4, 0, 0, 0, 8}, singular[] = {1, 2, 3, 2, 4, 6, 1, 1, 1};
  CHECK(evaluate(*f, {regular}, {true}).residuals == std::vector{0.5, 0.5, 0.375});
  CHECK(!evaluate(*f, {singular}, {true}).succeeded);
  CHECK(!evaluate(*f, {singular}, {false}).succeeded);
}

TEST_CASE("functions that need memory are evaluated on several threads at once") {
  static constexpr auto big = [](kt::fixed<double, 60> x, kt::fixed<double, 60, 60> a) {
    return tanh(dot(a, x));
  };
  xt::random::seed(4);
  xt::xtensor<double, 2> const a = xt::random::rand<double>({60, 60}, -0.2, 0.2);
  std::unique_ptr<ceres::CostFunction> const f(kt::ceres::cost_function<big>(a));
  std::vector<evaluated> found(8);
  std::vector<std::vector<double>> x(8, std::vector<double>(60));
  for (std::size_t k = 0; k < 8; ++k)
    for (std::size_t i = 0; i < 60; ++i) x[k][i] = std::sin(static_cast<double>(k * 60 + i));
  std::vector<std::thread> threads;
  for (std::size_t k = 0; k < 8; ++k)
    threads.emplace_back([&, k] {
      for (int i = 0; i < 50; ++i) found[k] = evaluate(*f, {x[k].data()}, {true});
    });
  for (auto& t : threads) t.join();
  for (std::size_t k = 0; k < 8; ++k)
    for (std::size_t i = 0; i < 60; ++i) {
      double sum = 0;
      for (std::size_t j = 0; j < 60; ++j) sum += a(i, j) * x[k][j];
      CHECK(found[k].residuals[i] == Approx(std::tanh(sum)).epsilon(1e-12));
      CHECK(found[k].jacobians[0][i * 60 + 3] ==
            Approx(a(i, 3) * (1 - std::pow(std::tanh(sum), 2))).epsilon(1e-10));
    }
}

TEST_CASE("Ceres solves with them, also on a manifold") {
  // The direction whose products with vectors were seen.
  static constexpr auto along = [](vec3 direction, vec3 v, kt::dscalar seen) {
    return dot(direction, v) - seen;
  };
  double const truth[] = {0.48, 0.6, 0.64};
  double direction[] = {1, 0, 0};
  ceres::Problem problem;
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int i = 0; i < 20; ++i) {
    std::array const v{uniform(random), uniform(random), uniform(random)};
    problem.AddResidualBlock(
        kt::ceres::cost_function<along>(v, truth[0] * v[0] + truth[1] * v[1] + truth[2] * v[2]),
        nullptr, direction);
  }
  problem.SetManifold(direction, new ceres::SphereManifold<3>);
  ceres::Solver::Summary summary;
  ceres::Solve({}, &problem, &summary);
  REQUIRE(summary.termination_type == ceres::CONVERGENCE);
  for (int d = 0; d < 3; ++d) CHECK(direction[d] == Approx(truth[d]).margin(1e-6));
}
