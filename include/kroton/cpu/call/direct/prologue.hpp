// The prologue of a direct call: what extents and conditions are computed from, arrays included,
// runs before the other steps. Nothing is computed from arrays before it is known that they fit.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/call/direct/arrays.hpp>
#include <kroton/cpu/call/memory.hpp>

#include <array>

namespace kroton::cpu {

/// When the extents and the conditions of a program are known: before a step of its prologue that
/// takes arrays, which is their stage, or behind all of the prologue.
template <class Program>
class direct_prologue {
  using tables = direct_tables<Program>;
  static constexpr bool is_early(int v) { return tables::value(v).where == storage::early; }

 public:
  /// The stage behind the prologue.
  static constexpr int after = tables::step_count;

  /// Whether a step of the prologue takes arrays.
  static constexpr bool is_stage(int s) {
    step_info const& step = tables::step(s);
    return step.prologue && (step.kind != step_kind::loop || step.space_rank > 0);
  }
  static constexpr bool exists = [] {
    for (int s = 0; s < tables::step_count; ++s)
      if (is_stage(s)) return true;
    return false;
  }();
  static constexpr int stage_of_extent(int e) {
    return exists ? stage_behind(known_since_extent(e)) : after;
  }
  /// Of the extents of a value.
  static constexpr int stage_of_value(int v) {
    if (!exists) return after;
    int since = -1;
    for (int d = 0; d < tables::value(v).rank; ++d)
      since = later(since, known_since_extent(tables::value(v).extents[d]));
    return stage_behind(since);
  }
  /// Of condition number `c`, with the entries that belong to it.
  static constexpr int stage_of_condition(int c, int entries) {
    if (!exists) return after;
    int since = -1;
    for (int k = c; k < c + entries; ++k) {
      constraint_info const& entry = Program::constraints[static_cast<std::size_t>(k)];
      since = later(since, later(known_since(entry.left), known_since(entry.right)));
    }
    return stage_behind(since);
  }
  /// What keeps calls in the frame because of the prologue; nothing where small ones bypass it.
  static constexpr frame_reason needs_frame() {
    for (int s = 0; s < tables::step_count; ++s) {
      if (!is_stage(s)) continue;
      step_info const& step = tables::step(s);
      for (int k = 0; k < step.operand_count + step.result_count; ++k)
        if (int const v = tables::operand(s, k); v >= 0) {
          if (tables::value(v).where == storage::grown)
            return {"the length of an array is found with its elements", s};
          for (int d = 0; d < tables::value(v).rank; ++d)
            if (known_since_extent(tables::value(v).extents[d]) >= s)
              return {"extents depend on elements", s};
        }
      for (int d = 0; d < step.space_rank; ++d)
        if (known_since_extent(tables::space(s, d)) >= s) return {"extents depend on elements", s};
    }
    return {};
  }

  /// How many values of the prologue need memory, and which one of them a value is; -1: none.
  static constexpr int early_count = [] {
    int count = 0;
    for (int v = 0; v < tables::value_count; ++v) count += is_early(v) ? 1 : 0;
    return count;
  }();
  static constexpr int early_number(int v) {
    if (!is_early(v)) return -1;
    int number = 0;
    for (int w = 0; w < v; ++w) number += is_early(w) ? 1 : 0;
    return number;
  }

 private:
  static constexpr int later(int a, int b) { return a < b ? b : a; }
  /// The step behind which an extent is known: -1 for none, `after` if the prologue does not
  /// compute it.
  static constexpr int known_since_extent(int e) {
    planned_extent const& from = Program::extents[static_cast<std::size_t>(e)];
    return from.from == planned_extent::value ? known_since(static_cast<int>(from.which)) : -1;
  }
  /// The same of a number.
  static constexpr int known_since(int v) {
    storage const where = tables::value(v).where;
    if (where == storage::literal || where == storage::parameter) return -1;
    if (where == storage::extent)
      return known_since_extent(static_cast<int>(tables::value(v).detail));
    for (int s = 0; s < tables::step_count; ++s)
      for (int k = 0; tables::step(s).prologue && k < tables::step(s).result_count; ++k)
        if (tables::result(s, k) == v) return s;
    return after;
  }
  static constexpr int stage_behind(int since) {
    for (int s = later(since, -1) + 1; s < tables::step_count; ++s)
      if (is_stage(s)) return s;
    return after;
  }
};

/// What a function keeps for its small calls: memory between the steps, for the time of one, and
/// for the arrays of the prologue.
template <class Program>
struct direct_memory {
  memory_block arena, scratch;
  std::array<memory_block, static_cast<std::size_t>(direct_prologue<Program>::early_count)> early;
};

}  // namespace kroton::cpu
