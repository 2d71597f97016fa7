// Affine functions of extents as nodes, in one form, so that equal ones are one node.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/affine.hpp>
#include <kroton/ops/elementwise/arithmetic.hpp>

namespace kroton::ops {

/// An int64 scalar as a function of another one.
struct affine_form {
  affine by{};
  int of = 0;
};

/// The form of a node, as far down as it is affine.
constexpr affine_form affine_form_of(graph const& g, int id) {
  affine_form form{{}, id};
  for (bool is_affine = true; is_affine && g[form.of].input_count == 2;) {
    int const first = g.input_of(form.of, 0), second = g.input_of(form.of, 1);
    bool const sum = g.is<op::add>(form.of), product = g.is<op::mul>(form.of);
    bool const swapped = (sum || product) && g.is_literal(first);
    int const number = swapped ? first : second;
    is_affine = g.is_literal(number);
    if (!is_affine) continue;
    long long const k = g.literal_bits(number);
    affine inner;
    if (sum) inner.plus = k;
    else if (product) inner.times = k;
    else if (g.is<op::sub>(form.of)) inner.plus = -k;
    else if (g.is<op::floordiv>(form.of) && k > 0) inner.over = k;
    else is_affine = false;
    is_affine = is_affine && form.by.composes_with(inner);
    if (is_affine) form = {form.by.of(inner), swapped ? second : first};
  }
  return form;
}

/// The int64 scalar that `by` makes of node `id`. `make(op, operands)` makes a node.
template <class Make>
constexpr int mapped(graph& g, affine by, int id, Make make) {
  if (by.is_identity()) return id;
  affine_form const inner = affine_form_of(g, id);
  if (by.composes_with(inner.by)) {
    by = by.of(inner.by);
    id = inner.of;
  }
  by = by.reduced();
  if (g.is_literal(id)) return g.literal_of_bits(by(g.literal_bits(id)), element::int64);
  auto apply = [&](op_info const* op, long long number) {
    int const operands[] = {id, g.literal_of_bits(number, element::int64)};
    id = make(op, items<int>(operands));
  };
  if (by.times != 1) apply(identity<op::mul>(), by.times);
  if (by.plus != 0) apply(identity<op::add>(), by.plus);
  if (by.over != 1) apply(identity<op::floordiv>(), by.over);
  return id;
}
constexpr int mapped(graph& g, affine by, int id) {
  return mapped(g, by, id, [&](op_info const* op, items<int> operands) {
    return g.apply(op, operands);
  });
}

}  // namespace kroton::ops
