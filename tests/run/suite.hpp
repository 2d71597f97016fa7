// The mode of functions that a test gives none.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/kroton.hpp>

namespace suite {

/// Where a pass is left out of it, nothing is compiled where the suite interprets.
inline constexpr kroton::functions::default_mode mode{};

}  // namespace suite
