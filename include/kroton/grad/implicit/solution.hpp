// Solutions of equations as values with derivatives by the implicit function theorem.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/splice.hpp>
#include <kroton/grad/jacobian.hpp>
#include <kroton/grad/stand_ins.hpp>
#include <kroton/ops/linear_algebra/solving.hpp>

namespace kroton {
namespace calculus {

/// What a graph of unknowns and further parameters makes of their values.
constexpr term value_at(graph const& of, term unknowns, items<term> parameters) {
  list<int> arguments{unknowns.id};
  for (term const& p : parameters) arguments.push_back(p.id);
  return {unknowns.of, core::splice(*unknowns.of, of, arguments.data())[0]};
}

/// The derivative of residuals by as many unknowns: a number, or a square matrix.
constexpr term slope_of(term residual, term unknowns) {
  jacobian_request request(residual);
  request.option(unknowns);
  request.run();
  return request.result(0);
}

/// The pullback of the solution y of r(y, p) = 0: with the w for which w dr/dy = -g, the gradient
/// of p is w dr/dp. Of all steps that have led to y it needs none. Parameters: the start, which has
/// the gradient 0, then p.
struct implicit_pullback {
  graph const& residuals;

  constexpr void operator()(items<term> gradients, items<term> solutions, items<term> parameters,
                            list<term>& found) const {
    term const g = gradients[0], y = solutions[0];
    graph& to = *y.of;
    items<term> const p = parameters.from(1);
    term const r = value_at(residuals, y, p), slope = slope_of(r, y);
    term const w =
        y.rank() == 0 ? -g / slope : -ops::solution<op::solve>(ops::flipped(slope), g, {});
    reverse_sweep sweep(to, &pull_back_scan);
    sweep.seed(r.id, w.id);
    list<int> wrt;
    for (term const& one : p)
      if (is_continuous(one.element())) wrt.push_back(one.id);
    sweep.run(wrt);
    found.push_back({&to, zeros_of(parameters[0])});
    for (term const& one : p) {
      int const id = is_continuous(one.element()) ? sweep.gradient(one.id) : -1;
      found.push_back(id < 0 ? term{} : term{&to, id});
    }
  }
};

}  // namespace calculus

namespace op {

/// Values y that solve r(y, p) = 0, until rewriting begins. Operands: y, a scalar or a vector; the
/// start of its computation; p. Attributes: the address of r, a body, and the number of batch axes
/// that all operands have in front.
struct solution : operation<"solution", -1> {
  static constexpr bool takes_stored = true;
  static constexpr bool takes_complex = true, is_holomorphic = false, has_body = true,
                        is_for_derivatives = true;
  static constexpr tensor_type type(core::application const& a) { return a.input(0); }
  static constexpr core::extent_source extent(core::application const&, int d) {
    return {core::extent_source::dimension, 0, d};
  }
  static constexpr core::any_gradients pullback(term g, term y) {
    graph& to = *y.of;
    int const node = y.id;
    graph const residuals(to.body(to.attribute(node, 0)));
    core::list<term> operands{g, y};
    for (int i = 1; i < to[node].input_count; ++i) operands.push_back({&to, to.input_of(node, i)});
    core::any_gradients all;
    all.terms = core::list<term>(1, term{});
    calculus::recorded_pullback(to, static_cast<int>(to.attribute(node, 1)), operands, 1,
                                calculus::implicit_pullback{residuals}, all.terms);
    return all;
  }
  /// All operands get the batch axes.
  static constexpr calculus::lanes batch(calculus::batching& pass, int id) {
    graph& g = pass.of();
    core::list<int> inputs;
    for (int i = 0; i < g[id].input_count; ++i) inputs.push_back(pass.dense(g.input_of(id, i)).id);
    return {pass.again(id, inputs, {g.attribute(id, 0), g.attribute(id, 1) + pass.axes()}), 0, true,
            true};
  }
};

}  // namespace op

namespace calculus {

/// A value that was computed from a start as the solution of r(y, p) = 0. No derivative goes
/// through its computation.
constexpr term solution_of(graph const& residuals, list<int> const& parameters, term value,
                           term start) {
  graph& g = *value.of;
  list<int> operands{call<op::stop_gradient>(value).id, start.id};
  operands.append(parameters.data(), parameters.size());
  long long const attributes[] = {g.intern(core::body(residuals)), 0};
  return {&g, g.apply(identity<op::solution>(), operands, attributes)};
}

}  // namespace calculus
}  // namespace kroton
