// Whether the extents of a body change from step to step.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/call/direct/tables.hpp>

#include <array>
#include <cstddef>

namespace kroton::cpu {

/// Whether the extents and the conditions of a body are those of its parameters' extents and of
/// what does not change, so that all steps have the same.
template <class Facts, class Body>
constexpr bool has_same_extents_in_all_steps() {
  using tables = direct_tables<Body>;
  std::array<bool, static_cast<std::size_t>(tables::value_count) + 1> is_same{};
  for (int v = 0; v < tables::value_count; ++v) {
    storage const where = tables::value(v).where;
    is_same[static_cast<std::size_t>(v)] =
        where == storage::extent || where == storage::literal ||
        (where == storage::parameter && Facts::is_constant(v));
  }
  for (int s = 0; s < tables::step_count; ++s) {
    bool all = tables::step(s).prologue;
    for (int k = 0; k < tables::step(s).operand_count; ++k)
      all = all && is_same[static_cast<std::size_t>(tables::operand(s, k))];
    if (tables::step(s).prologue && !all) return false;
    for (int k = 0; k < tables::step(s).result_count; ++k)
      if (int const v = tables::result(s, k); v >= 0)
        is_same[static_cast<std::size_t>(v)] = all;
  }
  for (auto const& e : Body::extents)
    if (e.from == planned_extent::value && !is_same[static_cast<std::size_t>(e.which)])
      return false;
  for (auto const& c : Body::constraints)
    if (c.kind != condition::note && (!is_same[static_cast<std::size_t>(c.left)] ||
                                      !is_same[static_cast<std::size_t>(c.right)]))
      return false;
  return true;
}

}  // namespace kroton::cpu
