// Robust losses: functions of a squared residual that grow more slowly than it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/error.hpp>

#include <cmath>

namespace kroton {

/// A loss function C^2 rho((r / C)^2) of a residual r, where C is the scale: residuals much smaller
/// than C count as in least squares, larger ones less. Made by kt::loss::huber(C) and so on.
class robust_loss {
 public:
  enum class kind { squared, huber, soft_l1, cauchy, arctan, tukey };
  /// The loss of a squared residual, and its derivative with respect to that.
  struct values {
    double value, slope;
  };

  constexpr robust_loss() = default;
  /// Throws kt::value_error unless the scale is positive and finite.
  robust_loss(kind k, double scale) : kind_(k), scale_(scale) {
    if (!(scale > 0) || !std::isfinite(scale))
      throw value_error("kt::loss: the scale must be positive and finite");
  }

  bool is_squared() const { return kind_ == kind::squared; }
  values operator()(double squared) const {
    double const c2 = scale_ * scale_;
    values const v = at(squared / c2);
    return {c2 * v.value, v.slope};
  }

 private:
  values at(double z) const {
    switch (kind_) {
      case kind::huber: {
        if (z <= 1) return {z, 1};
        double const r = std::sqrt(z);
        return {2 * r - 1, 1 / r};
      }
      case kind::soft_l1: {
        double const r = std::sqrt(1 + z);
        return {2 * (z / (r + 1)), 1 / r};
      }
      case kind::cauchy: return {std::log1p(z), 1 / (1 + z)};
      case kind::arctan: return {std::atan(z), 1 / (1 + z * z)};
      case kind::tukey:
        if (z >= 1) return {1. / 3, 0};
        return {z * (1 - z * (1 - z / 3)), (1 - z) * (1 - z)};
      default: return {z, 1};
    }
  }

  kind kind_ = kind::squared;
  double scale_ = 1;
};

/// Loss functions, with the scale C at which they depart from the square, and z = (r / C)^2.
namespace loss {

/// r^2: least squares.
inline robust_loss squared() { return {}; }
/// z up to 1, then 2 sqrt(z) - 1: large residuals count by magnitude. Convex.
inline robust_loss huber(double scale) { return {robust_loss::kind::huber, scale}; }
/// 2 (sqrt(1 + z) - 1): a smooth huber. Convex.
inline robust_loss soft_l1(double scale) { return {robust_loss::kind::soft_l1, scale}; }
/// log(1 + z): large residuals hardly count.
inline robust_loss cauchy(double scale) { return {robust_loss::kind::cauchy, scale}; }
/// atan(z): bounded.
inline robust_loss arctan(double scale) { return {robust_loss::kind::arctan, scale}; }
/// (1 - (1 - z)^3) / 3 up to z = 1, then constant: residuals beyond the scale do not count.
inline robust_loss tukey(double scale) { return {robust_loss::kind::tukey, scale}; }

}  // namespace loss
}  // namespace kroton
