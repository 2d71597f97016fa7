// How the cost grows: -DNODES=n gives a recurrence with its gradient, of about n nodes.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

namespace kt = kroton;

// A step is 4 nodes, and about 10 more in the gradient.
constexpr int steps = NODES < 28 ? 1 : NODES / 14;

constexpr auto model = [](kt::dvector x, kt::dvector b) {
  auto h = tanh(x * b) + 0.1 * x;
  for (int i = 1; i < steps; ++i) h = tanh(h * b) + 0.1 * h;
  return grad(sum(h), b);
};

int main() {
  xt::xtensor<double, 1> x = xt::ones<double>({8}), b = xt::ones<double>({8});
  auto f = kt::function(model);
  return f(x, b)(0) < 0;
}
