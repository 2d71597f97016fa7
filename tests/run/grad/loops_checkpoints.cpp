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
  auto const plain = kt::function([](kt::dmatrix X, kt::dvector h, kt::dmatrix W) { return network(kt::truncate_gradient(1000), X, h, W); });
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
  auto const plain = kt::function([](kt::dvector x, kt::dvector s, kt::dscalar a) { return loop(kt::truncate_gradient(1000), x, s, a); });
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
  auto const plain = kt::function([](kt::dscalar x, kt::dscalar a, kt::lscalar n) { return fold(kt::truncate_gradient(1000), x, a, n); });
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

TEST_CASE("checkpoint: sequences that are too short", "[loops][errors]") {
  auto const f = kt::function([](kt::dvector x, kt::lscalar n) {
    return scan([](auto e, auto s) { return s + e; }, kt::sequences(x), kt::outputs_info(0.0), kt::n_steps(n), kt::checkpoint(2))(-1);
  });
  CHECK(f(vector{1, 2, 3, 4}, 3) == 6);
  CHECK_THROWS_WITH(f(vector{1, 2, 3, 4}, 5), Catch::Contains("5"));
}

namespace {

// A loop that goes beyond sequences of 4 and starts of 2 rows, where nothing of it is read but
// derivatives.
constexpr auto beyond = [](auto option, kt::dvector x, kt::dvector start, kt::lscalar n) {
  return scan([](auto e, auto first, auto last) { return e * first + last; }, kt::sequences(x),
              kt::outputs_info(kt::taps<-3, -1>(start)), kt::n_steps(n), option);
};
void refuses_short_operands(auto const& f) {
  vector const x{1, 2, 3, 4}, start{0.5, 0.25, 0.125};
  CHECK_NOTHROW(f(x, start, 4));
  CHECK_THROWS_WITH(f(x, start, 5), Catch::Contains("4") && Catch::Contains("5"));
  CHECK_THROWS_WITH(f(x, vector{0.5, 0.25}, 4), Catch::Contains("2") && Catch::Contains("3"));
  CHECK_THROWS_WITH(f(x, start, -1), Catch::Contains("-1"));
}

}  // namespace

TEST_CASE("checkpoint: operands that are too short for values, gradients, tangents, slices",
          "[loops][errors]") {
  refuses_short_operands(kt::function([](kt::dvector x, kt::dvector start, kt::lscalar n) {
    return beyond(kt::checkpoint(2), x, start, n);
  }));
  refuses_short_operands(kt::function([](kt::dvector x, kt::dvector start, kt::lscalar n) {
    return grad(sum(beyond(kt::checkpoint(2), x, start, n)), x, start);
  }));
  // Of a sum of rows that are linear in it, the gradient needs no row
  refuses_short_operands(kt::function([](kt::dvector x, kt::dvector start, kt::lscalar n) {
    return grad(sum(scan([](auto e, auto s, auto t) { return e + s + t; }, kt::sequences(x),
                         kt::outputs_info(kt::taps<-3, -1>(start)), kt::n_steps(n),
                         kt::checkpoint(2))),
                x);
  }));
  refuses_short_operands(kt::function([](kt::dvector x, kt::dvector start, kt::lscalar n) {
    return rop(beyond(kt::checkpoint(2), x, start, n), x, kt::ones_like(x));
  }));
  refuses_short_operands(kt::function([](kt::dvector x, kt::dvector start, kt::lscalar n) {
    return kt::vmap([=](kt::dscalar a) {
      return beyond(kt::checkpoint(2), a * x, a * start, n);
    })(x);
  }));
  // Segments in the step of another loop, whose states and elements are the operands
  refuses_short_operands(kt::function([](kt::dvector x, kt::dvector start, kt::lscalar n) {
    auto y = foldl(
        [=](kt::dvector s) { return s + beyond(kt::checkpoint(2), x * s(0), s, n)(-1); },
        kt::outputs_info(start), kt::n_steps(2));
    return grad(sum(y), x);
  }));
}

TEST_CASE("checkpoint: what is refused while it is recorded", "[loops][errors]") {
  auto const refused = [](auto option, auto condition) {
    kt::graph g;
    kt::dvector const x(kt::term{&g, g.input(kt::dvector::parameter_type, 0)});
    scan([=](auto e, auto s) { return condition(s + e); }, kt::sequences(x), kt::outputs_info(0.0), option);
    return std::string(g.error());
  };
  CHECK(refused(kt::checkpoint(0), [](auto s) { return s; }) == "kt::checkpoint: a segment has at least one step");
  CHECK(refused(kt::checkpoint(3), [](auto s) { return kt::until(s > 1, s); }) ==
        "kt::checkpoint: a loop that kt::until stops cannot be divided into segments, since the number of its steps is not known before: "
        "use kt::snapshots(c)");
}
