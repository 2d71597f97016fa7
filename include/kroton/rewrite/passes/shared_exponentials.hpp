// Logistic functions of one argument and of its negative: they share an exponential.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/rewrite/engine/rebuild.hpp>
#include <kroton/rewrite/form/sums.hpp>

namespace kroton::rewrite {

/// Writes sigmoid and softplus out where several have one argument, or its negative: what a
/// logistic loss and its gradient consist of. exp(-|x|) and the logarithm are computed once, by the
/// formulas of the functions themselves. Loops over arrays have kernels of their own, of which two
/// cost no more.
class shared_exponentials {
 public:
  constexpr explicit shared_exponentials(graph from) : from_(std::move(from)) {}

  constexpr graph run() {
    find();
    bool any = false;
    for (int k = 0; k < uses_.size(); ++k) any = any || is_shared(k);
    if (!any) return std::move(from_);
    return rebuilt(from_, [&](graph& to, int id, list<int> const& image) {
      if (group_[id] < 0 || !is_shared(group_[id])) return -1;
      int const first = arguments_[group_[id]];
      return written_out(to, id, image[first], from_.input_of(id, 0) != first);
    });
  }

 private:
  constexpr bool is_shared(int group) const {
    return uses_[group] > (from_.type(arguments_[group]).rank == 0 ? 1 : 2);
  }
  constexpr bool is_logistic(int id) const {
    return (from_.is<op::sigmoid>(id) || from_.is<op::softplus>(id)) &&
           is_float(from_.type(id).element) && from_.type(from_.input_of(id, 0)) == from_.type(id);
  }
  constexpr void find() {
    list<bool> live;
    for (int id = 0; id < from_.size(); ++id) {
      if (!is_logistic(id)) continue;
      if (live.empty()) live = from_.live(), group_ = list<int>(from_.size(), -1);
      if (!live[id]) continue;
      int const x = from_.input_of(id, 0);
      int k = 0;
      while (k < arguments_.size() && arguments_[k] != x &&
             !is_multiple(from_, x, arguments_[k], -1))
        ++k;
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
      return to.apply<op::add>({to.apply<op::maximum>({negated ? to.apply<op::neg>({x}) : x, zero}),
                                to.apply<op::log1p>({small})});
    int const above = negated ? to.apply<op::le>({x, zero}) : to.apply<op::le>({zero, x});
    int const numerator = to.apply<op::where>({above, one, small}),
              denominator = to.apply<op::add>({one, small});
    // That of the negative has the same denominator.
    if (uses_[group_[id]] > 2)
      return to.apply<op::mul>({numerator, to.apply<op::inv>({denominator})});
    return to.apply<op::div>({numerator, denominator});
  }

  graph from_;
  list<int> arguments_, uses_, group_;
};

}  // namespace kroton::rewrite
