// Patterns of sparse matrices as rules find them: products with dense ones, places in a dense one,
// and values of one pattern that are as well those of another.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/item.hpp>
#include <kroton/ops/sparse/patterns.hpp>
#include <kroton/rewrite/rules/matrix_functions.hpp>

namespace kroton::rewrite::rules {

/// A pattern by lines: of each value its index, and where lines begin.
struct line_pattern {
  int index = -1, start = -1;

  constexpr bool exists() const { return index >= 0; }
  constexpr bool operator==(line_pattern const&) const = default;
};
/// The node that gives for each value the number of its line.
constexpr int lines_of(rewriter& r, line_pattern p) {
  return r.make<op::line_numbers>({p.index, p.start});
}
/// The node that gives for each value its index, as ops that take elements read it.
constexpr int indices_of(rewriter& r, line_pattern p) { return r.cast(p.index, element::int64); }

/// The product of a sparse matrix, or of its transpose, with a dense vector or matrix.
struct sparse_times_dense {
  int values, dense;
  line_pattern pattern;
  int inner;         // the number of what indices count
  bool is_by_lines;  // lines are summed up; otherwise they are added to the result

  static constexpr bool is(graph const& g, int id) {
    return g.is<op::csr_dot>(id) || g.is<op::csr_transposed_dot>(id);
  }
  static constexpr sparse_times_dense of(graph const& g, int id) {
    return {g.input_of(id, 0),
            g.input_of(id, 1),
            {g.input_of(id, 2), g.input_of(id, 3)},
            g.input_of(id, 4),
            g.is<op::csr_dot>(id)};
  }
  constexpr int made(rewriter& r) const {
    int const inputs[] = {values, dense, pattern.index, pattern.start, inner};
    return r.make(is_by_lines ? identity<op::csr_dot>() : identity<op::csr_transposed_dot>(),
                  inputs);
  }
  /// The same matrix times another dense operand, as it is or transposed.
  constexpr int times(rewriter& r, int x) const {
    return sparse_times_dense{values, x, pattern, inner, is_by_lines}.made(r);
  }
  constexpr int transposed_times(rewriter& r, int x) const {
    return sparse_times_dense{values, x, pattern, inner, !is_by_lines}.made(r);
  }
};
constexpr int sampled(rewriter& r, int left, int right, line_pattern p) {
  return r.make<op::sampling>({left, right, p.index, p.start});
}
/// The pattern that is the turned one of another, which it was made of; and the number of what the
/// indices of that count.
struct turned_from {
  line_pattern pattern{};
  int inner = -1;
};
constexpr turned_from turned_from_of(graph const& g, line_pattern p) {
  bool const is_turned = g.is<op::turned_pattern>(p.start) && g.is<op::item>(p.index) &&
                         g.input_of(p.index, 0) == p.start && g.attribute(p.index, 0) == 1;
  if (!is_turned) return {};
  return {{g.input_of(p.start, 0), g.input_of(p.start, 1)}, g.input_of(p.start, 2)};
}

/// From a pattern to one that has its places or some of them, by lines of the same or of the other
/// kind.
struct pattern_change {
  line_pattern from, to;
  bool turns;

  /// What gives for each value its line or its index, for the new pattern; -1 for other nodes.
  constexpr int positions(rewriter& r, int at) const {
    graph& g = r.g;
    if (g.is<op::line_numbers>(at) && from == line_pattern{g.input_of(at, 0), g.input_of(at, 1)})
      return turns ? indices_of(r, to) : lines_of(r, to);
    if (g.is<op::cast>(at) && g.input_of(at, 0) == from.index)
      return turns ? lines_of(r, to) : indices_of(r, to);
    return -1;
  }
  /// Values of the new pattern that are those of the old one; -1 where a function of elements has
  /// operands of another kind.
  constexpr int values(rewriter& r, int id, int depth = most_unshuffled) const {
    graph& g = r.g;
    if (g.type(id).rank == 0) return id;
    if (g.is<op::take>(id)) return taken(r, id);
    if (g.is<op::sampling>(id)) {
      if (from != line_pattern{g.input_of(id, 2), g.input_of(id, 3)}) return -1;
      return sampled(r, g.input_of(id, turns ? 1 : 0), g.input_of(id, turns ? 0 : 1), to);
    }
    if (!g[id].op->elementwise || depth == 0) return -1;
    list<int> operands = r.inputs(id);
    bool all = true;
    for (int k = 0; all && k < operands.size(); ++k) {
      int const own = values(r, operands[k], depth - 1);
      all = own >= 0;
      operands[k] = own;
    }
    return all ? function_of(r, id, operands) : -1;
  }
  /// A function of elements of other operands.
  static constexpr int function_of(rewriter& r, int id, list<int> const& operands) {
    graph& g = r.g;
    if (g.is<op::cast>(id)) return r.cast(operands[0], g.type(id).element);
    list<long long> const attributes = r.attributes(id);
    return r.make(g[id].op, operands, attributes);
  }

 private:
  constexpr int taken(rewriter& r, int id) const {
    graph& g = r.g;
    list<int> inputs = r.inputs(id);
    bool const is_place = turns && inputs.size() == 2 && g.is<op::item>(inputs[1]) &&
                          g.input_of(inputs[1], 0) == from.start && g.attribute(inputs[1], 0) == 2;
    if (is_place) return inputs[0];
    bool all = true;
    for (int k = 1; k < inputs.size(); ++k) {
      inputs[k] = positions(r, inputs[k]);
      all = all && inputs[k] >= 0;
    }
    if (!all) return -1;
    list<long long> const attributes = r.attributes(id);
    return r.make(identity<op::take>(), inputs, attributes);
  }
};

/// The vector whose elements at some positions a function of such elements is; a scalar is itself.
/// -1 where there is none.
constexpr int before_take(rewriter& r, int id, int at, int depth = most_unshuffled) {
  graph& g = r.g;
  if (g.type(id).rank == 0) return id;
  if (g.is<op::take>(id))
    return g[id].input_count == 2 && g.input_of(id, 1) == at ? g.input_of(id, 0) : -1;
  if (!g[id].op->elementwise || depth == 0) return -1;
  list<int> operands = r.inputs(id);
  bool all = true;
  for (int k = 0; all && k < operands.size(); ++k) {
    int const own = before_take(r, operands[k], at, depth - 1);
    all = own >= 0;
    operands[k] = own;
  }
  return all ? pattern_change::function_of(r, id, operands) : -1;
}

/// What two sparse matrices are added or multiplied to: their patterns.
struct two_patterns {
  line_pattern first{}, second{};

  /// Those of which a pattern is the product.
  static constexpr two_patterns of_product(graph const& g, line_pattern p) {
    return of(g, p, identity<op::product_indices>(), identity<op::product_bounds>());
  }
  /// Those of which a pattern is the union.
  static constexpr two_patterns of_union(graph const& g, line_pattern p) {
    return of(g, p, identity<op::united_indices>(), identity<op::merged_bounds>());
  }

 private:
  static constexpr two_patterns of(graph const& g, line_pattern p, op_info const* indices,
                                   op_info const* bounds) {
    if (g[p.index].op->key != indices->key || g[p.start].op->key != bounds->key) return {};
    for (int k = 0; k < 4; ++k)
      if (g.input_of(p.index, k) != g.input_of(p.start, k)) return {};
    return {{g.input_of(p.start, 0), g.input_of(p.start, 1)},
            {g.input_of(p.start, 2), g.input_of(p.start, 3)}};
  }
};

}  // namespace kroton::rewrite::rules
