// Loops that random programs have found to be wrong.
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

template <class A, class B>
bool same(A const& a, B const& b) {
  return a.shape() == b.shape() && (a.size() == 0 || xt::amax(xt::abs(a - b))() <= 1e-12);
}

}  // namespace

TEST_CASE("scan: a sum of products of integers and floats leaves the loop", "[loops]") {
  auto const f = [](kt::variable<std::uint64_t, 2> x, kt::dmatrix w) {
    auto last = scan([&](auto row) { return sin(dot(row, w)); }, kt::sequences(x))(-1);
    return grad(sum(last), w);
  };
  xt::xtensor<std::uint64_t, 2> const x{{5, 5}, {1, 2}};
  matrix const w{{1, 2}, {3, 4}};
  // The cosines of 1 + 2 * 3 and 2 + 2 * 4.
  matrix const expected{{std::cos(7.), std::cos(10.)}, {2 * std::cos(7.), 2 * std::cos(10.)}};
  CHECK(same(kt::function(f)(x, w), expected));
  CHECK(same(kt::function(f, kt::mode::interpret)(x, w), expected));
}

TEST_CASE("scan: a total of small integers keeps its element type", "[loops]") {
  auto const f = [](kt::variable<std::int8_t, 2> x) {
    return foldl(
        [](auto row, auto total) {
          auto twice = row + row;
          return std::tuple(total + twice, twice);
        },
        kt::sequences(x), kt::outputs_info(zeros_like(x(0)), kt::none));
  };
  xt::xtensor<std::int8_t, 2> const x{{50, 1}, {50, 2}};
  auto const [sums, rows] = kt::function(f)(x);
  CHECK(sums(0) == -56);
  CHECK(sums(1) == 6);
  CHECK(rows(1, 1) == 4);
}

TEST_CASE("scan: one output of a loop in a body is stored for the gradient, another is computed again", "[loops][grad]") {
  static constexpr auto total = [](kt::dmatrix x, kt::dscalar w) {
    auto rows = scan(
        [&](auto row) {
          auto [state, scaled] = scan(
              [&](auto e, auto s) {
                auto next = w * s + e;
                return std::tuple(next, 0.5 * next * e);
              },
              kt::sequences(row), kt::outputs_info(1., kt::none));
          return sum(state * exp(scaled));
        },
        kt::sequences(x));
    return sum(rows);
  };
  auto const f = kt::function(total);
  auto const slope = kt::function([](kt::dmatrix x, kt::dscalar w) { return grad(total(x, w), w); });
  matrix const x{{0.5, -0.25, 1}, {0.125, 0.75, -0.5}};
  double const h = 1e-5;
  CHECK(slope(x, 0.5) == Approx((f(x, 0.5 + h) - f(x, 0.5 - h)) / (2 * h)).epsilon(1e-8));
}

TEST_CASE("scan: what leaves a loop is checked before it is computed", "[loops]") {
  matrix const x{{1, 2}, {3, 4}};
  auto const index = kt::function([](kt::dmatrix x) { return map([](auto row) { return row(5); }, kt::sequences(x)); });
  CHECK_THROWS_AS(index(x), kt::value_error);
  auto const shape = kt::function([](kt::dmatrix x) { return map([](auto row) { return kt::reshape<1>(row, 5); }, kt::sequences(x)); });
  CHECK_THROWS_AS(shape(x), kt::shape_error);
  auto const constant = kt::function([](kt::dvector x, kt::dvector w) {
    return scan([](auto e, auto s, auto w) { return s * e + sum(exp(kt::reshape<2>(w, 2, 3))); }, kt::sequences(x), kt::outputs_info(0.),
                kt::non_sequences(w));
  });
  CHECK_THROWS_AS(constant(vector{1, 2}, vector{1, 2}), kt::shape_error);
}

TEST_CASE("scan: a gradient that reads nothing of the loop checks its operands", "[loops][grad]") {
  auto const start = kt::function([](kt::dvector x, kt::dvector s) {
    auto y = scan([](auto e, auto a, auto, auto) { return e + 0 * a; }, kt::sequences(x), kt::outputs_info(kt::taps<-3, -2, -1>(s)));
    return grad(y(-1), s);
  });
  CHECK(same(start(vector{1, 2}, vector{1, 2, 3}), vector{0, 0, 0}));
  CHECK_THROWS_AS(start(vector{1, 2}, vector{1, 2}), kt::shape_error);
  auto const counted = kt::function([](kt::dvector x, kt::lscalar n) {
    auto y = scan([](auto e, auto s) { return 0.5 * s + e; }, kt::sequences(x), kt::outputs_info(0.), kt::n_steps(n));
    return grad(y(-1), x);
  });
  CHECK(same(counted(vector{1, 2}, 2), vector{0.5, 1}));
  CHECK_THROWS_AS(counted(vector{1, 2}, 3), kt::shape_error);
  CHECK_THROWS_AS(counted(vector{1, 2}, -1), kt::value_error);
}

TEST_CASE("scan: the gradient of a sequence of one row that broadcasts keeps its type", "[loops][grad]") {
  static constexpr auto f = [](kt::row<double> x) {
    return grad(sum(scan([](auto r) { return r(-4); }, kt::sequences(x))), x);
  };
  kt::graph const written = kt::graph_of(f);
  for (bool const ieee : {false, true}) {
    kt::rewrite::rewrite_options options{};
    options.ieee = ieee;
    for (auto const stage : {kt::stage::canonicalize, kt::stage::specialize}) {
      kt::graph const made = kt::loops::optimize(written, stage, options);
      CHECK((made.type(made.results()[0]) == written.type(written.results()[0])));
    }
  }
  CHECK(same(kt::function(f, kt::mode::ieee)(matrix{{1, 2, 3, 4, 5}}), matrix{{0, 1, 0, 0, 0}}));
}
