// Quotients of one denominator: its reciprocal is computed once and multiplied.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/arithmetic.hpp>

namespace kroton::core {

/// A division takes as long as many multiplications. Where three quotients of a lowered graph have one denominator, they are products
/// with its reciprocal, rounded once more than a quotient; a denominator so small that its reciprocal is infinite is not what
/// graphs in real arithmetic are about. Gradients are full of them. What is rounded or compared stays a quotient.
class reciprocal_pass {
 public:
  constexpr explicit reciprocal_pass(graph from) : from_(std::move(from)) {}

  constexpr graph run() {
    constexpr int enough = 3;
    if (!from_.has<op::div, op::inv>()) return std::move(from_);
    list<int> quotients(from_.size(), 0);
    list<bool> const live = from_.live();
    find_whole();
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
  // Where a value is rounded, compared or converted to an integer, a quotient that is whole has to come out whole.
  constexpr void find_whole() {
    stays_ = list<bool>(from_.size());
    for (int id = from_.size() - 1; id >= 0; --id) {
      node const& n = from_[id];
      if (!n.op->elementwise) continue;
      bool const jumps = from_.is<op::floor>(id) || from_.is<op::ceil>(id) || from_.is<op::round>(id) || from_.is<op::trunc>(id) ||
                         from_.is<op::floordiv>(id) || from_.is<op::mod>(id);
      for (int in : from_.inputs(id))
        if (stays_[id] || jumps || (is_float(from_.type(in).element) && !is_float(from_.type(id).element))) stays_[in] = true;
    }
  }

  graph from_, to_;
  list<bool> stays_{};
};

}  // namespace kroton::core
