// Logistic functions of one scalar and of its negative: they share an exponential.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/rewrite/rebuild.hpp>
#include <kroton/rewrite/sums.hpp>

namespace kroton::core {

/// Whether two nodes of a graph in normal form are each other's negatives by how they are written.
constexpr bool are_opposite(graph const& g, int a, int b) {
  if (g.type(a) != g.type(b)) return false;
  if (g.is_literal(a) || g.is_literal(b)) return g.is_literal(a) && g.is_literal(b) && g.literal_value(a) == -g.literal_value(b);
  if (g.is<op::add>(a) && g.is<op::add>(b)) {
    if (g[a].input_count != g[b].input_count) return false;
    for (int x : g.inputs(a)) {
      bool found = false;
      for (int y : g.inputs(b)) found = found || are_opposite(g, x, y);
      if (!found) return false;
    }
    return true;
  }
  if (coefficient_of(g, a).value() != -coefficient_of(g, b).value()) return false;
  auto factors = [&](int const& id) {
    int const skipped = has_coefficient(g, id) ? 1 : 0;
    return g.is<op::mul>(id) ? items<int>(g.inputs(id).first + skipped, g[id].input_count - skipped) : items<int>(&id, 1);
  };
  items<int> const x = factors(a), y = factors(b);
  bool same = x.size() == y.size();
  for (int i = 0; same && i < x.size(); ++i) same = x[i] == y[i];
  return same;
}

/// Writes sigmoid and softplus of scalars out where several have one argument, or its negative: what a logistic loss and its gradient
/// consist of. exp(-|x|) and the logarithm are computed once, by the formulas of the functions themselves. Loops over arrays have kernels
/// of their own.
class shared_exponentials {
 public:
  constexpr explicit shared_exponentials(graph from) : from_(std::move(from)) {}

  constexpr graph run() {
    find();
    bool any = false;
    for (int n : uses_) any = any || n > 1;
    if (!any) return std::move(from_);
    return rebuilt(from_, [&](graph& to, int id, list<int> const& image) {
      if (group_[id] < 0 || uses_[group_[id]] < 2) return -1;
      int const first = arguments_[group_[id]];
      return written_out(to, id, image[first], from_.input_of(id, 0) != first);
    });
  }

 private:
  constexpr bool is_logistic(int id) const {
    return from_.type(id).rank == 0 && (from_.is<op::sigmoid>(id) || from_.is<op::softplus>(id)) && is_float(from_.type(id).element) &&
           from_.type(from_.input_of(id, 0)) == from_.type(id);
  }
  constexpr void find() {
    list<bool> live;
    for (int id = 0; id < from_.size(); ++id) {
      if (!is_logistic(id)) continue;
      if (live.empty()) live = from_.live(), group_ = list<int>(from_.size(), -1);
      if (!live[id]) continue;
      int const x = from_.input_of(id, 0);
      int k = 0;
      while (k < arguments_.size() && arguments_[k] != x && !are_opposite(from_, arguments_[k], x)) ++k;
      if (k == arguments_.size()) {
        arguments_.push_back(x);
        uses_.push_back(0);
      }
      group_[id] = k;
      ++uses_[k];
    }
  }
  constexpr int written_out(graph& to, int id, int x, bool negated) {
    element const e = from_.type(id).element;
    int const zero = to.literal(0, e), one = to.literal(1, e);
    int const small = to.apply<op::exp>({to.apply<op::neg>({to.apply<op::abs>({x})})});
    if (from_.is<op::softplus>(id))
      return to.apply<op::add>({to.apply<op::maximum>({negated ? to.apply<op::neg>({x}) : x, zero}), to.apply<op::log1p>({small})});
    int const above = negated ? to.apply<op::le>({x, zero}) : to.apply<op::le>({zero, x});
    return to.apply<op::div>({to.apply<op::where>({above, one, small}), to.apply<op::add>({one, small})});
  }

  graph from_;
  list<int> arguments_, uses_, group_;
};

}  // namespace kroton::core
