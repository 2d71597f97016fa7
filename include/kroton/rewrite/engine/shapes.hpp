// Shapes in the rewriter: extents as nodes, and nodes in the shape of others.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/shapes/affine.hpp>
#include <kroton/rewrite/engine/rewriter.hpp>

namespace kroton::rewrite {

constexpr int rewriter::extent(int id, int d) {
  for (;;) {
    if (g.type(id).broadcasts(d)) return g.literal(1, element::int64);
    bool const is_item = g.is<op::item>(id);
    int const of = is_item ? g.input_of(id, 0) : id;
    op_info const* op = g[of].op;
    if (!op->has_extent) return classes_.representative(mark(g.apply<op::extent_of>({id}, {d})));
    extent_source const source =
        is_item ? op->extent_of_output(g.application(of), d, static_cast<int>(g.attribute(id, 0)))
                : op->extent(g.application(of), d);
    id = of;
    bool const is_dimension = source.from == extent_source::dimension;
    if (!is_dimension || !source.by.is_identity()) {
      int const n = is_dimension ? extent(g.input_of(id, source.input), source.axis)
                    : source.from == extent_source::value
                        ? g.input_of(id, source.input)
                        : g.literal(source.from == extent_source::one ? 1 : 0, element::int64);
      return classes_.representative(
          mapped(g, source.by, n,
                 [&](op_info const* by, items<int> operands) { return make(by, operands); }));
    }
    id = g.input_of(id, source.input);
    d = source.axis;
  }
}

constexpr int rewriter::conform(int id, int like) {
  if (id == like) return id;
  tensor_type const to = g.type(like);
  if (g.type(id) == to) return id;
  id = cast(id, to.element);
  if (g.type(id) == to) return id;
  bool spread = false, narrowed = false;
  list<int> inputs{id};
  list<long long> pattern;
  for (int d = 0; d < to.rank; ++d) {
    narrowed = narrowed || (to.broadcasts(d) && g.type(id).spans(d, to.rank));
    spread = spread || (!to.broadcasts(d) && !g.type(id).spans(d, to.rank));
    int const own = g.type(id).aligned(d, to.rank);
    pattern.push_back(own < 0 ? -1 : own);
  }
  if (narrowed) return conform(with_ones(id, to), like);
  if (!spread) return make(identity<op::dimshuffle>(), inputs, pattern);
  for (int d = 0; d < to.rank; ++d) inputs.push_back(extent(like, d));
  return make(identity<op::alloc>(), inputs);
}

constexpr int rewriter::with_ones(int id, tensor_type to) {
  list<int> inputs{id};
  for (int d = 0; d < g.type(id).rank; ++d)
    inputs.push_back(to.broadcasts(d + to.rank - g.type(id).rank) ? g.literal(1, element::int64)
                                                                  : extent(id, d));
  return make(identity<op::reshape>(), inputs);
}

constexpr int rewriter::operand(int id) {
  id = bare(id);
  int const added = leading_axes(g, id);
  if (added == 0) return id;
  if (only_adds_axes(g, id)) return g.input_of(id, 0);
  list<long long> const pattern(g.attribute_data(id) + added, g[id].attribute_count - added);
  int const source[] = {g.input_of(id, 0)};
  return make(identity<op::dimshuffle>(), source, pattern);
}

}  // namespace kroton::rewrite
