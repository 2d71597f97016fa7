// Loops that are running sums and products.
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

template <class F, class... A>
void agree(F const& f, A const&... arguments) {
  auto const with = kt::function(f)(arguments...);
  auto const without = kt::function(f, kt::mode::fast_run.excluding<"scan_accumulate">())(arguments...);
  auto const interpreted = kt::function(f, kt::mode::interpret)(arguments...);
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    auto const same = [](auto const& a, auto const& b) { return xt::allclose(a, b, 1e-12, 1e-13); };
    CHECK((same(std::get<I>(with), std::get<I>(without)) && ...));
    CHECK((same(std::get<I>(interpreted), std::get<I>(without)) && ...));
  }(std::make_index_sequence<std::tuple_size_v<decltype(with)>>{});
}
template <class F>
kt::graph optimized(F const& f) {
  return kt::optimize(kt::graph_of(f).get(), kt::stage::specialize);
}
int count(kt::graph const& g, std::string_view op) {
  int found = 0;
  for (int id = 0; id < g.size(); ++id) found += g[id].op->name == op ? 1 : 0;
  return found;
}

}  // namespace

TEST_CASE("scan_accumulate: running sums and products", "[loops][passes]") {
  constexpr auto f = [](kt::dvector x, kt::dmatrix m, kt::dvector start) {
    auto sums = scan([](auto e, auto s) { return s + e * exp(e); }, kt::sequences(x), kt::outputs_info(2.0));
    auto rows = scan([](auto e, auto p) { return p * (1 + e); }, kt::sequences(m), kt::outputs_info(start));
    return std::tuple(sums, rows);
  };
  kt::graph const g = optimized(f);
  CHECK(count(g, "scan") == 0);
  CHECK(count(g, "cumsum") == 1);
  CHECK(count(g, "cumprod") == 1);
  agree(f, vector{0.1, 0.2, -0.3}, matrix{{0.1, 0.2}, {0.3, -0.4}}, vector{1, 2});
  agree(f, vector(xt::zeros<double>({0})), matrix(xt::zeros<double>({0, 2})), vector{1, 2});
}

TEST_CASE("scan_accumulate: folds are sums and products", "[loops][passes]") {
  constexpr auto f = [](kt::dvector x, kt::dvector y, kt::lscalar n) {
    auto [s, p] = foldl([](auto a, auto b, auto s, auto p) { return std::tuple(s + a * b, a * p); }, kt::sequences(x, y),
                        kt::outputs_info(1.5, 2.0), kt::n_steps(n));
    return std::tuple(s, p);
  };
  CHECK(count(optimized(f), "scan") == 0);
  for (std::int64_t n : {0, 1, 3}) agree(f, vector{1, 2, 3}, vector{4, 5, 6}, n);
  CHECK_THROWS_AS(kt::function(f)(vector{1, 2}, vector{3, 4}, 3), kt::shape_error);
}

TEST_CASE("scan_accumulate: what others read, or what needs a state, stays in the loop", "[loops][passes]") {
  constexpr auto f = [](kt::dvector x) {
    auto [s, t] = scan([](auto e, auto s, auto t) { return std::tuple(s + e, t + s); }, kt::sequences(x), kt::outputs_info(0.0, 0.0));
    return std::tuple(s, t);
  };
  CHECK(count(optimized(f), "scan") == 1);
  agree(f, vector{1, 2, 3, 4});
}

TEST_CASE("scan_accumulate: gradients", "[loops][passes]") {
  constexpr auto f = [](kt::dvector x, kt::dscalar a) {
    auto y = scan([=](auto e, auto s) { return s + a * e * e; }, kt::sequences(x), kt::outputs_info(a));
    return std::tuple(grad(sum(y * y), a), grad(y(-1), x));
  };
  agree(f, vector{1, 2, 3, 4}, 0.5);
}
