// What kt::minimize, kt::least_squares and kt::root return, and why they ended.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/layers.hpp>

#include <functional>
#include <string_view>

namespace kroton {

/// Why an optimization ended.
enum class ending {
  small_gradient,   // the gradient is within its tolerance
  small_decrease,   // the last steps decreased the value by less than its tolerance
  small_step,       // the last step was within its tolerance
  small_residuals,  // every residual is 0 within the tolerance
  precision,        // no smaller value exists in the precision of the numbers
  no_root,          // kt::root: a minimum of the sum of squares that is not a root
  no_decrease,      // no step decreases the value, although the gradient says so
  unbounded,        // the value is minus infinity
  max_iterations,   // the limit of iterations was reached
  max_evaluations,  // the limit of evaluations was reached
  stopped           // the observer returned false
};

namespace minimization {

constexpr bool is_converged(ending why) { return why <= ending::precision; }

constexpr std::string_view message_of(ending why) {
  switch (why) {
    case ending::small_gradient: return "converged: the gradient is within its tolerance";
    case ending::small_decrease: return "converged: the value decreases by less than its tolerance";
    case ending::small_step: return "converged: the step is within its tolerance";
    case ending::small_residuals: return "converged: every residual is within its tolerance of 0";
    case ending::precision:
      return "converged: the value cannot be decreased in the precision of the numbers";
    case ending::no_root:
      return "not converged: a minimum of the sum of squares was found that is not a root; start "
             "elsewhere";
    case ending::no_decrease:
      return "not converged: no step along the gradient decreases the value: it jumps, or its "
             "gradient is not its derivative";
    case ending::unbounded: return "not converged: the value has no lower bound";
    case ending::max_iterations:
      return "not converged: the limit of iterations was reached (max_iterations)";
    case ending::max_evaluations:
      return "not converged: the limit of evaluations was reached (max_evaluations)";
    default: return "not converged: stopped by the observer";
  }
}

}  // namespace minimization

/// The result of kt::minimize, kt::least_squares and kt::root. `X` is the container of the varied
/// parameter: xt::xtensor<T, Rank>, T for a scalar, kt::values<S> for a struct S.
template <class X>
struct optimum {
  X x;                       ///< the best point that was found
  double value = 0;          ///< the cost; half the sum of losses; for a root, the largest |f(x)|
  double gradient_norm = 0;  ///< the largest element of the gradient of the cost, by magnitude
  int iterations = 0;        ///< accepted steps
  int evaluations = 0;       ///< calls of the compiled function, each with its derivatives
  bool converged = false;    ///< whether `why` is one of the first five endings
  ending why = ending::stopped;

  /// `why` in words.
  std::string_view message() const { return minimization::message_of(why); }
  explicit operator bool() const { return converged; }
};

/// What an observer is told after each accepted step, and once at the start.
struct progress {
  int iteration = 0;
  double value = 0;
  double gradient_norm = 0;
};

/// Called after each step; returns whether to go on.
using observer = std::function<bool(progress const&)>;

}  // namespace kroton
