// How the cost grows with the steps of a program: -DLAYERS=n gives a network of n equal layers, its
// value and its gradient. A layer is 24 nodes and 7 steps.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

namespace kt = kroton;

constexpr auto model = [](kt::dmatrix w, kt::dvector b, kt::dvector x) {
  auto h = x;
  for (int i = 0; i < LAYERS; ++i) h = tanh(dot(w, h) + b);
  auto cost = sum(h * h);
  return std::tuple_cat(std::tuple(cost), grad(cost, w, b));
};

int main() {
  xt::xtensor<double, 2> w = xt::ones<double>({8, 8});
  xt::xtensor<double, 1> b = xt::ones<double>({8}), x = b;
  auto f = kt::function(model);
  return std::get<0>(f(w, b, x)) < 0;
}
