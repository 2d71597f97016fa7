// What the tables of a program say about its calls.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/message.hpp>
#include <kroton/plan/tables.hpp>

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

/// `parameter 2 (lvector)`, or the name that the user gave.
[[gnu::cold]] inline std::string describe_parameter(parameter_info const& p, std::size_t position) {
  if (!p.name.empty()) return std::string(p.name);
  static constexpr char const* letters[] = {
      "bool ", "b", "w", "i", "l", "uint8 ", "uint16 ", "uint32 ", "uint64 ", "f", "d", "c", "z"};
  static constexpr char const* shapes[] = {"scalar",  "vector",  "matrix",  "tensor3", "tensor4",
                                           "tensor5", "tensor6", "tensor7", "tensor8"};
  char const* shape = shapes[p.type.rank];
  if (p.type.rank == 2 && p.type.broadcast == 1) shape = "row";
  if (p.type.rank == 2 && p.type.broadcast == 2) shape = "col";
  return message(
      {"parameter ", position + 1, " (", letters[static_cast<int>(p.type.element)], shape, ")"});
}

}  // namespace kroton::cpu
