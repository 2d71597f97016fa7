// kt::minimize by L-BFGS.
// SPDX-License-Identifier: BSD-3-Clause
#include <run/minimize/problems.hpp>

#include <random>

namespace {

constexpr auto rosenbrock = [](problems::two x) { return sum(sqr(problems::rosenbrock(x))); };
constexpr auto wood = [](problems::four x) { return sum(sqr(problems::wood(x))); };
constexpr auto brown = [](problems::two x) { return sum(sqr(problems::brown(x))); };
constexpr auto long_valley = [](kt::dvector x) {
  auto a = x(kt::slice(0, -1)), b = x(kt::slice(1, kt::none));
  return sum(100 * sqr(b - sqr(a)) + sqr(1 - a));
};
constexpr auto distance = [](kt::dmatrix x, kt::dmatrix y) { return sum(sqr(x - y)); };
constexpr auto hyperbola = [](kt::dscalar x, kt::dscalar a) { return a * x + 1 / x; };

}  // namespace

TEST_CASE("minimize: problems with known minima", "[minimize]") {
  auto const r = kt::minimize(rosenbrock, std::vector{-1.2, 1.0});
  CHECK(r.converged);
  CHECK(r);
  CHECK(r.why == kt::ending::small_gradient);
  CHECK(agrees(r.x, {1, 1}));
  CHECK(r.value < 1e-15);
  CHECK(r.gradient_norm <= 1e-8);
  CHECK(r.evaluations >= r.iterations);
  CHECK(r.evaluations < 60);

  auto const w = kt::minimize(wood, std::vector{-3., -1., -3., -1.});
  CHECK(w.converged);
  CHECK(agrees(w.x, {1, 1, 1, 1}));

  auto const b = kt::minimize(brown, std::array{1.0, 1.0});
  CHECK(b.converged);
  CHECK(b.x(0) == Approx(1e6));
  CHECK(b.x(1) == Approx(2e-6));
}

TEST_CASE("minimize: many unknowns", "[minimize]") {
  xt::xtensor<double, 1> const start = 0.5 * xt::ones<double>({500});
  for (int memory : {10, 30}) {
    auto const r = kt::minimize(long_valley, start, {.memory = memory});
    CHECK(r.converged);
    CHECK(agrees(r.x, std::vector<double>(500, 1)));
  }
}

TEST_CASE("minimize: matrices and scalars, with data", "[minimize]") {
  xt::xtensor<double, 2> const y{{1, 2, 3}, {4, 5, 6}};
  auto const r = kt::minimize(distance, xt::zeros<double>({2, 3}), kt::given(y));
  CHECK(r.converged);
  CHECK(r.iterations <= 3);
  CHECK(agrees(r.x, {1, 2, 3, 4, 5, 6}));
  CHECK(r.x.shape()[0] == 2);

  auto const s = kt::minimize(hyperbola, 3.0, kt::given(0.25), kt::lbfgs{});
  static_assert(std::is_same_v<decltype(s.x), double>);
  CHECK(s.converged);
  CHECK(s.x == Approx(2));
  CHECK(s.value == Approx(1));
}

TEST_CASE("minimize: what the observer sees", "[minimize]") {
  std::vector<kt::progress> seen;
  auto const r = kt::minimize(rosenbrock, std::vector{-1.2, 1.0}, {.observe = [&](auto const& p) {
                                seen.push_back(p);
                                return true;
                              }});
  REQUIRE(static_cast<int>(seen.size()) == r.iterations + 1);
  CHECK(seen.front().value == Approx(24.2));
  CHECK(seen.back().value == r.value);
  for (std::size_t i = 1; i < seen.size(); ++i) CHECK(seen[i].value < seen[i - 1].value);

  auto const s = kt::minimize(rosenbrock, std::vector{-1.2, 1.0},
                              {.observe = [](kt::progress const& p) { return p.iteration < 3; }});
  CHECK_FALSE(s.converged);
  CHECK(s.why == kt::ending::stopped);
  CHECK(s.iterations == 3);
}

TEST_CASE("minimize: a refused pair leaves those that are kept as they are", "[minimize]") {
  using kt::minimization::numbers;
  for (int memory : {1, 2}) {
    kt::minimization::inverse_hessian h(memory);
    h.add(numbers{1, 0}, numbers{0, 0}, numbers{2, 0}, numbers{0, 0});
    numbers before(2), after(2);
    h.direction(numbers{1, 1}, before);
    h.add(numbers{0, 1}, numbers{0, 0}, numbers{0, -3}, numbers{0, 0});
    h.direction(numbers{1, 1}, after);
    CHECK(before == numbers{-0.5, -0.5});
    CHECK(after == before);
  }
}
