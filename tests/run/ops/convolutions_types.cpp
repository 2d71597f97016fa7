// Convolutions of element types against plain loops, and rows of every length.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/convolutions.hpp"

using namespace reference;

TEST_CASE("convolutions of float32 and complex numbers") {
  check<float, 2>({2, 3, 20, 37}, {7, 3, 3, 3}, kt::border::half);
  check<float, 2>({2, 2, 20, 21}, {20, 2, 5, 5}, kt::stride<2>);
  check<float, 2>({2, 6, 9, 9}, {6, 1, 3, 3}, kt::groups<6>, kt::border::half);
  check<std::complex<double>, 2>({2, 3, 5, 6}, {2, 3, 3, 2}, kt::border::half);
  check<std::complex<double>, 1>({2, 4, 9}, {6, 2, 4}, kt::border::full, kt::groups<2>,
                                 kt::stride<2>);
}

TEST_CASE("larger convolutions, whose rows have tails") {
  for (std::size_t columns : {9, 16, 23, 32, 41}) {
    CAPTURE(columns);
    check<float, 2>({2, 2, 6, columns}, {5, 2, 3, 3});
    check<double, 2>({1, 3, 5, columns}, {17, 3, 3, 5}, kt::border::half);
    check<double, 2>({2, 1, 7, columns}, {2, 1, 7, 7}, kt::border::full, kt::correlation);
    check<float, 2>({1, 2, 9, columns}, {9, 2, 3, 3}, kt::stride<2>, kt::border::half);
  }
}
