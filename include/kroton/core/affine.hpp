// Affine functions of an extent: how many windows, strides or blocks fit into it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/layers.hpp>

#include <numeric>

namespace kroton::core {

/// (times * n + plus) / over, rounded down; `over` is positive. What is added to a quotient counts
/// `over` times in `plus`: the (n + 2p - k) / s + 1 positions of a window of length k with stride s
/// and padding p are {1, 2p - k + s, s}.
struct affine {
  long long times = 1, plus = 0, over = 1;

  constexpr long long operator()(long long n) const { return divided(times * n + plus, over); }
  constexpr bool is_identity() const { return times == 1 && plus == 0 && over == 1; }
  /// The same function with coprime numbers, of which there is only one.
  constexpr affine reduced() const {
    long long const common = std::gcd(times, over);
    return {times / common, divided(plus, common), over / common};
  }
  /// Whether this function of `inner` is affine: a multiple of what was rounded is not.
  constexpr bool composes_with(affine inner) const { return inner.over == 1 || times == 1; }
  constexpr affine of(affine inner) const {
    return {times * inner.times, times * inner.plus + plus * inner.over, inner.over * over};
  }
  constexpr bool operator==(affine const&) const = default;

 private:
  static constexpr long long divided(long long a, long long b) { return a / b - (a % b < 0); }
};

}  // namespace kroton::core
