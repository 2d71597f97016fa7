// The batching pass over a part of a graph: the axes of each node, and the batched form of
// elementwise ops and reductions.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/grad/dependence.hpp>
#include <kroton/ops/after.hpp>
#include <kroton/ops/along_axes/softmax.hpp>
#include <kroton/ops/assertion.hpp>
#include <kroton/ops/conditional.hpp>
#include <kroton/ops/indexing.hpp>
#include <kroton/ops/linear_algebra/batched.hpp>
#include <kroton/ops/linear_algebra/diagonals.hpp>
#include <kroton/ops/printing.hpp>
#include <kroton/ops/shapes/creation.hpp>
#include <kroton/ops/shapes/joining.hpp>
#include <kroton/ops/signal/fourier.hpp>

namespace kroton {
namespace op {

/// Represents one slice of its operand until batching replaces it: never part of a program.
/// Attributes: the number of leading axes that the slice lacks, and a number that makes it
/// distinct.
struct lane : operation<"lane", 1> {
  static constexpr bool takes_stored = true;
  static constexpr tensor_type type(core::application const& a) {
    tensor_type t = a.input(0);
    t.rank = static_cast<std::uint8_t>(t.rank - a.attribute(0));
    t.broadcast >>= a.attribute(0);
    return t;
  }
  static constexpr core::extent_source extent(core::application const& a, int d) {
    return {core::extent_source::dimension, 0, d + static_cast<int>(a.attribute(0))};
  }
  static constexpr core::gradient_barrier pullback{};  // inside a batch a slice is a variable
};

}  // namespace op

namespace calculus {

constexpr term lane_of(term x, int lacking) {
  return {x.of, x.of->apply<op::lane>({x.id}, {lacking, x.of->size()})};
}

/// The batched form of a node: the batch axes come first, then its own axes, except those that are
/// tied to a batch axis. A tied axis means that the value is 0 wherever the index along it differs
/// from that along its batch axis; the node here holds the diagonal. So the derivative of an
/// elementwise op takes no more memory than its operand. Without batch axes, the value is the same
/// for every index.
struct lanes {
  int node;
  std::uint32_t ties;  // four bits per axis: 1 + its batch axis, or 0
  bool known, batched;
};

constexpr int tie_of(std::uint32_t ties, int axis) {
  return static_cast<int>(ties >> (4 * axis) & 15u) - 1;
}
constexpr std::uint32_t tie(int axis, int batch_axis) {
  return static_cast<std::uint32_t>(batch_axis + 1) << (4 * axis);
}
/// The ties of the same axes in a result with more axes, aligned on the right.
constexpr std::uint32_t aligned_ties(std::uint32_t ties, int lacking) {
  return static_cast<std::uint32_t>(static_cast<std::uint64_t>(ties) << (4 * lacking));
}
/// How many of the axes before `end` are not tied.
constexpr int untied_before(std::uint32_t ties, int end) {
  int count = 0;
  for (int d = 0; d < end; ++d) count += tie_of(ties, d) < 0 ? 1 : 0;
  return count;
}

/// A vector whose values over the batch axis form a matrix that is 0 except on such segments, each
/// a part of a diagonal; its first element is at the sums of some int64 scalars. `whole`: it has an
/// element for each element of the vector.
struct segment {
  int data, length;
  list<int> row, column;
  bool whole;
};

/// Rebuilds everything that depends on some leaves, in the order of the graph. Only leaves
/// introduce ties, which assume that everything that depends on the leaves is linear in them, as
/// gradients are in the gradient they start from.
class batching {
 public:
  /// The graph, and the extents of the batch axes.
  constexpr batching(graph& g, list<term> const& extents)
      : g_(g), extents_(extents), size_(g.size()), made_(g.size()), segments_(g.size()) {}

  constexpr graph& of() { return g_; }
  constexpr int axes() const { return extents_.size(); }
  constexpr list<term> const& extents() const { return extents_; }

  /// Gives a leaf its value for all indices.
  constexpr void set(int id, lanes const& value) { made_[id] = value; }

  /// Draws of random numbers that are recorded from a node on are batched, whatever they depend on:
  /// each index has its own numbers.
  constexpr void batch_draws_from(int first) { first_draw_ = first; }
  constexpr bool has_own_draw(int id) const {
    if (first_draw_ < 0 || id < first_draw_) return false;
    return g_[id].op->is_draw ||
           (g_[id].op->has_body && draws_numbers(g_.body(g_.attribute(id, 0))));
  }

  /// Fails where an integer that selects from an array, or where to write, differs by the index.
  constexpr void refuse_indices() { refuses_indices_ = true; }
  constexpr bool refuses_indices() const { return refuses_indices_; }

