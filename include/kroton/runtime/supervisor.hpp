// What kt::mode::debug has a function check: its results against those of the expression as it is
// written.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/rewrite/engine/options.hpp>
#include <kroton/runtime/array.hpp>
#include <kroton/runtime/program.hpp>

#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace kroton {

/// What kt::mode::debug throws: an optimized function gives another value than the expression as it
/// is written, or changes an argument. The text names the output, the element, the rule that is to
/// blame, and the inputs.
class debug_error : public error {
  using error::error;
};

namespace runtime {

/// Judges results against those of a graph as it is written, which it interprets. What differs by
/// more than a small tolerance is measured: the graph is run several times with noise in every
/// operation (see kt::runtime::noise), so that an expression that loses digits as it is written is
/// not held against the form that keeps them. Copies of a function share one.
class supervisor {
 public:
  /// For a graph without updates, and the stage and options by which it is optimized. With `finite`
  /// an op that makes a NaN or an infinity of finite operands is an error as well, be it
  /// elementwise, a reduction or a product.
  supervisor(kroton::graph written, stage last, core::rewrite_options const& options, bool finite);
  supervisor(supervisor const&) = delete;
  supervisor& operator=(supervisor const&) = delete;

  /// Throws kt::debug_error unless the results agree with what the graph gives for these values of
  /// its parameters. Where that is no finite number, real arithmetic says nothing: only ieee modes
  /// ask for a result of the same kind there.
  void check(std::vector<array> const& inputs, std::vector<array> const& got) const;

 private:
  class comparison;

  kroton::graph written_;
  stage last_;
  core::rewrite_options options_;
  bool finite_;
  std::deque<std::string>
      names_;  // the graph only refers to them, and may outlive what it was recorded in
  std::shared_ptr<program const> program_;    // of the graph as it is written
};

}  // namespace runtime
}  // namespace kroton
