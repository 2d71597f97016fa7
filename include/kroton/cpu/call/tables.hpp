// What the tables of a program say about its calls.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/message.hpp>
#include <kroton/cpu/machine.hpp>
#include <kroton/plan/tables.hpp>

#include <xsimd/xsimd.hpp>

#include <string>

namespace kroton::cpu {

/// Whether extents, conditions and memory follow from the extents of the parameters.
constexpr bool has_fixed_layout(program_tables const& tables) {
  auto follows = [&](int v) {
    storage const where = tables.values[v].where;
    return where == storage::literal || where == storage::extent;
  };
  for (auto const& e : tables.extents)
    if (e.from == planned_extent::value) return false;
  for (auto const& c : tables.constraints)
    if (!follows(c.left) || !follows(c.right)) return false;
  for (auto const& s : tables.steps)
    if (s.prologue) return false;
  return true;
}

/// Whether matrices of a band with so many columns lie better by columns: their rows are short, and
/// no whole batches.
constexpr bool has_narrow_rows(value_info const& matrix, std::ptrdiff_t columns) {
  constexpr auto batch = static_cast<std::ptrdiff_t>(sizeof(xsimd::batch<double>));
  return columns <= machine::max_row_by_columns && columns * bytes_of(matrix.type) % batch != 0;
}

/// `parameter 2 (lvector)`, or the name that the user gave. In the body of a loop also
/// `an element (dvector) of parameter 2`, `a state (dvector) that starts as parameter 2`.
[[gnu::cold]] inline std::string describe_parameter(parameter_info const& p) {
  using enum parameter_info::role;
  std::string const type = message({" (", letter_of(p.type.element), shape_name(p.type), ")"});
  bool const is_numbered = p.name.empty() || p.name.starts_with(core::numbered_parameter);
  std::string const name =
      p.name.empty() ? message({"parameter ", p.number + 1}) : std::string(p.name);
  switch (p.is) {
    case own: return is_numbered ? name + type : name;
    case element:
      return "an element" + type + " of " + (p.number < 0 ? "a computed sequence" : name);
    case state: return "a state" + type + (p.number < 0 ? "" : " that starts as " + name);
    case computed: return "a variable" + type + " from outside of the loop";
  }
  return name;
}

}  // namespace kroton::cpu
