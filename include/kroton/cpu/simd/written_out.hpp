// A loop of a known number of rounds, written out.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/config.hpp>

#include <cstddef>
#include <utility>

namespace kroton::cpu {

/// Calls visit(0) to visit(N - 1), written out, so that what it leaves in arrays stays in
/// registers.
template <std::size_t N, class Visit>
KROTON_INLINE void written_out(Visit const& visit) {
  [&]<int... I>(std::integer_sequence<int, I...>) KROTON_INLINE_LAMBDA {
    (visit(I), ...);
  }(std::make_integer_sequence<int, static_cast<int>(N)>{});
}

}  // namespace kroton::cpu
