// The engine put together: the normal form, factoring and matching that the rewriter calls.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/rewrite/laws.hpp>
#include <kroton/rewrite/match.hpp>

namespace kroton::core {

inline constexpr engine_parts engine{&normal_form, &factored, &apply_rule};

}  // namespace kroton::core
