// Bodies of loops once more for a few numbers that all extents of their parameters may be, so that
// products of such matrices and searches in their columns are written out.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/call/direct/positions.hpp>
#include <kroton/cpu/call/direct/tables.hpp>

#include <cstddef>
#include <utility>

namespace kroton::cpu {

/// A program in a call in which the extents of its parameters are N, apart from those that are
/// numbers already.
template <class Program, int N>
struct alike_program : Program {
  using general = Program;
  static constexpr auto extents = [] {
    auto all = Program::extents;
    for (planned_extent& e : all)
      if (e.from == planned_extent::parameter) e = {planned_extent::number, N, 0};
    return all;
  }();
};

template <class Program, int... S>
constexpr bool finds_in_matrices(std::integer_sequence<int, S...>) {
  using tables = direct_tables<Program>;
  return (false || ... || (direct_positions<Program>::template finds<S>() &&
                           tables::value(tables::operand(S, 0)).rank == 2));
}
/// Whether such a version is worth its compilation: most of the time goes to several products of
/// matrices whose extents only calls know, as in filters, or to searches in them, as in the
/// algorithm of Viterbi, and the rest of the program is written out as well.
template <class Program>
constexpr bool has_alike_versions() {
  using tables = direct_tables<Program>;
  bool has_unknown = false;
  int products = 0;
  for (planned_extent const& e : Program::extents)
    has_unknown = has_unknown || e.from == planned_extent::parameter;
  for (int s = 0; s < tables::step_count; ++s)
    if (traits_of(tables::step(s).kind).is_product && tables::is_inline_product(s) &&
        tables::value(tables::operand(s, 0)).rank == 2 &&
        tables::value(tables::operand(s, 1)).rank == 2)
      ++products;
  using all_steps = std::make_integer_sequence<int, tables::step_count>;
  return has_unknown && (products > 1 || finds_in_matrices<Program>(all_steps{}));
}

}  // namespace kroton::cpu
