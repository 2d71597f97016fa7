// Arguments of functions as sums, and what is left of two of them once like terms cancel.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/rewrite/rules/stable.hpp>

namespace kroton::rewrite::rules {

/// An argument of a function: a node, and a number that is added to it.
struct argument {
  int node;
  double plus = 0;

  constexpr list<summand> terms(rewriter& r) const {
    list<summand> all;
    double constant = plus;
    if (r.g.is<op::add>(node)) {
      for (int i : r.inputs(node)) {
        summand const t = term_of(r, i);
        if (t.node < 0 && t.times.foldable()) constant += t.times.value();
        else all.push_back(t);
      }
    } else {
      all.push_back(term_of(r, node));
    }
    if (constant != 0) all.push_back({-1, number_of(r.g.type(node).element, constant)});
    return all;
  }
  constexpr int value(rewriter& r) const {
    if (plus == 0) return node;
    return r.make<op::add>({r.literal(plus, r.g.type(node).element), node});
  }
};

/// u - v where terms of both cancel and all others stay as they are; else -1.
constexpr int cancelled(rewriter& r, argument const& u, argument const& v) {
  constexpr int most_pairs = 1024;
  list<summand> left = u.terms(r), right = v.terms(r);
  if (left.size() * right.size() > most_pairs) return -1;
  for (auto const* terms : {&left, &right})
    for (summand const& t : *terms)
      if (!t.times.foldable()) return -1;
  bool any = false;
  for (int i = left.size() - 1; i >= 0; --i)
    for (int j = right.size() - 1; j >= 0; --j) {
      if (left[i].node != right[j].node) continue;
      bool const equal = left[i].times.value() == right[j].times.value();
      if (left[i].node >= 0 && !equal) return -1;
      if (!equal) continue;
      any = any || left[i].node >= 0;
      left.erase(i);
      right.erase(j);
      break;
    }
  if (!any || left.empty() + right.empty() == 2) return -1;
  element const e = r.g.type(u.node).element;
  sum_of_terms sum(r, e);
  auto const add = [&](summand const& t, double sign) {
    coefficient const c = number_of(e, sign * t.times.value());
    if (t.node < 0) sum.add(r.literal(c), number_of(e, 1));
    else sum.add(t.node, c);
  };
  for (summand const& t : left) add(t, 1);
  for (summand const& t : right) add(t, -1);
  return r.closed(r.sealed(sum.build()));
}

/// Where f is a function of one operand, the operand of log1p with its 1.
constexpr argument argument_of(graph const& g, int f) {
  return {g.input_of(f, 0), g.is<op::log1p>(f) ? 1. : 0.};
}

}  // namespace kroton::rewrite::rules
