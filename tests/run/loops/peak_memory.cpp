// How much memory loops take beyond arguments and results.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/runtime.hpp>

#include "run/counted_memory.hpp"
#include "run/reference.hpp"

using namespace reference;
using counted_memory::most_taken, counted_memory::taken;

namespace {

constexpr std::size_t length = 20000;
vec<double> const start(std::array<std::size_t, 1>{length}, 0.1), weights(std::array<std::size_t, 1>{length}, 0.3);

/// The states that a first call takes beyond its arguments and so many arrays as results. None where the expression as written is
/// computed next to it.
template <class F>
double states_taken(F const& f, int results, std::int64_t steps) {
  long const before = taken;
  most_taken = before;
  f(start, weights, steps);
  double const states = static_cast<double>(most_taken - before) / (sizeof(double) * length);
  return runs_once ? states - results : 0;
}

}  // namespace

TEST_CASE("memory: what is counted", "[loops]") {
  long const before = taken;
  most_taken = before;
  { vec<double> const x = start + weights; }
  CHECK(taken == before);
  CHECK(most_taken == before + static_cast<long>(sizeof(double) * length));
}

TEST_CASE("memory: the last value of a state takes none", "[loops]") {
  auto const f = kt::function([](kt::dvector x, kt::dvector w, kt::lscalar n) {
    auto [y, total] = foldl([=](auto x, auto total) { return std::tuple(w * x * (1 - x), total + x); }, kt::outputs_info(x, x), kt::n_steps(n));
    return std::tuple(y, total);
  });
  CHECK(states_taken(f, 2, 100) < 0.2);
}

TEST_CASE("memory: a gradient with snapshots keeps these, and the states of a step", "[loops][gradients]") {
  auto const f = kt::function([](kt::dvector x, kt::dvector w, kt::lscalar n) {
    auto y = scan([=](auto x) { return x + 1e-3 * w * x * (1 - x); }, kt::outputs_info(x), kt::n_steps(n), kt::snapshots(6));
    auto [dx, dw] = grad(sum(y(-1)), x, w);
    return std::tuple(dx, dw);
  });
  CHECK(states_taken(f, 2, 100) <= 10);
  auto const g = kt::function([](kt::dvector x, kt::dvector w, kt::lscalar n) {
    auto y = scan([=](auto x) { return tanh(w * x) - 1e-4 * sin(x) * mean(x); }, kt::outputs_info(x), kt::n_steps(n), kt::snapshots(6));
    auto [dx, dw] = grad(sum(y(-1)), x, w);
    return std::tuple(dx, dw);
  });
  CHECK(states_taken(g, 2, 100) <= 10);
}
