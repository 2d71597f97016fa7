// How the cost grows with the nodes of one loop: -DSTEPS=n gives a scalar recurrence of n steps and
// its gradient. A step is 4 nodes, and about 9 more in the gradient.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

namespace kt = kroton;

constexpr auto model = [](kt::dscalar x, kt::dscalar b) {
  auto h = tanh(x * b) + 0.1 * x;
  for (int i = 1; i < STEPS; ++i) h = tanh(h * b) + 0.1 * h;
  return std::tuple(h, grad(h, b));
};

int main() {
  auto f = kt::function(model);
  return std::get<0>(f(1.0, 1.0)) < 0;
}
