// Steps that select at an index of their own stay steps: errors name them, and no array is copied
// for each of them.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/loops/passes.hpp"

namespace kt = kroton;
using namespace loop_tests;

namespace {

using integers = xt::xtensor<std::int64_t, 1>;

constexpr auto elements = [](kt::dvector x, kt::lvector i) {
  return kt::scan([=](auto k) { return exp(x(k)) + 1; }, kt::sequences(i));
};
constexpr auto of_rows = [](kt::dmatrix x, kt::lvector i) {
  return kt::scan([](auto row, auto k) { return 2 * row(k); }, kt::sequences(x, i));
};
constexpr auto added = [](kt::dvector x, kt::lvector i) {
  return kt::scan([=](auto k, auto h) { return h + x(k); }, kt::sequences(i), kt::outputs_info(0.));
};
constexpr auto of_states = [](kt::dmatrix x, kt::lvector i) {
  auto const [h, tail] = kt::scan(
      [=](auto k, auto h) { return std::tuple(tanh(h + k), exp(x(k))); }, kt::sequences(i),
      kt::outputs_info(0., kt::none));
  return std::tuple(h, tail);
};
constexpr auto written = [](kt::dvector x, kt::lvector i) {
  return kt::scan([=](auto k) { return sum(sqr(set_subtensor(x(k), 0.))); }, kt::sequences(i));
};
constexpr auto rows = [](kt::dtensor3 t, kt::lvector i, kt::dvector v) {
  return kt::scan([=](auto k) { return tanh(dot(t(k), v)); }, kt::sequences(i));
};

vector const x{0.5, -1, 2};

/// The error of a call in which the index of step 1 is outside names the step.
template <class F>
void check_names_step(F const& f) {
  std::string const expected = "step 1 of a scan: index 3 is out of range";
  CHECK_THROWS_WITH(kt::function(f)(x, integers{0, 3}), Catch::StartsWith(expected));
}

}  // namespace

TEST_CASE("steps that read elements at indices stay steps, which errors name", "[loops]") {
  CHECK(count(optimized(elements), "scan") == 1);
  CHECK(count(optimized(of_rows), "scan") == 1);
  CHECK(count(optimized(added), "scan") == 1);
  integers const i{2, 0, -1, 1};
  vector const expected{std::exp(2.) + 1, std::exp(0.5) + 1, std::exp(2.) + 1, std::exp(-1.) + 1};
  check_same(kt::function(elements)(x, i), expected);
  check_same(kt::function(elements, suite::mode.excluding<"scan">())(x, i), expected);
  check_same(kt::function(of_rows)(X, integers{1, 0, -1, -2}), vector{0.4, 0.6, 0.1, 1.4});
  check_same(kt::function(added)(x, i), vector{2, 2.5, 4.5, 3.5});
  check_names_step(elements);
  check_names_step(added);
  check_names_step(written);
  CHECK_THROWS_AS(kt::function(elements)(x, integers{-4}), kt::value_error);
}

TEST_CASE("steps that read or write parts at indices stay steps", "[loops]") {
  CHECK(count(optimized(written), "scan") == 1);
  CHECK(count(optimized(rows), "scan") == 1);
  CHECK(count(optimized(of_states), "exp") == 0);  // it is in the body
  check_same(kt::function(written)(x, integers{0, -1, 1}), vector{5, 1.25, 4.25});
  tensor const t{{{1, 0}, {0, 1}}, {{0, 1}, {1, 0}}};
  check_same(kt::function(rows)(t, integers{1, 0}, vector{0.5, -1}),
             matrix{{std::tanh(-1.), std::tanh(0.5)}, {std::tanh(0.5), std::tanh(-1.)}});
  auto const [h, tail] = kt::function(of_states)(X, integers{1, 0});
  check_same(tail, matrix{{std::exp(0.3), std::exp(0.4)}, {std::exp(0.1), std::exp(0.2)}});
}
