// How the reverse scan computes a softmax of the forward one again: from the largest element and the
// sum of exponentials, which the forward scan has computed anyway.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/stable_ops.hpp>
#include <kroton/ops/stop_gradient.hpp>

namespace kroton::calculus {

/// What a softmax of x over some axes is computed from: exp(x - largest) / sum.
struct softmax_parts {
  int largest = -1, sum = -1;
};

/// A body in which these parts are nodes next to each softmax, its logarithm and logsumexp. What of
/// them no gradient reads is never computed.
constexpr graph with_parts_of_softmax(graph body) {
  for (int id = 0, end = body.size(); id < end; ++id) {
    if (!body.is<op::softmax>(id) && !body.is<op::log_softmax>(id) && !body.is<op::logsumexp>(id))
      continue;
    term const x{&body, body.input_of(id, 0)};
    long long const axes = body.attribute(id, 0);
    ops::reduce(core::identity<op::largest_exponent>(), x, axes, false);
    ops::reduce(core::identity<op::relative_sum>(), x, axes, false);
  }
  return body;
}
/// The parts of a softmax among the first `end` nodes.
constexpr softmax_parts parts_of_softmax(graph const& g, int softmax, int end) {
  softmax_parts found;
  for (int id = 0; id < end; ++id) {
    bool const is_largest = g.is<op::largest_exponent>(id);
    if (!is_largest && !g.is<op::relative_sum>(id)) continue;
    if (g.input_of(id, 0) != g.input_of(softmax, 0) || g.attribute(id, 1) != 0 ||
        g.attribute(id, 0) != g.attribute(softmax, 0))
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
