// How slices and elements at indices are batched: read, replaced, and added to.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/grad/batching/rule.hpp>
#include <kroton/grad/batching/slices.hpp>

namespace kroton::calculus {

class selection_batching : batching_rule {
 public:
  using batching_rule::batching_rule;

  constexpr lanes subtensor() const {
    if (unsigned const axes = indexed_by_slice(1); axes != 0) return taken(axes, 1);
    int const own = operand_rank(0);
    lanes const x = pass_.untied(first(), own, not_whole(own));
    std::uint32_t ties = 0;
    for (int d = 0, position = 0; d < own; ++d) {
      if (int const b = tie_of(x.ties, d); b >= 0) ties |= tie(position, b);
      if (attribute(2 * d) != 1) ++position;
    }
    list<int> inputs{x.node};
    add_selection(inputs, 1);
    return {pass_.again(id_, inputs, selection_beside(x.ties, own)), ties, true, true};
  }

  // For values that are added or replace a part; ties occur in gradients, where only zeros replace.
  constexpr lanes subtensor_write() const {
    if (unsigned const axes = indexed_by_slice(2); axes != 0) return taken(axes, 2);
    lanes base = first(), added = pass_.at(input(1));
    unsigned const part = not_whole(rank_);
    // For each axis of the added value, the axis of the base that it runs along.
    list<int> along;
    for (int d = 0; d < rank_; ++d)
      if (attribute(2 * d) != 1) along.push_back(d);
    if (int const missing = along.size() - operand_rank(1); missing > 0) {
      list<int> pattern;
      if (added.batched) pattern = batch_axes();
      int const before = pattern.size(), own = g_.type(added.node).rank;
      for (int d = 0; d < missing; ++d) pattern.push_back(-1);
      for (int d = before; d < own; ++d) pattern.push_back(d);
      added.node = permute({&g_, added.node}, pattern).id;
      added.ties = aligned_ties(added.ties, missing);
    }
    std::uint32_t of_added = 0;
    for (int d = 0; d < along.size(); ++d)
      if (int const b = tie_of(added.ties, d); b >= 0) of_added |= tie(along[d], b);
    std::uint32_t ties = added.batched ? of_added : base.ties;
    for (int d = 0; d < rank_; ++d)
      if ((part >> d & 1u) != 0 || (base.batched && tie_of(base.ties, d) != tie_of(ties, d)))
        ties &= ~(15u << (4 * d));
    std::uint32_t added_ties = 0;
    unsigned differing = 0, added_differing = 0;
    for (int d = 0; d < rank_; ++d)
      if (tie_of(ties, d) != tie_of(base.ties, d)) differing |= 1u << d;
    for (int d = 0; d < along.size(); ++d) {
      if (int const b = tie_of(ties, along[d]); b >= 0) added_ties |= tie(d, b);
      if (tie_of(ties, along[d]) != tie_of(added.ties, d)) added_differing |= 1u << d;
    }
    list<int> inputs{full(base, rank_, ties, differing),
                     full(added, along.size(), added_ties, added_differing)};
    add_selection(inputs, 2);
    return {pass_.again(id_, inputs, selection_beside(ties, rank_)), ties, true, true};
  }

  // Indices that are the same for all slices, or that select elements of one tensor for all, or of
  // one for each slice of a single batch axis; others are applied slice by slice. `from`: the first
  // index.
  constexpr lanes take(int from) const {
    int const count = g_[id_].input_count;
    bool differ = false,
         fits = from == 1 || operand_rank(1) == taken_type(g_.application(id_), from).rank;
    for (int k = from; k < count; ++k) {
      differ = differ || pass_.at(input(k)).batched;
      fits = fits && (!pass_.at(input(k)).batched || operand_rank(k) == rank_of_indices(from));
    }
    if (differ && (from == 2 || attribute(1) != 0)) fits = false;
    if (differ && first().batched && axes_ != 1) fits = false;
    if (!fits) return slice_batching(pass_, id_).each();
    bool const from_each = differ && first().batched;
    int const shift = differ && !from_each ? 0 : axes_;
    list<int> inputs;
    for (int k = 0; k < from; ++k)
      inputs.push_back(differ && !from_each ? first().node : pass_.dense(input(k)).id);
    if (from_each) {
      // The number of the slice is one more index.
      list<int> pattern{0};
      for (int d = 0; d < rank_of_indices(from); ++d) pattern.push_back(-1);
      inputs.push_back(permute(iota(pass_.extents()[0]), pattern).id);
    }
    for (int k = from; k < count; ++k)
      inputs.push_back(pass_.at(input(k)).batched ? pass_.dense(input(k)).id
                                                  : pass_.at(input(k)).node);
    long long const axes = g_.attribute(id_, 0) << shift | (from_each ? 1 : 0),
                    before = g_.attribute(id_, 1) + (differ ? 0 : axes_);
    return {pass_.again(id_, inputs, list<long long>{axes, before}), 0, true, true};
  }

