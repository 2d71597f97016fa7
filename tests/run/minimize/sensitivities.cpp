// How roots and minima change with their data: against closed forms.
// SPDX-License-Identifier: BSD-3-Clause
#include <boost/hana/define_struct.hpp>
#include <cmath>
#include <kroton/kroton.hpp>
#include <kroton/minimize.hpp>

#include "run/reference.hpp"

using namespace reference;

namespace {

struct line : kt::structure {
  BOOST_HANA_DEFINE_STRUCT(line, (kt::dscalar, slope), (kt::dscalar, offset));
};
constexpr auto deviations = [](line l, kt::dvector t, kt::dvector y) { return l.slope * t + l.offset - y; };
constexpr auto ridge = [](kt::dvector w, kt::dmatrix x, kt::dvector y, kt::dscalar penalty) {
  return sum(sqr(dot(x, w) - y)) + penalty * sum(sqr(w));
};
constexpr auto two = [](kt::dvector x, kt::dscalar a, kt::lscalar n) {
  return std::tuple(sqr(x(0)) - a, x(0) * x(1) - kt::cast<double>(n));
};

}  // namespace

TEST_CASE("a ridge regression by its penalty and its labels") {
  mat<double> const x{{1, 2}, {3, 4}, {5, 7}};
  vec<double> const y{1, 0, 2};
  double const penalty = 0.5;
  auto const found = kt::minimize(ridge, {0.0, 0.0}, kt::given(x, y, penalty), kt::newton{});
  REQUIRE(found);
  // (x' x + penalty) dw = -w dpenalty, and = x' dy
  double const a = 35 + penalty, b = 49, d = 69 + penalty, det = a * d - b * b;
  auto const by_penalty = kt::minimizer_sensitivity<3>(ridge, found.x, kt::given(x, y, penalty));
  CHECK(by_penalty(0) == Approx(-(d * found.x(0) - b * found.x(1)) / det).epsilon(1e-10));
  CHECK(by_penalty(1) == Approx(-(a * found.x(1) - b * found.x(0)) / det).epsilon(1e-10));
  vec<double> const weights{2, -3};
  auto const [by_y, weighted] = kt::minimizer_sensitivity<2, 3>(ridge, found.x, weights, kt::given(x, y, penalty));
  CHECK(weighted == Approx(2 * by_penalty(0) - 3 * by_penalty(1)).epsilon(1e-11));
  for (std::size_t i = 0; i < 3; ++i) {
    double const w0 = (d * x(i, 0) - b * x(i, 1)) / det, w1 = (a * x(i, 1) - b * x(i, 0)) / det;
    CHECK(by_y(i) == Approx(2 * w0 - 3 * w1).epsilon(1e-10));
  }
}

TEST_CASE("a line by the points that it fits, and a root of several equations by a number") {
  vec<double> const t{0, 1, 2}, y{1, 2.5, 2};
  auto const found = kt::least_squares(deviations, std::tuple(0.0, 0.0), kt::given(t, y));
  REQUIRE(found);
  auto const [slope, offset] = kt::least_squares_sensitivity<2>(deviations, found.x, kt::given(t, y));
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(slope(i) == Approx((t(i) - 1) / 2).margin(1e-13));
    CHECK(offset(i) == Approx(1. / 3 - (t(i) - 1) / 2).epsilon(1e-12));
  }
  auto const root = kt::root(two, {1.0, 1.0}, kt::given(2.0, 3));
  REQUIRE(root);
  auto const by_a = kt::root_sensitivity<1>(two, root.x, kt::given(2.0, 3));
  double const x0 = std::sqrt(2.);
  CHECK(by_a(0) == Approx(0.5 / x0).epsilon(1e-12));
  CHECK(by_a(1) == Approx(-3 / (2 * x0 * x0 * x0)).epsilon(1e-12));
}