  /// Rebuilds the nodes that the targets need.
  constexpr void run(list<int> const& targets) {
    list<bool> needed = list<bool>(size_), depends = list<bool>(size_);
    for (int id = 0; id < size_; ++id) {
      depends[id] = made_[id].known || has_own_draw(id);
      for (int in : g_.inputs(id)) depends[id] = depends[id] || depends[in];
    }
    for (int id : targets) needed[id] = true;
    for (int id = size_ - 1; id >= 0; --id) {
      if (!needed[id] || !depends[id] || made_[id].known) continue;
      for (int in : g_.inputs(id)) needed[in] = true;
    }
    for (int id = 0; id < size_; ++id) {
      if (!needed[id] || !depends[id] || made_[id].known) continue;
      made_[id] = rebuilt(id);
      made_[id].known = true;
      // The op for each index may compute with float32 what it would only move.
      if (int& node = made_[id].node; node >= 0 && core::is_short(g_.type(id).element))
        node = g_.store(node, g_.type(id).element);
      if (made_[id].node >= 0 && g_.type(made_[id].node).rank > 8)
        g_.fail(
            "kt: with its batch axes an array inside a jacobian or a vmap has more than 8 "
            "dimensions");
    }
  }

  /// The batched form of a node.
  constexpr lanes at(int id) {
    if (id < size_ && !segments_[id].empty() && made_[id].node < 0) made_[id].node = matrix_of(id);
    return made_[id].known ? made_[id] : lanes{id, 0, true, false};
  }
  constexpr int rank(int id) const { return g_.type(id).rank; }
  // See grad/batching/segments.hpp.
  constexpr bool read_segments(int id, list<segment>& found);

  /// A node with all batch axes, and no axis tied.
  constexpr term dense(int id) {
    lanes const x = at(id);
    if (x.batched) {
      term const all{&g_, untied(x, rank(id), ~0u).node};
      for (int b = 0; b < axes(); ++b)
        if (all.type().broadcasts(b) && !g_.is_literal(extents_[b].id, 1)) {
          list<term> own = extents_of(all);
          return spread(all, list<term>(own.data() + axes(), own.size() - axes()));
        }
      return all;
    }
    return spread(placed(x, rank(id), 0, rank(id)), extents_of({&g_, x.node}));
  }

  /// A node that does not depend on the batch index; fails if it does.
  constexpr int shared(int id) {
    lanes const x = at(id);
    if (x.batched)
      g_.fail(
          "kt::vmap: an extent or a bound of a slice depends on a mapped argument; it must be the "
          "same for all slices; take(x, s + kt::arange(3)) takes three elements from s on");
    return x.node;
  }

  /// The node of a value in the layout of a result: batch axes, then those of the `result_rank`
  /// axes, aligned on the right, that `ties` leaves. Axes that the value lacks broadcast. Ties of
  /// the value itself are ties of the result.
  constexpr term placed(lanes const& x, int rank, std::uint32_t ties, int result_rank) {
    list<int> pattern(axes() + untied_before(ties, result_rank), -1);
    int own = 0;
    if (x.batched)
      for (; own < axes(); ++own) pattern[own] = own;
    for (int d = 0; d < rank; ++d) {
      if (tie_of(x.ties, d) >= 0) continue;
      int const to = d + result_rank - rank, b = tie_of(ties, to);
      pattern[b >= 0 ? b : axes() + untied_before(ties, to)] = own++;
    }
    return permute({&g_, x.node}, without_leading(pattern));
  }

  /// The value with some of its axes (as bits) no longer tied: zeros off the diagonal.
  constexpr lanes untied(lanes const& x, int rank, unsigned which) {
    std::uint32_t rest = x.ties;
    for (int d = 0; d < rank; ++d)
      if ((which >> d & 1u) != 0) rest &= ~(15u << (4 * d));
    if (rest == x.ties) return x;
    int const all = axes() + untied_before(rest, rank);
    list<int> pattern(all, -1);
    int own = 0;
    for (; own < axes(); ++own) pattern[own] = own;
    term condition;
    for (int d = 0; d < rank; ++d) {
      int const b = tie_of(x.ties, d), position = axes() + untied_before(rest, d);
      if (b < 0) pattern[position] = own++;
      if (b < 0 || tie_of(rest, d) >= 0) continue;
      term const here = call<op::eq>(counted(b, b, all), counted(b, position, all));
      condition = condition.exists() ? call<op::bit_and>(condition, here) : here;
    }
    term const value = permute({&g_, x.node}, pattern);
    return {call<op::where>(condition, value, term{&g_, g_.literal(0, value.element())}).id, rest,
            true, true};
  }

  /// A value spread over all batch axes and over further extents.
  constexpr term spread(term value, list<term> const& extents) {
    list<term> all(extents_);
    all.append(extents.data(), extents.size());
    return alloc(value, all);
  }

