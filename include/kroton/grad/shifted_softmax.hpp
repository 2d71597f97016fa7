// A softmax of x + c, or its logarithm, where c is the same along its axes, has a gradient of 0 by
// c, and the logarithm of the sum of exponentials one of 1. Both would otherwise be sums of what
// cancels, and programs that subtract the largest element themselves are full of them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/grad/loop/softmax.hpp>
#include <kroton/ops/along_axes/reduction.hpp>

namespace kroton::calculus {

/// What a softmax, its logarithm or a logsumexp depends on: its operand without the addends that
/// are constant along its axes.
struct shifted_softmax {
  enum kind_of : std::uint8_t { softmax, log_softmax, logsumexp } kind = softmax;
  struct part {
    int node = -1;
    bool is_subtracted = false;
  };
  part of{};
  long long axes = 0;
  int reduction = -1;  // of a logsumexp
  list<part> constant{};
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

/// A logsumexp as an op, or as the logarithm of a sum of exponentials: the reduction, or -1.
constexpr int logsumexp_at(graph const& g, int id) {
  if (g.is<op::logsumexp>(id)) return id;
  bool const is = g.is<op::log>(id) && summed_exponential(g, g.input_of(id, 0)) >= 0;
  return is ? g.input_of(id, 0) : -1;
}

/// One of these of which something is taken apart; none where a node that it is made of is asked
/// for, `stays`.
constexpr shifted_softmax shifted_softmax_at(graph const& g, int id, list<bool> const& stays) {
  shifted_softmax found;
  softmax_form form;
  if (g.is<op::div>(id) || g.is<op::softmax>(id)) {
    form = softmax_at(g, id);
  } else if (g.is<op::sub>(id) || g.is<op::log_softmax>(id)) {
    form = log_softmax_at(g, id);
    found.kind = shifted_softmax::log_softmax;
  } else if ((found.reduction = logsumexp_at(g, id)) >= 0) {
    form = exponentials_at(g, found.reduction);
    found.kind = shifted_softmax::logsumexp;
  }
  if (form.of < 0) return {};
  // All nodes behind the operand belong to it.
  for (int part : g.inputs(id))
    for (int below = part; below > form.of; below = g.input_of(below, 0))
      if (stays[below]) return {};
  int const rank = g.type(form.of).rank;
  found.of.node = form.of;
  found.axes = form.axes;
  for (int& x = found.of.node;
       !stays[x] && (g.is<op::add>(x) || g.is<op::sub>(x)) && g[x].input_count == 2;) {
    int const a = g.input_of(x, 0), b = g.input_of(x, 1);
    bool const first = varies_along(g, a, form.axes, rank),
               second = varies_along(g, b, form.axes, rank);
    if (first == second) break;
    bool const flips = g.is<op::sub>(x), is_subtracted = found.of.is_subtracted;
    found.constant.push_back({first ? b : a, is_subtracted != (flips && first)});
    found.of = {first ? a : b, is_subtracted != (flips && second)};
  }
  if (found.constant.empty()) return {};
  return found;
}

/// The gradient of what such a node y depends on, from that by y, or by log(y).
constexpr term pulled_back(shifted_softmax const& s, term y, term gradient, bool by_log) {
  if (s.kind == shifted_softmax::logsumexp) {
    term const reduction{y.of, s.reduction};
    int const x = exponentials_at(*y.of, s.reduction).of;
    term const all = ops::with_reduced_axes(gradient, reduction) *
                     ops::over_axes(core::identity<op::softmax>(), {y.of, x}, s.axes);
    return s.of.is_subtracted ? -all : all;
  }
  bool const is_softmax = s.kind == shifted_softmax::softmax;
  term const own = is_softmax && !by_log ? gradient * y : gradient;
  term const share = is_softmax ? y : call<op::exp>(y);
  term const all = own - share * ops::sum_over(own, s.axes, true);
  return s.of.is_subtracted ? -all : all;
}
/// The gradient of an addend that is constant along the axes.
constexpr term of_constant(shifted_softmax const& s, shifted_softmax::part const& c, term y,
                           term gradient) {
  if (s.kind != shifted_softmax::logsumexp)
    return {y.of, y.of->literal(0, y.of->type(c.node).element)};
  term const all = ops::with_reduced_axes(gradient, {y.of, s.reduction});
  return c.is_subtracted ? -all : all;
}

}  // namespace kroton::calculus
