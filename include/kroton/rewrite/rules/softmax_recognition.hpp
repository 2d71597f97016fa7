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

/// x - logsumexp(x) is log_softmax(x), with any other terms and either sign.
constexpr int log_softmax_of_difference(rewriter& r, int id) {
  graph& g = r.g;
  list<int> terms = r.inputs(id);
  element const e = g.type(id).element;
  if (g.is<op::sub>(id)) terms[1] = r.negative(terms[1]);
  for (int i = 0; i < terms.size(); ++i) {
    summand const t = g.is<op::neg>(terms[i]) ? summand{g.input_of(terms[i], 0), number_of(e, -1)}
                                              : term_of(r, terms[i]);
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

/// softmax(x + c) is softmax(x) for a c that is constant along the axes.
constexpr int shifted_softmax(rewriter& r, int id) {
  graph& g = r.g;
  int const x = g.input_of(id, 0), rank = g.type(x).rank;
  if (!g.is<op::add>(x)) return -1;
  list<int> kept;
  auto varies = [&](int t) {
    for (int d = 0; d < rank; ++d)
      if ((g.attribute(id, 0) >> d & 1) != 0 && g.type(t).spans(d, rank)) return true;
    return false;
  };
  for (int t : r.inputs(x))
    if (varies(t)) kept.push_back(t);
  if (kept.empty() || kept.size() == g[x].input_count) return -1;
  int const rest = kept.size() == 1 ? kept[0] : r.make(identity<op::add>(), kept);
  list<long long> pattern(rank - g.type(rest).rank, -1);
  for (int d = 0; pattern.size() < rank; ++d) pattern.push_back(d);
  int const inputs[] = {make_view(r, rest, pattern)};
  long long const attributes[] = {g.attribute(id, 0), 0};
  return r.make(g[id].op, inputs, attributes);
}

}  // namespace kroton::rewrite::rules
