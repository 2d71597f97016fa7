// Gradients of loops that store the states of some steps only.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/grad/loops.hpp"

namespace kt = kroton;
using namespace loop_tests;

namespace {

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

}  // namespace

TEST_CASE("checkpoint: states, outputs and gradients are those of the plain loop",
          "[loops][gradients]") {
  auto const plain = kt::function([](kt::dmatrix X, kt::dvector h, kt::dmatrix W) {
    return network(kt::truncate_gradient(1000), X, h, W);
  });
  auto const root = kt::function(
      [](kt::dmatrix X, kt::dvector h, kt::dmatrix W) { return network(kt::checkpoint, X, h, W); });
  auto const third = kt::function([](kt::dmatrix X, kt::dvector h, kt::dmatrix W) {
    return network(kt::checkpoint(3), X, h, W);
  });
  auto const interpreted =
      kt::function([](kt::dmatrix X, kt::dvector h,
                      kt::dmatrix W) { return network(kt::checkpoint(3), X, h, W); },
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

TEST_CASE("checkpoint: the last state alone has no stack of all", "[loops][passes]") {
  auto const f = [](kt::dvector h, kt::dmatrix W) {
    auto y = scan([=](kt::dvector h) { return tanh(dot(W, h)); }, kt::outputs_info(h),
                  kt::n_steps(1000000), kt::checkpoint);
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
    return grad(sum(scan([=](kt::dvector h) { return tanh(dot(W, h)); }, kt::outputs_info(h),
                         kt::n_steps(1000))(-1)),
                W);
  });
  auto const thousand = kt::function([](kt::dvector h, kt::dmatrix W) {
    auto y = scan([=](kt::dvector h) { return tanh(dot(W, h)); }, kt::outputs_info(h),
                  kt::n_steps(1000), kt::checkpoint);
    return grad(sum(y(-1)), W);
  });
  agree(thousand(vector{0.3, 0.1}, W), plain(vector{0.3, 0.1}, W));
}
