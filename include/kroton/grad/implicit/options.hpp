// The options of kt::fixed_point, kt::root and kt::minimizer inside of an expression.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/element.hpp>

#include <limits>

namespace kroton {

/// What kt::fixed_point, kt::root and kt::minimizer give where they have not found a solution: NaN,
/// the error kt::value_error, or the last iterate, for callers that check it themselves.
enum class unsolved { nan, error, last };

/// The options of kt::fixed_point, kt::root and kt::minimizer: `{.tolerance = 1e-8}`.
struct solver {
  double tolerance = 0;  ///< of the last step, relative to the unknowns; 0: by the element type
  long long max_iterations = 1000;
  kroton::unsolved unsolved = unsolved::nan;  ///< what is given without convergence
};

namespace calculus {

constexpr double epsilon_of(element e) {
  return e == element::float32 ? std::numeric_limits<float>::epsilon()
                               : std::numeric_limits<double>::epsilon();
}
/// Newton's method squares the error in a step, so that the one after the last step is far below
/// its length: some 1e-11 for double, 2e-5 for float.
constexpr double tolerance_of_newton(solver const& options, element e) {
  if (options.tolerance > 0) return options.tolerance;
  return e == element::float32 ? 2e-5 : 1e-11;
}
/// Where steps shrink by a factor, the error is of the order of the last step.
constexpr double tolerance_of_iteration(solver const& options, element e) {
  if (options.tolerance > 0) return options.tolerance;
  return e == element::float32 ? 1e-6 : 1e-12;
}

}  // namespace calculus
}  // namespace kroton
