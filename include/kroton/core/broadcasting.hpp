// Broadcasting: type and extents of an elementwise result, computed from those of its operands, and
// helpers for op::cast.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/nodes.hpp>

namespace kroton::core {

// The loops here read the graph through one reference and not through the application: every call
// counts.
constexpr int result_rank(application const& a) {
  graph const& g = *a.of;
  int rank = 0;
  for (int i = 0; i < a.inputs.count; ++i)
    if (int const own = g[a.inputs.first[i]].type.rank; own > rank) rank = own;
  return rank;
}

/// Rank and broadcast flags of an elementwise result: a dimension broadcasts when it does in every
/// operand. The flags are bits, shifted so that the operands are aligned on the right.
constexpr tensor_type elementwise_type(application const& a, element result) {
  unsigned rank = 0;
  std::uint32_t spanned = 0;
  graph const& g = *a.of;
  for (int i = 0; i < a.inputs.count; ++i) {
    tensor_type const& t = g[a.inputs.first[i]].type;
    std::uint32_t const own = ~t.broadcast & ((1u << t.rank) - 1);
    if (t.rank > rank) {
      spanned = spanned << (t.rank - rank) | own;
      rank = t.rank;
    } else {
      spanned |= own << (rank - t.rank);
    }
  }
  return {result, static_cast<std::uint8_t>(rank), ~spanned & ((1u << rank) - 1)};
}

constexpr extent_source elementwise_extent(application const& a, int d) {
  graph const& g = *a.of;
  int const rank = result_rank(a);
  for (int i = 0; i < a.inputs.count; ++i) {
    tensor_type const& t = g[a.inputs.first[i]].type;
    if (t.spans(d, rank)) return {extent_source::dimension, i, t.aligned(d, rank)};
  }
  return {};
}

constexpr void elementwise_constraints(application const& a, list<extent_pair>& pairs) {
  if (a.inputs.count < 2) return;
  graph const& g = *a.of;
  int const rank = result_rank(a);
  for (int d = 0; d < rank; ++d) {
    extent_source const first = elementwise_extent(a, d);
    for (int i = first.input + 1; first.from != extent_source::one && i < a.inputs.count; ++i)
      if (tensor_type const& t = g[a.inputs.first[i]].type; t.spans(d, rank))
        pairs.push_back({first, {extent_source::dimension, i, t.aligned(d, rank)}});
  }
}

constexpr tensor_type type_of_first(application const& a) { return a.input(0); }

constexpr void pull_back_cast(graph& g, int y, int gradient, list<int>& gradients) {
  element const to = g.type(g.input_of(y, 0)).element;
  // When a complex gradient is pulled back, a real operand takes its real part.
  bool const is_part = is_complex(g.type(gradient).element) && !is_complex(to);
  gradients.push_back(is_part ? gradient : g.store(gradient, to));
}

}  // namespace kroton::core
