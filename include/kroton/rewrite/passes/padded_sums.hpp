// Sums of arrays in zeros: what is added to ranges of one array, in one loop.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/indexing.hpp>
#include <kroton/ops/shapes/padded.hpp>
#include <kroton/rewrite/engine/clean.hpp>
#include <kroton/rewrite/engine/readers.hpp>
#include <kroton/rewrite/engine/rebuild.hpp>

namespace kroton::rewrite {

/// In a lowered graph, the gradient of a difference of slices is a chain of writes that add to
/// ranges of zeros, or of another function of elements: a pass over memory each. Here they become a
/// sum of arrays in zeros, which one loop reads where they are, see plan/indirect.hpp. Functions
/// that keep zero, and cost little, are computed there too, of what they read in zeros.
class padded_sums {
 public:
  constexpr explicit padded_sums(graph from) : from_(std::move(from)) {}

  constexpr graph run() {
    readers_ = count_of_readers(from_);
    find();
    if (chains_.empty()) return std::move(from_);
    return cleaner(rebuilt(from_, [&](graph& to, int id, list<int> const& image) {
             for (chain const& c : chains_)
               if (c.top == id) return sum_of(to, c, image);
             return -1;
           }))
        .run();
  }

 private:
  // Arrays in zeros that a loop reads: with what else it reads, they are to be no more than it may.
  static constexpr int most_arrays = 20;
  static constexpr int deepest = 8;
  // What is added to fewer elements along an axis is written there.
  static constexpr long long least_range = 64;

  /// Writes to ranges, the last one first, of what they add to: -1 for zeros.
  struct chain {
    int top = -1, base = -1;
    list<int> writes{};
  };

  constexpr void find() {
    list<bool> const live = from_.live();
    list<bool> inside(from_.size());
    for (int id = from_.size() - 1; id >= 0; --id) {
      if (!live[id] || inside[id] || !from_.is<op::inc_subtensor>(id)) continue;
      chain c{.top = id};
      int at = id;
      while (from_.is<op::inc_subtensor>(at) && adds_to_range(at) &&
             (at == id || readers_[at] == 1)) {
        c.writes.push_back(at);
        inside[at] = true;
        at = from_.input_of(at, 0);
      }
      if (from_.is<op::set_subtensor>(at) && is_zeros(from_.input_of(at, 0)) &&
          adds_to_range(at) && readers_[at] == 1)
        c.writes.push_back(at);
      else c.base = at;
      bool const sums = c.base < 0 ? c.writes.size() > 1
                                   : !c.writes.empty() && from_[c.base].op->elementwise &&
                                         from_.type(c.base) == from_.type(id);
      if (sums) chains_.push_back(c);
    }
  }
  constexpr bool is_zeros(int id) const {
    return from_.is<op::alloc>(id) && from_.is_literal(from_.input_of(id, 0), 0);
  }
  /// Whether a write adds as many elements as there are to ranges of steps of 1, none of them of
  /// few elements.
  constexpr bool adds_to_range(int write) const {
    int const value = from_.input_of(write, 1), rank = from_.type(write).rank;
    tensor_type const type = from_.type(write), part = from_.type(value);
    if (part.rank != rank || part.element != type.element || is_bool(type.element)) return false;
    bool any = false;
    for (int d = 0, next = 2; d < rank; ++d) {
      long long const code = from_.attribute(write, 2 * d);
      if (code == 1 || from_.attribute(write, 2 * d + 1) != 1) return false;
      if (code == 0 && part.broadcasts(d) != type.broadcasts(d)) return false;
      if (code == 2 && (part.broadcasts(d) || type.broadcasts(d) ||
                        longest(from_.input_of(write, next + 1)) < least_range))
        return false;
      any = any || code == 2;
      next += static_cast<int>(code);
    }
    return any;
  }
  /// The number that the graph says a length does not exceed.
  constexpr long long longest(int id, int depth = 4) const {
    long long const any = std::numeric_limits<long long>::max();
    if (from_.is_literal(id)) return static_cast<long long>(from_.literal_bits(id));
    bool const least = from_.is<op::minimum>(id);
    if (depth == 0 || (!least && !from_.is<op::maximum>(id))) return any;
    long long const a = longest(from_.input_of(id, 0), depth - 1),
                    b = longest(from_.input_of(id, 1), depth - 1);
    return least == (a < b) ? a : b;
  }

  /// Where the result of a chain lies.
  struct place {
    int write = -1;
    list<int> extents{}, begins{};  // of the new graph
  };
  struct laid {
    int node, padded;
  };

