// Pullbacks that are recorded on what stands for their operands.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/grad/batching.hpp>
#include <kroton/ops/shapes/shape.hpp>

namespace kroton {
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
      image_[id] = g_.add(g_[id].op, g_.type(id), inputs, attributes);
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

/// Adds the gradients that a pullback returns for its parameters to `found`. It is recorded on
/// slices that stand for its operands: the gradients of `results` results, these, and the
/// parameters. No two are equal, and no gradient goes on behind them, so that those which the
/// pullback takes are partial ones. Of arrays with batch axes in front it is then batched; else
/// slices are whole, and the operands are put in their place.
template <class Record>
constexpr void recorded_pullback(graph& g, int axes, list<term> const& operands, int results,
                                 Record const& record, list<term>& found) {
  int const first = g.size(), first_constraint = g.constraints().size();
  list<term> stand_ins, own;
  for (term const& x : operands) stand_ins.push_back(lane_of(x, axes));
  auto const part = [&](int begin, int count) {
    return items<term>(stand_ins.data() + begin, count);
  };
  record(part(0, results), part(results, results), part(2 * results, operands.size() - 2 * results),
         own);
  for (int id = first; id < g.size(); ++id) {
    if (g[id].op->is_serial)
      g.fail(
          "kt::with_pullback, kt::checkpointed: an op whose calls have an order cannot be inside, "
          "where a gradient would call it again");
    if (g[id].op->is_draw)
      g.fail(
          "kt::with_pullback, kt::checkpointed: draw random numbers outside, and pass them: a "
          "gradient would draw others");
  }
  if (axes == 0) {
    placement_of_operands placement(g, first, first_constraint);
    for (int i = 0; i < operands.size(); ++i) placement.put(operands[i], stand_ins[i]);
    placement.run(own);
  } else {
    list<term> extents;
    for (int b = 0; b < axes; ++b) extents.push_back(extent(operands[0], b));
    batching pass(g, extents);
    for (int i = 0; i < operands.size(); ++i)
      pass.set(stand_ins[i].id, {operands[i].id, 0, true, true});
    list<int> targets;
    for (term const& one : own)
      if (one.exists()) targets.push_back(one.id);
    pass.run(targets);
    for (term& one : own)
      if (one.exists()) one = pass.dense(one.id);
  }
  found.append(own.data(), own.size());
}

}  // namespace calculus
}  // namespace kroton
