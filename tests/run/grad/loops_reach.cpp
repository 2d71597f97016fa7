// How far gradients of loops reach: truncated ones, those of gradients and of nested loops, in all
// modes.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/grad/loops.hpp"

namespace kt = kroton;
using namespace loop_tests;

TEST_CASE("scan: what no gradient reaches", "[loops]") {
  // Integer states carry none; a state that the cost does not see has none.
  CHECK(kt::verify_grad(
      [](kt::dvector x, kt::dscalar a) {
        auto [n, s] = scan([](auto e, auto n, auto s) { return std::tuple(n + 1, s + e * n); },
                           kt::sequences(x), kt::outputs_info(0, a));
        return s;
      },
      x0, 2.));
  auto const f = kt::function([](kt::dvector x, kt::dscalar a, kt::dscalar b) {
    auto [s, t] = scan([](auto e, auto s, auto t) { return std::tuple(s * e, t + e); },
                       kt::sequences(x), kt::outputs_info(a, b));
    return grad(sum(s), x, a, b, kt::disconnected::zero);
  });
  auto const [of_x, of_a, of_b] = f(vector{2, 3}, 5., 7.);
  CHECK(same(of_x, vector{20, 10}));
  CHECK(of_a == 8);
  CHECK(of_b == 0);
}

TEST_CASE("scan: truncated gradients", "[loops]") {
  auto const f = kt::function([](kt::dvector x, kt::dscalar s, kt::dscalar a) {
    auto y = scan([](auto e, auto s, auto a) { return a * s + e; }, kt::sequences(x),
                  kt::outputs_info(s), kt::non_sequences(a), kt::truncate_gradient(2));
    return grad(y(-1), x, s, a);
  });
  auto const [of_x, of_s, of_a] = f(vector{1, 2, 3}, 5., 2.);
  // y = 11, 24, 51: the last two steps count.
  CHECK(same(of_x, vector{0, 2, 1}));
  CHECK(of_s == 0);
  CHECK(of_a == 24 + 2 * 11);
  auto const [all_x, all_s, all_a] = f(vector{1, 2}, 5., 2.);
  CHECK(same(all_x, vector{2, 1}));
  CHECK(all_s == 4);
  CHECK(all_a == 11 + 2 * 5);
}

TEST_CASE("scan: derivatives of derivatives, and of loops in loops", "[loops]") {
  auto const hessian = kt::function([](kt::dvector x, kt::dscalar s) {
    auto cost = [](auto x, auto s) {
      return scan([](auto e, auto s) { return s * s * e; }, kt::sequences(x),
                  kt::outputs_info(s))(-1);
    };
    return grad(grad(cost(x, s), s), s);
  });
  // s^4 x0^2 x1
  CHECK(hessian(vector{2, 3}, 0.5) == Approx(12 * 0.25 * 4 * 3));
  CHECK(kt::verify_grad(
      [](kt::dvector x, kt::dscalar s) {
        auto y =
            scan([](auto e, auto s) { return sin(s * e); }, kt::sequences(x), kt::outputs_info(s));
        return sqr(grad(sum(y), s)) + sum(grad(sum(y * y), x));
      },
      x0, 0.7));
  CHECK(kt::verify_grad(
      [](kt::dmatrix X, kt::dscalar a) {
        return scan(
            [&](auto row, auto before) {
              return scan([&](auto e, auto s) { return tanh(s + a * e); }, kt::sequences(row),
                          kt::outputs_info(before))(-1);
            },
            kt::sequences(X), kt::outputs_info(a));
      },
      X, 0.3));
  // A gradient inside of a body.
  CHECK(kt::verify_grad(
      [](kt::dvector x, kt::dscalar s) {
        return scan([](auto e, auto s) { return grad(sin(e) * exp(-s * s), s) + e; },
                    kt::sequences(x), kt::outputs_info(s));
      },
      x0, 0.3));
}

TEST_CASE("scan: gradients interpreted, and in the modes that check", "[loops]") {
  auto const cost = [](kt::dmatrix X, kt::dvector h0, kt::dmatrix W) {
    auto h = scan([](auto x, auto h, auto W) { return tanh(dot(W, h) + x) * h; }, kt::sequences(X),
                  kt::outputs_info(h0), kt::non_sequences(W));
    return grad(sum(sqr(h)), X, h0, W);
  };
  auto const [x, h, w] = kt::function(cost)(X, h0, W);
  auto check = [&](auto const& mode) {
    auto const [mx, mh, mw] = kt::function(cost, mode)(X, h0, W);
    CHECK(same(mx, x));
    CHECK(same(mh, h));
    CHECK(same(mw, w));
  };
  check(kt::mode::interpret);
  check(kt::mode::debug);
  check(kt::mode::fast_compile);
  check(kt::mode::ieee);
}
