// Permutations of axes that have sunk below functions of elements, brought out again.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/rewrite/rules/views.hpp>

namespace kroton::rewrite::rules {

inline constexpr int most_unshuffled = 8;  // how deep to look

/// Whether a dimshuffle only changes the order of axes.
constexpr bool is_permutation(graph const& g, int id) {
  if (!g.is<op::dimshuffle>(id) || g[id].attribute_count != g.type(g.input_of(id, 0)).rank)
    return false;
  for (int d = 0; d < g[id].attribute_count; ++d)
    if (g.attribute(id, d) < 0) return false;
  return true;
}
/// Whether elements change along one axis at most, so that its place among others is a view.
constexpr bool is_along_one_axis(graph const& g, int id) {
  int count = 0;
  for (int d = 0; d < g.type(id).rank; ++d) count += g.type(id).spans(d, g.type(id).rank) ? 1 : 0;
  return count <= 1;
}
/// The permutation of the first matrix, or array of more axes, below functions of elements; empty
/// where there is none.
// One return: where there are several, g++ 12 destroys the list twice in constant evaluation.
constexpr list<long long> common_permutation(graph const& g, int id, int depth = most_unshuffled) {
  while (id >= 0 && g[id].op->elementwise && depth-- > 0) {
    int next = -1;
    for (int i : g.inputs(id))
      if (next < 0 && g.type(i).rank == g.type(id).rank && !is_along_one_axis(g, i)) next = i;
    id = next;
  }
  list<long long> pattern;
  if (id >= 0 && is_permutation(g, id))
    for (int d = 0; d < g[id].attribute_count; ++d) pattern.push_back(g.attribute(id, d));
  return pattern;
}
/// An operand that varies along one axis, with its axes as they were before the permutation.
constexpr int unshuffled_line(rewriter& r, int id, list<long long> const& pattern) {
  tensor_type const type = r.g.type(id);
  int const missing = pattern.size() - type.rank;
  list<long long> order;
  for (int e = 0; e < pattern.size(); ++e)
    for (int d = 0; d < pattern.size(); ++d)
      if (pattern[d] == e && (d >= missing || !order.empty()))
        order.push_back(d < missing ? -1 : d - missing);
  // An operand needs no leading ones.
  list<long long> own;
  for (long long d : order)
    if (!own.empty() || (d >= 0 && type.spans(static_cast<int>(d), type.rank))) own.push_back(d);
  return make_view(r, id, own);
}
/// A node with the axes in the order before a permutation that all its operands have; -1 where one
/// has not.
constexpr int unshuffled(rewriter& r, int id, list<long long> const& pattern,
                         int depth = most_unshuffled) {
  graph& g = r.g;
  if (g.type(id).rank == 0) return id;
  if (is_permutation(g, id)) {
    if (g[id].attribute_count != pattern.size()) return -1;
    for (int d = 0; d < pattern.size(); ++d)
      if (g.attribute(id, d) != pattern[d]) return -1;
    return g.input_of(id, 0);
  }
  if (is_along_one_axis(g, id)) return unshuffled_line(r, id, pattern);
  if (!g[id].op->elementwise || depth == 0) return -1;
  // One return: where there are several, g++ 12 destroys the list twice in constant evaluation.
  list<int> operands = r.inputs(id);
  bool all = true;
  for (int k = 0; all && k < operands.size(); ++k) {
    int const below = unshuffled(r, operands[k], pattern, depth - 1);
    all = below >= 0;
    operands[k] = below;
  }
  int result = -1;
  if (all)
    result = g.is<op::cast>(id) ? r.cast(operands[0], g.type(id).element)
                                : r.make(g[id].op, operands);
  return result;
}

}  // namespace kroton::rewrite::rules
