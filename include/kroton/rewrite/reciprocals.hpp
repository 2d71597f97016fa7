// Quotients of one denominator: its reciprocal is computed once and multiplied.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/arithmetic.hpp>

namespace kroton::core {

/// Where a value is rounded, compared or converted to an integer, a quotient that is whole has to come out whole: which nodes lead to
/// such a place by elementwise ops.
constexpr list<bool> quotients_that_stay(graph const& g) {
  list<bool> stays = list<bool>(g.size());
  for (int id = g.size() - 1; id >= 0; --id) {
    node const& n = g[id];
    if (!n.op->elementwise) continue;
    bool const jumps = g.is<op::floor>(id) || g.is<op::ceil>(id) || g.is<op::round>(id) || g.is<op::trunc>(id) ||
                       g.is<op::floordiv>(id) || g.is<op::mod>(id);
    for (int in : g.inputs(id))
      if (stays[id] || jumps || (is_float(g.type(in).element) && !is_float(n.type.element))) stays[in] = true;
  }
  return stays;
}

/// A division takes as long as many multiplications. Where three quotients of a lowered graph have one denominator, they are products
/// with its reciprocal, rounded once more than a quotient; a denominator so small that its reciprocal is infinite is not what
/// graphs in real arithmetic are about. Gradients are full of them. What is rounded or compared stays a quotient.
class reciprocal_pass {
 public:
  constexpr explicit reciprocal_pass(graph from) : from_(std::move(from)), stays_(quotients_that_stay(from_)) {}

  constexpr graph run() {
    constexpr int enough = 3;
    if (!from_.has<op::div, op::inv>()) return std::move(from_);
    list<int> quotients(from_.size(), 0);
    list<bool> const live = from_.live();
    bool any = false;
    for (int id = 0; id < from_.size(); ++id)
      if (live[id] && is_quotient(id)) any = ++quotients[denominator(id)] >= enough || any;
    if (!any) return std::move(from_);
    list<int> image(from_.size(), -1), reciprocal(from_.size(), -1), inputs;
    for (int id : from_.parameters()) image[id] = to_.input(from_.type(id), static_cast<int>(from_.attribute(id, 0)));
    for (int id = 0; id < from_.size(); ++id) {
      if (!live[id] || image[id] >= 0) continue;
      inputs.clear();
      for (int i : from_.inputs(id)) inputs.push_back(image[i]);
      if (int const below = is_quotient(id) ? denominator(id) : -1; below >= 0 && quotients[below] >= enough) {
        if (reciprocal[below] < 0) reciprocal[below] = to_.apply<op::inv>({image[below]});
        image[id] = inputs.size() == 1 ? reciprocal[below] : to_.apply<op::mul>({inputs[0], reciprocal[below]});
      } else {
        image[id] = to_.add(from_[id].op, from_.type(id), inputs, from_.attributes(id));
      }
    }
    to_.adopt(from_, image);
    return std::move(to_);
  }

 private:
  constexpr int denominator(int id) const { return from_.input_of(id, from_[id].input_count - 1); }
  constexpr bool is_quotient(int id) const {
    return (from_.is<op::div>(id) || from_.is<op::inv>(id)) && is_float(from_.type(id).element) && !stays_[id] &&
           from_.type(denominator(id)) == from_.type(id);
  }
  graph from_, to_;
  list<bool> stays_;
};

}  // namespace kroton::core
