// Softmax, its logarithm and their kin are found in quotients and differences of exponentials,
// along whatever axes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/rewrite/rules/factor_pairs.hpp>

namespace kroton::rewrite::rules {

/// The pattern that puts reduced axes back with extent 1, without the leading ones that
/// broadcasting adds.
constexpr list<long long> kept_axes_pattern(int rank, long long axes) {
  list<long long> pattern;
  int position = 0;
  for (int d = 0; d < rank; ++d) {
    long long const source = (axes >> d & 1) != 0 ? -1 : position++;
    if (source >= 0 || !pattern.empty()) pattern.push_back(source);
  }
  return pattern;
}
/// The reduction under a node that is used as if it kept its axes; -1 when it is none or its axes
/// lie otherwise.
template <class Op>
constexpr int aligned_reduction(graph const& g, int id, int rank) {
  int const reduction = g.is<op::dimshuffle>(id) ? g.input_of(id, 0) : id;
  if (!g.is<Op>(reduction) || g.type(g.input_of(reduction, 0)).rank != rank) return -1;
  list<long long> wanted = kept_axes_pattern(rank, g.attribute(reduction, 0)), given;
  if (reduction == id)
    for (int d = 0; d < g.type(id).rank; ++d) given.push_back(d);
  else
    for (long long d : g.attributes(id))
      if (d >= 0 || !given.empty()) given.push_back(d);
  if (given.size() != wanted.size()) return -1;
  for (int d = 0; d < wanted.size(); ++d)
    if (given[d] != wanted[d]) return -1;
  return reduction;
}
template <class Op>
constexpr int over_same_axes(rewriter& r, int x, int reduction) {
  return r.make<Op>({x}, {r.g.attribute(reduction, 0), 0});
}

/// exp(x) / sum(exp(x)) is softmax(x), to any power, with any other factors.
constexpr int softmax_of_quotient(rewriter& r, int id) {
  graph& g = r.g;
  element const e = g.type(id).element;
  if (!is_float(e)) return -1;
  bool const quotient = g.is<op::div>(id);
  // No conditional expression: of two lists g++ 12 destroys the wrong one in a constant evaluation.
  list<factor> factors;
  if (quotient)
    factors = {{g.input_of(id, 0), number_of(e, 1)}, {g.input_of(id, 1), number_of(e, -1)}};
  else factors = factors_of(r, id);
  for (int i = 0; i < factors.size(); ++i) {
    double const above = factors[i].power.value();
    if (!g.is<op::exp>(factors[i].base) || !(above > 0)) continue;
    int const x = g.input_of(factors[i].base, 0);
    for (int j = 0; j < factors.size(); ++j) {
      double const below = -factors[j].power.value();
      if (!(below > 0)) continue;
      int const sum = aligned_reduction<op::sum>(g, factors[j].base, g.type(x).rank);
      if (sum < 0 || g.input_of(sum, 0) != factors[i].base) continue;
      int const softmax = over_same_axes<op::softmax>(r, x, sum);
      if (quotient) return softmax;
      // What is over of either stays.
      double const both = above < below ? above : below;
      factors[i].power = number_of(e, above - both);
      factors[j].power = number_of(e, both - below);
      factors.push_back({softmax, number_of(e, both)});
      return product_of(r, factors, e);
    }
  }
  return -1;
}

/// The terms of a sum or of a difference.
constexpr list<int> terms_of_sum(rewriter& r, int id) {
  list<int> terms = r.inputs(id);
  if (r.g.is<op::sub>(id)) terms[1] = r.negative(terms[1]);
  return terms;
}
/// A term and its coefficient, that of a negative one, too; a literal has no node.
constexpr summand signed_term_of(rewriter& r, int id) {
  if (r.g.is<op::neg>(id)) return {r.g.input_of(id, 0), number_of(r.g.type(id).element, -1)};
  return term_of(r, id);
}

/// x - logsumexp(x) is log_softmax(x), with any other terms and either sign.
constexpr int log_softmax_of_difference(rewriter& r, int id) {
  graph& g = r.g;
  list<int> const terms = terms_of_sum(r, id);
  for (int i = 0; i < terms.size(); ++i) {
    summand const t = signed_term_of(r, terms[i]);
    if (t.node < 0 || (!t.times.is(1) && !t.times.is(-1))) continue;
    int const lse = aligned_reduction<op::logsumexp>(g, t.node, g.type(id).rank);
    if (lse < 0) continue;
    int const x = g.input_of(lse, 0);
    int const wanted = t.times.is(-1) ? x : r.negative(x);
    // Every term of x has to be there.
    list<int> parts{wanted};
    if (g.is<op::add>(wanted)) parts = r.inputs(wanted);
    list<int> rest = terms;
    rest.erase(i);
    bool all = true;
    for (int p : parts) {
      int at = -1;
      for (int k = 0; k < rest.size(); ++k)
        if (rest[k] == p) at = k;
      all = all && at >= 0;
      if (all) rest.erase(at);
    }
    if (!all) continue;
    int const form = times(r, -t.times.value(), over_same_axes<op::log_softmax>(r, x, lse));
    rest.push_back(form);
    return rest.size() == 1 ? form : r.make(identity<op::add>(), rest);
  }
  return -1;
}

/// The terms of a sum that vary along some axes, and those that do not.
struct terms_along {
  list<int> vary{}, constant{};

