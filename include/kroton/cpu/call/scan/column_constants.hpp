// Matrices that do not change from step to step, and along whose rows all steps search: they are
// copied column by column, so that the rows lie side by side in vectors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/call/direct/searched_loop.hpp>
#include <kroton/cpu/call/scan/changing_extents.hpp>
#include <kroton/cpu/op/block.hpp>

#include <cstddef>
#include <utility>

namespace kroton::cpu {

/// A program in calls in which some parameters, as bits, are matrices that lie column by column.
template <class Program, unsigned long long Columns>
struct program_of_columns : Program {
  using general = Program;
  static constexpr unsigned long long columns = Columns;
};

}  // namespace kroton::cpu

template <class Program, unsigned long long Columns>
inline constexpr bool kroton::freeze::is_body<kroton::cpu::program_of_columns<Program, Columns>> =
    kroton::freeze::is_body<Program>;

namespace kroton::cpu {

/// Whether a step reads a parameter in no other way.
template <class Program, int S>
constexpr bool searches_rows_of(int parameter) {
  if constexpr (is_searched_loop<Program, S>())
    return searched_loop<Program, S>::searches_rows_of(parameter);
  else return false;
}
/// The parameters of a body that are such matrices, as bits.
template <class Facts, class Program, int... S>
constexpr unsigned long long column_constants(std::integer_sequence<int, S...>) {
  using tables = direct_tables<Program>;
  if (!has_same_extents_in_all_steps<Facts, Program>()) return 0;
  unsigned long long found = 0;
  for (int p = 0; p < tables::parameter_count && p < 64; ++p) {
    if (!Facts::is_constant(p) || tables::value(p).rank != 2) continue;
    bool const searches[] = {searches_rows_of<Program, S>(p)..., false};
    bool is_searched = false, only = true;
    for (int s = 0; s < tables::step_count; ++s)
      for (int k = 0; k < tables::step(s).operand_count; ++k) {
        if (tables::operand(s, k) != p) continue;
        is_searched = true;
        only = only && searches[s];
      }
    for (int v = 0; v < tables::value_count; ++v) only = only && !tables::value(v).shows(p);
    for (int v : Program::outputs) only = only && v != p;
    if (is_searched && only) found |= 1ull << p;
  }
  return found;
}

template <class Program, unsigned long long Columns>
struct with_columns {
  using type = program_of_columns<Program, Columns>;
};
template <class Program>
struct with_columns<Program, 0> {
  using type = Program;
};
/// The body of a loop in steps that are taken without a frame.
template <class Facts, class Body>
using direct_body = typename with_columns<
    Body, column_constants<Facts, Body>(
              std::make_integer_sequence<int, direct_tables<Body>::step_count>{})>::type;

/// Whether a matrix lies column by column.
inline bool lies_by_columns(array_ref const& a) {
  return (a.extents[0] <= 1 || a.strides[0] == 1) &&
         (a.extents[1] <= 1 || a.strides[1] == a.extents[0]);
}
/// The same matrix in other memory, column by column.
inline void copy_by_columns(array_ref& a, std::byte* to) {
  array_ref const given = a;
  a.data = to;
  a.strides[0] = 1;
  a.strides[1] = a.extents[0];
  copy_array(a, given);
}

}  // namespace kroton::cpu
