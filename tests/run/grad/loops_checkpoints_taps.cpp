// Gradients of loops in segments: taps, last values, all numbers of steps.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/grad/loops.hpp"

namespace kt = kroton;
using namespace loop_tests;

namespace {

constexpr auto loop = [](auto option, kt::dvector x, kt::dvector start, kt::dscalar a) {
  auto y = scan([=](auto before, auto now, auto first,
                    auto last) { return a * first + sin(last) * now + before; },
                kt::sequences(kt::taps<-1, 0>(x)), kt::outputs_info(kt::taps<-3, -1>(start)),
                kt::go_backwards, option);
  auto cost = sum(y * y) + y(-1) + y(2);
  auto [dx, ds, da] = grad(cost, x, start, a);
  return std::tuple(y, dx, ds, da);
};
constexpr auto fold = [](auto option, kt::dscalar x, kt::dscalar a, kt::lscalar n) {
  auto y = foldl([=](kt::dscalar h) { return a * h * (1 - h); }, kt::outputs_info(x),
                 kt::n_steps(n), option);
  auto [dx, da] = grad(y, x, a);
  return std::tuple(y, dx, da, grad(dx, a));
};

}  // namespace

TEST_CASE("checkpoint: taps of sequences and states, from the end on", "[loops][gradients]") {
  auto const plain = kt::function([](kt::dvector x, kt::dvector s, kt::dscalar a) {
    return loop(kt::truncate_gradient(1000), x, s, a);
  });
  auto const segments = kt::function(
      [](kt::dvector x, kt::dvector s, kt::dscalar a) { return loop(kt::checkpoint(4), x, s, a); });
  auto const debugged = kt::function(
      [](kt::dvector x, kt::dvector s, kt::dscalar a) { return loop(kt::checkpoint(4), x, s, a); },
      kt::mode::debug);
  vector const start{0.3, 0.2, -0.4, 9};
  for (std::size_t n : {4u, 5u, 9u, 13u, 14u}) {
    vector x = xt::zeros<double>({n});
    for (std::size_t i = 0; i < n; ++i) x(i) = std::cos(0.9 * static_cast<double>(i));
    auto const expected = plain(x, start, 0.4);
    agree(segments(x, start, 0.4), expected);
    agree(debugged(x, start, 0.4), expected);
  }
}

TEST_CASE("checkpoint: last values, no steps, more steps in a segment than there are",
          "[loops][gradients]") {
  auto const plain = kt::function([](kt::dscalar x, kt::dscalar a, kt::lscalar n) {
    return fold(kt::truncate_gradient(1000), x, a, n);
  });
  auto const root = kt::function(
      [](kt::dscalar x, kt::dscalar a, kt::lscalar n) { return fold(kt::checkpoint, x, a, n); });
  auto const many = kt::function([](kt::dscalar x, kt::dscalar a, kt::lscalar n) {
    return fold(kt::checkpoint(1000), x, a, n);
  });
  auto const one = kt::function(
      [](kt::dscalar x, kt::dscalar a, kt::lscalar n) { return fold(kt::checkpoint(1), x, a, n); });
  for (std::int64_t n : {0, 1, 2, 3, 10, 12}) {
    auto const expected = plain(0.3, 3.2, n);
    agree(root(0.3, 3.2, n), expected);
    agree(many(0.3, 3.2, n), expected);
    agree(one(0.3, 3.2, n), expected);
  }
  CHECK_THROWS_WITH(root(0.3, 3.2, -7), Catch::Contains("-7"));
}
