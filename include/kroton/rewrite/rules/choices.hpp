// Choices by one condition: added to each other, multiplied or compared, they are one choice.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/rewrite/rules/selection.hpp>

namespace kroton::rewrite::rules {

/// sum(where(c, a, 0)) + sum(where(c, 0, b)), as gradients of a choice are, is sum(where(c, a, b)).
constexpr int sum_of_masked_sums(rewriter& r, int id) {
  graph& g = r.g;
  list<int> terms = r.inputs(id);
  auto choice = [&](int term) {
    return g.is<op::sum>(term) && g.is<op::where>(g.input_of(term, 0)) ? g.input_of(term, 0) : -1;
  };
  auto is_zero = [&](int x) { return g.is_literal(r.bare(x), 0); };
  for (int i = 0; i < terms.size(); ++i) {
    int const x = choice(terms[i]);
    if (x < 0) continue;
    for (int j = i + 1; j < terms.size(); ++j) {
      int const y = choice(terms[j]);
      if (y < 0 || g.type(x) != g.type(y) || g.input_of(x, 0) != g.input_of(y, 0)) continue;
      if (g.attribute(terms[i], 0) != g.attribute(terms[j], 0) ||
          g.type(terms[i]) != g.type(terms[j]))
        continue;
      // What is summed may have other extents, each with its own spread of the condition
      bool alike = true;
      for (int d = 0; d < g.type(x).rank; ++d) alike = alike && r.extent(x, d) == r.extent(y, d);
      if (!alike) continue;
      bool const first = is_zero(g.input_of(x, 2)) && is_zero(g.input_of(y, 1));
      if (!first && !(is_zero(g.input_of(x, 1)) && is_zero(g.input_of(y, 2)))) continue;
      int const a = g.input_of(first ? x : y, 1), b = g.input_of(first ? y : x, 2);
      list<long long> const attributes = r.attributes(terms[i]);
      terms[i] =
          r.make(identity<op::sum>(),
                 list<int>{r.conform(r.make<op::where>({g.input_of(x, 0), a, b}), x)}, attributes);
      terms.erase(j);
      return terms.size() == 1 ? terms[0] : r.make(identity<op::add>(), terms);
    }
  }
  return -1;
}

/// sum(where(c, x*a, x*b)), as gradients of a choice are, is sum(x * where(c, a, b)): the choice is
/// that of other gradients, too.
constexpr int sum_of_scaled_choice(rewriter& r, int id) {
  graph& g = r.g;
  int const x = g.input_of(id, 0);
  if (!g.is<op::where>(x)) return -1;
  int const c = g.input_of(x, 0), a = g.input_of(x, 1), b = g.input_of(x, 2);
  if (!g.is<op::mul>(a) || !g.is<op::mul>(b) || g.type(a).element != g.type(b).element) return -1;
  list<int> common, left, right = r.inputs(b);
  for (int factor : r.inputs(a)) {
    int k = 0;
    while (k < right.size() && right[k] != factor) ++k;
    if (k == right.size()) {
      left.push_back(factor);
    } else {
      common.push_back(factor);
      right.erase(k);
    }
  }
  if (common.empty() || left.empty() || right.empty()) return -1;
  auto product = [&](list<int> const& factors) {
    return factors.size() == 1 ? factors[0] : r.make(identity<op::mul>(), factors);
  };
  common.push_back(r.make<op::where>({c, product(left), product(right)}));
  list<long long> const attributes = r.attributes(id);
  return r.make(identity<op::sum>(), list<int>{r.conform(product(common), x)}, attributes);
}

/// A choice among the operands of a sum or product: a term with a coefficient and more factors, or
/// a factor with a power.
struct scaled_choice {
  int node;  // -1 for anything else
  coefficient by;
  int factors = -1;  // their product
};
/// The choice that a product has among its factors, and the others.
constexpr scaled_choice choice_in_product(rewriter& r, int product, coefficient by) {
  graph& g = r.g;
  int choice = -1;
  list<int> others;
  for (int f : r.inputs(product)) {
    if (g.is<op::where>(f) && choice < 0) choice = f;
    else others.push_back(f);
  }
  if (choice < 0) return {-1, by};
  return {choice, by, others.size() == 1 ? others[0] : r.make(identity<op::mul>(), others)};
}
constexpr scaled_choice choice_among(rewriter& r, int id, bool sum) {
  graph& g = r.g;
  if (!r.real() || !has_normal_form(g.type(id).element))
    return {g.is<op::where>(id) ? id : -1, number_of(g.type(id).element, 1)};
  if (sum) {
    summand const t = split_coefficient(r, id);
    if (g.is<op::mul>(t.node)) return choice_in_product(r, t.node, t.times);
    return {g.is<op::where>(t.node) ? t.node : -1, t.times};
  }
  factor const f = split_power(g, id);
  return {g.is<op::where>(f.base) ? f.base : -1, f.power};
}
/// One branch of a choice with what stands at it.
constexpr int scaled_branch(rewriter& r, scaled_choice const& c, int branch, bool sum) {
  int x = r.g.input_of(c.node, branch);
  if (c.factors >= 0) x = r.make<op::mul>({c.factors, x});
  if (c.by.is(1)) return x;
  if (!sum) return r.settle(power_of(r, {x, c.by}));
  return r.make<op::mul>({r.literal(c.by), x});
}
/// How many multiplications the terms of a node take.
constexpr int multiplications(graph const& g, int id) {
  int count = 0;
  if (g.is<op::add>(id))
    for (int t : g.inputs(id)) count += multiplications(g, t);
  if (g.is<op::mul>(id))
    count = g[id].input_count -
            (magnitude(coefficient_of(g, id).value()) == 1 && has_coefficient(g, id) ? 2 : 1);
  return count;
}
/// A sum of choices by one condition is a choice of sums, also of multiples of them, and of
/// products with them where that multiplies no more; a product is a choice of products, also of
/// powers.
constexpr int nary_of_wheres(rewriter& r, int id) {
  graph& g = r.g;
  op_info const* const op = g[id].op;
  bool const sum = is_op<op::add>(op);
  list<int> operands = r.inputs(id);
  for (int i = 0; i < operands.size(); ++i) {
    scaled_choice const x = choice_among(r, operands[i], sum);
    if (x.node < 0) continue;
    for (int j = i + 1; j < operands.size(); ++j) {
      scaled_choice const y = choice_among(r, operands[j], sum);
      // One choice in both is their common factor.
      if (y.node < 0 || y.node == x.node || g.input_of(y.node, 0) != g.input_of(x.node, 0))
        continue;
      int branches[2]{};
      int saved = multiplications(g, operands[i]) + multiplications(g, operands[j]);
      for (int k : {0, 1}) {
        int const first = scaled_branch(r, x, k + 1, sum);
        int const both[] = {first, scaled_branch(r, y, k + 1, sum)};
        branches[k] = r.make(op, both);
        for (int choice : {x.node, y.node}) saved += multiplications(g, g.input_of(choice, k + 1));
        saved -= multiplications(g, branches[k]);
      }
      if ((x.factors >= 0 || y.factors >= 0) && saved < 0) continue;
      operands[i] = r.make<op::where>({g.input_of(x.node, 0), branches[0], branches[1]});
      operands.erase(j);
      return operands.size() == 1 ? operands[0] : r.make(op, operands);
    }
  }
  return -1;
}
/// A function of two choices by one condition is a choice of what it is of their branches.
constexpr int binary_of_wheres(rewriter& r, int id) {
  graph& g = r.g;
  int const a = g.input_of(id, 0), b = g.input_of(id, 1);
  if (g[id].input_count != 2 || !g.is<op::where>(a) || !g.is<op::where>(b) ||
      g.input_of(a, 0) != g.input_of(b, 0))
    return -1;
  op_info const* const op = g[id].op;
  int branches[2]{};
  for (int k : {0, 1}) {
    int const both[] = {g.input_of(a, k + 1), g.input_of(b, k + 1)};
    branches[k] = r.make(op, both);
  }
  return r.make<op::where>({g.input_of(a, 0), branches[0], branches[1]});
}

}  // namespace kroton::rewrite::rules
