// Many residual blocks at once against one after the other.
// SPDX-License-Identifier: BSD-3-Clause
#include "ceres/tests.hpp"

#include <random>

using namespace reference;

namespace {

using vec2 = kt::fixed<double, 2>;
using vec3 = kt::fixed<double, 3>;

constexpr auto seen_from = [](kt::fixed<double, 4> c, vec3 p, vec2 seen, kt::dscalar weight) {
  auto q = p - c(kt::slice(0, 3));
  return weight * (c(3) * q(kt::slice(0, 2)) / q(2) - seen);
};
constexpr auto near_zero = [](vec3 p) { return 0.1 * p; };

/// A problem of which all is written twice: with batches, and one block after the other.
struct both {
  explicit both(std::size_t observations)
      : seen(std::array{observations, std::size_t{2}}), weight(std::array{observations}) {
    std::mt19937 random(11);
    std::normal_distribution<double> normal;
    for (double& x : cameras) x = normal(random);
    for (double& x : points) x = 5 + normal(random);
    for (double& x : seen) x = normal(random);
    for (double& x : weight) x = 1 + normal(random) * normal(random);
  }
  double* camera(std::size_t i) { return &cameras[4 * (i % 7)]; }
  double* point(std::size_t i) { return &points[3 * (i % 50)]; }

  std::vector<double> cameras = std::vector<double>(4 * 7), points = std::vector<double>(3 * 50);
  xt::xtensor<double, 2> seen;
  xt::xtensor<double, 1> weight;
};

struct evaluated {
  double cost = 0;
  std::vector<double> residuals, gradient;
  ceres::CRSMatrix jacobian;
};
evaluated evaluate(ceres::Problem& problem, int threads = 1) {
  evaluated e;
  ceres::Problem::EvaluateOptions options;
  options.num_threads = threads;
  REQUIRE(problem.Evaluate(options, &e.cost, &e.residuals, &e.gradient, &e.jacobian));
  return e;
}
void check_same(evaluated const& a, evaluated const& b) {
  CHECK(a.cost == Approx(b.cost).epsilon(1e-12));
  CHECK(a.jacobian.cols == b.jacobian.cols);
  for (auto const& [x, y] :
       {std::pair(&a.residuals, &b.residuals), std::pair(&a.gradient, &b.gradient),
        std::pair(&a.jacobian.values, &b.jacobian.values)}) {
    REQUIRE(x->size() == y->size());
    for (std::size_t i = 0; i < x->size(); ++i)
      REQUIRE((*x)[i] == Approx((*y)[i]).epsilon(1e-11).margin(1e-12));
  }
}

}  // namespace

TEST_CASE("batches give what cost functions give, at every point, on one thread and on several") {
  for (std::size_t const n : {1, 255, 256, 257, 1000}) {
    both data(n);
    auto seen = kt::ceres::batch<seen_from>(data.seen, data.weight);
    auto zero = kt::ceres::batch<near_zero>();
    kt::ceres::callbacks all{&seen, &zero};
    ceres::Problem::Options options;
    options.evaluation_callback = &all;
    ceres::Problem a(options), b;
    for (std::size_t i = 0; i < n; ++i) {
      seen.add(a, nullptr, data.camera(i), data.point(i));
      b.AddResidualBlock(kt::ceres::cost_function<seen_from>(
                             std::array{data.seen(i, 0), data.seen(i, 1)}, data.weight(i)),
                         nullptr, data.camera(i), data.point(i));
      if (i % 3 != 0) continue;
      zero.add(a, new ceres::HuberLoss(1), data.point(i));
      b.AddResidualBlock(kt::ceres::cost_function<near_zero>(), new ceres::HuberLoss(1),
                         data.point(i));
    }
    CHECK(seen.size() == n);
    check_same(evaluate(a), evaluate(b));
    for (double& x : data.points) x += 0.25;
    check_same(evaluate(a, 3), evaluate(b));
    b.SetParameterBlockConstant(data.camera(0));
    a.SetParameterBlockConstant(data.camera(0));
    check_same(evaluate(a), evaluate(b));
  }
}

