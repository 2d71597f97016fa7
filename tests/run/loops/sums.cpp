// Sums over the steps of loops, such as the gradients of weights, are products of all steps.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/loops/passes.hpp"

namespace kt = kroton;
using namespace loop_tests;

TEST_CASE("scan_push_out_sums: gradients of weights are products of all steps", "[loops]") {
  auto const f = [](kt::dmatrix X, kt::dvector h, kt::dmatrix W, kt::dmatrix U, kt::dvector b) {
    auto y = scan([&](auto x, auto h) { return tanh(dot(W, h) + dot(U, x) + b); }, kt::sequences(X),
                  kt::outputs_info(h));
    return grad(sum(sqr(y)), W, U, b, h);
  };
  kt::graph const g = optimized(f);
  CHECK(count(g, "scan") == 2);
  // One product for the elements, and two for the gradients of the matrices.
  CHECK(count(g, "dot") == 3);
  for (auto const& each : g.bodies()) CHECK(count(*each, "dot") + count(*each, "gemm") == 1);
  check_without(f, X, h0, W, U, vector{0.3, -0.2});
  // Batches: products of matrices.
  auto const batches = [](kt::dtensor3 X, kt::dmatrix h, kt::dmatrix W) {
    auto y = scan([&](auto x, auto h) { return tanh(dot(h, W) + x); }, kt::sequences(X),
                  kt::outputs_info(h));
    return grad(sum(sqr(y)), W, h);
  };
  CHECK(count(optimized(batches), "dot") == 1);
  check_without(batches,
                tensor{{{0.1, 0.2}, {0.3, 0.4}, {-0.5, 0.5}}, {{1, 0.2}, {0.3, 0.4}, {0.5, 0.25}}},
                matrix{{0.5, 0.6}, {0.1, 0.2}, {1, 2}}, W);
  // A running sum that is read as a total.
  auto const outer_products = [](kt::dmatrix X, kt::dmatrix Y, kt::dmatrix Z) {
    return scan([](auto x, auto y, auto s) { return s + outer(x, 2 * y); }, kt::sequences(X, Y),
                kt::outputs_info(Z))(-1);
  };
  CHECK(count(optimized(outer_products), "scan") == 0);
  check_without(outer_products, X, X, W);
}

TEST_CASE("scan_push_out_sums: a sum that something else reads stays", "[loops]") {
  check_without(
      [](kt::dmatrix X, kt::dvector h, kt::dvector s) {
        auto [t, a, g] = scan(
            [](auto x, auto s, auto h) {
              auto g = tanh(h * x), t = s + g;
              return std::tuple(t, sin(t) * h, g);
            },
            kt::sequences(X), kt::outputs_info(s, h, kt::none));
        return std::tuple(t(-1), a, g);
      },
      X, h0, h0);
}

TEST_CASE("scan: gates that are parts of one product", "[loops]") {
  auto const gated = [](kt::dtensor3 x, kt::dmatrix h0, kt::dmatrix U, kt::dmatrix W,
                        kt::dvector b) {
    auto h = scan(
        [&](auto x, auto h) {
          auto [gate, value] = kt::split<2>(dot(x, U) + dot(h, W) + b, kt::axis<-1>);
          return sigmoid(gate) * h + tanh(value);
        },
        kt::sequences(x), kt::outputs_info(h0));
    return grad(sum(sqr(h)), U, W, b);
  };
  // Four steps of two rows: x has 3 columns, the state 5.
  matrix const h = 0.1 * xt::reshape_view(xt::arange<double>(10), {2, 5}), start = h;
  tensor const x = xt::cos(xt::reshape_view(xt::arange<double>(24), {4, 2, 3}));
  matrix const in = xt::sin(xt::reshape_view(xt::arange<double>(30), {3, 10})),
               recurrent = xt::sin(xt::reshape_view(xt::arange<double>(50), {5, 10}));
  // The gradient of b, which stays in the loop, has an extent of those that leave.
  check_without(gated, x, start, in, recurrent, vector(0.1 * xt::arange<double>(10)));
  // Forward one of all elements and one in each step; back one in each step, and one for each
  // matrix.
  kt::graph const g = optimized(gated);
  int products = count(g, "dot");
  for (auto const& body : g.bodies()) products += count(*body, "dot") + count(*body, "gemm");
  CHECK(products == 5);
}
