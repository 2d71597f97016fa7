// What a scan requires of its operands, for reverse scans that read nothing of it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/loop/formal.hpp>
#include <kroton/ops/loop/parts.hpp>

namespace kroton::calculus {

/// Whether a scalar has the value of a parameter of a body that is being recorded.
constexpr bool needs_formal(graph const& g, int root) {
  list<bool> needed(root + 1);
  needed[root] = true;
  for (int id = root; id >= 0; --id) {
    if (!needed[id]) continue;
    if (g.is<op::formal>(id)) return true;
    if (!g.is<op::extent_of>(id))
      for (int in : g.inputs(id)) needed[in] = true;
  }
  return false;
}
constexpr bool is_required(graph const& g, int left, int least) {
  for (auto const& c : g.constraints())
    if (c.left == left && c.right == least && c.kind == condition::at_least) return true;
  return false;
}

/// Requires that sequences and starts have the rows that a scan reads. Its gradient reads them even
/// if it needs nothing that the scan computes, so that nobody else asks.
constexpr void require_operands(graph& g, int scan) {
  list<core::extent_pair> pairs;
  op::scan::constraints(g.application(scan), pairs);
  ops::extent_table table(g);
  bool required = false;
  for (core::extent_pair const& pair : pairs) {
    bool const is_note = pair.kind == condition::note;
    if (is_note ? !required : pair.kind != condition::at_least) continue;
    int const left = ops::source_node(g, table, scan, pair.left),
              least = ops::source_node(g, table, scan, pair.right);
    if (!is_note)
      required = !needs_formal(g, left) && !needs_formal(g, least) && !is_required(g, left, least);
    if (required) g.constraints().push_back({left, least, identity<op::scan>(), pair.kind});
  }
}

/// Copies the conditions of a body from entry `first` on, those of gradients of loops in it, as far
/// as the other body has what they are about.
constexpr void copy_conditions(graph const& from, int first, graph& to, list<int> const& image) {
  auto image_of = [&](int id) {
    return image[id] < 0 && from.is_literal(id)
               ? to.literal_of_bits(from.literal_bits(id), from.type(id).element)
               : image[id];
  };
  bool taken = false;
  for (int k = first; k < from.constraints().size(); ++k) {
    auto const& c = from.constraints()[k];
    int const left = image_of(c.left), right = image_of(c.right);
    taken = (taken || !core::is_continued(c.kind)) && left >= 0 && right >= 0;
    if (taken) to.constraints().push_back({left, right, c.op, c.kind});
  }
}

}  // namespace kroton::calculus
