// Extents as expressions: every extent is traced back to extents of inputs without computing any
// tensor.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/capacity.hpp>
#include <kroton/core/item.hpp>
#include <kroton/ops/linear_algebra/diagonal_blocks.hpp>
#include <kroton/ops/shapes/affine.hpp>
#include <kroton/ops/shapes/shape.hpp>

namespace kroton::ops {

constexpr int extent_node(graph& g, int id, int d);

/// One step from dimension d of a node towards the inputs: moves `id` and `d` to a node with the
/// same extent and returns -1, or returns the int64 scalar if the extent is one.
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
  if (source.from == extent_source::one) return g.literal_of_bits(source.by(1), element::int64);
  int const from = g.input_of(id, source.input);
  bool const is_dimension = source.from == extent_source::dimension;
  if (!source.by.is_identity()) {
    return mapped(g, source.by, is_dimension ? extent_node(g, from, source.axis) : from);
  } else if (is_dimension) {
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

/// The int64 scalar that is the extent of dimension d of a node: a literal, the extent of an input,
/// or a scalar operand of some op. (Theano's ShapeFeature)
constexpr int extent_node(graph& g, int id, int d) {
  for (;;)
    if (int const found = extent_step(g, id, d); found >= 0) return found;
}

/// Whether an elementwise result has the extents of its first operand: no other operand may span a
/// dimension that the first does not.
constexpr bool has_extents_of_first(graph const& g, int id) {
  node const& n = g[id];
  if (!n.op->elementwise) return false;
  tensor_type const& first = g[g.input_of(id, 0)].type;
  return first.rank == n.type.rank && first.broadcast == n.type.broadcast;
}

/// The same for all nodes of a graph in turn, each derived from the results for earlier nodes.
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

constexpr int unmapped_source(graph& g, extent_table& table, int id, extent_source const& source) {
  switch (source.from) {
    case extent_source::one: return g.literal(1, element::int64);
    case extent_source::zero: return g.literal(0, element::int64);
    case extent_source::dimension: return table.find(g.input_of(id, source.input), source.axis);
    case extent_source::value: return g.input_of(id, source.input);
    case extent_source::count: return count_node(g, g.input_of(id, source.input));
    default: return count_node(g, id);
  }
}
constexpr int source_node(graph& g, extent_table& table, int id, extent_source const& source) {
  return mapped(g, source.by, unmapped_source(g, table, id, source));
}

/// Whether a node needs no computation.
constexpr bool is_leaf(graph const& g, int id) {
  return g.is<op::input>(id) || g.is_literal(id) || g.is<op::extent_of>(id);
}

/// Classes of extents that the conditions so far make equal.
class extent_classes {
 public:
  constexpr int find(int id) const {
    for (auto const& known : links_)
      if (known.from == id) return find(known.to);
    return id;
  }
  /// Makes two extents equal. Their representative is a number, or else a node without computation,
  /// or else the earlier one. Returns false if they were already equal.
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

/// Whether an op repeats an operand along the axes that broadcast by its type.
constexpr bool repeats_operands(op_info const* op) {
  return op->elementwise || is_op<op::alloc>(op);
}

/// Whether two extents are different numbers.
constexpr bool differ(graph const& g, int a, int b) {
  return g.is_literal(a) && g.is_literal(b) && g.literal_bits(a) != g.literal_bits(b);
}

/// Adds a condition, with the entries that belong to it, unless the graph has it.
constexpr void add_condition(graph& g, list<core::extent_constraint> const& entries) {
  auto const& all = g.constraints();
  auto is_at = [&](int first) {
    bool same = first + entries.size() <= all.size();
    for (int k = 0; same && k < entries.size(); ++k)
      same = all[first + k].left == entries[k].left && all[first + k].right == entries[k].right &&
             all[first + k].kind == entries[k].kind;
    return same;
  };
  for (int first = 0; first < all.size(); ++first)
    if (is_at(first)) return;
  for (auto const& entry : entries) g.constraints().push_back(entry);
}

/// Conditions on numbers of elements: computed products of extents must be numbers of elements that
/// an array can have, whether or not that array is ever stored. Extents of parameters alone need no
/// check, since they belong to arrays, or are checked when memory is laid out.
class count_conditions {
 public:
  constexpr count_conditions(graph& g, extent_table& extents) : g_(g), extents_(extents) {}

  /// Adds the condition of a node, unless an operand or an earlier node has as many elements.
  constexpr void add(int id) {
    if (!may_grow(id)) return;
    shape own = shape_of(id);
    if (own.literals.fits() && !own.is_computed) return;
    if (!own.literals.fits()) {
      g_.fail("kt: the literal extents of a tensor require more elements than an array can have");
      return;
    }
    for (int in : g_.inputs(id))
      if (g_.type(in).rank > 0 && shape_of(in).holds(own)) return;
    for (shape const& s : asked_)
      if (s.holds(own)) return;
    bool const is_new_extent = is_spread_or_reshaped(id) && !is_rest(id, own);
    if (own.factors.size() < 2 && !is_new_extent) return;
    ask(id);
    asked_.push_back(own);
  }

 private:
  // The factors of a number of elements: literal ones as a single product, the others as nodes in
  // order.
  struct shape {
    list<int> factors;
    element_count literals;
    bool is_computed = false;

    constexpr bool holds(shape const& other) const {
      int k = 0;
      for (int i = 0; i < factors.size() && k < other.factors.size(); ++i)
        k += factors[i] == other.factors[k] ? 1 : 0;
      return k == other.factors.size() && literals.value() >= other.literals.value();
    }
  };

  constexpr bool is_spread_or_reshaped(int id) const {
    return g_.is<op::alloc>(id) || g_.is<op::reshape>(id);
  }
  // Whether a result may have more elements than each operand.
  constexpr bool may_grow(int id) const {
    if (g_.type(id).rank == 0) return false;
    if (is_spread_or_reshaped(id)) return true;
    // What is stored of it is known when the step is done
    if (g_[id].op->has_growing && g_[id].op->grows(g_.application(id), 0)) return false;
    if (has_extents_of_first(g_, id)) return false;
    int tensors = 0;
    for (int in : g_.inputs(id)) tensors += g_.type(in).rank > 0 ? 1 : 0;
    return tensors > 1;
  }
  // Whether the one computed extent of a reshape is what the literal extents leave of the operand.
  constexpr bool is_rest(int id, shape const& own) const {
    return g_.is<op::reshape>(id) && own.factors.size() == 1 && g_.is<op::floordiv>(own.factors[0]);
  }

  // Visits the factors of an extent: the operands of a product of integers.
  template <class Visit>
  constexpr void for_factors(int extent, Visit visit) const {
    list<int> todo{extent};
    while (!todo.empty()) {
      int const next = todo.back();
      todo.pop_back();
      if (g_.is<op::mul>(next))
        for (int in : g_.inputs(next)) todo.push_back(in);
      else visit(next);
    }
  }
  constexpr shape shape_of(int id) {
    shape s;
    for (int d = 0; d < g_.type(id).rank; ++d)
      for_factors(extents_.find(id, d), [&](int factor) {
        if (g_.is_literal(factor)) return s.literals.multiply(g_.literal_bits(factor));
        s.is_computed = s.is_computed || !g_.is<op::extent_of>(factor);
        s.factors.push_back(factor);
      });
    sort(s.factors, [](int a, int b) { return a < b; });
    return s;
  }
  constexpr void ask(int id) {
    list<core::extent_constraint> entries;
    condition kind = condition::count;
    for (int d = 0; d < g_.type(id).rank; ++d) {
      for_factors(extents_.find(id, d), [&](int factor) {
        entries.push_back({factor, factor, g_[id].op, kind});
        kind = condition::factor;
      });
      kind = condition::extent;
    }
    add_condition(g_, entries);
  }

  graph& g_;
  extent_table& extents_;
  list<shape> asked_;
};

/// Whether an extent is a number by what is known of others, and which one.
constexpr bool is_known_extent(graph& g, extent_classes const& classes, int id, long long& value) {
  id = classes.find(id);
  if (g.is<op::extent_of>(id))
    id = classes.find(extent_node(g, g.input_of(id, 0), static_cast<int>(g.attribute(id, 0))));
  if (g.is_literal(id)) {
    value = g.literal_bits(id);
    return true;
  }
  bool const sum = g.is<op::add>(id), product = g.is<op::mul>(id), difference = g.is<op::sub>(id),
             quotient = g.is<op::floordiv>(id);
  if (!sum && !product && !difference && !quotient) return false;
  if (!is_known_extent(g, classes, g.input_of(id, 0), value)) return false;
  // Sums and products of rewritten graphs have any number of operands.
  for (int k = 1; k < g[id].input_count; ++k) {
    long long next = 0;
    if (!is_known_extent(g, classes, g.input_of(id, k), next)) return false;
    if (quotient && next <= 0) return false;
    if (sum) value += next;
    else if (product) value *= next;
    else if (difference) value -= next;
    else value = affine{1, 0, next}(value);
  }
  return true;
}
/// Rejects a condition that does not hold for the extents that are known.
constexpr void refuse_known_extents(graph& g, extent_classes const& classes,
                                    core::extent_constraint const& c) {
  bool const equal = c.kind == condition::equal;
  if (!equal && c.kind != condition::at_least) return;
  long long left = 0, right = 0;
  if (!is_known_extent(g, classes, c.left, left) || !is_known_extent(g, classes, c.right, right))
    return;
  if (equal ? left != right : left < right)
    g.fail("kt::fixed: the extents of the operands do not match");
}

/// Whether a condition is that an operand is a square matrix.
constexpr bool asks_for_square(extent_pair const& p) {
  return p.kind == condition::equal && p.left.from == extent_source::dimension &&
         p.right.from == extent_source::dimension && p.left.input == p.right.input &&
         p.left.axis == 0 && p.right.axis == 1 && p.left.by.is_identity() &&
         p.right.by.is_identity();
}

/// Finds the conditions that the expression as written places on extents, and adds each once to the
/// graph. They stay with the graph, however the passes transform its nodes.
constexpr void collect_constraints(graph& g) {
  extent_classes classes;
  bool knows_extents = false;  // those of a kt::fixed
  list<core::extent_constraint> const recorded = g.constraints();
  for (auto const& c : recorded) {
    if (c.kind != condition::equal) continue;
    // Before they are united, after which they are equal in any case
    if (knows_extents) refuse_known_extents(g, classes, c);
    classes.unite(g, c.left, c.right);
    knows_extents = true;
  }
  extent_table table(g);
  count_conditions counts(g, table);
  for (auto const& c : recorded)
    if (knows_extents) refuse_known_extents(g, classes, c);
  list<bool> const live = g.live();
  list<extent_pair> pairs;
  for (int id = 0; id < live.size(); ++id) {
    op_info const* op = g[id].op;
    if (!live[id]) continue;
    // Every node in turn, so that finding an extent never recurses deeply.
    for (int d = 0; d < g.type(id).rank; ++d) table.find(id, d);
    counts.add(id);
    if (!op->has_constraints) continue;
    pairs.clear();
    op->constraints(g.application(id), pairs);
    list<core::extent_constraint> entries;  // of one condition
    bool kept = false;
    for (auto const& pair : pairs) {
      int const left = source_node(g, table, id, pair.left);
      int const right = source_node(g, table, id, pair.right);
      bool const is_equation = pair.kind == condition::equal;
      if (knows_extents && is_equation && differ(g, classes.find(left), classes.find(right)))
        g.fail("kt::fixed: the extents of the operands do not match");
      if (pair.kind != condition::note) {
        if (!entries.empty()) add_condition(g, entries);
        entries.clear();
        kept = !is_equation || (left != right && classes.unite(g, left, right));
      }
      if (kept) entries.push_back({left, right, op, pair.kind});
    }
    if (!entries.empty()) add_condition(g, entries);
    for (auto const& pair : pairs) {
      if (!asks_for_square(pair)) continue;
      for (int block : marked_blocks(g, g.input_of(id, pair.left.input))) {
        int const rows = table.find(block, 0), columns = table.find(block, 1);
        if (rows == columns || !classes.unite(g, rows, columns)) continue;
        add_condition(g, {{rows, columns, op, condition::equal}});
      }
    }
  }
}

}  // namespace kroton::ops
