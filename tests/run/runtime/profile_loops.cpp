// The profile of functions with loops: the steps of a loop, and of its body.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>
#include <kroton/kroton.hpp>
#include <kroton/runtime.hpp>

#include <xtensor/xbuilder.hpp>
#include <xtensor/xtensor.hpp>

#include <sstream>

namespace kt = kroton;

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;
using kt::runtime::step_cost;

/// A layer over rows that are too large for registers, and a state of them.
constexpr auto recurrent = [](kt::dmatrix x, kt::dvector h, kt::dmatrix w) {
  return scan([&](auto e, auto h) { return tanh(dot(w, h) + e); }, kt::sequences(x),
              kt::outputs_info(h));
};
step_cost const& the_loop(std::vector<step_cost> const& steps) {
  for (step_cost const& c : steps)
    if (c.what.find("scan{") == 0) return c;
  throw std::logic_error("no loop");
}
template <class F>
std::string table_of(F const& f) {
  std::ostringstream out;
  kt::profile(f, out);
  return out.str();
}

}  // namespace

TEST_CASE("profile: the steps of a loop, and those of its body with their costs",
          "[runtime][loops]") {
  auto f = kt::function(recurrent, kt::mode::profile);
  matrix const x = 0.01 * xt::ones<double>({7, 300}), w = 0.001 * xt::ones<double>({300, 300});
  vector const h = xt::zeros<double>({300});
  f(x, h, w);
  f(x, h, w);
  step_cost const& loop = the_loop(f.executor().costs().steps());
  CHECK(loop.calls == 2);
  CHECK(loop.steps == 14);
  REQUIRE(loop.body.size() >= 2);
  double flops = 0, seconds = 0;
  for (step_cost const& c : loop.body) {
    CHECK(c.calls == 14);
    flops += c.flops;
    seconds += c.seconds;
  }
  CHECK(seconds > 0);
  CHECK(seconds <= loop.seconds);
  CHECK(flops >= 14 * 2 * 300 * 300);
  CHECK(loop.flops == flops);
  std::string const table = table_of(f);
  CHECK_THAT(table, Catch::Contains("}: 14 steps of "));
  CHECK_THAT(table, Catch::Contains("    add tanh"));  // indented
  std::ostringstream json;
  kt::profile_json(f, json);
  CHECK_THAT(json.str(), Catch::Contains("\"steps_done\": 14, \"body\": ["));
}

TEST_CASE("profile: loops of scalars are one piece of code", "[runtime][loops]") {
  auto f = kt::function(
      [](kt::dvector x) {
        return scan([](auto e, auto s) { return sin(s) + e; }, kt::sequences(x),
                    kt::outputs_info(0.0));
      },
      kt::mode::profile);
  f(vector(xt::ones<double>({100})));
  step_cost const& loop = the_loop(f.executor().costs().steps());
  CHECK(loop.steps == 100);
  for (step_cost const& c : loop.body) CHECK(c.calls == 0);
  CHECK_THAT(table_of(f),
             Catch::Contains("100 steps of ") && Catch::Contains("one piece of code for sin add"));
}

TEST_CASE("profile: small arrays, and how many steps a loop did before it stopped",
          "[runtime][loops]") {
  auto f = kt::function(
      [](kt::dvector x) {
        return scan([](auto h) { return kt::until(sum(h) > 100, 2 * h); }, kt::outputs_info(x),
                    kt::n_steps(1000));
      },
      kt::mode::profile);
  f(vector{1, 1});
  auto const steps = f(vector{1, 1}).shape(0);
  CHECK(the_loop(f.executor().costs().steps()).steps == 2 * static_cast<long>(steps));
  auto scalars = kt::function(
      [](kt::dscalar x) {
        return scan([](auto h) { return kt::until(h > 100, 2 * h); }, kt::outputs_info(x),
                    kt::n_steps(1000))(-1);
      },
      kt::mode::profile);
  CHECK(scalars(1.0) == 256);
  CHECK(the_loop(scalars.executor().costs().steps()).steps == 8);
}

TEST_CASE("profile: loops in loops", "[runtime][loops]") {
  constexpr auto nested = [](kt::dmatrix x, kt::dvector h, kt::dmatrix w) {
    return scan(
        [&](auto e, auto h) {
          auto inner = kt::scan([&](auto h) { return tanh(dot(w, h)); }, kt::outputs_info(h),
                                kt::n_steps(x.shape(0)));
          return inner(-1) + e;
        },
        kt::sequences(x), kt::outputs_info(h));
  };
  matrix const x = 0.01 * xt::ones<double>({5, 200}), w = 0.001 * xt::ones<double>({200, 200});
  vector const h = xt::zeros<double>({200});
  auto check = [](std::vector<step_cost> const& steps) {
    step_cost const& outer = the_loop(steps);
    CHECK(outer.steps == 5);
    step_cost const& inner = the_loop(outer.body);
    CHECK(inner.calls == 5);
    CHECK(inner.steps == 25);
    for (step_cost const& c : inner.body) CHECK(c.calls == 25);
  };
  auto f = kt::function(nested, kt::mode::profile);
  f(x, h, w);
  check(f.executor().costs().steps());

  kt::runtime::graph g;
  auto gx = g.input<double, 2>("x");
  auto gh = g.input<double, 1>("h");
  auto gw = g.input<double, 2>("w");
  auto interpreted = g.function({gx, gh, gw}, nested(gx, gh, gw), kt::mode::profile);
  interpreted(x, h, w);
  check(interpreted.costs().steps());
  auto const copy = interpreted;
  copy(x, h, w);
  CHECK(the_loop(copy.costs().steps()).steps == 5);
  CHECK(the_loop(interpreted.costs().steps()).steps == 5);
  CHECK_THAT(table_of(interpreted), Catch::Contains("    scan{"));
}
