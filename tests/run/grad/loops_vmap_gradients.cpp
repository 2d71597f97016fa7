// Gradients of loops that are mapped, and the products that a loop over a batch consists of.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>
#include <kroton/kroton.hpp>
#include <kroton/runtime.hpp>

#include <xtensor/xmath.hpp>
#include <xtensor/xtensor.hpp>
#include <xtensor/xview.hpp>

namespace kt = kroton;

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;
using tensor = xt::xtensor<double, 3>;

matrix const W{{0.1, 0.2}, {-0.3, 0.4}}, starts{{0.5, 0.6}, {-1, 2}, {0, 0.25}};
tensor const X{{{0.1, 0.2}, {0.3, 0.4}, {-0.5, 0.05}, {0.7, -0.6}},
               {{1, -1}, {0.5, 0.25}, {-2, 0.125}, {0.3, 0.9}},
               {{0, 0.5}, {-0.25, 1.5}, {0.6, -0.7}, {0.8, 0.1}}};

template <class A, class B>
bool same(A const& a, B const& b) {
  return a.shape() == b.shape() && xt::amax(xt::abs(a - b))() < 1e-13;
}
template <class T>
auto slice(T const& x, std::size_t k) {
  return xt::eval(xt::view(x, k));
}

constexpr auto recurrent = [](kt::dmatrix x, kt::dvector h0, kt::dmatrix w) {
  auto [h, norms] = scan([&](auto x, auto h) { auto next = tanh(dot(w, h) + x); return std::tuple(next, sum(next * next)); },
                         kt::sequences(x), kt::outputs_info(h0, kt::none));
  return std::tuple(h, norms);
};

}  // namespace

TEST_CASE("vmap of gradients of loops, and gradients of mapped loops") {
  auto const cost = [](kt::dmatrix x, kt::dvector h0, kt::dmatrix w) {
    auto [h, norms] = recurrent(x, h0, w);
    return sum(norms) + sum(exp(h(-1)));
  };
  auto const each = kt::function(kt::vmap<0, 1>(kt::grad<0, 1, 2>(cost)));
  auto const one = kt::function(kt::grad<0, 1, 2>(cost));
  auto const [dx, dh, dw] = each(X, starts, W);
  matrix total = xt::zeros<double>({2, 2});
  for (std::size_t k = 0; k < 3; ++k) {
    auto const [x1, h1, w1] = one(slice(X, k), slice(starts, k), W);
    CHECK(same(x1, slice(dx, k)));
    CHECK(same(h1, slice(dh, k)));
    CHECK(same(w1, slice(dw, k)));
    total += w1;
  }
  auto const of_sum = kt::function([](kt::dtensor3 x, kt::dmatrix h0, kt::dmatrix w) {
    return grad(sum(kt::vmap<0, 1>([&](kt::dmatrix a, kt::dvector b) {
      auto [h, norms] = recurrent(a, b, w);
      return sum(norms) + sum(exp(h(-1)));
    })(x, h0)), w, x);
  });
  auto const [of_w, of_x] = of_sum(X, starts, W);
  CHECK(same(of_w, total));
  CHECK(same(of_x, dx));
}

TEST_CASE("a batch of recurrent networks multiplies matrices") {
  constexpr auto last = [](kt::dmatrix x, kt::dvector h0, kt::dmatrix w) {
    return scan([&](auto x, auto h) { return tanh(dot(w, h) + x); }, kt::sequences(x), kt::outputs_info(h0))(-1);
  };
  kt::graph const g = kt::optimize(kt::graph_of(kt::vmap<0, 1>(last)).get(), kt::stage::specialize);
  REQUIRE(g.bodies().size() == 1);
  kt::graph const& body = *g.bodies()[0];
  int products = 0;
  for (int id = 0; id < body.size(); ++id)
    if (body[id].op->name == "dot" || body[id].op->name == "gemm") {
      ++products;
      CHECK(body.type(id).rank == 2);
    }
  CHECK(products == 1);
}
