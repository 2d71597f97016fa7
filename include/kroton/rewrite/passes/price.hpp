// What a form costs: the numbers by which the order of a sum or a product is chosen.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/graph.hpp>
#include <kroton/rewrite/form/products.hpp>

namespace kroton::rewrite {

/// Operations for the elements of results, as if every axis had 16 of them, and how many of them
/// are quotients.
struct price {
  long long operations = 0, quotients = 0;

  /// A sum or a product for each element of `span` axes; a quotient.
  static constexpr price operation(int span) { return {1LL << 4 * span, 0}; }
  static constexpr price quotient(int span) { return {1LL << 4 * span, 1LL << 4 * span}; }
  /// The price of what cannot be computed: higher than any other.
  static constexpr price never() { return {1LL << 58, 0}; }
  constexpr bool is_never() const { return operations >= 1LL << 58; }
  /// In units of time: a quotient takes as long as four products.
  constexpr long long work() const { return operations + 3 * quotients; }

  constexpr price& operator+=(price const& p) {
    operations += p.operations;
    quotients += p.quotients;
    return *this;
  }
  constexpr price& operator-=(price const& p) {
    operations -= p.operations;
    quotients -= p.quotients;
    return *this;
  }
  friend constexpr price operator+(price a, price const& b) { return a += b; }
  friend constexpr price operator*(int n, price const& p) {
    return {n * p.operations, n * p.quotients};
  }
  /// By operations, of which a quotient is one: how many of them divide is as it was written.
  constexpr bool is_at_most(price const& p) const { return operations <= p.operations; }
};
constexpr price least(price const& a, price const& b) { return a.is_at_most(b) ? a : b; }

/// The axes along which a node has more than one element, as far as its type says.
constexpr int span_of(graph const& g, int id) {
  tensor_type const& t = g.type(id);
  return t.rank - __builtin_popcount(t.broadcast);
}

constexpr bool is_simple(op_info const* op) {
  return op->cheap || is_op<op::sub>(op) || is_op<op::neg>(op) || is_op<op::sqr>(op);
}
/// The work of a graph, in normal form or lowered, in the units of price::work: 16 for a function,
/// the operations of sums, products and powers.
constexpr long long work_of(graph const& g, list<bool> const& live) {
  long long all = 0;
  for (int id = 0; id < g.size(); ++id) {
    node const& n = g[id];
    if (!live[id] || n.input_count == 0 || !n.op->elementwise) continue;
    int const span = span_of(g, id);
    if (is_op<op::div>(n.op) || is_op<op::inv>(n.op)) all += price::quotient(span).work();
    else if (is_power(g, id))
      all += (split_power(g, id).power.negative() ? price::quotient(span) : price::operation(span))
                 .work();
    else if (is_op<op::add>(n.op) || is_op<op::mul>(n.op))
      all += (n.input_count - 1) * price::operation(span).work();
    else all += (is_simple(n.op) ? 1 : 16) * price::operation(span).work();
  }
  return all;
}

}  // namespace kroton::rewrite