 private:
  // The axes, as bits, along which an index selects that depends on the slice; `next`: the first of
  // the operands that select.
  constexpr unsigned indexed_by_slice(int next) const {
    unsigned axes = 0;
    for (int d = 0; d < operand_rank(0) && !pass_.refuses_indices(); ++d) {
      if (attribute(2 * d) == 1 && pass_.at(input(next)).batched) axes |= 1u << d;
      next += attribute(2 * d);
    }
    return axes;
  }
  // The same by op::take, or by the write of such elements, in the part that the other indices
  // select.
  constexpr lanes taken(unsigned axes, int from) const {
    list<int> const arguments(g_.inputs(id_).first, g_[id_].input_count);
    list<int> rest, indices;
    list<long long> attributes;
    long long taken_axes = 0;
    int next = from, kept = 0;
    bool is_whole = true;
    for (int d = 0; d < operand_rank(0); ++d) {
      int const code = attribute(2 * d);
      bool const takes = (axes >> d & 1u) != 0;
      if (takes) taken_axes |= 1ll << kept;
      if (takes || code != 1) ++kept;
      attributes.push_back(takes ? 0 : code);
      attributes.push_back(takes ? 1 : attribute(2 * d + 1));
      if (takes) indices.push_back(as_taken(arguments[next], d));
      else
        for (int k = 0; k < code; ++k) rest.push_back(arguments[next + k]);
      is_whole = is_whole && (takes || code == 0);
      next += code;
    }
    bool const adds = g_.is<op::inc_subtensor>(id_);
    auto const with = [&](list<int> operands, list<int> const& selecting) {
      for (int each : selecting) operands.push_back(each);
      return operands;
    };
    int const part =
        is_whole ? arguments[0]
                 : g_.apply(identity<op::subtensor>(), with({arguments[0]}, rest), attributes);
    list<int> operands{part};
    if (from == 2) operands.push_back(arguments[1]);
    op_info const* const op = from == 1 ? identity<op::take>()
                              : adds    ? identity<op::inc_take>()
                                        : identity<op::set_take>();
    int result = g_.apply(op, with(operands, indices), list<long long>{taken_axes, 0});
    if (from == 2 && !is_whole)
      result =
          g_.apply(identity<op::set_subtensor>(), with({arguments[0], result}, rest), attributes);
    batching inside(g_, pass_.extents());
    for (int id : arguments) inside.set(id, pass_.at(id));
    inside.run(list<int>{result});
    return inside.at(result);
  }
  // An index that is counted from the front, for op::take, which counts negative ones from the end:
  // one that is negative is outside.
  constexpr int as_taken(int index, int axis) const {
    term const i{&g_, index};
    return call<op::where>(call<op::lt>(i, 0), i - extent({&g_, input(0)}, axis), i).id;
  }
  constexpr int rank_of_indices(int from) const {
    return result_rank(indices_of(g_.application(id_), from));
  }
  // The axes, as bits, that a selection takes only a part of.
  constexpr unsigned not_whole(int count) const {
    unsigned axes = 0;
    for (int d = 0; d < count; ++d)
      if (attribute(2 * d) != 0) axes |= 1u << d;
    return axes;
  }
  // The attributes of a selection, preceded by whole batch axes.
  constexpr list<long long> selection_beside(std::uint32_t ties, int count) const {
    list<long long> attributes;
    for (int b = 0; b < axes_; ++b) {
      attributes.push_back(0);
      attributes.push_back(1);
    }
    for (int d = 0; d < count; ++d) {
      if (tie_of(ties, d) >= 0) continue;
      attributes.push_back(attribute(2 * d));
      attributes.push_back(attribute(2 * d + 1));
    }
    return attributes;
  }
  constexpr void add_selection(list<int>& inputs, int from) const {
    for (int i = from; i < g_[id_].input_count; ++i) inputs.push_back(pass_.shared(input(i)));
  }
  // With all batch axes and with these ties.
  constexpr int full(lanes const& x, int own, std::uint32_t ties, unsigned differing) const {
    if (x.batched) return pass_.untied(x, own, differing).node;
    term const plain{&g_, x.node};
    list<term> extents;
    for (int d = 0; d < own; ++d)
      if (tie_of(ties, d) < 0) extents.push_back(extent(plain, d));
    return pass_.spread(pass_.placed(x, own, ties, own), extents).id;
  }
};

}  // namespace kroton::calculus
