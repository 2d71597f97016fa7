// Folds of states that are read several steps back: the last value of each.
// SPDX-License-Identifier: BSD-3-Clause
#include <boost/hana/define_struct.hpp>
#include <catch2/catch.hpp>
#include <kroton/kroton.hpp>
#include <kroton/runtime.hpp>

#include <xtensor/xmath.hpp>
#include <xtensor/xtensor.hpp>

namespace kt = kroton;

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

constexpr auto last_two = [](kt::dvector x, kt::dvector start) {
  return foldl([](auto e, auto a, auto b) { return 0.5 * a + tanh(b) * e; }, kt::sequences(x),
               kt::outputs_info(kt::taps<-2, -1>(start)));
};

struct point : kt::structure {
  BOOST_HANA_DEFINE_STRUCT(point, (kt::dscalar, x), (kt::dscalar, y));
};
struct points : kt::structure {
  BOOST_HANA_DEFINE_STRUCT(points, (kt::dvector, x), (kt::dvector, y));
};

}  // namespace

TEST_CASE("folds with taps give the last value, or the last row of the start", "[loops][folds]") {
  auto const f = kt::function(last_two);
  auto const g = kt::function(last_two, kt::mode::fast_compile);
  auto const interpreted = kt::function(last_two, kt::mode::interpret);
  vector const start{0.25, -0.5, 7};  // a row more than is read
  for (vector const& x : {vector{}, vector{2}, vector{1, -2}, vector{0.5, 1, 1.5, 2, 3}}) {
    double expected = start(1), before = start(0);
    for (double e : x) {
      double const next = 0.5 * before + std::tanh(expected) * e;
      before = expected;
      expected = next;
    }
    CHECK(f(x, start) == Approx(expected));
    CHECK(g(x, start) == Approx(expected));
    CHECK(interpreted(x, start) == Approx(expected));
  }
  CHECK_THROWS_AS(f(vector{1}, vector{1}), kt::shape_error);
}

TEST_CASE("folds with taps next to other states and outputs, from either end", "[loops][folds]") {
  constexpr auto f = [](kt::dmatrix x, kt::dmatrix start, kt::dvector h) {
    return foldr(
        [](auto e, auto far, auto near, auto h) {
          auto next = far * e - near;
          return std::tuple(next, h + next, sum(next));
        },
        kt::sequences(x), kt::outputs_info(kt::taps<-3, -1>(start), h, kt::none));
  };
  auto const compiled = kt::function(f);
  auto const interpreted = kt::function(f, kt::mode::interpret);
  matrix const x{{1, 2}, {3, 4}}, start{{1, 2}, {3, 4}, {5, 6}};
  for (auto const& [last, h, sums] :
       {compiled(x, start, vector{0, 1}), interpreted(x, start, vector{0, 1})}) {
    // far * e - near: {1, 2} * {3, 4} - {5, 6}, then {3, 4} * {1, 2} - {-2, 2}
    CHECK((last == vector{5, 6}));
    CHECK((h == vector{3, 9}));
    CHECK((sums == vector{0, 11}));
  }
}

TEST_CASE("folds with taps: gradients, batches, checkpoints, snapshots and conditions",
          "[loops][folds][grad]") {
  vector const x{0.5, -1, 1.5, 2, 3}, start{0.25, -0.5};
  kt::verify_grad(last_two, x, start);
  kt::verify_grad(last_two, vector{2}, start);
  auto const slopes =
      kt::function([](kt::dvector x, kt::dvector s) { return grad(last_two(x, s), x, s); });
  auto const none = std::get<1>(slopes(vector{}, start));
  CHECK((none == vector{0, 1}));
  auto const [of_x, of_start] = slopes(x, start);

  auto const stacked = kt::function([](kt::dvector x, kt::dvector start) {
    auto y = scan([](auto e, auto a, auto b) { return 0.5 * a + tanh(b) * e; }, kt::sequences(x),
                  kt::outputs_info(kt::taps<-2, -1>(start)));
    return grad(y(-1), x, start);
  });
  auto const [of_x_of_stack, of_start_of_stack] = stacked(x, start);
  CHECK(xt::allclose(of_x, of_x_of_stack, 1e-14, 1e-14));
  CHECK(xt::allclose(of_start, of_start_of_stack, 1e-14, 1e-14));

  auto const in_segments = kt::function([](kt::dvector x, kt::dvector start) {
    auto y = foldl([](auto e, auto a, auto b) { return 0.5 * a + tanh(b) * e; }, kt::sequences(x),
                   kt::outputs_info(kt::taps<-2, -1>(start)), kt::checkpoint(2));
    auto z = foldl([](auto e, auto a, auto b) { return 0.5 * a + tanh(b) * e; }, kt::sequences(x),
                   kt::outputs_info(kt::taps<-2, -1>(start)), kt::snapshots(2));
    auto [y_x, y_s] = grad(y, x, start);
    auto [z_x, z_s] = grad(z, x, start);
    return std::tuple(y, y_x, y_s, z, z_x, z_s);
  });
  auto const [y, y_x, y_s, z, z_x, z_s] = in_segments(x, start);
  CHECK(y == Approx(z));
  CHECK(xt::allclose(of_x, y_x, 1e-14, 1e-14));
  CHECK(xt::allclose(of_start, y_s, 1e-14, 1e-14));
  CHECK(xt::allclose(of_x, z_x, 1e-14, 1e-14));
  CHECK(xt::allclose(of_start, z_s, 1e-14, 1e-14));

  auto const batch = kt::function(kt::vmap<0, 1>(last_two));
  vector const both =
      batch(matrix{{0.5, -1, 1.5, 2, 3}, {1, 1, 1, 1, 1}}, matrix{{0.25, -0.5}, {0, 1}});
  CHECK(both(0) == Approx(kt::function(last_two)(x, start)));
  CHECK(both(1) == Approx(kt::function(last_two)(vector{1, 1, 1, 1, 1}, vector{0, 1})));

  auto const tangent = kt::function(
      [](kt::dvector x, kt::dvector s, kt::dvector v) { return rop(last_two(x, s), x, v); });
  CHECK(tangent(x, start, vector{1, 2, 3, 4, 5}) ==
        Approx(xt::sum(of_x * vector{1, 2, 3, 4, 5})()));

  auto const stopped = kt::function([](kt::lvector start, kt::lscalar limit) {
    return foldl([&](auto a, auto b) { return kt::until(a + b > limit, a + b); },
                 kt::outputs_info(kt::taps<-2, -1>(start)));
  });
  CHECK(stopped(xt::xtensor<std::int64_t, 1>{1, 1}, 50) == 55);
}

TEST_CASE("folds with taps of structs give a struct", "[loops][folds][structs]") {
  auto const f = kt::function([](points start, kt::lscalar n) {
    return foldl([](point a, point b) { return point{{}, a.x + b.y, a.y - b.x}; },
                 kt::outputs_info(kt::taps<-2, -1>(start)), kt::n_steps(n));
  });
  auto const start = kt::values<points>(vector{1, 2}, vector{3, 4});
  auto const [x0, y0] = f(start, 0);
  CHECK((x0 == 2 && y0 == 4));
  auto const [x, y] = f(start, 2);  // (1 + 4, 3 - 2), then (2 + 1, 4 - 5)
  CHECK((x == 3 && y == -1));
}
