// The example of the README.
// SPDX-License-Identifier: BSD-3-Clause
// cut: all
#include <kroton/kroton.hpp>
#include <iostream>
namespace kt = kroton;

// One step of gradient descent on a logistic regression: a plain lambda over symbolic variables.
constexpr auto step = [](kt::dmatrix x, kt::lvector y, kt::dvector w, kt::dscalar b) {
  auto p = 1 / (1 + exp(-dot(x, w) - b));
  auto cost = mean(-y * log(p) - (1 - y) * log(1 - p)) + 0.01 * sum(pow(w, 2));
  auto [gw, gb] = grad(cost, w, b);
  return kt::outputs(cost).update(w, w - 0.1 * gw).update(b, b - 0.1 * gb);
};

int main() {
  xt::xtensor<double, 2> x{{0.5, -1, 2}, {1.5, 0.25, -0.5}, {-1, 1, 0}, {0, -2, 1}};
  xt::xtensor<std::int64_t, 1> y{1, 0, 1, 0};
  kt::shared w(xt::xtensor<double, 1>{0.1, -0.2, 0.3});  // lives between calls
  kt::shared b(0.0);
  auto train = kt::function(step, w, b);                 // w and b are bound to the last two parameters
  for (int i = 0; i < 10; ++i) std::cout << train(x, y) << '\n';
}
// end cut