  constexpr int sum_of(graph& to, chain const& c, list<int> const& image) {
    list<int> const extents = extents_of(to, c, image);
    for (bool const inside : {true, false}) {
      to_ = &to;
      image_ = &image;
      arrays_ = 0;
      inside_ = inside;
      int sum = c.base < 0 ? -1 : image[c.base];
      for (bool const negated : {false, true})  // what is subtracted last
        for (int k = c.writes.size() - 1; k >= 0; --k)
          if (from_.is<op::neg>(from_.input_of(c.writes[k], 1)) == negated)
            sum = with_write(sum, c.writes[k], extents);
      if (arrays_ <= most_arrays) return sum;
    }
    return -1;
  }
  constexpr list<int> extents_of(graph& to, chain const& c, list<int> const& image) const {
    list<int> extents;
    int const last = c.writes.back(), zeros = from_.input_of(last, 0);
    for (int d = 0; d < from_.type(c.top).rank; ++d)
      extents.push_back(c.base < 0 ? image[from_.input_of(zeros, d + 1)]
                                   : ops::extent({&to, image[c.base]}, d).id);
    return extents;
  }
  constexpr int with_write(int sum, int write, list<int> const& extents) {
    tensor_type const type = from_.type(write);
    place at{.write = write, .extents = extents};
    for (int d = 0, next = 2; d < type.rank; ++d) {
      bool const ranges = from_.attribute(write, 2 * d) == 2;
      at.begins.push_back(ranges ? (*image_)[from_.input_of(write, next)] : -1);
      next += ranges ? 2 : 0;
    }
    int value = from_.input_of(write, 1);
    bool const subtracts = sum >= 0 && from_.is<op::neg>(value);
    if (subtracts) value = from_.input_of(value, 0);
    memo_.clear();
    int const term = in_zeros(value, at, 0);
    if (sum < 0) return term;
    return to_->add(subtracts ? identity<op::sub>() : identity<op::add>(), type,
                    list<int>{sum, term}, {});
  }

  /// A node in zeros: the function of operands in zeros, if it is one that may be, or an array.
  constexpr int in_zeros(int id, place const& at, int depth) {
    for (laid const& l : memo_)
      if (l.node == id) return l.padded;
    int made = inside_ && depth < deepest && keeps_zero(id, at) ? -1 : array_in_zeros(id, at);
    if (made < 0) {
      list<int> operands;
      for (int in : from_.inputs(id))
        operands.push_back(spans(in, at) ? in_zeros(in, at, depth + 1) : (*image_)[in]);
      made = to_->add(from_[id].op, from_.type(id), operands, from_.attributes(id));
    }
    memo_.push_back({id, made});
    return made;
  }
  constexpr bool is_placed(int d, place const& at) const { return at.begins[d] >= 0; }
  /// Whether a node has the axes that are laid in zeros; those that have some of them do neither.
  constexpr bool spans(int id, place const& at) const {
    tensor_type const type = from_.type(id);
    if (type.rank != at.begins.size()) return false;
    for (int d = 0; d < type.rank; ++d)
      if (is_placed(d, at) && !type.broadcasts(d)) return true;
    return false;
  }
  constexpr bool is_whole(int id, place const& at) const {
    tensor_type const type = from_.type(id);
    bool all = type.rank == at.begins.size(), none = true;
    int const rank = at.begins.size();
    for (int d = 0; d < rank; ++d) {
      if (!is_placed(d, at)) continue;
      all = all && !type.broadcasts(d);
      none = none && !type.spans(d, rank);
    }
    return all || none;
  }
  /// Whether a node is 0 where those of its operands are that span it.
  constexpr bool keeps_zero(int id, place const& at) const {
    if (!from_[id].op->elementwise) return false;
    int all = 0, first = -1;
    for (int in : from_.inputs(id)) {
      if (!is_whole(in, at) || from_.type(in).element != from_.type(id).element) return false;
      all += spans(in, at) ? 1 : 0;
      if (first < 0) first = spans(in, at) ? 1 : 0;
    }
    if (from_.is<op::add>(id) || from_.is<op::sub>(id)) return all == from_[id].input_count;
    if (from_.is<op::neg>(id) || from_.is<op::sqr>(id)) return all == 1;
    if (from_.is<op::mul>(id)) return all > 0;
    return from_.is<op::div>(id) && all == 1 && first == 1 &&
           from_.type(from_.input_of(id, 1)).rank == 0 &&
           is_continuous(from_.type(id).element);
  }
  constexpr int array_in_zeros(int id, place const& at) {
    tensor_type type = from_.type(id);
    list<int> inputs{(*image_)[id]}, begins;
    list<long long> attributes;
    for (int d = 0; d < type.rank; ++d) {
      inputs.push_back(type.broadcasts(d) ? to_->literal(1, element::int64) : at.extents[d]);
      attributes.push_back(is_placed(d, at) ? 1 : 0);
      if (is_placed(d, at)) begins.push_back(at.begins[d]);
    }
    for (int begin : begins) inputs.push_back(begin);
    ++arrays_;
    return to_->apply(identity<op::padded>(), inputs, attributes);
  }

  graph from_;
  list<int> readers_{};
  list<chain> chains_{};
  list<laid> memo_{};
  graph* to_ = nullptr;
  list<int> const* image_ = nullptr;
  int arrays_ = 0;
  bool inside_ = true;
};

}  // namespace kroton::rewrite
