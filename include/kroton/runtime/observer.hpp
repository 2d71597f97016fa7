// Observers of the interpreter, which see every block of values as it is computed.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/array.hpp>
#include <kroton/core/op.hpp>

#include <cstddef>

namespace kroton::runtime {

/// A block of n values that an op has just computed, and its operands. There are no operands if a
/// reduction, the loop's result of this number, is about to read the block, which is then a
/// separate copy.
struct computed_block {
  core::op_info const* op = nullptr;
  element to = element::float64, from = element::float64;
  std::byte* out = nullptr;
  std::byte const* const* in = nullptr;
  int in_count = 0;
  std::ptrdiff_t n = 0;
  int result = 0;
};

/// A whole result: that of a product, with its operands, or that of a reduction, with its number
/// among the loop's results, whose operand was seen in blocks.
struct whole_result {
  core::op_info const* op = nullptr;
  element type = element::float64;
  core::array_ref to{};
  core::array_ref const* in = nullptr;
  int in_count = 0;
  int result = 0;
};

/// While an observer exists, it sees everything that the interpreter computes in its thread.
class observer {
 public:
  observer() : outer_(current()) { current() = this; }
  virtual ~observer() { current() = outer_; }
  observer(observer const&) = delete;
  observer& operator=(observer const&) = delete;

  virtual void see(computed_block const& block) = 0;
  virtual void see_whole(whole_result const& result) = 0;

  /// The observer of this thread, or null.
  static observer*& current() {
    static thread_local observer* now = nullptr;
    return now;
  }

 private:
  observer* outer_;
};

}  // namespace kroton::runtime
