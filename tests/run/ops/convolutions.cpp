// Convolutions against plain loops, with both gradients: every option.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/convolutions.hpp"

using namespace reference;

TEST_CASE("borders, padding, strides, dilations and groups of conv2d") {
  check<double, 2>({2, 3, 7, 6}, {4, 3, 3, 2});
  check<double, 2>({2, 3, 7, 6}, {4, 3, 3, 2}, kt::correlation);
  check<double, 2>({1, 2, 5, 6}, {3, 2, 3, 3}, kt::border::half);
  check<double, 2>({2, 2, 5, 6}, {3, 2, 2, 4}, kt::border::half, kt::correlation);
  check<double, 2>({2, 2, 4, 5}, {3, 2, 3, 2}, kt::border::full);
  check<double, 2>({2, 1, 2, 2}, {2, 1, 3, 4}, kt::border::full);
  check<double, 2>({2, 2, 6, 5}, {2, 2, 3, 3}, kt::padding<1>);
  check<double, 2>({2, 2, 6, 5}, {2, 2, 3, 3}, kt::correlation, kt::padding<2, 0>);
  check<double, 2>({2, 2, 6, 5}, {2, 2, 3, 3}, kt::padding<0, 3, 2, 1>);
  check<double, 2>({1, 2, 9, 8}, {3, 2, 3, 2}, kt::stride<2>, kt::border::valid);
  check<double, 2>({2, 2, 9, 10}, {2, 2, 3, 3}, kt::stride<3, 2>, kt::padding<1>);
  check<double, 2>({2, 2, 9, 8}, {2, 2, 2, 3}, kt::dilation<2>);
  check<double, 2>({1, 2, 11, 9}, {2, 2, 3, 2}, kt::dilation<3, 2>, kt::stride<2, 3>,
                   kt::border::half);
  check<double, 2>({2, 4, 6, 7}, {6, 2, 3, 3}, kt::groups<2>);
  check<double, 2>({2, 4, 6, 7}, {4, 1, 3, 3}, kt::border::half, kt::groups<4>);
  check<double, 2>({2, 3, 6, 7}, {6, 1, 2, 3}, kt::stride<2>, kt::groups<3>, kt::padding<1>,
                   kt::correlation);
  check<double, 2>({3, 4, 5, 6}, {5, 4, 1, 1});
  check<double, 2>({3, 4, 5, 6}, {5, 4, 1, 1}, kt::stride<2>);
  check<double, 2>({2, 1, 3, 3}, {1, 1, 3, 3});
  check<double, 2>({2, 3, 40, 1}, {9, 3, 5, 1});
  check<double, 2>({2, 2, 6, 1}, {2, 2, 3, 1}, kt::correlation, kt::padding<2, 0>);
}

TEST_CASE("no elements") {
  check<double, 2>({0, 2, 5, 5}, {3, 2, 3, 3});
  check<double, 2>({2, 0, 5, 5}, {3, 0, 3, 3});
  check<double, 2>({2, 2, 5, 5}, {0, 2, 3, 3});
  check<double, 2>({2, 2, 5, 5}, {3, 2, 0, 3}, kt::padding<0, 0>);
}
