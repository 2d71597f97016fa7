// Exact values: intervals of MPFR numbers, ever more precise until both ends round to one double.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "expression.hpp"

#include <memory>
#include <optional>

namespace accuracy {

class interval_evaluator;

/// Computes the value of a problem, or of its condition, at points whose coordinates are doubles.
class exact_evaluator {
 public:
  explicit exact_evaluator(problem const& p);
  ~exact_evaluator();

  /// Whether the condition holds at a point; false where this cannot be decided.
  bool admits(double const* point);
  /// The double nearest to the value; nothing where the value is not real, too large for a double,
  /// or still unknown with the highest precision.
  std::optional<double> value(double const* point);

 private:
  std::unique_ptr<interval_evaluator> intervals_;
  problem const& p_;
};

}  // namespace accuracy
