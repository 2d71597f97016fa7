// Loops in words.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/loop/layout.hpp>

#include <string>

namespace kroton::printing {

/// The number of the body of a node among those of its graph, from 1.
[[gnu::cold]] inline int body_number(graph const& g, int id) {
  int number = 1;
  while (g.bodies()[number - 1].address() != g.attribute(id, 0)) ++number;
  return number;
}

/// `mit_sot(-2,-1) all rows`, `shared 2 rows`: a state or an output, and how many rows are kept.
[[gnu::cold]] inline std::string tape_text(ops::scan_layout const& at, int tape) {
  constexpr char const* kinds[] = {"mit_sot", "sit_sot", "shared", "nit_sot"};
  std::string text = kinds[static_cast<int>(at.kind(tape))];
  for (int k = 0; at.kind(tape) == ops::tape_kind::mit_sot && k < at.taps(tape); ++k)
    text += (k == 0 ? "(" : ",") + std::to_string(at.tap(tape, k)) +
            (k + 1 == at.taps(tape) ? ")" : "");
  int const rows = at.kept_rows(tape);
  if (at.is_backwards(tape)) return text + " all rows backwards";
  return text + (rows < 0 ? " all rows" : " " + std::to_string(rows) + " rows");
}

/// `scan{for, body 1, 2 sequences, sit_sot all rows, shared 2 rows}`, or `until`.
[[gnu::cold]] inline std::string scan_text(graph const& g, int id) {
  ops::scan_layout const at = ops::layout_of(g, id);
  std::string text = at.stops() ? "scan{until" : "scan{for";
  text += ", body " + std::to_string(body_number(g, id));
  if (int const n = at.sequences(); n > 0)
    text += ", " + std::to_string(n) + (n == 1 ? " sequence" : " sequences");
  for (int tape = 0; tape < at.tapes(); ++tape) text += ", " + tape_text(at, tape);
  if (long long const n = at.all[at.truncate]; n >= 0) text += ", truncated " + std::to_string(n);
  if (long long const n = at.all[at.unrolled]; n > 1) text += ", unrolled " + std::to_string(n);
  if (at.repeats()) text += ", checkpoints";
  if (long long const n = at.snapshots(); n > 0)
    text += ", " + std::to_string(n) + (n == 1 ? " snapshot" : " snapshots");
  return text + "}";
}

}  // namespace kroton::printing
