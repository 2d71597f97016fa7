// The engine put together: the normal form, factoring and matching that the rewriter calls.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/rewrite/engine/requests.hpp>
#include <kroton/rewrite/engine/shapes.hpp>
#include <kroton/rewrite/form/laws.hpp>
#include <kroton/rewrite/pattern/match.hpp>
#include <kroton/rewrite/rules/seen_through.hpp>

namespace kroton::rewrite {

constexpr int seen_through(rewriter& r, seen_forms& seen, int id) {
  return second_look(r, seen, id).run();
}

inline constexpr engine_parts engine{&normal_form, &factored, &apply_rule, &seen_through};

}  // namespace kroton::rewrite
