// Snapshots of several states, of states with taps, and of loops that stop.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>
#include <kroton/kroton.hpp>
#include <kroton/runtime.hpp>

#include <boost/hana.hpp>
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

struct motion : kt::structure {
  BOOST_HANA_DEFINE_STRUCT(motion, (kt::dvector, position), (kt::dvector, speed));
};
constexpr auto taps = [](auto option, kt::dmatrix X, kt::dmatrix start, kt::dscalar a) {
  auto y = scan([=](auto before, auto now, auto first, auto last) { return a * first + sin(last) * now + before; },
                kt::sequences(kt::taps<-1, 0>(X)), kt::outputs_info(kt::taps<-3, -1>(start)), kt::go_backwards, option);
  auto cost = sum(y * y) + sum(y(-1)) + sum(y(2));
  auto [dx, ds, da] = grad(cost, X, start, a);
  return std::tuple(dx, ds, da);
};

constexpr auto last_of_taps = [](auto option, kt::dmatrix start, kt::dscalar a, kt::lscalar n) {
  auto y = scan([=](auto second, auto last) { return a * second + sin(last); }, kt::outputs_info(kt::taps<-2, -1>(start)), kt::n_steps(n),
                option);
  auto [ds, da] = grad(sum(y(-1) * y(-2)), start, a);
  return std::tuple(ds, da);
};

// A counter, a state that no gradient reaches, and one that does not depend on itself.
constexpr auto several = [](auto option, kt::dvector h, kt::dvector w, kt::lscalar n) {
  auto [x, y, count, z] = scan(
      [=](auto x, auto y, auto count, auto z) {
        auto next = x + w * sin(y) / (1 + kt::cast<double>(count));
        return std::tuple(next, cos(next) + 0.1 * w, count + 1, z * 0.5);
      },
      kt::outputs_info(h, 2 * h, 0, h), kt::n_steps(n), option);
  auto [dh, dw] = grad(sum(x(-1) * y(-1)) + sum(y), h, w);
  return std::tuple(dh, dw, count(-1), z(-1));
};

constexpr auto stopping = [](auto option, kt::dmatrix X, kt::dvector h, kt::dvector w) {
  auto [y, s] = scan([=](auto x, auto h) { auto next = w * h + x; return kt::until(sum(abs(next)) > 600, next, sum(next)); },
                kt::sequences(X), kt::outputs_info(h, kt::none), option);
  auto [dX, dh, dw] = grad(sum(y * y) + sum(y(-1)) + sum(s), X, h, w);
  return std::tuple(y.shape(0), dX, dh, dw);
};

constexpr auto fall = [](auto option, kt::dvector position, kt::dvector speed, kt::dscalar dt, kt::lscalar n) {
  auto [positions, speeds] = scan(
      [=](motion m) {
        auto speed = m.speed - dt * sin(m.position);
        return motion{{}, m.position + dt * speed, speed};
      },
      kt::outputs_info(motion{{}, position, speed}), kt::n_steps(n), option);
  auto [dp, ds, dt_] = grad(sum(sqr(positions(-1))) + sum(speeds(floordiv(n, 2))), position, speed, dt);
  return std::tuple(dp, ds, dt_);
};

// Loops whose gradient stores all states.
constexpr auto plain = kt::unroll(1);

}  // namespace

TEST_CASE("snapshots: taps of sequences and states, from the end on", "[loops][gradients]") {
  auto const f = kt::function([](kt::dmatrix X, kt::dmatrix s, kt::dscalar a) { return taps(plain, X, s, a); });
  auto const g = kt::function([](kt::dmatrix X, kt::dmatrix s, kt::dscalar a) { return taps(kt::snapshots(2), X, s, a); });
  auto const interpreted =
      kt::function([](kt::dmatrix X, kt::dmatrix s, kt::dscalar a) { return taps(kt::snapshots(2), X, s, a); }, kt::mode::interpret);
  for (std::size_t n : {4u, 5u, 9u, 14u}) {
    auto const expected = f(rows_of_waves(n, wide), rows_of_waves(4, wide), 0.4);
    agree(g(rows_of_waves(n, wide), rows_of_waves(4, wide), 0.4), expected);
    agree(interpreted(rows_of_waves(n, wide), rows_of_waves(4, wide), 0.4), expected);
  }
  agree(g(rows_of_waves(900, 3), rows_of_waves(4, 3), 0.2), f(rows_of_waves(900, 3), rows_of_waves(4, 3), 0.2));
}

TEST_CASE("snapshots: the last rows of a state with taps, and fewer steps than taps", "[loops][gradients]") {
  auto const f = kt::function([](kt::dmatrix s, kt::dscalar a, kt::lscalar n) { return last_of_taps(plain, s, a, n); });
  auto const g = kt::function([](kt::dmatrix s, kt::dscalar a, kt::lscalar n) { return last_of_taps(kt::snapshots(3), s, a, n); });
  for (std::int64_t n : {2, 3, 4, 9, 20}) agree(g(rows_of_waves(2, wide), 0.4, n), f(rows_of_waves(2, wide), 0.4, n));
  agree(g(rows_of_waves(2, 2), 0.4, 2000), f(rows_of_waves(2, 2), 0.4, 2000));
}

TEST_CASE("snapshots: several states", "[loops][gradients]") {
  auto const f = kt::function([](kt::dvector h, kt::dvector w, kt::lscalar n) { return several(plain, h, w, n); });
  auto const g = kt::function([](kt::dvector h, kt::dvector w, kt::lscalar n) { return several(kt::snapshots(2), h, w, n); });
  for (std::int64_t n : {1, 2, 6, 11}) agree(g(waves(wide), waves(wide, 0.2), n), f(waves(wide), waves(wide, 0.2), n));
  auto const p = kt::function([](kt::dvector x, kt::dvector v, kt::dscalar dt, kt::lscalar n) { return fall(plain, x, v, dt, n); });
  auto const s = kt::function([](kt::dvector x, kt::dvector v, kt::dscalar dt, kt::lscalar n) { return fall(kt::snapshots(3), x, v, dt, n); });
  for (std::int64_t n : {1, 4, 17}) agree(s(waves(wide), waves(wide, 0.2), 0.1, n), p(waves(wide), waves(wide, 0.2), 0.1, n));
}

TEST_CASE("snapshots: a loop that kt::until stops", "[loops][gradients]") {
  auto const f = kt::function([](kt::dmatrix X, kt::dvector h, kt::dvector w) { return stopping(plain, X, h, w); });
  auto const g = kt::function([](kt::dmatrix X, kt::dvector h, kt::dvector w) { return stopping(kt::snapshots(2), X, h, w); });
  auto const interpreted =
      kt::function([](kt::dmatrix X, kt::dvector h, kt::dvector w) { return stopping(kt::snapshots(2), X, h, w); }, kt::mode::interpret);
  for (double growth : {1e-3, 0.2, 0.5, 100.0}) {
    matrix const X = growth * xt::ones<double>({25u, static_cast<unsigned>(wide)});
    vector const w = xt::ones<double>({wide});
    auto const expected = f(X, vector(0.1 * w), w);
    agree(g(X, vector(0.1 * w), w), expected);
    agree(interpreted(X, vector(0.1 * w), w), expected);
  }
}
