// What may be varied and given: structs, float, containers.
// SPDX-License-Identifier: BSD-3-Clause
#include <run/minimize/problems.hpp>

#include <boost/hana/define_struct.hpp>

#include <array>
#include <span>

namespace {

struct layer : kt::structure {
  BOOST_HANA_DEFINE_STRUCT(layer, (kt::dmatrix, W), (kt::dvector, b));
};
struct network : kt::structure {
  BOOST_HANA_DEFINE_STRUCT(network, (layer, hidden), (kt::dvector, out));
};
// exclusive or
constexpr auto loss_of_network = [](network p, kt::dmatrix x, kt::lvector y) {
  auto z = dot(tanh(dot(x, p.hidden.W) + p.hidden.b), p.out);
  return mean(softplus(z) - y * z) + 1e-4 * (sum(sqr(p.hidden.W)) + sum(sqr(p.out)));
};
constexpr auto float_valley = [](kt::fvector x) {
  return 100 * sqr(x(1) - sqr(x(0))) + sqr(1 - x(0));
};
constexpr auto float_line = [](kt::fvector p, kt::fvector t, kt::fvector y) {
  return p(0) + p(1) * t - y;
};
constexpr auto float_root = [](kt::fvector x) { return exp(x) - 3; };
constexpr auto rounded = [](kt::dvector x) { return sum(sqr(kt::cast<float>(x) - 1.1f)); };
constexpr auto weighted = [](kt::dvector x, layer p, kt::iscalar n) {
  return sum(sqr(dot(p.W, x) - p.b)) + n * sum(sqr(x));
};
constexpr auto bowl = [](kt::dvector x) { return sum(sqr(x - 1)); };
constexpr auto grid = [](kt::fixed<double, 2, 2> x) { return sum(sqr(x - 3)); };

}  // namespace

TEST_CASE("minimize: a nested struct", "[minimize]") {
  xt::xtensor<double, 2> const x{{0, 0}, {0, 1}, {1, 0}, {1, 1}};
  std::vector<std::int64_t> const y{0, 1, 1, 0};
  kt::values<layer> const hidden(xt::xtensor<double, 2>{{1, -0.5, 0.3}, {0.8, 0.7, -0.6}},
                                 std::vector{0.1, -0.2, 0.3});
  auto const r = kt::minimize(loss_of_network, std::tuple(hidden, std::vector{0.5, -1.0, 0.7}),
                              kt::given(x, y));
  CHECK(r.converged);
  CHECK(r.value < 0.1);
  static_assert(std::is_same_v<decltype(r.x), kt::values<network>>);
  CHECK(kt::get<&layer::W>(kt::get<&network::hidden>(r.x)).shape()[1] == 3);
  // The gradient there is that of the whole struct
  auto const [value, gradient] = kt::function([](network p, kt::dmatrix x, kt::lvector y) {
    auto cost = loss_of_network(p, x, y);
    return std::tuple(cost, grad(cost, p));
  })(r.x, x, y);
  CHECK(value == Approx(r.value));
  for (double e : kt::get<&network::out>(gradient)) CHECK(std::abs(e) <= r.gradient_norm);
}

TEST_CASE("minimize: float", "[minimize]") {
  auto const r = kt::minimize(float_valley, std::vector<float>{-1.2f, 1});
  static_assert(std::is_same_v<decltype(r.x), xt::xtensor<float, 1>>);
  CHECK(r.converged);
  CHECK(agrees(r.x, {1, 1}, 1e-2));
  std::vector<float> const t{0, 1, 2, 3}, y{1, 3.1f, 4.9f, 7};
  auto const s = kt::least_squares(float_line, std::vector<float>{0, 0}, kt::given(t, y));
  CHECK(s.converged);
  CHECK(agrees(s.x, {1.03, 1.98}, 1e-5));
  auto const n = kt::minimize(float_valley, std::vector<float>{-1.2f, 1}, kt::newton{});
  CHECK(n.converged);
  CHECK(agrees(n.x, {1, 1}, 1e-2));
  auto const root = kt::root(float_root, std::vector<float>{0, 2});
  CHECK(root.converged);
  CHECK(agrees(root.x, {1.0986123, 1.0986123}, 1e-6));
  CHECK(agrees(kt::minimize(rounded, {5.0, -3.0}).x, {1.1, 1.1}, 1e-4));
  CHECK(kt::minimize(rounded, {5.0, -3.0}));
}

TEST_CASE("minimize: starts and data in containers", "[minimize]") {
  double const numbers[] = {4, 5};
  xt::xtensor<double, 2> const table{{4, 5}, {6, 7}};
  for (auto const& r :
       {kt::minimize(bowl, {4.0, 5.0}), kt::minimize(bowl, {4.0, 5.0}, {}),
        kt::minimize(bowl, {4, 5}, {.memory = 3}),
        kt::minimize(bowl, {4, 5}, kt::given(), kt::newton{}),
        kt::minimize(bowl, std::array{4.0, 5.0}), kt::minimize(bowl, std::vector{4, 5}),
        kt::minimize(bowl, std::span(numbers)), kt::minimize(bowl, numbers),
        kt::minimize(bowl, xt::view(table, 0, xt::all())),
        kt::minimize(bowl, xt::xarray<double>{4., 5.}),
        kt::minimize(bowl, kt::shared(xt::xtensor<double, 1>{4, 5}))}) {
    CHECK(r.converged);
    CHECK(agrees(r.x, {1, 1}));
  }
  CHECK(agrees(kt::minimize(grid, table).x, {3, 3, 3, 3}));
  CHECK_THROWS_AS(kt::minimize(bowl, xt::xarray<double>{{4., 5.}}), kt::shape_error);

  // A struct, temporaries and a number as data
  kt::values<layer> const p(xt::xtensor<double, 2>{{1, 2}, {3, 4}}, std::vector{1.0, 1.0});
  auto const r = kt::minimize(weighted, std::vector{0.0, 0.0}, kt::given(p, 0));
  CHECK(r.converged);
  CHECK(agrees(r.x, {-1, 1}));
  auto const data =
      kt::given(std::tuple(xt::xtensor<double, 2>{{1, 2}, {3, 4}}, std::vector{1, 1}), 0);
  CHECK(agrees(kt::minimize(weighted, std::vector{0.0, 0.0}, data).x, {-1, 1}));
}
