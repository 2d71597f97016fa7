// Extents as expressions: every extent is traced back to extents of inputs without computing any tensor.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/item.hpp>
#include <kroton/ops/shape.hpp>

namespace kroton::core {

/// Where the extent of dimension d of a node comes from, one step towards the inputs: a node that has it, in `id` and `d`, or
/// the int64 scalar itself, which is then returned; -1 before that.
constexpr int extent_step(graph& g, int& id, int& d) {
  if (g.type(id).broadcasts(d)) return g.literal(1, element::int64);
  op_info const* op = g[id].op;
  extent_source source;
  if (g.is<op::item>(id)) {
    int const output = static_cast<int>(g.attribute(id, 0));
    id = g.input_of(id, 0);
    source = g[id].op->extent_of_output(g.application(id), d, output);
  } else {
    if (!op->has_extent) return g.apply<op::extent_of>({id}, {d});
    source = op->extent(g.application(id), d);
  }
  if (source.from == extent_source::one) return g.literal(1, element::int64);
  int const from = g.input_of(id, source.input);
  if (source.from == extent_source::dimension) {
    id = from;
    d = source.axis;
  } else if (g.is<op::extent_of>(from)) {
    id = g.input_of(from, 0);
    d = static_cast<int>(g.attribute(from, 0));
  } else {
    return from;
  }
  return -1;
}

/// The int64 scalar that is the extent of dimension d of a node: a literal, the extent of an input, or a scalar that some op
/// was given. (Theano's ShapeFeature)
constexpr int extent_node(graph& g, int id, int d) {
  for (;;)
    if (int const found = extent_step(g, id, d); found >= 0) return found;
}

/// Whether an elementwise result has the extents of its first operand: no other can span what that one does not.
constexpr bool has_extents_of_first(graph const& g, int id) {
  node const& n = g[id];
  if (!n.op->elementwise) return false;
  tensor_type const& first = g[g.input_of(id, 0)].type;
  return first.rank == n.type.rank && first.broadcast == n.type.broadcast;
}

/// The same for all nodes of a graph in turn, each from what was found for the nodes before it.
class extent_table {
 public:
  constexpr explicit extent_table(graph& g) : g_(g), first_(g.size(), -1) {}

  constexpr int find(int id, int d) {
    if (id >= first_.size()) return extent_node(g_, id, d);
    int* const first = first_.data();
    int const asked = id;
    while (first[id] < 0 && has_extents_of_first(g_, id)) id = g_.input_of(id, 0);
    if (first[id] < 0) {
      first[id] = found_.size();
      found_.extend(found_.size() + g_[id].type.rank, -1);
    }
    first[asked] = first[id];
    int const slot = first[id] + d;
    int extent = found_[slot];
    if (extent >= 0) return extent;
    extent = extent_step(g_, id, d);
    if (extent < 0) extent = find(id, d);
    return found_[slot] = extent;
  }

 private:
  graph& g_;
  list<int> first_, found_;
};

/// The number of elements of a node, as an int64 scalar over extents of inputs.
constexpr int count_node(graph& g, int id) {
  term product{&g, g.literal(1, element::int64)};
  for (int d = 0; d < g.type(id).rank; ++d) product = product * term{&g, extent_node(g, id, d)};
  return product.id;
}

constexpr int source_node(graph& g, extent_table& table, int id, extent_source const& source) {
  switch (source.from) {
    case extent_source::one: return g.literal(1, element::int64);
    case extent_source::zero: return g.literal(0, element::int64);
    case extent_source::dimension: return table.find(g.input_of(id, source.input), source.axis);
    case extent_source::value: return g.input_of(id, source.input);
    case extent_source::count: return count_node(g, g.input_of(id, source.input));
    default: return count_node(g, id);
  }
}

/// Whether nothing has to be computed for a node.
constexpr bool is_leaf(graph const& g, int id) { return g.is<op::input>(id) || g.is_literal(id) || g.is<op::extent_of>(id); }

/// Classes of extents that the conditions met so far make equal.
class extent_classes {
 public:
  constexpr int find(int id) const {
    for (auto const& known : links_)
      if (known.from == id) return find(known.to);
    return id;
  }
  /// Makes two extents equal. A number represents them, or one that nothing has to be computed for, or the earlier. False when they
  /// were equal.
  constexpr bool unite(graph const& g, int a, int b) {
    a = find(a);
    b = find(b);
    if (a == b) return false;
    bool first = is_leaf(g, a) == is_leaf(g, b) ? a < b : is_leaf(g, a);
    if (g.is_literal(a) != g.is_literal(b)) first = g.is_literal(a);
    links_.push_back(first ? link{b, a} : link{a, b});
    return true;
  }

 private:
  struct link {
    int from = 0, to = 0;
  };
  list<link> links_;
};

/// Whether two extents are numbers, and not the same.
constexpr bool differ(graph const& g, int a, int b) {
  return g.is_literal(a) && g.is_literal(b) && g.literal_bits(a) != g.literal_bits(b);
}

/// Finds what the expression as written asks of extents and adds it to the graph, each condition once. The conditions stay
/// with the graph whatever the passes make of its nodes.
constexpr void collect_constraints(graph& g) {
  bool kept = false;
  extent_classes classes;
  bool const knows_extents = !g.constraints().empty();  // those of a kt::fixed
  for (auto const& c : g.constraints()) classes.unite(g, c.left, c.right);
  extent_table table(g);
  list<bool> const live = g.live();
  list<extent_pair> pairs;
  for (int id = 0; id < live.size(); ++id) {
    op_info const* op = g[id].op;
    if (!live[id]) continue;
    // Every node in turn, so that finding an extent never recurses deeply.
    for (int d = 0; d < g.type(id).rank; ++d) table.find(id, d);
    if (!op->has_constraints) continue;
    pairs.clear();
    op->constraints(g.application(id), pairs);
    for (auto const& pair : pairs) {
      int const left = source_node(g, table, id, pair.left);
      int const right = source_node(g, table, id, pair.right);
      if (knows_extents && !pair.note && !pair.index && differ(g, classes.find(left), classes.find(right)))
        g.fail("kt::fixed: operands have extents that do not fit each other");
      if (!pair.note) kept = pair.index || (left != right && classes.unite(g, left, right));
      if (kept) g.constraints().push_back({left, right, pair.note ? identity<op::shape_note>() : op, pair.index || pair.note});
    }
  }
}

}  // namespace kroton::core