  /// The same op and attributes with other inputs.
  constexpr int again(int id, list<int> const& inputs) {
    if (g_.is<op::cast>(id))
      return g_.is_stored(id) ? g_.store(inputs[0], g_.type(id).element)
                              : g_.cast(inputs[0], g_.type(id).element);
    return again(id, inputs, list<long long>(g_.attributes(id).first, g_.attributes(id).count));
  }
  constexpr int again(int id, list<int> const& inputs, list<long long> const& attributes) {
    return g_.apply(g_[id].op, inputs, attributes);
  }

  constexpr list<term> extents_of(term x) {
    list<term> all;
    for (int d = 0; d < x.rank(); ++d) all.push_back(extent(x, d));
    return all;
  }

 private:
  constexpr lanes rebuilt(int id);
  constexpr lanes elementwise(int id);
  constexpr lanes reduction(int id);
  // Vectors that are segments of diagonals; see grad/batching/segments.hpp.
  constexpr bool find_segments(int id);
  constexpr bool segments_of_elementwise(int id);
  constexpr bool segments_of_sum(int id, bool subtracts);
  constexpr bool segments_of_slice(int id);
  constexpr bool segments_of_write(int id);
  constexpr int restricted(int id, segment const& to);
  constexpr int matrix_of(int id);

  // Drops leading axes that broadcast: an operand of an elementwise op does not need them.
  static constexpr list<int> without_leading(list<int> const& pattern) {
    int skipped = 0;
    while (skipped < pattern.size() && pattern[skipped] < 0) ++skipped;
    return list<int>(pattern.data() + skipped, pattern.size() - skipped);
  }
  // The indices along batch axis b, as axis `position` of `all`.
  constexpr term counted(int b, int position, int all) {
    list<int> pattern(all, -1);
    pattern[position] = 0;
    return permute(iota(extents_[b]), without_leading(pattern));
  }

  graph& g_;
  list<term> extents_;
  int size_, first_draw_ = -1;
  bool refuses_indices_ = false;
  list<lanes> made_;
  list<list<segment>> segments_;
};

/// Elementwise ops broadcast. An axis of the result is tied if it is tied in every operand that
/// depends on the batch index.
constexpr lanes batching::elementwise(int id) {
  int const rank_of_result = rank(id), count = g_[id].input_count;
  std::uint32_t ties = 0;
  bool first = true;
  list<lanes> operands;
  for (int i = 0; i < count; ++i) {
    operands.push_back(at(g_.input_of(id, i)));
    if (!operands[i].batched) continue;
    std::uint32_t const aligned =
        aligned_ties(operands[i].ties, rank_of_result - rank(g_.input_of(id, i)));
    std::uint32_t kept = 0;
    for (int d = 0; d < rank_of_result; ++d)
      if (first || tie_of(ties, d) == tie_of(aligned, d)) kept |= aligned & 15u << (4 * d);
    ties = kept;
    first = false;
  }
  list<int> inputs;
  for (int i = 0; i < count; ++i) {
    int const own = rank(g_.input_of(id, i)), lacking = rank_of_result - own;
    lanes x = operands[i];
    unsigned differing = 0;
    for (int d = 0; d < own; ++d)
      if (tie_of(x.ties, d) != tie_of(ties, d + lacking)) differing |= 1u << d;
    if (x.batched) x = untied(x, own, differing);
    inputs.push_back(placed(x, own, ties, rank_of_result).id);
  }
  return {again(id, inputs), ties, true, true};
}

/// A sum over a tied axis leaves the diagonal.
constexpr lanes batching::reduction(int id) {
  int const from = g_.input_of(id, 0), own = rank(from);
  lanes x = at(from);
  long long const reduced = g_.attribute(id, 0);
  bool const keep = g_[id].attribute_count > 1 && g_.attribute(id, 1) != 0;
  if (!g_.is<op::sum>(id)) x = untied(x, own, static_cast<unsigned>(reduced));
  long long bits = 0;
  std::uint32_t ties = 0;
  list<int> pattern;  // with the axes restored that were tied and are kept
  for (int b = 0; b < axes(); ++b) pattern.push_back(b);
  int position = axes(), kept = axes(), result_axis = 0;
  for (int d = 0; d < own; ++d) {
    bool const is_reduced = (reduced >> d & 1) != 0;
    int const b = tie_of(x.ties, d);
    if (is_reduced && b < 0) bits |= 1ll << position;
    if (!is_reduced && b >= 0) ties |= tie(result_axis, b);
    if (is_reduced && b >= 0 && keep) pattern.push_back(-1);
    if (b < 0 && (!is_reduced || keep)) pattern.push_back(kept++);
    if (b < 0) ++position;
    if (!is_reduced || keep) ++result_axis;
  }
  int node = x.node;
  if (bits != 0 || !g_.is<op::sum>(id)) {
    list<long long> attributes(g_.attributes(id).first, g_.attributes(id).count);
    attributes[0] = bits;
    node = again(id, list<int>{node}, attributes);
  }
  return {permute({&g_, node}, pattern).id, ties, true, true};
}

}  // namespace calculus
}  // namespace kroton
