// Directions by graph coloring: columns (or rows) of one color have no element in the same row, so
// that one product gives the elements of all of them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/op/sparsity/index_sets.hpp>

#include <algorithm>
#include <numeric>
#include <vector>

namespace kroton::cpu::sparsity {

/// A color for each vertex, -1 for those that need none.
struct coloring {
  std::vector<std::int32_t> of{};
  count colors = 0;
};

/// The same pattern by columns.
inline index_sets turned(index_sets const& rows, count columns) {
  index_sets result;
  result.start.assign(as_size(columns) + 1, 0);
  result.index.resize(rows.index.size());
  for (std::int32_t j : rows.index) ++result.start[static_cast<std::size_t>(j) + 1];
  std::partial_sum(result.start.begin(), result.start.end(), result.start.begin());
  std::vector<count> next(result.start.begin(), result.start.end() - 1);
  for (count i = 0; i < rows.size(); ++i)
    for (auto j = rows.begin(i); j < rows.end(i); ++j)
      result.index[as_size(next[static_cast<std::size_t>(*j)]++)] = static_cast<std::int32_t>(i);
  return result;
}

/// Colors vertices in the given order such that those of one color share no edge, each with the
/// first color that is free. `edges` has the edges of each vertex, `vertices` the vertices of each
/// edge; only some of them count.
inline coloring greedy_coloring(index_sets const& edges, index_sets const& vertices,
                                std::vector<bool> const& is_vertex,
                                std::vector<bool> const& is_edge,
                                std::vector<std::int32_t> const& order) {
  coloring found{std::vector<std::int32_t>(as_size(edges.size()), -1), 0};
  std::vector<std::int32_t> taken_by;
  for (std::int32_t v : order) {
    if (!is_vertex[static_cast<std::size_t>(v)]) continue;
    bool any = false;
    for (auto e = edges.begin(v); e < edges.end(v); ++e) {
      if (!is_edge[static_cast<std::size_t>(*e)]) continue;
      any = true;
      for (auto w = vertices.begin(*e); w < vertices.end(*e); ++w)
        if (std::int32_t const c = found.of[static_cast<std::size_t>(*w)]; c >= 0)
          taken_by[static_cast<std::size_t>(c)] = v;
    }
    if (!any) continue;
    std::size_t free = 0;
    while (free < taken_by.size() && taken_by[free] == v) ++free;
    if (free == taken_by.size()) taken_by.push_back(-1);
    found.of[static_cast<std::size_t>(v)] = static_cast<std::int32_t>(free);
  }
  found.colors = static_cast<count>(taken_by.size());
  return found;
}

/// In natural order, which is best for bands; where that takes more colors than the longest edge
/// has vertices, also in descending order of the number of edges, and the better one.
inline coloring color(index_sets const& edges, index_sets const& vertices,
                      std::vector<bool> const& is_vertex, std::vector<bool> const& is_edge,
                      count longest) {
  std::vector<std::int32_t> order(as_size(edges.size()));
  std::iota(order.begin(), order.end(), 0);
  coloring const natural = greedy_coloring(edges, vertices, is_vertex, is_edge, order);
  if (natural.colors <= longest) return natural;
  std::sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    return edges.size(a) != edges.size(b) ? edges.size(a) > edges.size(b) : a < b;
  });
  coloring const by_degree = greedy_coloring(edges, vertices, is_vertex, is_edge, order);
  return by_degree.colors < natural.colors ? by_degree : natural;
}

/// A star coloring of the graph of a symmetric pattern, see A. Gebremedhin, F. Manne, A. Pothen,
/// What color is your Jacobian?, SIAM Review 47 (2005): neighbors differ, and no path of four
/// vertices has two colors. Then of every two mirrored elements one is alone in its row among the
/// columns of its color.
inline coloring star_coloring(index_sets const& of) {
  coloring found{std::vector<std::int32_t>(as_size(of.size()), -1), 0};
  std::vector<count> taken_by;
  auto const color_of = [&](count v) { return found.of[as_size(v)]; };
  for (count v = 0; v < of.size(); ++v) {
    auto const take = [&](count w) {
      if (color_of(w) >= 0) taken_by[static_cast<std::size_t>(color_of(w))] = v;
    };
    for (auto w = of.begin(v); w < of.end(v); ++w) {
      if (*w == v) continue;
      take(*w);
      for (auto x = of.begin(*w); x < of.end(*w); ++x) {
        if (*x == v || *x == *w || color_of(*x) < 0) continue;
        bool joins = color_of(*w) < 0;
        for (auto y = of.begin(*x); !joins && y < of.end(*x); ++y)
          joins = *y != *w && *y != *x && color_of(*y) == color_of(*w);
        if (joins) take(*x);
      }
    }
    if (of.size(v) == 0) continue;
    std::size_t free = 0;
    while (free < taken_by.size() && taken_by[free] == v) ++free;
    if (free == taken_by.size()) taken_by.push_back(-1);
    found.of[as_size(v)] = static_cast<std::int32_t>(free);
  }
  found.colors = static_cast<count>(taken_by.size());
  return found;
}

}  // namespace kroton::cpu::sparsity
