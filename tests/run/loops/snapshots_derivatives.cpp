// Derivatives of loops that keep snapshots, of other orders and in other modes.
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

/// Whether two tuples of numbers and arrays agree.
template <class A, class B>
void agree(A const& a, B const& b) {
  if constexpr (std::is_arithmetic_v<A>) {
    CHECK(a == Approx(b).epsilon(1e-11));
  } else {
    REQUIRE(a.shape() == b.shape());
    CHECK(xt::allclose(a, b, 1e-11, 1e-13));
  }
}
template <class... A, class... B>
void agree(std::tuple<A...> const& a, std::tuple<B...> const& b) {
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (agree(std::get<I>(a), std::get<I>(b)), ...);
  }(std::index_sequence_for<A...>{});
}
vector waves(std::size_t n, double speed = 0.7) {
  vector x(std::array<std::size_t, 1>{n}, 0.0);
  for (std::size_t i = 0; i < n; ++i) x(i) = std::sin(speed * static_cast<double>(i) + 0.3);
  return x;
}
matrix rows_of_waves(std::size_t n, std::size_t m) {
  matrix x(std::array<std::size_t, 2>{n, m}, 0.0);
  for (std::size_t i = 0; i < x.size(); ++i) x.flat(i) = std::sin(0.3 * static_cast<double>(i) + 0.1);
  return x;
}

// Leaves have as many steps as fit a page: of these states, one.
constexpr std::size_t wide = 600;

constexpr auto second = [](auto option, kt::dvector e, kt::dscalar x, kt::dscalar a) {
  auto y = foldl([=](auto e, auto h) { return a * sin(h) + e * h; }, kt::sequences(e), kt::outputs_info(x), option);
  auto [dx, da, de] = grad(y, x, a, e);
  auto [dxx, dxa] = grad(dx, x, a);
  auto [dae] = std::tuple(grad(da + sum(de * de), e));
  return std::tuple(dxx, dxa, dae);
};

// Loops whose gradient stores all states.
constexpr auto plain = kt::unroll(1);

}  // namespace

TEST_CASE("snapshots: gradients of gradients", "[loops][gradients]") {
  auto const f = kt::function([](kt::dvector e, kt::dscalar x, kt::dscalar a) { return second(plain, e, x, a); });
  auto const g = kt::function([](kt::dvector e, kt::dscalar x, kt::dscalar a) { return second(kt::snapshots(2), e, x, a); }, kt::mode::interpret);
  for (std::size_t n : {0u, 1u, 3u, 1500u}) agree(g(waves(n, 0.2), 0.3, 0.4), f(waves(n, 0.2), 0.3, 0.4));
}

TEST_CASE("snapshots: forward mode, batches and Jacobians", "[loops][gradients]") {
  static constexpr auto cost = [](auto option, kt::dvector h, kt::dvector w) {
    return grad(sum(scan([=](auto h) { return tanh(w * h) + mean(h); }, kt::outputs_info(h), kt::n_steps(7), option)(-1)), h);
  };
  auto const p = kt::function(kt::vmap<0>([](kt::dvector h, kt::dvector w) { return cost(plain, h, w); }));
  auto const s = kt::function(kt::vmap<0>([](kt::dvector h, kt::dvector w) { return cost(kt::snapshots(2), h, w); }));
  agree(s(rows_of_waves(3, wide), waves(wide)), p(rows_of_waves(3, wide), waves(wide)));
  static constexpr auto last = [](auto option, kt::dvector h, kt::dvector w) {
    return scan([=](auto h) { return tanh(w * h) + mean(h); }, kt::outputs_info(h), kt::n_steps(900), option)(-1);
  };
  auto const jp = kt::function([](kt::dvector h, kt::dvector w) { return jacobian(last(plain, h, w), h); });
  auto const js = kt::function([](kt::dvector h, kt::dvector w) { return jacobian(last(kt::snapshots(2), h, w), h); });
  agree(js(waves(4), waves(4, 0.2)), jp(waves(4), waves(4, 0.2)));
  auto const tp = kt::function([](kt::dvector h, kt::dvector w) { return rop(last(plain, h, w), h, w); });
  auto const ts = kt::function([](kt::dvector h, kt::dvector w) { return rop(last(kt::snapshots(2), h, w), h, w); });
  agree(ts(waves(4), waves(4, 0.2)), tp(waves(4), waves(4, 0.2)));
}

TEST_CASE("snapshots: where a gradient goes back a few steps, or there is no state", "[loops][gradients]") {
  auto const f = kt::function([](kt::dvector x, kt::dscalar s) {
    auto y = scan([](auto e, auto s) { return 2 * s + e; }, kt::sequences(x), kt::outputs_info(s), kt::truncate_gradient(2), kt::snapshots(3));
    auto z = map([](auto e) { return e * e; }, kt::sequences(x), kt::snapshots(1));
    auto [dx, ds] = grad(y(-1) + sum(z), x, s);
    return std::tuple(dx, ds);
  });
  agree(f(vector{1, 1, 1, 1}, 1.0), std::tuple(vector{2, 2, 4, 3}, 0.0));
}
