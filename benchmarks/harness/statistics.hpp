// Medians and quartiles of samples.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace bench {

/// The quartiles of samples.
struct quartiles {
  double low = 0, median = 0, high = 0;

  /// Half the distance of the outer quartiles.
  double spread() const { return (high - low) / 2; }
};

/// Quartiles with linear interpolation between samples, as numpy.percentile; `samples` is not empty.
inline quartiles quartiles_of(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  auto at = [&](double share) {
    double const place = share * static_cast<double>(samples.size() - 1);
    auto const below = static_cast<std::size_t>(place);
    auto const above = std::min(below + 1, samples.size() - 1);
    return std::lerp(samples[below], samples[above], place - static_cast<double>(below));
  };
  return {at(0.25), at(0.5), at(0.75)};
}

}  // namespace bench
