// kt::minimize by Newton's method in a trust region.
// SPDX-License-Identifier: BSD-3-Clause
#include <run/minimize/problems.hpp>

#include <boost/hana/define_struct.hpp>

namespace {

constexpr auto rosenbrock = [](problems::two x) { return sum(sqr(problems::rosenbrock(x))); };
constexpr auto beale = [](problems::two x) { return sum(sqr(problems::beale(x))); };
// A saddle point at 0, minima at (1, 0) and (-1, 0).
constexpr auto double_well = [](kt::dvector x) { return sqr(sqr(x(0)) - 1) + sqr(x(1)); };
constexpr auto quartic = [](kt::dmatrix x, kt::dmatrix y) {
  return sum(pow(x - y, 4) + sqr(x - y));
};

struct line : kt::structure {
  BOOST_HANA_DEFINE_STRUCT(line, (kt::dvector, slope), (kt::dscalar, base));
};
constexpr auto likelihood = [](line p, kt::dmatrix x, kt::dvector y) {
  auto z = dot(x, p.slope) + p.base;
  return mean(softplus(z) - y * z) + 0.05 * (sum(sqr(p.slope)) + sqr(p.base));
};

}  // namespace

TEST_CASE("minimize, Newton: problems with known minima", "[minimize]") {
  auto const r = kt::minimize(rosenbrock, std::vector{-1.2, 1.0}, kt::newton{});
  CHECK(r.converged);
  CHECK(agrees(r.x, {1, 1}, 1e-8));
  CHECK(r.evaluations < 35);
  auto const b = kt::minimize(beale, std::vector{1.0, 1.0}, kt::newton{});
  CHECK(b.converged);
  CHECK(agrees(b.x, {3, 0.5}, 1e-7));
  CHECK(b.evaluations < 15);
}

TEST_CASE("minimize, Newton: leaves a saddle point", "[minimize]") {
  auto const r = kt::minimize(double_well, std::vector{0.0, 0.0}, kt::newton{});
  CHECK(r.converged);
  CHECK(std::abs(r.x(0)) == Approx(1));
  CHECK(r.x(1) == Approx(0).margin(1e-8));
  // On the ridge the gradient has no part along the direction of descent.
  auto const s = kt::minimize(double_well, std::vector{0.0, 2.0}, kt::newton{});
  CHECK(s.converged);
  CHECK(std::abs(s.x(0)) == Approx(1));
}

TEST_CASE("minimize, Newton: matrices and structs", "[minimize]") {
  xt::xtensor<double, 2> const y{{1, 2, 3}, {4, 5, 6}};
  auto const r = kt::minimize(quartic, xt::zeros<double>({2, 3}), kt::given(y), kt::newton{});
  CHECK(r.converged);
  CHECK(agrees(r.x, {1, 2, 3, 4, 5, 6}));

  xt::xtensor<double, 2> const x{{1, 0.5}, {-1, 2}, {0.3, -1}, {2, 1}, {-0.5, -0.5}};
  std::vector<double> const labels{1, 0, 1, 1, 0};
  kt::values<line> const start(std::vector{0.0, 0.0}, 0.0);
  auto const newton = kt::minimize(likelihood, start, kt::given(x, labels), kt::newton{});
  auto const lbfgs = kt::minimize(likelihood, start, kt::given(x, labels));
  CHECK(newton.converged);
  CHECK(lbfgs.converged);
  CHECK(newton.evaluations < lbfgs.evaluations);
  CHECK(newton.value == Approx(lbfgs.value));
  auto const [slope, base] = newton.x;
  CHECK(slope(0) == Approx(kt::get<&line::slope>(lbfgs.x)(0)).epsilon(1e-5));
  CHECK(slope(1) == Approx(kt::get<&line::slope>(lbfgs.x)(1)).epsilon(1e-5));
  CHECK(base == Approx(kt::get<&line::base>(lbfgs.x)).epsilon(1e-5));
}
