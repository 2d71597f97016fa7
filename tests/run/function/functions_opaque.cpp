// kt::opaque: a callable as one node, with values and gradients of every order as if it were written out.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/reference.hpp"

using namespace reference;

namespace {

constexpr auto derivatives = [](auto layer, auto a, auto x) {
  auto y = layer(a, x);
  auto first = grad(sum(y * y), x);  // what enters the pullback depends on x itself
  auto second = grad(sum(first * first), x);
  return std::tuple(y, first, second, grad(sum(second), x), grad(sum(second), a));
};
constexpr auto layer = [](kt::dmatrix a, kt::dvector x) { return tanh(dot(a, x)); };

constexpr auto deviation = [](kt::dmatrix a, auto columns) {
  auto totals = columns(a);
  auto cost = sum(sqr(a * totals + sqr(totals)));
  return std::tuple(totals, cost, grad(cost, a));
};
constexpr auto columns = [](kt::dmatrix a) { return 2 * sum(a, kt::axis<0>, kt::keepdims); };

}  // namespace

TEST_CASE("an opaque callable has the values and the first three gradients of the same callable written out") {
  auto kept = kt::function([](kt::dmatrix a, kt::dvector x) { return derivatives(kt::opaque(layer), a, x); });
  auto written = kt::function([](kt::dmatrix a, kt::dvector x) { return derivatives(layer, a, x); });
  mat<double> const a{{0.3, -0.5, 0.2}, {0.7, 0.1, -0.4}};
  vec<double> const x{0.9, -0.6, 0.4};
  auto const got = kept(a, x);
  auto const expected = written(a, x);
  CHECK(xt::allclose(std::get<0>(got), std::get<0>(expected), 1e-12));
  CHECK(xt::allclose(std::get<1>(got), std::get<1>(expected), 1e-12));
  CHECK(xt::allclose(std::get<2>(got), std::get<2>(expected), 1e-12));
  CHECK(xt::allclose(std::get<3>(got), std::get<3>(expected), 1e-12));
  CHECK(xt::allclose(std::get<4>(got), std::get<4>(expected), 1e-12));
}

TEST_CASE("one variable may be two operands of an opaque callable") {
  auto f = kt::function([](kt::dscalar x) {
    auto product = kt::opaque([](auto a, auto b) { return a * sin(b); });
    auto first = grad(product(x, x), x);
    return std::tuple(first, grad(first, x));
  });
  auto const [first, second] = f(0.7);
  CHECK(close(first, std::sin(0.7) + 0.7 * std::cos(0.7), 1e-14));
  CHECK(close(second, 2 * std::cos(0.7) - 0.7 * std::sin(0.7), 1e-14));
}

TEST_CASE("indices and reshapes in an opaque callable are checked inside") {
  auto f = kt::function([](kt::dvector x) {
    return kt::opaque([](kt::dvector v) { return v(1) + sum(reshape<2>(v, 2, 3)); })(x);
  });
  CHECK(f(vec<double>{1, 2, 3, 4, 5, 6}) == 23);
  CHECK_THROWS_WITH(f(vec<double>{1, 2, 3, 4, 5}), Catch::Contains("reshape: an operand of shape (5) has 5 elements"));
}

TEST_CASE("operands and results of opaque callables that broadcast, and their gradients") {
  auto kept = kt::function([](kt::dmatrix a) { return deviation(a, kt::opaque(columns)); });
  auto written = kt::function([](kt::dmatrix a) { return deviation(a, columns); });
  mat<double> const a{{1, 2, 3}, {4, 5, 6}};
  CHECK((std::get<0>(kept(a)) == std::get<0>(written(a))));
  CHECK(std::get<1>(kept(a)) == std::get<1>(written(a)));
  CHECK(xt::allclose(std::get<2>(kept(a)), std::get<2>(written(a)), 1e-14));

  auto row = kt::function([](kt::dmatrix x) {
    return kt::opaque([](auto m, auto r) { return m * r(kt::newaxis, kt::slice()); })(x, sum(x, kt::axis<0>));
  });
  CHECK((row(a) == mat<double>{{5, 14, 27}, {20, 35, 54}}));
}

TEST_CASE("a row that is an operand of an opaque callable broadcasts in it") {
  auto f = kt::function([](kt::dmatrix a, kt::drow r) {
    auto y = kt::opaque([](auto m, auto n) { return m * n + 1; })(a, r);
    return std::tuple(y, grad(sum(y * y), r));
  });
  auto const [y, g] = f(mat<double>{{1, 2}, {3, 4}}, mat<double>{{5, 6}});
  CHECK((y == mat<double>{{6, 13}, {16, 25}}));
  CHECK((g == mat<double>{{2 * 6 + 6 * 16, 4 * 13 + 8 * 25}}));
}
