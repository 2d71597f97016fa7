// Normal form of everything that is not a sum or product, from the algebraic laws that ops declare.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/rewrite/form/factoring.hpp>

namespace kroton::rewrite {

// The op is read once here and not asked of the graph again and again: every call counts.
constexpr bool is_sum(graph const& g, int id) {
  op_info const* op = g[id].op;
  return is_op<op::add>(op) || is_op<op::sub>(op) || is_op<op::neg>(op);
}
constexpr bool is_product(graph const& g, int id) {
  op_info const* op = g[id].op;
  return is_op<op::mul>(op) || is_op<op::div>(op) || is_op<op::inv>(op) || is_op<op::sqr>(op) ||
         is_op<op::sqrt>(op) || (is_op<op::pow>(op) && is_power(g, id));
}

/// Whether a node is written with a minus sign: a negative coefficient, or a sum that starts with
/// one.
constexpr bool is_negative(graph const& g, int id) {
  if (g.is<op::neg>(id)) return true;
  if (g.is_literal(id)) return coefficient{g.type(id).element, g.literal_bits(id)}.negative();
  if (!g.is<op::mul>(id) && !g.is<op::add>(id)) return false;
  int const first = g.input_of(id, 0);
  if (g.is_literal(first))
    return coefficient{g.type(first).element, g.literal_bits(first)}.negative();
  return g.is<op::add>(id) && g.is<op::mul>(first) && is_negative(g, first);
}

/// Ops that give an exact result for every literal.
constexpr bool is_exact(op_info const* op) {
  return is_op<op::abs>(op) || is_op<op::sgn>(op) || is_op<op::maximum>(op) ||
         is_op<op::minimum>(op) || is_op<op::floor>(op) || is_op<op::ceil>(op) ||
         is_op<op::round>(op) || is_op<op::trunc>(op);
}
/// Whether an application to literals can be folded at once, before a later stage could save what
/// folding loses: integers, bools, exact ops, and exp(0).
constexpr bool folds_early(graph const& g, int id) {
  if (!g[id].op->has_fold) return false;
  for (int i : g.inputs(id))
    if (!g.is_literal(i)) return false;
  op_info const* op = g[id].op;
  if (is_op<op::exp>(op)) return g.is_literal(g.input_of(id, 0), 0);
  return is_exact(op) || !is_continuous(g.type(id).element);
}

/// Operands as elementwise ops read them: bare of what spreads them, closed.
constexpr bool simplify_operands(rewriter& r, list<int>& inputs) {
  bool changed = false;
  for (int& i : inputs) {
    int const simple = r.closed(r.operand(i));
    changed = changed || simple != i;
    i = simple;
  }
  return changed;
}

constexpr bool is_view(graph const& g, int id) {
  op_info const* op = g[id].op;
  return is_op<op::dimshuffle>(op) || is_op<op::reshape>(op) || is_op<op::subtensor>(op);
}
/// f(view(x)) where a rule knows what f(x) is: the view of that. So log(sum(exp(a))) is found below
/// a dimshuffle too.
constexpr int seen_through_view(rewriter& r, int raw) {
  graph& g = r.g;
  int const view = g.input_of(raw, 0);
  if (!is_view(g, view) || g[g.input_of(view, 0)].op->elementwise) return raw;
  op_info const* op = g[raw].op;
  int const source[] = {g.input_of(view, 0)};
  int const form = r.make(op, source);
  if (*g[form].op == *op && g.input_of(form, 0) == source[0]) return raw;
  list<int> inputs = r.inputs(view);
  inputs[0] = form;
  list<long long> const attributes = r.attributes(view);
  return r.make(g[view].op, inputs, attributes);
}

constexpr int normal_unary(rewriter& r, int raw) {
  graph& g = r.g;
  op_info const* op = g[raw].op;
  int const x = g.input_of(raw, 0);
  if (*g[x].op == *op && op->has(law::involution)) return g.input_of(x, 0);
  if (*g[x].op == *op && op->has(law::idempotent)) return x;
  // Not of unsigned integers, whose negatives are positive: abs(-1) is the largest of them. Nor is
  // an odd function of signed ones odd at their minimum, which is its own negative. And sgn(-0) is
  // 0.
  bool const odd =
      op->has(law::odd) && is_continuous(g.type(raw).element) && (r.real() || !is_op<op::sgn>(op));
  bool const symmetric = (odd && r.does<"odd">()) || (op->has(law::even) && r.does<"even">());
  if (symmetric && !is_unsigned(g.type(raw).element) && !g.is<op::neg>(raw) && is_negative(g, x)) {
    int const positive[] = {r.negative(x)};
    if (is_negative(g, positive[0])) return raw;
    r.log(odd ? "odd" : "even");
    int const y = r.make(op, positive);
    return odd ? r.negative(y) : y;
  }
  return seen_through_view(r, raw);
}

/// Operands of a commutative op in canonical order; of an associative one also of the nodes below
/// it, as a chain.
constexpr int normal_commutative(rewriter& r, int raw) {
  graph& g = r.g;
  op_info const* op = g[raw].op;
  list<int> operands;
  for (int x : g.inputs(raw)) {
    // A chain is linear to the left; the right operand may be one too.
    list<int> chain;
    while (op->has(law::associative) && r.real() && *g[x].op == *op && chain.size() < 32) {
      chain.push_back(g.input_of(x, 1));
      x = g.input_of(x, 0);
    }
    operands.push_back(x);
    for (int y : chain) operands.push_back(y);
  }
  merge_sort(operands, [&](int a, int b) { return stands_before(g, a, b); });
  if (op->has(law::idempotent)) {
    int kept = 1;
    for (int i = 1; i < operands.size(); ++i)
      if (operands[i] != operands[kept - 1]) operands[kept++] = operands[i];
    while (operands.size() > kept) operands.pop_back();
  }
  int result = operands[0];
  for (int i = 1; i < operands.size(); ++i) {
    int const pair[] = {result, operands[i]};
    result = g.apply(op, pair);
    if (i + 1 < operands.size()) result = r.sealed(result);
  }
  return result;
}

/// The normal form of an application whose inputs are final.
constexpr int normal_form(rewriter& r, int raw) {
  graph& g = r.g;
  op_info const* op = g[raw].op;
  if (is_op<op::input>(op) || is_op<op::literal>(op)) return raw;
  if (folds_early(g, raw)) {
    std::int64_t bits = 0;
    if (op->fold(g.application(raw), g.type(raw).element, bits))
      return g.literal_of_bits(bits, g.type(raw).element);
  }
  if (r.real() && op->elementwise && has_normal_form(g.type(raw).element)) {
    if (is_sum(g, raw)) return normal_sum(r, raw);
    if (is_product(g, raw)) return normal_product(r, raw);
  }
  list<int> inputs = r.inputs(raw);
  if (!op->elementwise) {
    // What is only spread stays as it is: others read the operand itself.
    bool changed = false;
    for (int k = only_spreads(g, raw) ? 1 : 0; k < inputs.size(); ++k) {
      int const simple = r.closed(inputs[k]);
      changed = changed || simple != inputs[k];
      inputs[k] = simple;
    }
    if (!changed) return raw;
    list<long long> const attributes = r.attributes(raw);
    return r.make(op, inputs, attributes);
  }
  if (simplify_operands(r, inputs))
    return g.is<op::cast>(raw) ? r.cast(inputs[0], g.type(raw).element) : r.make(op, inputs);
  if (inputs.size() == 1) return g.is<op::cast>(raw) ? raw : normal_unary(r, raw);
  if (inputs.size() == 2 && op->has(law::commutative)) return normal_commutative(r, raw);
  return raw;
}

}  // namespace kroton::rewrite
