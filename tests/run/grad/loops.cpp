// Gradients of loops: against finite differences and closed forms, of every kind of state.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/grad/loops.hpp"

namespace kt = kroton;
using namespace loop_tests;

TEST_CASE("scan: gradients of states, sequences, starts and non-sequences", "[loops]") {
  CHECK(kt::verify_grad(
      [](kt::dmatrix X, kt::dvector h0, kt::dmatrix W) {
        auto [h, s] = scan(
            [](auto x, auto h, auto W) {
              auto y = tanh(dot(W, h) + x);
              return std::tuple(y, sum(y * exp(x)));
            },
            kt::sequences(X), kt::outputs_info(h0, kt::none), kt::non_sequences(W));
        return sum(sqr(h)) + sum(s * s) + sum(exp(h(-1)));
      },
      X, h0, W));
  CHECK(kt::verify_grad(
      [](kt::dmatrix X, kt::dvector h0, kt::dmatrix W) {
        return scan([&](auto x, auto h) { return tanh(dot(W, h) + x); }, kt::sequences(X),
                    kt::outputs_info(h0))(-1);
      },
      X, h0, W));
  // The rows of a gate are needed again, and are stored, because they come from products.
  CHECK(kt::verify_grad(
      [](kt::dmatrix X, kt::dvector h0, kt::dmatrix W, kt::dmatrix U) {
        return scan(
            [&](auto x, auto h) {
              auto gate = sigmoid(dot(U, h) - x);
              return gate * h + (1 - gate) * tanh(dot(W, h) + x);
            },
            kt::sequences(X), kt::outputs_info(h0));
      },
      X, h0, W, matrix{{0.6, 0.1}, {0.5, -1}}));
}

TEST_CASE("scan: gradients through several taps", "[loops]") {
  CHECK(kt::verify_grad(
      [](kt::dvector x, kt::dvector start, kt::dscalar a) {
        return scan([&](auto e, auto third, auto last) { return sin(a * last) + e * third; },
                    kt::sequences(x), kt::outputs_info(kt::taps<-3, -1>(start)));
      },
      x0, vector{0.1, 0.2, 0.3}, 0.7));
  // A start with more rows than the taps need.
  auto const of_start = kt::function([](kt::dvector start) {
    return grad(sum(scan([](auto a, auto b) { return a + 2 * b; },
                         kt::outputs_info(kt::taps<-2, -1>(start)), kt::n_steps(2))),
                start);
  });
  vector const found = of_start(vector{1, 2, 3, 4});
  CHECK(same(found, vector{3, 7, 0, 0}));
  CHECK(kt::verify_grad(
      [](kt::dmatrix start) {
        return scan([](auto a, auto b) { return sin(a) * b; },
                    kt::outputs_info(kt::taps<-2, -1>(start)), kt::n_steps(3));
      },
      matrix{{1, 2}, {3, 4}}));
  CHECK(kt::verify_grad(
      [](kt::dvector x, kt::dvector y) {
        return map([](auto a, auto b, auto c) { return exp(a * b) / c; },
                   kt::sequences(kt::taps<-1, 1>(x), y));
      },
      x0, x0));
}

TEST_CASE("scan: sequences that are longer than the loop have the gradient 0 behind it",
          "[loops]") {
  CHECK(kt::verify_grad(
      [](kt::dvector x, kt::dvector y) {
        return scan([](auto a, auto b, auto s) { return s * a + sin(b); }, kt::sequences(x, y),
                    kt::outputs_info(1));
      },
      x0, vector{0.1, 0.2}));
  CHECK(kt::verify_grad(
      [](kt::dvector x) {
        return scan([](auto a, auto s) { return s * a; }, kt::sequences(x), kt::outputs_info(1),
                    kt::n_steps(3), kt::go_backwards);
      },
      x0));
}

TEST_CASE("folds: gradients of final states", "[loops]") {
  CHECK(kt::verify_grad(
      [](kt::dvector x, kt::dscalar s, kt::dmatrix W, kt::dvector h0) {
        auto [a, h] = foldl(
            [&](auto e, auto s, auto h) { return std::tuple(s * sin(e), tanh(dot(W, h)) * s); },
            kt::sequences(x), kt::outputs_info(s, h0));
        return a + sum(h * h);
      },
      x0, 2., W, h0));
  CHECK(kt::verify_grad(
      [](kt::dvector x) {
        return foldr([](auto e, auto s) { return s / (2 + e); }, kt::sequences(x),
                     kt::outputs_info(1));
      },
      x0));
  // Nothing to go through: the gradient is that of the start.
  auto const f = kt::function([](kt::dvector x, kt::dscalar s) {
    return grad(
        3 * foldl([](auto e, auto s) { return s * e; }, kt::sequences(x), kt::outputs_info(s)), x,
        s);
  });
  auto const [of_x, of_s] = f(vector(std::array<std::size_t, 1>{0}), 5.);
  CHECK(of_x.size() == 0);
  CHECK(of_s == 3);
}
