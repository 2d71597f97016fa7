// Loops that become one, and those of which a branch or a failing step decides.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/loops/passes.hpp"

namespace kt = kroton;
using namespace loop_tests;

TEST_CASE("scan_merge: loops over the same steps are one", "[loops]") {
  auto const f = [](kt::dvector x, kt::dscalar a) {
    auto s = scan([](auto e, auto s) { return sin(s) + e; }, kt::sequences(x), kt::outputs_info(a));
    auto t = scan([](auto e, auto t) { return cos(t) * e; }, kt::sequences(x), kt::outputs_info(a));
    auto u = scan([](auto e, auto u) { return sin(u) + e; }, kt::sequences(x), kt::outputs_info(a));
    return std::tuple(s, t, u);
  };
  CHECK(body(optimized(f)).results().size() == 2);
  check_without(f, vector{1, 2, 3}, 0.5);
  // So are a loop and the one that stores for the gradient what comes from products.
  auto const gates = [](kt::dmatrix X, kt::dvector h, kt::dmatrix W, kt::dmatrix U) {
    auto y = scan(
        [&](auto x, auto h) {
          auto gate = sigmoid(dot(U, h) - x);
          return gate * h + (1 - gate) * tanh(dot(W, h) + x);
        },
        kt::sequences(X), kt::outputs_info(h));
    auto cost = sum(sqr(y));
    return std::tuple(cost, y, grad(cost, W));
  };
  CHECK(count(optimized(gates), "scan") == 2);
  check_without(gates, X, h0, W, U);
  // One that waits for another is not.
  auto const chained = [](kt::dvector x, kt::dscalar a) {
    auto s = scan([](auto e, auto s) { return sin(s) + e; }, kt::sequences(x), kt::outputs_info(a));
    return scan([](auto e, auto t) { return cos(t) * e; }, kt::sequences(s), kt::outputs_info(a));
  };
  CHECK(count(optimized(chained), "scan") == 2);
  check_without(chained, vector{1, 2, 3}, 0.5);
}

TEST_CASE("scan: what a branch guards is computed only there", "[loops]") {
  matrix const bad{{-1, 0}, {0, 1}}, good{{4, 0}, {0, 9}};
  tensor const mixed{{{4, 0}, {0, 9}}, {{-1, 0}, {0, 1}}};
  auto const guarded = [](kt::dtensor3 x) {
    return scan(
        [](auto a, auto s) { return s * 0.5 + ifelse(a(0, 0) > 0, sum(kt::cholesky(a)), s); },
        kt::sequences(x), kt::outputs_info(1.0));
  };
  check_without(guarded, mixed);
  check_without([](kt::dtensor3 x) { return grad(sum(decltype(guarded){}(x)), x); }, mixed);
  // Two loops of which only one is needed are not one.
  auto const either = [](kt::dvector x, kt::dmatrix m, kt::dscalar q) {
    auto a = sum(
        scan([](auto e, auto s) { return sin(s) + e; }, kt::sequences(x), kt::outputs_info(0.5)));
    auto b = sum(scan([&](auto e, auto s) { return s + e * sum(kt::cholesky(m)); },
                      kt::sequences(x), kt::outputs_info(0.0)));
    return ifelse(q > 0, a, a + b);
  };
  check_without(either, vector{1, 2}, bad, 1.);
  check_without(either, vector{1, 2}, good, -1.);
}

TEST_CASE("scan: gradients from the branch that is not taken do not arrive", "[loops]") {
  auto const f = kt::function([](kt::dvector x, kt::dscalar q) {
    auto y = sum(
        scan([](auto e, auto s) { return s + log(e); }, kt::sequences(x), kt::outputs_info(0.0)));
    return grad(ifelse(q > 0, sum(x), y), x);
  });
  vector const found = f(vector{0, 1}, 1.);
  CHECK(found == vector{1, 1});
}

TEST_CASE("scan: gradients through ops with several outputs, and loops with several", "[loops]") {
  CHECK(kt::verify_grad(
      [](kt::dtensor3 x) {
        return scan([](auto a, auto s) { return s * 0.5 + sum(std::get<1>(kt::qr(a))); },
                    kt::sequences(x), kt::outputs_info(1.0));
      },
      tensor{{{4, 1}, {2, 9}}, {{1, 3}, {-2, 1}}}));
  CHECK(kt::verify_grad(
      [](kt::dmatrix X, kt::dscalar a) {
        return scan(
            [](auto row, auto before) {
              auto [s, t] = scan(
                  [](auto e, auto s) {
                    auto n = tanh(s + e);
                    return std::tuple(n, n * e);
                  },
                  kt::sequences(row), kt::outputs_info(before, kt::none));
              return sum(t);
            },
            kt::sequences(X), kt::outputs_info(a));
      },
      X, 0.3));
}

TEST_CASE("scan: a shared variable stays as it was if a step throws", "[loops]") {
  kt::shared<double, 1> w(vector{10, 20, 30, 40});
  auto const f = kt::function(
      [](kt::dmatrix m, kt::lvector at, kt::dvector w) {
        auto s = scan([&](auto i, auto s) { return s + m(i, 0); }, kt::sequences(at),
                      kt::outputs_info(1.0));
        return kt::outputs(sum(s)).update(w, s);
      },
      w);
  CHECK_THROWS_AS(f(X, xt::xtensor<std::int64_t, 1>{0, 1, 9, 2}), kt::error);
  vector const kept = w.get_value();
  CHECK(kept == vector{10, 20, 30, 40});
}
