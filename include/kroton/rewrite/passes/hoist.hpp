// What sinking views has duplicated is undone: f(view(x)) is view(f(x)) where f(x) is computed
// anyway, for products too, or where the view adds axes to an x that is.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/conditional.hpp>
#include <kroton/rewrite/engine/clean.hpp>
#include <kroton/rewrite/engine/order.hpp>
#include <kroton/rewrite/rules/selections.hpp>

namespace kroton::rewrite {

/// Lifts views over elementwise ops and products whose result on the viewed operands is in the
/// graph too.
class hoister {
 public:
  constexpr explicit hoister(graph from) : from_(std::move(from)) {}

  constexpr graph run() {
    // What is computed anyway may be so only where an ifelse asks for it.
    if (from_.has<op::ifelse>()) return std::move(from_);
    from_ = cleaner(from_, true).run();
    list<bool> const live = from_.live();
    for (int id = 0; id < from_.size(); ++id)
      if (live[id]) known_.push_back(from_[id].hash);
    merge_sort(known_, [](std::uint64_t a, std::uint64_t b) { return a < b; });
    graph to;
    to.share_bodies(from_);
    list<int> position(from_.size(), -1);
    for (int id : from_.parameters())
      position[id] = to.input(from_.type(id), static_cast<int>(from_.attribute(id, 0)));
    for (int id = 0; id < from_.size(); ++id) {
      if (position[id] >= 0) continue;
      list<int> inputs;
      for (int i : from_.inputs(id)) inputs.push_back(position[i]);
      int const lifted = !live[id]              ? -1
                         : from_.is<op::dot>(id) ? lift_dot(to, inputs[0], inputs[1])
                                                 : lift(to, id, inputs);
      position[id] =
          lifted >= 0 ? lifted : to.add(from_[id].op, from_.type(id), inputs, from_.attributes(id));
    }
    to.adopt(from_, position);
    copy_written(from_, to, position);
    return cleaner(to, true).run();
  }

 private:
  constexpr bool is_known(std::uint64_t hash) const {
    int low = 0, high = known_.size();
    while (low < high) {
      int const middle = (low + high) / 2;
      if (known_[middle] < hash) low = middle + 1;
      else high = middle;
    }
    return low < known_.size() && known_[low] == hash;
  }
  /// The view of an application to the sources of its operands' views, when that application is
  /// there; else -1.
  constexpr int lift(graph& to, int id, list<int> const& inputs) const {
    if (!from_[id].op->elementwise) return -1;
    // The view is that of the operand of the highest rank.
    int view = -1;
    for (int i : inputs)
      if (is_selection(to, i) && (view < 0 || source_rank(to, i) > source_rank(to, view))) view = i;
    if (view < 0) return -1;
    list<int> sources;
    for (int i : inputs) {
      bool const is_number = to.type(i).rank == 0 && !is_selection(to, i);
      if (!is_number &&
          (!is_selection(to, i) || !(same_view(to, view, i) || same_for_vector(to, view, i))))
        return -1;
      sources.push_back(is_number ? i : to.input_of(i, 0));
    }
    tensor_type type = to.type(to.input_of(view, 0));
    type.element = from_.type(id).element;
    int application = to.add(from_[id].op, type, sources, from_.attributes(id));
    if (!is_known(to[application].hash) && from_[id].op->has(law::commutative)) {
      // The order of the operands is that of their views.
      merge_sort(sources, [&](int a, int b) { return stands_before(to, a, b); });
      application = to.add(from_[id].op, type, sources, from_.attributes(id));
    }
    if (!is_known(to[application].hash) && !are_computed(to, view, sources)) return -1;
    list<int> operands;
    for (int i : to.inputs(view)) operands.push_back(i);
    operands[0] = application;
    list<long long> attributes;
    for (long long a : to.attributes(view)) attributes.push_back(a);
    return to.add(to[view].op, from_.type(id), operands, attributes);
  }
  // Whether a view adds axes to what loops compute: then f(x) costs no more than f(view(x)), and is
  // computed in the same loop.
  static constexpr bool are_computed(graph const& g, int view, list<int> const& sources) {
    if (!g.is<op::dimshuffle>(view)) return false;
    long long expected = 0;
    for (long long a : g.attributes(view))
      if (a >= 0 && a != expected++) return false;
    for (int s : sources)
      if (g.type(s).rank != 0 && (!g[s].op->elementwise || g[s].input_count == 0)) return false;
    return expected == g.type(g.input_of(view, 0)).rank;
  }
  /// The transpose of the product of the transposes, when that product is computed anyway.
  constexpr int lift_dot(graph& to, int a, int b) const {
    if (to.type(a).rank != 2 || to.type(b).rank != 2) return -1;
    int const transposes = (is_transpose(to, a) ? 1 : 0) + (is_transpose(to, b) ? 1 : 0);
    if (transposes == 0) return -1;
    int const left = transposed(to, b), size = to.size();
    int const product = to.apply<op::dot>({left, transposed(to, a)});
    // Where both have one transpose, the first of the two stays.
    if (transposes == 2 ? !is_known(to[product].hash) : product >= size) return -1;
    return transposed(to, product);
  }
  static constexpr bool is_transpose(graph const& g, int id) {
    return g.is<op::dimshuffle>(id) && g[id].attribute_count == 2 && g.attribute(id, 0) == 1 &&
           g.attribute(id, 1) == 0;
  }
  static constexpr int transposed(graph& g, int id) {
    return is_transpose(g, id) ? g.input_of(id, 0) : g.apply<op::dimshuffle>({id}, {1, 0});
  }

  static constexpr int source_rank(graph const& g, int view) {
    return g.type(g.input_of(view, 0)).rank;
  }
  // Whether `id` is to a vector, which broadcasts along leading axes, what the dimshuffle `view` is
  // to tensors of its rank.
  static constexpr bool same_for_vector(graph const& g, int view, int id) {
    int const missing = source_rank(g, view) - source_rank(g, id);
    if (!g.is<op::dimshuffle>(view) || !g.is<op::dimshuffle>(id) || missing <= 0 ||
        g[view].attribute_count != g[id].attribute_count)
      return false;
    for (int d = 0; d < g[id].attribute_count; ++d) {
      long long const expected =
          g.attribute(view, d) < missing ? -1 : g.attribute(view, d) - missing;
      if (g.attribute(id, d) != expected) return false;
    }
    return true;
  }
  static constexpr bool same_view(graph const& g, int a, int b) {
    if (g[a].op->key != g[b].op->key ||
        g.type(g.input_of(a, 0)).rank != g.type(g.input_of(b, 0)).rank ||
        g.type(g.input_of(a, 0)).broadcast != g.type(g.input_of(b, 0)).broadcast ||
        g[a].input_count != g[b].input_count || g[a].attribute_count != g[b].attribute_count)
      return false;
    for (int i = 1; i < g[a].input_count; ++i)
      if (g.input_of(a, i) != g.input_of(b, i)) return false;
    for (int i = 0; i < g[a].attribute_count; ++i)
      if (g.attribute(a, i) != g.attribute(b, i)) return false;
    return true;
  }

  graph from_;
  list<std::uint64_t> known_;
};

}  // namespace kroton::rewrite
