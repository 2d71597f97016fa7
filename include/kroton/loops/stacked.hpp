// Readers of the last row of a stack that is computed in parts read that row itself.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/loops/last_values.hpp>
#include <kroton/ops/loop/segments.hpp>
#include <kroton/rewrite/engine/rebuild.hpp>

namespace kroton::loops {

constexpr graph with_last_rows(graph g, rewrite::rewrite_options const&) {
  return rewrite::rebuilt(g, [&](graph& to, int id, list<int> const& image) {
    if (!g.is<op::subtensor>(id) || !g.is<op::stacked>(g.input_of(id, 0))) return -1;
    int const stack = g.input_of(id, 0);
    if (row_from_end(g, id, g.input_of(stack, 0)) != 0) return -1;
    list<int> moved = image;
    moved[stack] = image[g.input_of(stack, 3)];
    return part_of_row(g, id, to, moved);
  });
}

}  // namespace kroton::loops
