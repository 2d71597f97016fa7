// The check of kt::mode::debug: a function's results against those of the expression as written.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/rewrite/engine/options.hpp>
#include <kroton/runtime/array.hpp>
#include <kroton/runtime/program.hpp>

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kroton {

/// Thrown by kt::mode::debug if an optimized function gives another value than the expression as
/// written, or changes an argument. The text names the output, the element, the rule at fault, and
/// the inputs.
class debug_error : public error {
  using error::error;
};

namespace runtime {

/// Checks results against those of a graph as written, which it interprets. If they differ by more
/// than a small tolerance, it measures the effect of rounding: the graph runs several times with
/// noise in every operation (see kt::runtime::noise), so that an expression that loses digits as
/// written does not count against the stable form. Copies of a function share one.
class supervisor {
 public:
  /// For a graph without updates, and the stage and options with which it is optimized. With
  /// `bound`, an op (elementwise, reduction or product) that produces a NaN, an infinity or a value
  /// beyond the bound from others is an error as well.
  supervisor(kroton::graph written, stage last, rewrite::rewrite_options const& options,
             std::optional<double> bound);
  supervisor(supervisor const&) = delete;
  supervisor& operator=(supervisor const&) = delete;

  /// Throws kt::debug_error unless the results agree with those of the graph for these values of
  /// its parameters. If the graph's result is not finite, rules for real numbers promise nothing:
  /// only ieee modes then require a result of the same kind.
  void check(std::vector<array> const& inputs, std::vector<array> const& got) const;

 private:
  class comparison;

  kroton::graph written_;
  stage last_;
  rewrite::rewrite_options options_;
  std::optional<double> bound_;
  std::deque<std::string>
      names_;  // the graph only refers to them, and may outlive the graph it was recorded in
  std::shared_ptr<program const> program_;    // of the graph as written
};

}  // namespace runtime
}  // namespace kroton