TEST_CASE("a solver finds the same with batches") {
  both data(700);
  both other = data;
  auto seen = kt::ceres::batch<seen_from>(data.seen, data.weight);
  ceres::Problem::Options options;
  options.evaluation_callback = &seen;
  ceres::Problem a(options), b;
  for (std::size_t i = 0; i < 700; ++i) {
    seen.add(a, nullptr, data.camera(i), data.point(i));
    b.AddResidualBlock(kt::ceres::cost_function<seen_from>(
                           std::array{data.seen(i, 0), data.seen(i, 1)}, data.weight(i)),
                       nullptr, other.camera(i), other.point(i));
  }
  ceres::Solver::Options how;
  how.max_num_iterations = 8;
  ceres::Solver::Summary by_batch, by_one;
  ceres::Solve(how, &a, &by_batch);
  ceres::Solve(how, &b, &by_one);
  CHECK(by_batch.iterations.size() == by_one.iterations.size());
  CHECK(by_batch.final_cost == Approx(by_one.final_cost).epsilon(1e-6));
  CHECK(by_batch.final_cost < by_batch.initial_cost);
}

TEST_CASE("rows of data have to fit, and to suffice") {
  CHECK_THROWS_WITH(kt::ceres::batch<seen_from>(xt::xtensor<double, 2>(xt::zeros<double>({4, 2})),
                                                std::vector<double>{1, 2, 3}),
                    "kt::ceres::batch: the data for parameter 4 have 3 rows, the data before 4");
  CHECK_THROWS_WITH(
      kt::ceres::batch<seen_from>(xt::xtensor<double, 2>(xt::zeros<double>({4, 3})),
                                  std::vector<double>{1, 2, 3, 4}),
      "kt::ceres::batch: a row of the data for parameter 3 has 3 elements, the parameter 2");
  both data(1);
  auto seen = kt::ceres::batch<seen_from>(data.seen, data.weight);
  ceres::Problem problem;
  seen.add(problem, nullptr, data.camera(0), data.point(0));
  CHECK_THROWS_WITH(seen.add(problem, nullptr, data.camera(0), data.point(0)),
                    Catch::Contains("have 1 rows, and all of them have a residual block"));
  double cost = 0;
  CHECK_THROWS_WITH(problem.Evaluate({}, &cost, nullptr, nullptr, nullptr),
                    Catch::Contains("set ceres::Problem::Options::evaluation_callback"));
}

TEST_CASE("a residual block without a result makes the evaluation fail") {
  static constexpr auto solution = [](kt::fixed<double, 2, 2> a, vec2 b) { return solve(a, b); };
  auto all = kt::ceres::batch<solution>(xt::xtensor<double, 2>{{1, 2}, {3, 4}});
  ceres::Problem::Options options;
  options.evaluation_callback = &all;
  ceres::Problem problem(options);
  double a[] = {1, 0, 0, 2}, b[] = {1, 2, 2, 4};
  all.add(problem, nullptr, a);
  all.add(problem, nullptr, b);
  double cost = 0;
  CHECK(!problem.Evaluate({}, &cost, nullptr, nullptr, nullptr));
  b[3] = 5;
  REQUIRE(problem.Evaluate({}, &cost, nullptr, nullptr, nullptr));
  CHECK(cost == Approx(0.5 * (1 + 1 + 7 * 7 + 2 * 2)));
}

TEST_CASE("residual blocks are added between evaluations, and removed") {
  auto all = kt::ceres::batch<near_zero>();
  ceres::Problem::Options options;
  options.evaluation_callback = &all;
  options.enable_fast_removal = true;
  ceres::Problem problem(options);
  auto x = std::make_unique<std::array<double, 3>>(), y = std::make_unique<std::array<double, 3>>();
  *x = {10, 0, 0}, *y = {0, 20, 0};
  double cost = 0, z[3] = {0, 0, 30}, residuals[3] = {};
  all.add(problem, nullptr, x->data());
  REQUIRE(problem.Evaluate({}, &cost, nullptr, nullptr, nullptr));
  CHECK(cost == Approx(0.5));
  auto const second = all.add(problem, nullptr, y->data());
  REQUIRE(problem.EvaluateResidualBlockAssumingParametersUnchanged(second, false, &cost, residuals,
                                                                   nullptr));
  CHECK(residuals[1] == Approx(2));
  all.add(problem, nullptr, z);
  problem.RemoveParameterBlock(x->data());
  x.reset();
  REQUIRE(problem.Evaluate({}, &cost, nullptr, nullptr, nullptr));
  CHECK(cost == Approx(0.5 * (4 + 9)));
}

TEST_CASE("a problem may end after its batch, if it is not evaluated") {
  double x[3] = {1, 2, 3};
  std::unique_ptr<ceres::Problem> problem;
  {
    auto all = kt::ceres::batch<near_zero>();
    ceres::Problem::Options options;
    options.evaluation_callback = &all;
    problem = std::make_unique<ceres::Problem>(options);
    all.add(*problem, nullptr, x);
    CHECK(problem->NumResidualBlocks() == 1);
  }
}
