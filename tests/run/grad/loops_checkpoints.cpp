// Gradients of loops that store the states of some steps only.
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
    CHECK(a == Approx(b).epsilon(1e-13));
  } else {
    REQUIRE(a.shape() == b.shape());
    for (std::size_t i = 0; i < a.size(); ++i) CHECK(a.flat(i) == Approx(b.flat(i)).epsilon(1e-12).margin(1e-13));
  }
}
template <class... A, class... B>
void agree(std::tuple<A...> const& a, std::tuple<B...> const& b) {
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (agree(std::get<I>(a), std::get<I>(b)), ...);
  }(std::index_sequence_for<A...>{});
}

constexpr auto network = [](auto option, kt::dmatrix X, kt::dvector h, kt::dmatrix W) {
  auto [states, sums] = scan(
      [=](kt::dvector x, kt::dvector h) {
        auto next = tanh(dot(W, h) + x);
        return std::tuple(next, sum(next * x));
      },
      kt::sequences(X), kt::outputs_info(h, kt::none), option);
  auto cost = sum(states * states) + sum(exp(sums)) + sum(states(-1));
  auto [dX, dh, dW] = grad(cost, X, h, W);
  return std::tuple(states, sums, cost, dX, dh, dW);
};
constexpr auto loop = [](auto option, kt::dvector x, kt::dvector start, kt::dscalar a) {
  auto y = scan([=](auto before, auto now, auto first, auto last) { return a * first + sin(last) * now + before; },
                kt::sequences(kt::taps<-1, 0>(x)), kt::outputs_info(kt::taps<-3, -1>(start)), kt::go_backwards, option);
  auto cost = sum(y * y) + y(-1) + y(2);
  auto [dx, ds, da] = grad(cost, x, start, a);
  return std::tuple(y, dx, ds, da);
};
constexpr auto fold = [](auto option, kt::dscalar x, kt::dscalar a, kt::lscalar n) {
  auto y = foldl([=](kt::dscalar h) { return a * h * (1 - h); }, kt::outputs_info(x), kt::n_steps(n), option);
  auto [dx, da] = grad(y, x, a);
  return std::tuple(y, dx, da, grad(dx, a));
};
}  // namespace

TEST_CASE("checkpoint: states, outputs and gradients are those of the plain loop", "[loops][gradients]") {
  auto const plain = kt::function([](kt::dmatrix X, kt::dvector h, kt::dmatrix W) { return network(kt::truncate_gradient(1000), X, h, W); },
                                  kt::mode::interpret);
  auto const root = kt::function([](kt::dmatrix X, kt::dvector h, kt::dmatrix W) { return network(kt::checkpoint, X, h, W); });
  auto const third = kt::function([](kt::dmatrix X, kt::dvector h, kt::dmatrix W) { return network(kt::checkpoint(3), X, h, W); });
  auto const interpreted = kt::function([](kt::dmatrix X, kt::dvector h, kt::dmatrix W) { return network(kt::checkpoint(3), X, h, W); },
                                        kt::mode::interpret);
  matrix const W{{0.5, -0.3}, {0.2, 0.4}};
  vector const h{0.1, -0.2};
  for (std::size_t n : {1u, 2u, 3u, 4u, 6u, 7u, 16u, 17u}) {
    matrix X({n, 2});
    for (std::size_t i = 0; i < X.size(); ++i) X.flat(i) = std::sin(1.7 * static_cast<double>(i));
    auto const expected = plain(X, h, W);
    agree(root(X, h, W), expected);
    agree(third(X, h, W), expected);
    agree(interpreted(X, h, W), expected);
  }
}

TEST_CASE("checkpoint: taps of sequences and states, from the end on", "[loops][gradients]") {
  auto const plain = kt::function([](kt::dvector x, kt::dvector s, kt::dscalar a) { return loop(kt::truncate_gradient(1000), x, s, a); },
                                  kt::mode::interpret);
  auto const segments = kt::function([](kt::dvector x, kt::dvector s, kt::dscalar a) { return loop(kt::checkpoint(4), x, s, a); });
  auto const debugged =
      kt::function([](kt::dvector x, kt::dvector s, kt::dscalar a) { return loop(kt::checkpoint(4), x, s, a); }, kt::mode::debug);
  vector const start{0.3, 0.2, -0.4, 9};
  for (std::size_t n : {4u, 5u, 9u, 13u, 14u}) {
    vector x = xt::zeros<double>({n});
    for (std::size_t i = 0; i < n; ++i) x(i) = std::cos(0.9 * static_cast<double>(i));
    auto const expected = plain(x, start, 0.4);
    agree(segments(x, start, 0.4), expected);
    agree(debugged(x, start, 0.4), expected);
  }
}

TEST_CASE("checkpoint: last values, no steps, more steps in a segment than there are", "[loops][gradients]") {
  auto const plain = kt::function([](kt::dscalar x, kt::dscalar a, kt::lscalar n) { return fold(kt::truncate_gradient(1000), x, a, n); },
                                  kt::mode::interpret);
  auto const root = kt::function([](kt::dscalar x, kt::dscalar a, kt::lscalar n) { return fold(kt::checkpoint, x, a, n); });
  auto const many = kt::function([](kt::dscalar x, kt::dscalar a, kt::lscalar n) { return fold(kt::checkpoint(1000), x, a, n); });
  auto const one = kt::function([](kt::dscalar x, kt::dscalar a, kt::lscalar n) { return fold(kt::checkpoint(1), x, a, n); });
  for (std::int64_t n : {0, 1, 2, 3, 10, 12}) {
    auto const expected = plain(0.3, 3.2, n);
    agree(root(0.3, 3.2, n), expected);
    agree(many(0.3, 3.2, n), expected);
    agree(one(0.3, 3.2, n), expected);
  }
  CHECK_THROWS_WITH(root(0.3, 3.2, -7), Catch::Contains("-7"));
}

TEST_CASE("checkpoint: the last state alone has no stack of all", "[loops][passes]") {
  auto const f = [](kt::dvector h, kt::dmatrix W) {
    auto y = scan([=](kt::dvector h) { return tanh(dot(W, h)); }, kt::outputs_info(h), kt::n_steps(1000000), kt::checkpoint);
    return grad(sum(y(-1)), W);
  };
  kt::graph const g = kt::optimize(kt::graph_of(f).get(), kt::stage::specialize);
  int scans = 0;
  for (int id = 0; id < g.size(); ++id) {
    CHECK(g[id].op->name != "stacked");
    scans += g[id].op->name == "scan" ? 1 : 0;
  }
  CHECK(scans == 4);
  matrix const W{{0.5, 0.4}, {-0.4, 0.5}};
  auto const plain = kt::function([](kt::dvector h, kt::dmatrix W) {
    return grad(sum(scan([=](kt::dvector h) { return tanh(dot(W, h)); }, kt::outputs_info(h), kt::n_steps(1000))(-1)), W);
  });
  auto const thousand = kt::function([](kt::dvector h, kt::dmatrix W) {
    auto y = scan([=](kt::dvector h) { return tanh(dot(W, h)); }, kt::outputs_info(h), kt::n_steps(1000), kt::checkpoint);
    return grad(sum(y(-1)), W);
  });
  agree(thousand(vector{0.3, 0.1}, W), plain(vector{0.3, 0.1}, W));
}
