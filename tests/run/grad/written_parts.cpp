// Gradients of values that are written to elements by indices that repeat: the last one counts.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>
#include <kroton/kroton.hpp>
#include <kroton/runtime.hpp>

#include <xtensor/xmath.hpp>
#include <xtensor/xtensor.hpp>

namespace kt = kroton;

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;
using integers = xt::xtensor<std::int64_t, 1>;

constexpr auto cost = [](kt::dvector x, kt::dvector v, kt::lvector i, kt::dvector w) {
  return sum(w * sqr(set_subtensor(x(i), v)));
};
constexpr auto slopes = [](kt::dvector x, kt::dvector v, kt::lvector i, kt::dvector w) {
  return grad(cost(x, v, i, w), x, v);
};
constexpr auto wave = [](kt::dvector v, kt::dvector x, kt::lvector i) {
  return sum(x * exp(set_subtensor(x(i), sin(v))));
};

}  // namespace

TEST_CASE("set_subtensor: the gradient of a value that is overwritten is 0", "[grad][indexing]") {
  vector const x{1, 2, 3, 4}, v{5, 6, 7, 8}, w{1, 10, 100, 1000};
  integers const i{1, -1, 1, 3};  // -1 is 3
  auto check = [&](auto const& f) {
    auto const [of_x, of_v] = f(x, v, i, w);
    CHECK((of_x == vector{2, 0, 600, 0}));
    CHECK((of_v == vector{0, 0, 140, 16000}));
  };
  check(kt::function(slopes));
  check(kt::function(slopes, kt::mode::interpret));
  check(kt::function(slopes, kt::mode::fast_compile));
  // One number for all: it is what is left wherever it was written.
  auto const one = kt::function([](kt::dvector x, kt::dscalar s, kt::lvector i) {
    return grad(sum(exp(set_subtensor(x(i), s))), s);
  });
  CHECK(one(x, 0.5, i) == Approx(2 * std::exp(0.5)));
}

TEST_CASE("set_subtensor: repeated indices on several axes, of higher rank, and next to slices",
          "[grad][indexing]") {
  matrix const x{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
  integers const i{0, 1, 0, 2}, j{2, 0, 2, 1};
  auto const pairs = kt::function([](kt::dmatrix x, kt::dvector v, kt::lvector i, kt::lvector j) {
    return grad(sum(x * set_subtensor(x(i, j), v)), v);
  });
  CHECK((pairs(x, vector{1, 2, 3, 4}, i, j) == vector{0, 4, 3, 8}));
  auto const columns = kt::function([](kt::dmatrix x, kt::dmatrix v, kt::lvector j) {
    return grad(sum(x * set_subtensor(x(kt::slice(1, kt::none), j), v)), v);
  });
  CHECK((columns(x, matrix{{1, 1, 1, 1}, {2, 2, 2, 2}}, j) == matrix{{0, 4, 6, 5}, {0, 7, 9, 8}}));
  auto const rows = kt::function([](kt::dmatrix x, kt::dtensor3 v, kt::lmatrix i) {
    return grad(sum(x * set_subtensor(x(i), v)), v);
  });
  xt::xtensor<double, 3> const v = xt::ones<double>({2, 2, 3});
  xt::xtensor<std::int64_t, 2> const index{{0, 1}, {1, 0}};
  CHECK((rows(x, v, index) ==
         xt::xtensor<double, 3>{{{0, 0, 0}, {0, 0, 0}}, {{4, 5, 6}, {1, 2, 3}}}));
}

TEST_CASE("set_subtensor: repeated indices in second and forward derivatives, batches and loops",
          "[grad][indexing]") {
  vector const x{1, 2, 3}, v{0.5, 0.25, 0.75};
  integers const i{2, 0, 2};
  auto const f = kt::function([](kt::dvector v, kt::dvector x, kt::lvector i, kt::dvector d) {
    auto g = grad(wave(v, x, i), v);
    return std::tuple(g, rop(wave(v, x, i), v, d), hessian(wave(v, x, i), v), sum(g * d));
  });
  auto const [g, forward, h, reverse] = f(v, x, i, vector{3, 5, 7});
  CHECK(forward == Approx(reverse));
  CHECK(g(0) == 0);
  CHECK(g(2) == Approx(3 * std::exp(std::sin(0.75)) * std::cos(0.75)));
  CHECK((h(0, 0) == 0 && h(0, 2) == 0));
  double const c = std::cos(0.25), s = std::sin(0.25);
  CHECK(h(1, 1) == Approx(std::exp(s) * (c * c - s)));

  auto const batch = kt::function(kt::vmap<0, 2>(
      [](kt::dvector v, kt::dvector x, kt::lvector i) { return grad(wave(v, x, i), v); }));
  matrix const both = batch(matrix{{0.5, 0.25, 0.75}, {0.5, 0.25, 0.75}}, x,
                            xt::xtensor<std::int64_t, 2>{{2, 0, 2}, {0, 1, 2}});
  CHECK(xt::allclose(xt::row(both, 0), g));
  CHECK(both(1, 0) == Approx(std::exp(std::sin(0.5)) * std::cos(0.5)));

  auto const loop = kt::function([](kt::dvector v, kt::dvector x, kt::lmatrix all) {
    auto last = foldl([&](auto i, auto x) { return 2 * set_subtensor(x(i), v); },
                      kt::sequences(all), kt::outputs_info(x));
    return grad(sum(last), v);
  });
  // 2 v, of which the second step overwrites some
  CHECK((loop(v, x, xt::xtensor<std::int64_t, 2>{{2, 0, 2}, {1, 1, 1}}) == vector{0, 4, 4 + 2}));
}
