// Pullbacks that are recorded on what stands for their operands.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/grad/batching.hpp>
#include <kroton/ops/shape.hpp>

namespace kroton {
namespace op {

/// Stands for an operand while a pullback is recorded, so that its gradients are partial ones: no
/// two are equal, and nothing goes on behind them. Never part of a program.
struct own_argument : operation<"own_argument", 1> {
  static constexpr bool takes_complex = true;
  static constexpr tensor_type type(core::application const& a) { return a.input(0); }
  static constexpr core::extent_source extent(core::application const&, int d) {
    return {core::extent_source::dimension, 0, d};
  }
  static constexpr core::gradient_barrier pullback{};
};

}  // namespace op

namespace calculus {

/// Puts operands in the place of what stands for them, in all that was recorded from `first` on.
class placement_of_operands {
 public:
  constexpr placement_of_operands(graph& g, int first, int first_constraint)
      : g_(g), image_(g.size(), -1), first_(first), first_constraint_(first_constraint) {}

  constexpr void put(term operand, term stand_in) { image_[stand_in.id] = operand.id; }
  constexpr void run(list<term>& found) {
    for (int id = first_; id < image_.size(); ++id) {
      bool changes = false;
      for (int in : g_.inputs(id)) changes = changes || image_[in] >= 0;
      if (image_[id] >= 0 || !changes) continue;
      list<int> inputs;
      for (int in : g_.inputs(id)) inputs.push_back(at(in));
      list<long long> const attributes(g_.attributes(id).first, g_.attributes(id).count);
      if (g_.is<op::cast>(id)) image_[id] = g_.cast(inputs[0], g_.type(id).element);
      else image_[id] = g_.apply(g_[id].op, inputs, attributes);
    }
    for (term& one : found)
      if (one.exists()) one.id = at(one.id);
    for (int k = first_constraint_; k < g_.constraints().size(); ++k) {
      auto& c = g_.constraints()[k];
      c.left = at(c.left);
      c.right = at(c.right);
    }
  }

 private:
  constexpr int at(int id) const { return id < image_.size() && image_[id] >= 0 ? image_[id] : id; }

  graph& g_;
  list<int> image_;
  int first_, first_constraint_;
};

/// Adds the gradients that a pullback returns for its parameters to `found`. It is recorded on what
/// stands for its operands: the gradients of `results` results, these, and the parameters; of
/// arrays with batch axes in front, on slices, and batched.
constexpr void recorded_pullback(graph& g, int axes, list<term> const& operands, int results,
                                 void (*record)(items<term>, items<term>, items<term>, list<term>&),
                                 list<term>& found) {
  int const first = g.size(), first_constraint = g.constraints().size();
  list<term> given, values, parameters, own, extents;
  for (int i = 0; i < operands.size(); ++i) {
    term const x = operands[i];
    term const stand_in =
        axes > 0 ? lane_of(x, axes) : term{&g, g.apply<op::own_argument>({x.id}, {g.size()})};
    if (i < results) given.push_back(stand_in);
    else if (i < 2 * results) values.push_back(stand_in);
    else parameters.push_back(stand_in);
  }
  record(given, values, parameters, own);
  for (int id = first; id < g.size(); ++id)
    if (g[id].op->is_draw || g[id].op->is_serial)
      g.fail(
          "kt::with_pullback, kt::checkpointed: draw random numbers outside, and pass them: a "
          "gradient would draw others");
  auto const stand_in_of = [&](int i) {
    if (i < results) return given[i];
    if (i < 2 * results) return values[i - results];
    return parameters[i - 2 * results];
  };
  if (axes == 0) {
    placement_of_operands placement(g, first, first_constraint);
    for (int i = 0; i < operands.size(); ++i) placement.put(operands[i], stand_in_of(i));
    placement.run(own);
  } else {
    for (int b = 0; b < axes; ++b) extents.push_back(extent(operands[0], b));
    batching pass(g, extents);
    for (int i = 0; i < operands.size(); ++i)
      pass.set(stand_in_of(i).id, {operands[i].id, 0, true, true});
    list<int> targets;
    for (term const& one : own)
      if (one.exists()) targets.push_back(one.id);
    pass.run(targets);
    for (term& one : own)
      if (one.exists()) one = pass.dense(one.id);
  }
  for (term const& one : own) found.push_back(one);
}

}  // namespace calculus

}  // namespace kroton
