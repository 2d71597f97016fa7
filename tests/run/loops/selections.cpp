// Steps that select at an index of their own: what is outside is an error of a step, and no array is copied for each of them.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/loops/passes.hpp"

namespace kt = kroton;
using namespace loop_tests;

namespace {

using integers = xt::xtensor<std::int64_t, 1>;

constexpr auto elements = [](kt::dvector x, kt::lvector i) {
  return kt::scan([](auto k, auto x) { return exp(x(k)) + 1; }, kt::sequences(i), kt::non_sequences(x));
};
constexpr auto of_rows = [](kt::dmatrix x, kt::lvector i) {
  return kt::scan([](auto row, auto k) { return 2 * row(k); }, kt::sequences(x, i));
};
constexpr auto written = [](kt::dvector x, kt::lvector i) {
  return kt::scan([](auto k, auto x) { return sum(sqr(set_subtensor(x(k), 0.))); }, kt::sequences(i), kt::non_sequences(x));
};
constexpr auto rows = [](kt::dtensor3 t, kt::lvector i, kt::dvector v) {
  return kt::scan([](auto k, auto t, auto v) { return tanh(dot(t(k), v)); }, kt::sequences(i), kt::non_sequences(t, v));
};

}  // namespace

TEST_CASE("steps that read elements at indices stay steps, which errors name", "[loops]") {
  CHECK(count(optimized(elements), "scan") == 1);
  CHECK(count(optimized(of_rows), "scan") == 1);
  vector const x{0.5, -1, 2};
  integers const i{2, 0, -1, 1};
  vector const expected{std::exp(2.) + 1, std::exp(0.5) + 1, std::exp(2.) + 1, std::exp(-1.) + 1};
  check_same(kt::function(elements)(x, i), expected);
  check_same(kt::function(elements, suite::mode.excluding<"scan">())(x, i), expected);
  CHECK_THROWS_WITH(kt::function(elements)(x, integers{0, 3}), Catch::StartsWith("step 1 of a scan: index 3 is out of range"));
  CHECK_THROWS_AS(kt::function(elements)(x, integers{-4}), kt::value_error);
  check_same(kt::function(of_rows)(X, integers{1, 0, -1, -2}), vector{0.4, 0.6, 0.1, 1.4});
}

TEST_CASE("steps that read or write parts at indices stay a loop, whose memory does not grow", "[loops]") {
  CHECK(count(optimized(written), "scan") == 1);
  CHECK(count(optimized(rows), "scan") == 1);
  check_same(kt::function(written)(vector{1, 2, 3}, integers{0, -1, 1}), vector{13, 5, 10});
  tensor const t{{{1, 0}, {0, 1}}, {{0, 1}, {1, 0}}};
  check_same(kt::function(rows)(t, integers{1, 0}, vector{0.5, -1}),
             matrix{{std::tanh(-1.), std::tanh(0.5)}, {std::tanh(0.5), std::tanh(-1.)}});
}
