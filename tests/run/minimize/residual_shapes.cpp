// kt::least_squares: residuals and unknowns of other shapes than vectors.
// SPDX-License-Identifier: BSD-3-Clause
#include <run/minimize/problems.hpp>

#include <boost/hana/define_struct.hpp>

namespace {

constexpr auto product = [](kt::dmatrix w, kt::dmatrix x, kt::dmatrix y) { return dot(x, w) - y; };
constexpr auto plane = [](kt::dvector x) { return x(0) + 2 * x(1) - 5; };  // one residual

struct circle : kt::structure {
  BOOST_HANA_DEFINE_STRUCT(circle, (kt::dvector, centre), (kt::dscalar, radius));
};
constexpr auto distances = [](circle c, kt::dmatrix points) {
  return sqrt(sum(sqr(points - c.centre), kt::axis<1>)) - c.radius;
};
// Two residuals of different shapes; the second depends on one member alone.
constexpr auto with_prior = [](circle c, kt::dmatrix points) {
  return std::tuple(distances(c, points), 0.001 * (c.radius - 1));
};

}  // namespace

TEST_CASE("least_squares: a matrix of residuals", "[minimize]") {
  xt::xtensor<double, 2> const x{{1, 2}, {3, 4}, {5, 7}}, w{{1, 0, 2}, {-1, 3, 1}};
  xt::xtensor<double, 2> y({3, 3});
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) y(i, j) = x(i, 0) * w(0, j) + x(i, 1) * w(1, j);
  auto const r = kt::least_squares(product, xt::zeros<double>({2, 3}), kt::given(x, y));
  CHECK(r.converged);
  CHECK(agrees(r.x, {1, 0, 2, -1, 3, 1}, 1e-10));
  CHECK(r.iterations <= 3);
}

TEST_CASE("least_squares: fewer residuals than unknowns", "[minimize]") {
  auto const r = kt::least_squares(plane, std::vector{0.0, 0.0});
  CHECK(r.converged);
  CHECK(r.x(0) + 2 * r.x(1) == Approx(5));
}

TEST_CASE("least_squares: a struct, and several residuals", "[minimize]") {
  xt::xtensor<double, 2> points({20, 2});
  for (std::size_t i = 0; i < 20; ++i) {
    points(i, 0) = 1 + 2 * std::cos(0.3 * static_cast<double>(i));
    points(i, 1) = -3 + 2 * std::sin(0.3 * static_cast<double>(i));
  }
  kt::values<circle> const start(std::vector{0.0, 0.0}, 1.0);
  auto const r = kt::least_squares(distances, start, kt::given(points));
  CHECK(r.converged);
  auto const [centre, radius] = r.x;
  CHECK(agrees(centre, {1, -3}, 1e-9));
  CHECK(radius == Approx(2));

  auto const s =
      kt::least_squares(with_prior, std::tuple(std::vector{0.0, 0.0}, 1.0), kt::given(points));
  CHECK(s.converged);
  CHECK(kt::get<&circle::radius>(s.x) == Approx(2).epsilon(1e-5));
  CHECK(kt::get<&circle::radius>(s.x) < 2);

  kt::shared<circle> state(start);
  auto const t = kt::least_squares(distances, state, kt::given(points));
  CHECK(kt::get<&circle::radius>(t.x) == Approx(2));
  state.set_value(t.x);
  CHECK(kt::get<&circle::radius>(state).get_value() == Approx(2));
}
