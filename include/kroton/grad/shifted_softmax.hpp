// A softmax of x + c, or its logarithm, where c is the same along its axes, has a gradient of 0 by
// c, which would otherwise be a sum of what cancels. Programs that subtract the largest element
// themselves are full of it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/grad/loop_softmax.hpp>
#include <kroton/ops/reduction.hpp>

namespace kroton::calculus {

/// What a softmax, or its logarithm, depends on: its operand but for the addends that are constant
/// along its axes, `constant`, and whether it is subtracted.
struct shifted_softmax {
  int of = -1;
  bool is_subtracted = false, is_logarithm = false;
  long long axes = 0;
  list<int> constant{};
};

/// A log_softmax as an op, or as the difference x - log(sum(exp(x))).
constexpr softmax_form log_softmax_at(graph const& g, int id) {
  if (g.is<op::log_softmax>(id)) return {g.input_of(id, 0), g.attribute(id, 0)};
  if (!g.is<op::sub>(id)) return {};
  auto under = [&](int node) { return g.is<op::dimshuffle>(node) ? g.input_of(node, 0) : node; };
  int const x = g.input_of(id, 0), rank = g.type(x).rank, shown = g.input_of(id, 1),
            log = under(shown);
  if (g.is<op::logsumexp>(log) && g.input_of(log, 0) == x && keeps_axes(g, shown, log, rank))
    return {x, g.attribute(log, 0)};
  if (!g.is<op::log>(log)) return {};
  int const below = g.input_of(log, 0), sum = under(below), e = summed_exponential(g, sum);
  bool const is_shown_once = shown == log || below == sum;
  if (e < 0 || g.input_of(e, 0) != x || !is_shown_once ||
      !keeps_axes(g, shown == log ? below : shown, sum, rank))
    return {};
  return {x, g.attribute(sum, 0)};
}

/// Whether a node has elements along one of these axes of an operand of some rank.
constexpr bool varies_along(graph const& g, int id, long long axes, int rank) {
  for (int d = 0; d < rank; ++d)
    if ((axes >> d & 1) != 0 && g.type(id).spans(d, rank)) return true;
  return false;
}

/// A softmax or its logarithm of which something is left out; none where a node that it is made of
/// is asked for, `stays`.
constexpr shifted_softmax shifted_softmax_at(graph const& g, int id, list<bool> const& stays) {
  bool const divides = g.is<op::div>(id) || g.is<op::softmax>(id);
  if (!divides && !g.is<op::sub>(id) && !g.is<op::log_softmax>(id)) return {};
  softmax_form const form = divides ? softmax_at(g, id) : log_softmax_at(g, id);
  if (form.of < 0) return {};
  // From the operand on, all nodes belong to the softmax, or to others.
  for (int part : g.inputs(id))
    for (int below = part; below > form.of; below = g.input_of(below, 0))
      if (stays[below]) return {};
  int const rank = g.type(form.of).rank;
  shifted_softmax found{form.of, false, !divides, form.axes, {}};
  while (!stays[found.of] && (g.is<op::add>(found.of) || g.is<op::sub>(found.of)) &&
         g[found.of].input_count == 2) {
    int const a = g.input_of(found.of, 0), b = g.input_of(found.of, 1);
    bool const first = varies_along(g, a, form.axes, rank),
               second = varies_along(g, b, form.axes, rank);
    if (first == second) break;
    if (second && g.is<op::sub>(found.of)) found.is_subtracted = !found.is_subtracted;
    found.of = first ? a : b;
    found.constant.push_back(first ? b : a);
  }
  if (found.of == form.of) return {};
  return found;
}

/// The gradient of what such a node y depends on, from that by y, or by log(y).
constexpr term pulled_back(shifted_softmax const& softmax, term y, term gradient, bool by_log) {
  bool const is_by_log = by_log || softmax.is_logarithm;
  term const own = is_by_log ? gradient : gradient * y;
  term const share = softmax.is_logarithm ? call<op::exp>(y) : y;
  term const all = own - share * ops::sum_over(own, softmax.axes, true);
  return softmax.is_subtracted ? -all : all;
}

}  // namespace kroton::calculus
