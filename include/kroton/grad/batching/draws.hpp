// How draws of random numbers are batched: as one draw of all indices.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/grad/batching/rule.hpp>
#include <kroton/ops/random/streams.hpp>

namespace kroton::calculus {

class draw_batching : batching_rule {
 public:
  using batching_rule::batching_rule;

  constexpr lanes draw() const {
    int const parameters = attribute(ops::draw_attributes::parameters);
    list<int> inputs{pass_.at(input(0)).node}, extents;
    for (term e : pass_.extents()) extents.push_back(e.id);
    for (int d = 0; d < rank_; ++d) extents.push_back(pass_.shared(input(1 + parameters + d)));
    for (int k = 0; k < parameters; ++k) inputs.push_back(parameter(k, extents));
    for (int e : extents) inputs.push_back(e);
    list<long long> attributes(g_.attributes(id_).first, g_.attributes(id_).count);
    attributes[ops::draw_attributes::rank] += axes_;
    if (g_[id_].input_count > 1 + parameters + rank_) {
      ops::substreams const own = ops::substreams_of_draw(g_, drawn(), inputs[0], extents);
      inputs.push_back(own.words);
      attributes[ops::draw_attributes::steps] = own.most;
    }
    return {pass_.again(id_, inputs, attributes), 0, true, true};
  }
  /// A new state, which all indices have in common.
  constexpr lanes state() const {
    return {output_of({&g_, first().node}, attribute(0)).id, 0, true, false};
  }

 private:
  constexpr ops::distribution drawn() const {
    return static_cast<ops::distribution>(g_[id_].op->drawn);
  }
  // How many of the axes of the draw a parameter has if it is not a scalar.
  constexpr int axes_of_parameter(int k) const {
    if (drawn() == ops::distribution::multinomial) return k == 0 ? rank_ - 1 : rank_;
    return drawn() == ops::distribution::selection ? 1 : rank_;
  }
  constexpr int parameter(int k, list<int> const& extents) const {
    int const id = input(1 + k), own = pass_.rank(id), all = axes_of_parameter(k);
    lanes const x = pass_.at(id);
    bool const is_row = own == 1 && (drawn() == ops::distribution::multinomial ||
                                     drawn() == ops::distribution::selection);
    if (!x.batched && (own == 0 || is_row)) return x.node;
    term const whole = pass_.dense(id);
    if (own == all) return whole.id;
    list<int> pattern = batch_axes();
    for (int d = own; d < all; ++d) pattern.push_back(-1);
    for (int d = 0; d < own; ++d) pattern.push_back(axes_ + d);
    list<term> over;
    for (int d = 0; d < axes_ + all; ++d) over.push_back({&g_, extents[d]});
    return alloc(permute(whole, pattern), over).id;
  }
};

}  // namespace kroton::calculus
