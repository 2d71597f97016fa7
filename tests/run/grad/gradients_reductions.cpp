// Gradients of reductions along every axis.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/gradients_costs.hpp"

using namespace gradients;

TEST_CASE("gradients of reductions, along every axis") {
  auto f = kt::function([](kt::dmatrix m) {
    return costs(m, sum(m), sum(m, kt::axis<0>), sum(m, kt::axis<1>, kt::keepdims), mean(m), mean(m, kt::axis<1>), prod(m, kt::axis<0>), prod(m, kt::keepdims),
                 max(m), max(m, kt::axis<0>), min(m, kt::axis<1>), m - max(m, kt::axis<1>, kt::keepdims), exp(m) / sum(exp(m), kt::axis<1>, kt::keepdims));
  });
  check_costs(f, matrix<double>(3, 4, 1));
  check_costs(f, matrix<double>(1, 5, 2));
  auto t = kt::function([](kt::dtensor3 x) {
    return costs(x, sum(x, kt::axis<0, 2>), max(x, kt::axis<1, 2>), mean(x, kt::axis<1>, kt::keepdims), prod(x, kt::axis<2>), log(sum(exp(x), kt::axis<0>)));
  });
  xt::xtensor<double, 3> x(std::array<I, 3>{2, 3, 4});
  for (I i = 0; i < x.size(); ++i) x.data()[i] = std::sin(3.0 * static_cast<double>(i) + 1);
  check_costs(t, x);
}
