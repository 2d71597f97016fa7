// A perceptron's training step: 784-500-10, tanh, softmax, gradients of all parameters, and their updates.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

namespace kt = kroton;

constexpr auto step = [](kt::dmatrix x, kt::lvector y, kt::dmatrix W1, kt::dvector b1, kt::dmatrix W2, kt::dvector b2) {
  auto probability = softmax(dot(tanh(dot(x, W1) + b1), W2) + b2);
  auto cost = mean(categorical_crossentropy(probability, y));
  auto [gW1, gb1, gW2, gb2] = grad(cost, W1, b1, W2, b2);
  return kt::outputs(cost).update(W1, W1 - 0.01 * gW1).update(b1, b1 - 0.01 * gb1).update(W2, W2 - 0.01 * gW2).update(b2, b2 - 0.01 * gb2);
};

int main() {
  kt::shared W1(xt::xtensor<double, 2>(xt::random::randn<double>({784, 500}))), W2(xt::xtensor<double, 2>(xt::random::randn<double>({500, 10})));
  kt::shared b1(xt::xtensor<double, 1>(xt::zeros<double>({500}))), b2(xt::xtensor<double, 1>(xt::zeros<double>({10})));
  auto train = kt::function(step, W1, b1, W2, b2);
  xt::xtensor<double, 2> x = xt::random::randn<double>({60, 784});
  xt::xtensor<long, 1> y = xt::zeros<long>({60});
  return train(x, y) < 0;
}
