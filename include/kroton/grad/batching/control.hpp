// How choices, assertions, prints, and ops that stand for a graph are batched.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/splice.hpp>
#include <kroton/grad/batching/rule.hpp>

namespace kroton::calculus {

class control_batching : batching_rule {
 public:
  using batching_rule::batching_rule;

  // A condition that differs from slice to slice selects element by element.
  constexpr lanes ifelse() const {
    lanes const condition = first();
    if (!condition.batched)
      return {pass_.again(id_, list<int>{condition.node, pass_.dense(input(1)).id,
                                         pass_.dense(input(2)).id}),
              0, true, true};
    term const c = pass_.placed(condition, 0, 0, rank_);
    return {call<op::where>(c, pass_.dense(input(1)), pass_.dense(input(2))).id, 0, true, true};
  }

  // An op that represents a graph is batched as that graph.
  constexpr lanes inlined() const {
    list<int> const arguments(g_.inputs(id_).first, g_[id_].input_count);
    list<long long> const attributes(g_.attribute_data(id_), g_[id_].attribute_count);
    op_info const* const op = g_[id_].op;
    list<int> results;
    if (op->is_written_out) op->write_out(g_, {&g_, arguments, attributes}, results);
    else results = splice(g_, op->inner(), arguments.data());
    int const spliced = results[0];
    batching inside(g_, pass_.extents());
    if (pass_.refuses_indices()) inside.refuse_indices();
    for (int id : arguments) inside.set(id, pass_.at(id));
    inside.run(list<int>{spliced});
    return inside.at(spliced);
  }

  constexpr lanes print() const {
    return {pass_.again(id_, list<int>{pass_.dense(input(0)).id}), 0, true, true};
  }

  constexpr lanes after() const {
    list<int> inputs;
    for (int in : g_.inputs(id_))
      inputs.push_back(inputs.empty() ? pass_.dense(in).id : pass_.at(in).node);
    return {pass_.again(id_, inputs), 0, true, true};
  }

  // One slice of a condition that is false makes all fail.
  constexpr lanes assertion() const {
    bool const batched = first().batched, asks_each = pass_.at(input(1)).batched;
    int const x = batched ? pass_.dense(input(0)).id : first().node,
              holds = asks_each ? all(pass_.dense(input(1))).id : pass_.at(input(1)).node;
    return {pass_.again(id_, list<int>{x, holds}), 0, true, batched};
  }
};

}  // namespace kroton::calculus
