// How products are batched: as one contraction of their factors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/grad/batching/rule.hpp>

namespace kroton::calculus {

class product_batching : batching_rule {
 public:
  using batching_rule::batching_rule;

  constexpr lanes dot() const {
    list<int> left{summed}, right{summed}, result;
    if (operand_rank(0) == 2) left = {rows, summed}, result.push_back(rows);
    if (operand_rank(1) == 2) right = {summed, columns}, result.push_back(columns);
    return product(left, right, result);
  }
  constexpr lanes batched_dot() const {
    return product({stack, rows, summed}, {stack, summed, columns}, {stack, rows, columns});
  }

 private:
  // Labels of the axes of factors; smaller ones are batch axes.
  static constexpr int rows = 8, columns = 9, summed = 10, stack = 11;

  // A product of two factors, given the labels of their axes and of those of the result. In the
  // other factor and in the result, a tied axis has the label of its batch axis.
  constexpr lanes product(list<int> const& left, list<int> const& right,
                          list<int> const& result) const {
    list<int> const* const own[] = {&left, &right};
    lanes x[] = {pass_.at(input(0)), pass_.at(input(1))};
    labelled factors[2]{};
    list<int> tied(stack + 1, -1);
    for (int i = 0; i < 2; ++i) {
      if (x[0].batched && x[1].batched) x[i] = pass_.untied(x[i], operand_rank(i), ~0u);
      for (int d = 0; d < own[i]->size(); ++d)
        if (int const b = tie_of(x[i].ties, d); b >= 0) tied[(*own[i])[d]] = b;
    }
    for (int i = 0; i < 2; ++i) {
      factors[i].value = {&g_, x[i].node};
      if (x[i].batched) factors[i].labels = batch_axes();
      for (int d = 0; d < own[i]->size(); ++d) {
        int const label = (*own[i])[d];
        if (!x[i].batched && tied[label] >= 0) factors[i].labels.push_back(tied[label]);
        else if (tied[label] < 0) factors[i].labels.push_back(label);
      }
    }
    list<int> out = batch_axes();
    std::uint32_t ties = 0;
    for (int d = 0; d < result.size(); ++d) {
      int const b = tied[result[d]];
      if (b >= 0) ties |= tie(d, b);
      else out.push_back(result[d]);
    }
    return {contraction(factors[0], factors[1], out).run().id, ties, true, true};
  }
};

}  // namespace kroton::calculus
