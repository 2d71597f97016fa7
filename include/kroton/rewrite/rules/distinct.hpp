// Distinct elements of copies: those of what is copied.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/indexing/masking.hpp>
#include <kroton/rewrite/engine/rewriter.hpp>

namespace kroton::rewrite::rules {

/// Whether an alloc keeps at least one copy of every element: along each axis that it adds or
/// spreads, the extent is a positive literal.
constexpr bool keeps_elements(graph const& g, int alloc) {
  int const source = g.input_of(alloc, 0), rank = g.type(alloc).rank;
  bool keeps = true;
  for (int d = 0; d < rank; ++d) {
    int const extent = g.input_of(alloc, d + 1);
    keeps = keeps && (g.type(source).spans(d, rank) ||
                      (g.is_literal(extent) && g.literal_value(extent) > 0));
  }
  return keeps;
}
/// What a tensor has copies of, in any order; the tensor itself where it has none.
constexpr int copied(graph const& g, int id) {
  int source = id, seen = id;
  while (g.is<op::reshape>(seen) || g.is<op::dimshuffle>(seen) ||
         (g.is<op::alloc>(seen) && keeps_elements(g, seen))) {
    bool const copies = g.is<op::alloc>(seen);
    seen = g.input_of(seen, 0);
    if (copies || g.type(seen).rank == 0) source = seen;
  }
  return source;
}

/// unique(repeat(x, 3)) is unique(x), and that of a scalar is the scalar, as a vector. What
/// `unique` records selects the starts of runs from a sorted vector.
constexpr int distinct_of_copies(rewriter& r, int id) {
  graph& g = r.g;
  int const sorted = g.input_of(id, 0), at = g.input_of(id, 1);
  if (!g.is<op::sort>(sorted) || g.type(sorted).rank != 1 || !g.is<op::nonzero>(at)) return -1;
  int const starts = g.input_of(at, 0);
  if (!g.is<op::starts_run>(starts) || g.input_of(starts, 0) != sorted) return -1;
  int const source = copied(g, g.input_of(sorted, 0));
  tensor_type const type = g.type(source);
  list<int> flat{source};
  if (type.rank == 0) {
    flat.push_back(g.literal(1, element::int64));
    return r.settle(g.add(identity<op::reshape>(), g.type(id), flat, {}));
  }
  if (source == g.input_of(sorted, 0)) return -1;
  int count = r.extent(source, 0);
  for (int d = 1; d < type.rank; ++d) count = r.make<op::mul>({count, r.extent(source, d)});
  flat.push_back(count);
  int const vector = type.rank == 1 ? source : r.make(identity<op::reshape>(), flat),
            again = r.make(g[sorted].op, list<int>{vector}, r.attributes(sorted)),
            first = r.make<op::starts_run>({again}),
            found = r.make<op::sum>({r.cast(first, element::int64)}, {1, 0}),
            places = r.make<op::nonzero>({first, found, r.extent(again, 0)});
  return r.make(g[id].op, list<int>{again, places}, r.attributes(id));
}

}  // namespace kroton::rewrite::rules
