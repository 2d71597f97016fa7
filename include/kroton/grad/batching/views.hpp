// How views and copies of whole arrays are batched.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/grad/batching/rule.hpp>

namespace kroton::calculus {

class view_batching : batching_rule {
 public:
  using batching_rule::batching_rule;

  constexpr lanes extent_of() const {
    lanes const x = first();
    int const d = attribute(0), b = tie_of(x.ties, d);
    return {extent({&g_, x.node}, b >= 0 ? b : axes_ + untied_before(x.ties, d)).id, 0, true,
            false};
  }

  constexpr lanes dimshuffle() const {
    lanes const x = first();
    list<int> pattern = batch_axes();
    std::uint32_t ties = 0;
    for (int d = 0; d < rank_; ++d) {
      int const from = attribute(d), b = from < 0 ? -1 : tie_of(x.ties, from);
      if (b >= 0) ties |= tie(d, b);
      else pattern.push_back(from < 0 ? -1 : axes_ + untied_before(x.ties, from));
    }
    return {permute({&g_, x.node}, pattern).id, ties, true, true};
  }

  constexpr lanes alloc() const {
    lanes const x = first();
    std::uint32_t const ties = aligned_ties(x.ties, rank_ - operand_rank(0));
    list<term> extents;
    for (int d = 0; d < rank_; ++d)
      if (tie_of(ties, d) < 0) extents.push_back({&g_, pass_.shared(input(d + 1))});
    return {pass_.spread(pass_.placed(x, operand_rank(0), ties, rank_), extents).id, ties, true,
            true};
  }

  constexpr lanes reshape() const {
    term const x = pass_.dense(input(0));
    list<term> extents;
    for (int b = 0; b < axes_; ++b) extents.push_back(extent(x, b));
    for (int d = 0; d < rank_; ++d) extents.push_back({&g_, pass_.shared(input(d + 1))});
    return {ops::reshape(x, extents).id, 0, true, true};
  }

  constexpr lanes join() const {
    list<int> inputs{pass_.shared(input(0))};
    for (int k = 1; k < g_[id_].input_count; ++k) inputs.push_back(pass_.dense(input(k)).id);
    return {pass_.again(id_, inputs, list<long long>{attribute(0) + axes_}), 0, true, true};
  }

  // Puts each vector in its rows, as seen through its diagonal.
  constexpr lanes from_diagonals() const {
    int const count = g_[id_].input_count;
    auto integer = [&](int i) { return term{&g_, pass_.shared(input(i))}; };
    term const height = integer(count - 2), width = integer(count - 1);
    list<int> pattern = batch_axes();
    pattern.push_back(axes_);
    pattern.push_back(-1);
    list<term> extents(pass_.extents());
    extents.push_back(height);
    list<long long> range(2 * axes_, 0);
    for (int b = 0; b < axes_; ++b) range[2 * b + 1] = 1;
    range.push_back(2);
    range.push_back(1);
    term total;
    for (int k = 0; k + 2 < count; k += 3) {
      term const data = pass_.dense(input(k)), row = integer(k + 1),
                 zero{&g_, g_.literal(0, data.element())};
      list<int> const inputs{ops::alloc(zero, extents).id, data.id, row.id, extent(data, axes_).id};
      term const spread{&g_, g_.apply(identity<op::set_subtensor>(), inputs, range)};
      term const from_row = permute(iota(height) - row, {0, -1});
      term const here = call<op::eq>(from_row, iota(width) - integer(k + 2));
      term const matrix = call<op::where>(here, permute(spread, pattern), zero);
      total = total.exists() ? total + matrix : matrix;
    }
    return {total.id, 0, true, true};
  }
};

}  // namespace kroton::calculus
