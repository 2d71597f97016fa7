// A program outside of the library's own build: a logistic cost and its gradient, compared with plain loops.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

#include <cmath>
#include <cstdio>

namespace kt = kroton;

constexpr auto cost = [](kt::dvector w, kt::dmatrix x, kt::dvector y) {
  auto p = 1 / (1 + exp(-dot(x, w)));
  return mean(-y * log(p) - (1 - y) * log(1 - p));
};

int main() {
  xt::xtensor<double, 2> const x{{0.5, -1}, {1.5, 0.25}, {-1, 1}};
  xt::xtensor<double, 1> const y{1, 0, 1}, w{0.25, -0.75};
  auto const [value, gradient] = kt::function(kt::value_and_grad(cost))(w, x, y);

  double expected = 0, expected_gradient[2] = {};
  for (std::size_t i = 0; i < 3; ++i) {
    double const p = 1 / (1 + std::exp(-(x(i, 0) * w(0) + x(i, 1) * w(1))));
    expected -= (y(i) * std::log(p) + (1 - y(i)) * std::log(1 - p)) / 3;
    for (std::size_t j = 0; j < 2; ++j) expected_gradient[j] += (p - y(i)) * x(i, j) / 3;
  }
  std::printf("kroton %s: cost %.12f, gradient %.12f %.12f\n", KROTON_VERSION, value, gradient(0), gradient(1));
  bool const good = std::abs(value - expected) < 1e-14 && std::abs(gradient(0) - expected_gradient[0]) < 1e-14 &&
                    std::abs(gradient(1) - expected_gradient[1]) < 1e-14;
  return good ? 0 : 1;
}
