// Normal numbers by the polar method, which makes two at a time.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <utility>

namespace kroton::math {

/// The second number of a pair, kept for the next request.
struct normal_pair {
  double second = 0;
  bool has_second = false;

  /// The next standard normal number from a source of uniform ones. (Marsaglia and Bray, 1964)
  template <class Source>
  double next(Source& source) {
    if (has_second) {
      has_second = false;
      return std::exchange(second, 0.0);
    }
    double x, y, square;
    do {
      x = 2 * source.uniform() - 1;
      y = 2 * source.uniform() - 1;
      square = x * x + y * y;
    } while (square >= 1 || square == 0);
    double const scale = std::sqrt(-2 * std::log(square) / square);
    second = scale * x;
    has_second = true;
    return scale * y;
  }
};

}  // namespace kroton::math
