// A line search for the strong Wolfe conditions.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/layers.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace kroton::minimization {

/// A point of a search along a line: its step, the value there and the slope along the line.
struct line_point {
  double step = 0, value = 0, slope = 0;
  bool is_finite() const { return std::isfinite(value) && std::isfinite(slope); }
};

/// The minimum of the cubic with the values and slopes of two points (Nocedal and Wright, 3.59);
/// NaN if it has none.
inline double cubic_minimum(line_point const& a, line_point const& b) {
  double const d1 = a.slope + b.slope - 3 * (a.value - b.value) / (a.step - b.step);
  double const square = d1 * d1 - a.slope * b.slope;
  if (!(square >= 0)) return std::numeric_limits<double>::quiet_NaN();
  double const d2 = std::copysign(std::sqrt(square), b.step - a.step);
  return b.step - (b.step - a.step) * (b.slope + d2 - d1) / (b.slope - a.slope + 2 * d2);
}

/// Looks for a step with a sufficient decrease and a slope whose magnitude is at most 0.9 of that
/// at 0 (Nocedal and Wright, Algorithms 3.5 and 3.6). Values whose difference is rounding are
/// compared by slopes (the approximate Wolfe conditions of Hager and Zhang 2005). Points where the
/// value is not finite lie too far.
template <class Evaluate>
class wolfe_search {
 public:
  /// `evaluate(step)` gives the line_point there; `noise` is the rounding error of values.
  wolfe_search(Evaluate& evaluate, line_point start, double noise, int limit)
      : evaluate_(evaluate), start_(start), noise_(noise), left_(limit) {}

  /// The first accepted point, or the best one met; its step is 0 if no point is better than the
  /// start.
  line_point run(double first) {
    line_point before = start_;
    double step = first, wall = std::numeric_limits<double>::infinity();
    while (left_ > 0) {
      line_point const here = at(step);
      if (here.value == -std::numeric_limits<double>::infinity()) return here;
      if (!here.is_finite()) {
        wall = step;
        step = before.step + (step - before.step) * (before.step > 0 ? 0.5 : 0.1);
        if (!(step > before.step)) return before;
        continue;
      }
      if (!decreases(here) || (before.step > 0 && here.value > before.value + noise_))
        return between(before, here);
      if (is_flat(here)) return here;
      if (here.slope >= 0) return between(here, before);
      double const length = here.step - before.step;
      double next = cubic_minimum(before, here);
      if (!(next >= here.step + 1.1 * length)) next = here.step + (next > 0 ? 1.1 : 4) * length;
      next = std::min(next, here.step + 4 * length);
      if (next >= wall) next = 0.5 * (here.step + wall);
      if (!(next > here.step)) return here;
      before = here;
      step = next;
    }
    return before;
  }

 private:
  line_point at(double step) {
    --left_;
    return evaluate_(step);
  }
  bool decreases(line_point const& p) const {
    if (p.value <= start_.value + 1e-4 * p.step * start_.slope) return true;
    return std::abs(p.value - start_.value) <= noise_ && p.slope <= (2e-4 - 1) * start_.slope;
  }
  bool is_flat(line_point const& p) const { return std::abs(p.slope) <= -0.9 * start_.slope; }

  /// Between a point with a sufficient decrease and one beyond a minimum.
  line_point between(line_point low, line_point high) {
    double width = std::abs(high.step - low.step);
    while (left_ > 0) {
      double const length = high.step - low.step;
      double step = cubic_minimum(low, high);
      double const inner = std::abs(step - low.step), whole = std::abs(length);
      if (!(inner >= 0.05 * whole && inner <= 0.95 * whole && (step - low.step) * length > 0))
        step = std::isfinite(step) && !(inner > 0.05 * whole) ? low.step + 0.1 * length
                                                              : low.step + 0.5 * length;
      if (step == low.step || step == high.step) break;
      line_point const here = at(step);
      if (!here.is_finite() || !decreases(here) || here.value > low.value + noise_) {
        high = here;
        // The cubic through a point without a value is NaN: the middle follows
      } else {
        if (is_flat(here)) return here;
        if (here.slope * length >= 0) high = low;
        low = here;
      }
      double const now = std::abs(high.step - low.step);
      if (now > 0.66 * width && left_ > 0) {
        line_point const middle = at(0.5 * (low.step + high.step));
        if (!middle.is_finite() || !decreases(middle) || middle.value > low.value + noise_) {
          high = middle;
        } else {
          if (is_flat(middle)) return middle;
          if (middle.slope * (high.step - low.step) >= 0) high = low;
          low = middle;
        }
      }
      width = std::abs(high.step - low.step);
    }
    return low;
  }

  Evaluate& evaluate_;
  line_point start_;
  double noise_;
  int left_;
};

}  // namespace kroton::minimization
