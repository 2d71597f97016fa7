// What the algorithms see: functions of one flat vector, and the state that they share.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/minimize/result.hpp>

#include <cmath>
#include <cstddef>
#include <vector>

namespace kroton::minimization {

using numbers = std::vector<double>;

/// A cost with its gradient.
class objective {
 public:
  virtual ~objective() = default;
  /// The value at x; the gradient is written, of as many numbers as x has.
  virtual double evaluate(numbers const& x, numbers& gradient) = 0;
  /// The relative rounding error of the numbers that the value is computed with.
  virtual double precision() const = 0;
};

/// Where an algorithm stands, and how it ended.
struct outcome {
  numbers x, gradient;
  double value = 0, gradient_norm = 0;
  int iterations = 0, evaluations = 0;
  ending why = ending::stopped;
};

inline double largest(numbers const& v) {
  double most = 0;
  for (double e : v) most = std::isnan(e) ? e : std::max(most, std::abs(e));
  return most;
}
inline bool all_finite(numbers const& v) {
  for (double e : v)
    if (!std::isfinite(e)) return false;
  return true;
}
/// The Euclidean length, without overflow.
inline double length(numbers const& v) {
  double const scale = largest(v);
  if (!(scale > 0) || !std::isfinite(scale)) return scale;
  double sum = 0;
  for (double e : v) sum += (e / scale) * (e / scale);
  return scale * std::sqrt(sum);
}

/// Whether the observer, if there is one, wants to go on.
inline bool goes_on(observer const& observe, outcome const& now) {
  return !observe || observe({now.iterations, now.value, now.gradient_norm});
}

}  // namespace kroton::minimization
