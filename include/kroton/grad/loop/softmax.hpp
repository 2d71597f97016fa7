// How a reverse scan computes a softmax of the forward scan again: from the largest element and the
// sum of exponentials, which the forward scan has computed anyway.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/along_axes/softmax.hpp>
#include <kroton/ops/stop_gradient.hpp>

namespace kroton::calculus {

/// What a softmax of x over some axes is computed from: exp(x - largest) / sum.
struct softmax_parts {
  int largest = -1, sum = -1;
};

/// A softmax as an op, or as a quotient of exponentials and their sum: its operand, -1 where a node
/// is neither, and the axes.
struct softmax_form {
  int of = -1;
  long long axes = 0;
};
/// exp(x) under a sum of exponentials, or -1.
constexpr int summed_exponential(graph const& g, int id) {
  bool const is = g.is<op::sum>(id) && is_float(g.type(id).element) &&
                  g.is<op::exp>(g.input_of(id, 0));
  return is ? g.input_of(id, 0) : -1;
}
/// Whether a node shows a reduction of an operand of some rank with its axes in their places; those
/// in front may be left to broadcasting.
constexpr bool keeps_axes(graph const& g, int shown, int reduction, int rank) {
  if (g.attribute(reduction, 1) != 0) return shown == reduction;
  list<long long> wanted, given;
  auto add = [](list<long long>& to, long long source) {
    if (source >= 0 || !to.empty()) to.push_back(source);
  };
  for (int d = 0, position = 0; d < rank; ++d)
    add(wanted, (g.attribute(reduction, 0) >> d & 1) != 0 ? -1 : position++);
  for (int d = 0; d < g.type(shown).rank; ++d)
    add(given, shown == reduction ? d : g.attribute(shown, d));
  bool same = given.size() == wanted.size();
  for (int d = 0; same && d < given.size(); ++d) same = given[d] == wanted[d];
  return same;
}
constexpr softmax_form softmax_at(graph const& g, int id) {
  softmax_form form;
  if (g.is<op::softmax>(id)) form = {g.input_of(id, 0), g.attribute(id, 0)};
  if (!g.is<op::div>(id)) return form;
  int const shown = g.input_of(id, 1),
            sum = g.is<op::dimshuffle>(shown) ? g.input_of(shown, 0) : shown,
            above = g.input_of(id, 0);
  if (summed_exponential(g, sum) == above && keeps_axes(g, shown, sum, g.type(above).rank))
    form = {g.input_of(above, 0), g.attribute(sum, 0)};
  return form;
}
/// The exponentials that a node sums up: of a softmax, its logarithm, logsumexp, or a sum of them.
constexpr softmax_form exponentials_at(graph const& g, int id) {
  softmax_form form;
  if (g.is<op::softmax>(id) || g.is<op::log_softmax>(id) || g.is<op::logsumexp>(id))
    form = {g.input_of(id, 0), g.attribute(id, 0)};
  if (int const e = summed_exponential(g, id); e >= 0)
    form = {g.input_of(e, 0), g.attribute(id, 0)};
  return form;
}

/// A body in which these parts are nodes next to all sums of exponentials. What of them no gradient
/// reads is never computed.
constexpr graph with_parts_of_softmax(graph body) {
  for (int id = 0, end = body.size(); id < end; ++id) {
    softmax_form const form = exponentials_at(body, id);
    if (form.of < 0) continue;
    term const x{&body, form.of};
    ops::reduce(core::identity<op::largest_exponent>(), x, form.axes, false);
    ops::reduce(core::identity<op::relative_sum>(), x, form.axes, false);
  }
  return body;
}
/// The parts of a softmax among the first `end` nodes.
constexpr softmax_parts parts_of_softmax(graph const& g, softmax_form const& form, int end) {
  softmax_parts found;
  for (int id = 0; id < end; ++id) {
    bool const is_largest = g.is<op::largest_exponent>(id);
    if (!is_largest && !g.is<op::relative_sum>(id)) continue;
    if (g.input_of(id, 0) != form.of || g.attribute(id, 1) != 0 || g.attribute(id, 0) != form.axes)
      continue;
    (is_largest ? found.largest : found.sum) = id;
  }
  return found;
}
/// The softmax of `x` with these parts. Extents are those of the forward scan: nothing has to be
/// checked again.
constexpr int softmax_of_parts(graph& g, int x, softmax_parts const& parts, long long axes) {
  int const checked = g.constraints().size();
  list<int> kept;
  for (int d = 0, position = 0; d < g.type(x).rank; ++d)
    kept.push_back((axes >> d & 1) != 0 ? -1 : position++);
  term const largest{&g, parts.largest}, sum{&g, parts.sum};
  term const above = call<op::exp>(
      term{&g, x} - ops::permute(call<op::stop_gradient>(largest), kept));
  term const quotient = above / ops::permute(sum, kept);
  while (g.constraints().size() > checked) g.constraints().pop_back();
  return quotient.id;
}

}  // namespace kroton::calculus
