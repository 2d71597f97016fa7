// Convolutions of one and three axes against plain loops.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/convolutions.hpp"

using namespace reference;

TEST_CASE("convolutions of one and three axes") {
  check<double, 1>({2, 3, 9}, {4, 3, 3});
  check<double, 1>({2, 4, 9}, {6, 2, 4}, kt::border::half, kt::groups<2>, kt::stride<2>);
  check<double, 1>({2, 2, 9}, {2, 2, 3}, kt::padding<3, 1>, kt::dilation<2>, kt::correlation);
  check<double, 3>({2, 2, 4, 5, 4}, {3, 2, 2, 3, 2});
  check<double, 3>({1, 2, 4, 5, 6}, {4, 1, 3, 2, 3}, kt::border::half, kt::groups<2>,
                   kt::stride<1, 2, 2>);
  check<double, 3>({1, 1, 4, 5, 6}, {2, 1, 2, 2, 2}, kt::dilation<1, 2, 3>,
                   kt::padding<1, 0, 0, 1, 2, 2>);
}
