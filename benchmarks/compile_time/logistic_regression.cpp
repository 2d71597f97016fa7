// A whole small model: the logistic regression of Theano's paper, with its gradient and updates.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

namespace kt = kroton;

constexpr auto step = [](kt::dmatrix x, kt::lvector y, kt::dvector w, kt::dscalar b) {
  auto p_1 = 1 / (1 + exp(-dot(x, w) - b));
  auto xent = -y * log(p_1) - (1 - y) * log(1 - p_1);
  auto cost = mean(xent) + 0.01 * sum(pow(w, 2));
  auto [gw, gb] = grad(cost, w, b);
  auto prediction = p_1 > 0.5;
  return kt::outputs(prediction, xent).update(w, w - 0.1 * gw).update(b, b - 0.1 * gb);
};

int main() {
  xt::xtensor<double, 2> x = xt::random::randn<double>({400, 100});
  xt::xtensor<long, 1> y = xt::random::randint<long>({400}, 0, 2);
  kt::shared w(xt::xtensor<double, 1>(xt::random::randn<double>({100})));
  kt::shared b(0.0);
  auto train = kt::function(step, w, b);
  auto [prediction, error] = train(x, y);
  return prediction(0) && error(0) < 0;
}
