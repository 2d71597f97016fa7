// The canonical order of nodes: by what they are, never by where or when they were made.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/graph.hpp>

namespace kroton::rewrite {

/// Whether node a stands before node b among the operands of a commutative op. Literals come first,
/// then the structural hash decides, which is the same in every graph and on every compiler; the
/// rest only serves equal hashes.
constexpr bool stands_before(graph const& g, int a, int b) {
  if (a == b) return false;
  node const& first = g[a];
  node const& second = g[b];
  if (first.op->key != second.op->key) {
    if (is_op<op::literal>(first.op)) return true;
    if (is_op<op::literal>(second.op)) return false;
  }
  if (first.hash != second.hash) return first.hash < second.hash;
  if (g[a].op->key != g[b].op->key) return g[a].op->name < g[b].op->name;
  if (g[a].input_count != g[b].input_count) return g[a].input_count < g[b].input_count;
  for (int i = 0; i < g[a].attribute_count && i < g[b].attribute_count; ++i)
    if (g.attribute(a, i) != g.attribute(b, i)) return g.attribute(a, i) < g.attribute(b, i);
  for (int i = 0; i < g[a].input_count; ++i)
    if (g[g.input_of(a, i)].hash != g[g.input_of(b, i)].hash)
      return g[g.input_of(a, i)].hash < g[g.input_of(b, i)].hash;
  return false;
}

/// Sorts in place by `before`, stably; long sums have hundreds of terms, so this is a merge sort.
template <class T, class Before>
constexpr void merge_sort(list<T>& items, Before before) {
  int const size = items.size();
  if (size < 2) return;
  if (size < 16) return sort(items, before);
  list<T> other(size, T{});
  for (int width = 1; width < size; width *= 2) {
    for (int low = 0; low < size; low += 2 * width) {
      int const middle = low + width < size ? low + width : size;
      int const high = low + 2 * width < size ? low + 2 * width : size;
      for (int i = low, j = middle, k = low; k < high; ++k)
        other[k] =
            j >= high || (i < middle && !before(items[j], items[i])) ? items[i++] : items[j++];
    }
    items.swap(other);
  }
}

}  // namespace kroton::rewrite
