// Comparing what an optimized function gives with what the expression gives as it is written.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/rewrite/options.hpp>
#include <kroton/runtime/array.hpp>

#include <string>
#include <vector>

namespace kroton {

/// What kt::mode::debug throws: an optimized function gives another value than the expression as it is written, or changes an
/// argument. The text names the output, the element, the rule that is to blame, and the inputs.
class debug_error : public error {
  using error::error;
};

namespace runtime {

/// Judges results against those of a graph as it is written. How far they may differ is measured: the graph is run several
/// times with noise in every operation (see kt::runtime::noise), so that an expression that loses digits as it is written is
/// not held against the form that keeps them.
class comparison {
 public:
  /// `written` is a graph without updates, `inputs` are the values of its parameters.
  comparison(kroton::graph const& written, std::vector<array> inputs);

  /// The first op that makes a NaN or an infinity of finite operands in the graph as it is written, in words, or nothing.
  std::string first_not_finite() const;
  /// What the graph gives as it is written.
  std::vector<array> const& expected() const { return expected_; }
  /// The first difference in words, or nothing. Where the graph as written gives no finite number, real arithmetic says
  /// nothing: with `ieee` a result has to be of the same kind there.
  std::string difference(std::vector<array> const& got, bool ieee) const;
  /// Which rule changes the value: optimizes and interprets the graph again, without one rule at a time.
  std::string blame(stage last, core::rewrite_options const& options) const;

 private:
  bool agrees(stage last, core::rewrite_options const& options) const;
  std::string inputs_text() const;

  kroton::graph const& written_;
  std::vector<array> inputs_;
  std::vector<array> expected_;
};

/// Runs a graph's program on arrays, one for each parameter.
std::vector<array> interpret(kroton::graph const& g, stage last, core::rewrite_options const& options,
                             std::vector<array> const& inputs);

}  // namespace runtime
}  // namespace kroton
