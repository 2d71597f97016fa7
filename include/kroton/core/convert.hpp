// Conversion of elements from one type to another: one rule for constants, numbers, batches and
// threads.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/config.hpp>
#include <kroton/core/element.hpp>

#include <limits>

namespace kroton::core {

/// Limits for converting the floating-point type F to the integer type I. All of them are exact.
template <class I, class F>
struct integer_range {
  static constexpr int digits = std::numeric_limits<I>::digits;
  static constexpr F lowest = static_cast<F>(std::numeric_limits<I>::min());
  static constexpr F beyond = static_cast<F>(std::uint64_t{1} << (digits - 1)) * 2;  // 2^digits
  /// Whether the largest integer is a number of type F; otherwise the limit is the largest F below
  /// 2^digits.
  static constexpr bool holds_highest = digits <= std::numeric_limits<F>::digits;
  static constexpr F highest =
      holds_highest ? beyond - 1 : beyond - beyond * std::numeric_limits<F>::epsilon() / 2;
};

/// A number as element type To. Floats are truncated to integers and saturate: values below the
/// range of the integer type, and NaN, become its lowest value, and values above become its
/// highest. Integers wrap modulo 2^n, and anything but 0 is true.
template <class To, class From>
KROTON_FN To convert(From const& x) {
  if constexpr (std::is_same_v<To, From>) {
    return x;
  } else if constexpr (std::is_same_v<To, bool>) {
    return x != From(0);
  } else if constexpr (is_short_float<From>) {
    return convert<To>(static_cast<float>(x));
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    using range = integer_range<To, From>;
    constexpr From lowest = range::lowest, highest = range::highest;
    [[maybe_unused]] constexpr From beyond = range::beyond;
    // Clamped before the conversion, without a branch, so that compilers vectorize it.
    From const raised = x > lowest ? x : lowest;
    To const inside = static_cast<To>(raised < highest ? raised : highest);
    if constexpr (range::holds_highest) return inside;
    else return x >= beyond ? std::numeric_limits<To>::max() : inside;
  } else {
    return converted<To>(x);
  }
}

}  // namespace kroton::core
