// NLopt with value and gradient from one function: a minimum between bounds, which kt::minimize
// does not have.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

#include <cstdio>
#include <nlopt.hpp>

namespace kt = kroton;

constexpr auto rosenbrock = [](kt::fixed<double, 2> x) {
  return 100 * sqr(x(1) - sqr(x(0))) + sqr(1 - x(0));
};

int main() {
  auto f = kt::function(kt::value_and_grad(rosenbrock));
  auto evaluate = [](std::vector<double> const& x, std::vector<double>& gradient, void* data) {
    auto const [value, slope] = (*static_cast<decltype(f)*>(data))(x);
    std::copy(slope.begin(), slope.begin() + static_cast<std::ptrdiff_t>(gradient.size()),
              gradient.begin());
    return value;
  };
  nlopt::opt method(nlopt::LD_SLSQP, 2);
  method.set_min_objective(evaluate, &f);
  method.set_upper_bounds({0.5, 2});
  method.set_ftol_rel(1e-12);
  std::vector<double> x{-1.2, 1};
  double value = 0;
  method.optimize(x, value);
  std::printf("minimum %.6f at %.6f, %.6f after %d evaluations\n", value, x[0], x[1],
              method.get_numevals());
  return std::abs(x[0] - 0.5) + std::abs(x[1] - 0.25) < 1e-5 ? 0 : 1;
}
