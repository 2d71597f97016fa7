// Quotients of one denominator: its reciprocal is computed once and multiplied.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/elementwise/arithmetic.hpp>
#include <kroton/rewrite/engine/rebuild.hpp>

namespace kroton::rewrite {

/// Where a value is rounded, compared or converted to an integer, a quotient that is whole has to
/// come out whole: which nodes lead to such a place by elementwise ops.
constexpr list<bool> quotients_that_stay(graph const& g) {
  list<bool> all = list<bool>(g.size());
  bool* const stays = all.data();
  bool const any_jumps = g.has<op::floor, op::ceil, op::round, op::trunc, op::floordiv, op::mod>();
  for (int id = g.size() - 1; id >= 0; --id) {
    node const& n = g[id];
    if (!n.op->elementwise) continue;
    bool const jumps =
        any_jumps && (g.is<op::floor>(id) || g.is<op::ceil>(id) || g.is<op::round>(id) ||
                      g.is<op::trunc>(id) || g.is<op::floordiv>(id) || g.is<op::mod>(id));
    bool const whole = stays[id] || jumps, is_number = is_float(n.type.element);
    if (!whole && is_number) continue;
    int const* const inputs = g.input_data(id);
    for (int i = 0; i < n.input_count; ++i)
      if (whole || is_float(g.type(inputs[i]).element)) stays[inputs[i]] = true;
  }
  return all;
}

/// A division takes as long as many multiplications. Where three quotients of a lowered graph have
/// one denominator, they are products with its reciprocal, rounded once more than a quotient; a
/// denominator so small that its reciprocal is infinite is not what graphs in real arithmetic are
/// about. Gradients are full of them. What is rounded or compared stays a quotient.
class reciprocal_pass {
 public:
  constexpr explicit reciprocal_pass(graph from) : from_(std::move(from)) {}

  constexpr graph run() {
    constexpr int enough = 3;
    stays_ = quotients_that_stay(from_);
    list<int> quotients(from_.size(), 0);
    list<bool> const live = from_.live();
    bool any = false;
    for (int id = 0; id < from_.size(); ++id)
      if (live[id] && is_quotient(id)) any = ++quotients[denominator(id)] >= enough || any;
    if (!any) return std::move(from_);
    list<int> reciprocal(from_.size(), -1);
    return rebuilt(from_, [&](graph& to, int id, list<int> const& image) {
      int const below = is_quotient(id) ? denominator(id) : -1;
      if (below < 0 || quotients[below] < enough) return -1;
      if (reciprocal[below] < 0) reciprocal[below] = to.apply<op::inv>({image[below]});
      return from_.is<op::inv>(id)
                 ? reciprocal[below]
                 : to.apply<op::mul>({image[from_.input_of(id, 0)], reciprocal[below]});
    });
  }

 private:
  constexpr int denominator(int id) const { return from_.input_of(id, from_[id].input_count - 1); }
  constexpr bool is_quotient(int id) const {
    return (from_.is<op::div>(id) || from_.is<op::inv>(id)) && is_float(from_.type(id).element) &&
           !stays_[id] && from_.type(denominator(id)) == from_.type(id);
  }

  graph from_;
  list<bool> stays_;
};

}  // namespace kroton::rewrite
