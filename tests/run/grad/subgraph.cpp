// Gradients of parts of a graph, which together are the gradient of the whole.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>
#include <kroton/kroton.hpp>

namespace kt = kroton;
using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

TEST_CASE("a network is differentiated layer by layer", "[subgraph]") {
  auto f = kt::function([](kt::dvector x, kt::dmatrix w, kt::dmatrix v, kt::dvector b) {
    auto const h = tanh(dot(w, x));
    auto const y = tanh(dot(v, h) + b);
    auto const cost = sum(sqr(y));
    auto const [top_v, top_b, at_h] = subgraph_grad(cost, kt::ends(h), v, b);
    auto const [bottom_w, at_x] = subgraph_grad(kt::known_grads(h, at_h), kt::ends(x), w);
    auto const [gw, gv, gb, gx, gh] = grad(cost, w, v, b, x, h);
    return std::tuple(bottom_w, top_v, top_b, at_x, at_h, gw, gv, gb, gx, gh);
  });
  auto const [w, v, b, x, h, gw, gv, gb, gx, gh] =
      f(vector{0.3, -1}, matrix{{1, 2}, {-0.5, 0.25}}, matrix{{0.1, -0.7}, {2, 1}},
        vector{0.2, -0.1});
  CHECK(xt::allclose(w, gw, 1e-14));
  CHECK(xt::allclose(v, gv, 1e-14));
  CHECK(xt::allclose(b, gb, 1e-14));
  CHECK(xt::allclose(x, gx, 1e-14));
  CHECK(xt::allclose(h, gh, 1e-14));
}

TEST_CASE("what passes an end is not part of a gradient", "[subgraph]") {
  auto f = kt::function([](kt::dscalar w) {
    auto const h = w * w;
    auto const cost = 3 * w + h * h;
    auto const [by_w, by_h] = subgraph_grad(cost, kt::ends(h), w);
    return std::tuple(by_w, by_h,
                      std::get<0>(subgraph_grad(h * h, kt::ends(h), w, kt::disconnected::zero)),
                      subgraph_grad(cost, kt::ends(h)));
  });
  auto const [by_w, by_h, none, alone] = f(2.);
  CHECK(by_w == 3);
  CHECK(by_h == 8);
  CHECK(none == 0);
  CHECK(alone == 8);
}
