// half and bfloat16 on the device.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/cuda/agree.hpp"
#include "run/short_floats.hpp"

namespace kt = kroton;

TEST_CASE("loops, reductions, products and moves of 16 bits agree on the device") {
  auto const a = testing::waves<kt::half, 2>({9, 37}, .5), b = testing::waves<kt::half, 2>({9, 37}, .7);
  testing::agree([](kt::matrix<kt::half> x, kt::matrix<kt::half> y) {
    return kt::outputs(x * y + 1, kt::cast<float>(x), kt::cast<kt::half>(kt::cast<double>(x) / 3),
                       sum(x * y), max(y, kt::axis<1>), dot(x, y.T()), x.T() + y(0, 0),
                       x(argmax(y, kt::axis<1>) % 9), kt::concatenate<0>(x, y), full_like(x, 0.3f));
  }, a, b);
}
TEST_CASE("bfloat16 agrees on the device") {
  auto const a = testing::waves<kt::bfloat16, 1>({1000}, .5);
  testing::agree([](kt::vector<kt::bfloat16> x) {
    return kt::outputs(x * 3 + 1, grad(sum(sqr(x)), x), kt::cast<kt::half>(x));
  }, a);
}