  constexpr terms_along(graph const& g, int sum, long long axes) {
    if (!g.is<op::add>(sum)) return;
    int const rank = g.type(sum).rank;
    for (int t : g.inputs(sum)) {
      bool varies = false;
      for (int d = 0; d < rank; ++d)
        varies = varies || ((axes >> d & 1) != 0 && g.type(t).spans(d, rank));
      if (varies) vary.push_back(t);
      else constant.push_back(t);
    }
  }
  constexpr bool are_both() const { return !vary.empty() && !constant.empty(); }
};
/// The sum of terms as an operand of some rank.
constexpr int sum_of_rank(rewriter& r, list<int> const& terms, int rank) {
  int const sum = terms.size() == 1 ? terms[0] : r.make(identity<op::add>(), terms);
  list<long long> pattern(rank - r.g.type(sum).rank, -1);
  for (int d = 0; pattern.size() < rank; ++d) pattern.push_back(d);
  return make_view(r, sum, pattern);
}

/// softmax(x + c) is softmax(x) for a c that is constant along the axes.
constexpr int shifted_softmax(rewriter& r, int id) {
  graph& g = r.g;
  int const x = g.input_of(id, 0);
  terms_along const terms(g, x, g.attribute(id, 0));
  if (!terms.are_both()) return -1;
  int const inputs[] = {sum_of_rank(r, terms.vary, g.type(x).rank)};
  long long const attributes[] = {g.attribute(id, 0), 0};
  return r.make(g[id].op, inputs, attributes);
}
/// The view that lines up an addend of a reduction's operand, of some rank, with its results.
constexpr list<long long> view_beside_results(graph const& g, int reduction, int rank) {
  int const full = g.type(g.input_of(reduction, 0)).rank, missing = full - rank;
  list<long long> pattern;
  for (int d = 0; d < full; ++d) {
    bool const is_reduced = (g.attribute(reduction, 0) >> d & 1) != 0;
    if (!is_reduced || g.attribute(reduction, 1) != 0)
      pattern.push_back(is_reduced || d < missing ? -1 : d - missing);
  }
  return pattern;
}
/// logsumexp(x - c) + c is logsumexp(x) for a c that is constant along the axes. A c that nothing
/// cancels stays inside: outside, the sum would be rounded to the digits of c.
constexpr int logsumexp_plus_shift(rewriter& r, int id) {
  graph& g = r.g;
  list<int> const terms = terms_of_sum(r, id);
  for (int i = 0; i < terms.size(); ++i) {
    summand const t = signed_term_of(r, terms[i]);
    if (t.node < 0) continue;
    bool const is_view = g.is<op::dimshuffle>(t.node);
    int const lse = is_view ? g.input_of(t.node, 0) : t.node;
    if (!g.is<op::logsumexp>(lse)) continue;
    int const x = g.input_of(lse, 0), rank = g.type(x).rank;
    long long const attributes[] = {g.attribute(lse, 0), g.attribute(lse, 1)};
    list<long long> view;
    if (is_view)
      for (long long d : g.attributes(t.node)) view.push_back(d);
    auto at_full_rank = [&](int node) { return sum_of_rank(r, {node}, g.type(id).rank); };
    auto as_used = [&](int node) { return is_view ? make_view(r, node, view) : node; };
    terms_along const inside(g, x, attributes[0]);
    if (!inside.are_both()) continue;
    for (int k = 0; k < inside.constant.size(); ++k) {
      summand const c = signed_term_of(r, inside.constant[k]);
      if (c.node < 0) continue;
      int const shift = at_full_rank(
          as_used(make_view(r, c.node, view_beside_results(g, lse, g.type(c.node).rank))));
      for (int j = 0; j < terms.size(); ++j) {
        summand const u = signed_term_of(r, terms[j]);
        if (u.node < 0 || !u.times.is(-t.times.value() * c.times.value()) ||
            at_full_rank(u.node) != shift)
          continue;
        list<int> operand = inside.vary, rest;
        for (int o = 0; o < inside.constant.size(); ++o)
          if (o != k) operand.push_back(inside.constant[o]);
        int const inputs[] = {sum_of_rank(r, operand, rank)};
        rest.push_back(times(r, t.times.value(), as_used(r.make(g[lse].op, inputs, attributes))));
        for (int o = 0; o < terms.size(); ++o)
          if (o != i && o != j) rest.push_back(terms[o]);
        return rest.size() == 1 ? rest[0] : r.make(identity<op::add>(), rest);
      }
    }
  }
  return -1;
}

}  // namespace kroton::rewrite::rules
