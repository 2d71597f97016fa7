// What sinking views has duplicated is undone: f(view(x)) is view(f(x)) where f(x) is computed
// anyway, for products too, or for another such view, or where the view adds axes to an x that is.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/conditional.hpp>
#include <kroton/ops/shapes/transposes.hpp>
#include <kroton/rewrite/engine/clean.hpp>
#include <kroton/rewrite/engine/order.hpp>
#include <kroton/rewrite/rules/selections.hpp>

namespace kroton::rewrite {

/// Lifts views over elementwise ops and products whose result on the viewed operands is in the
/// graph too. Of a product of more factors, it lifts them over those that are viewed.
class hoister {
 public:
  constexpr explicit hoister(graph from) : from_(std::move(from)) {}

  constexpr graph run() {
    // What is computed anyway may be so only where an ifelse asks for it.
    if (from_.has<op::ifelse>()) return std::move(from_);
    from_ = cleaner(from_, true).run();
    // A lifted view may let others be lifted, so this repeats.
    for (int k = 0; k < most_rounds && lift_all(); ++k) {}
    return std::move(from_);
  }

 private:
  static constexpr int most_rounds = 4;
  /// An application of a commutative op, with the sum of its operands' hashes.
  struct unordered {
    std::uint64_t sum;
    int id;
  };

  /// Lifts what can be lifted; returns whether that was anything.
  constexpr bool lift_all() {
    list<bool> const live = from_.live();
    known_.clear();
    refused_.clear();
    commutative_.clear();
    for (int id = 0; id < from_.size(); ++id) {
      if (!live[id]) continue;
      known_.push_back(from_[id].hash);
      if (!from_[id].op->elementwise || !from_[id].op->has(law::commutative)) continue;
      unordered node{0, id};
      for (int i : from_.inputs(id)) node.sum += from_[i].hash;
      commutative_.push_back(node);
    }
    sort(known_);
    bool any = false;
    graph to = lifted(live, any);
    if (find_common()) to = lifted(live, any);
    from_ = cleaner(to, true).run();
    return any;
  }
  constexpr graph lifted(list<bool> const& live, bool& any) {
    graph to;
    to.share_bodies(from_);
    list<int> position(from_.size(), -1);
    for (int id : from_.parameters())
      position[id] = to.input(from_.type(id), static_cast<int>(from_.attribute(id, 0)));
    for (int id = 0; id < from_.size(); ++id) {
      if (position[id] >= 0) continue;
      list<int> inputs;
      for (int i : from_.inputs(id)) inputs.push_back(position[i]);
      int const above = !live[id]                 ? -1
                        : from_.is<op::dot>(id)   ? lift_dot(to, inputs[0], inputs[1])
                        : from_[id].op->reduction ? lift_reduction(to, id, inputs[0])
                                                  : lift(to, id, inputs);
      any = any || above >= 0;
      position[id] =
          above >= 0 ? above : to.add(from_[id].op, from_.type(id), inputs, from_.attributes(id));
    }
    to.adopt(from_, position);
    copy_written(from_, to, position);
    return to;
  }
  /// Whether several views are of one value that nothing else reads, which is known from then on.
  constexpr bool find_common() {
    sort(refused_);
    int const before = known_.size();
    for (int k = 0; k + 1 < refused_.size(); ++k)
      if (refused_[k] == refused_[k + 1] && (k == 0 || refused_[k] != refused_[k - 1]))
        known_.push_back(refused_[k]);
    bool const found = known_.size() > before;
    sort(known_);
    return found;
  }
  /// Gives the operands of a commutative op the order in which it is applied to them elsewhere; if
  /// it is not, that of their hashes.
  constexpr void order_as_known(graph const& g, int id, list<int>& operands) const {
    merge_sort(operands, [&](int a, int b) { return stands_before(g, a, b); });
    std::uint64_t sum = 0;
    for (int i : operands) sum += g[i].hash;
    for (unordered const& known : commutative_) {
      if (known.sum != sum || from_[known.id].op->key != from_[id].op->key ||
          from_[known.id].input_count != operands.size())
        continue;
      list<int> ordered;
      for (int i : from_.inputs(known.id))
        for (int o : operands)
          if (g[o].hash == from_[i].hash) ordered.push_back(o);
      // One that is there twice has been found four times.
      if (ordered.size() == operands.size()) return operands.swap(ordered);
    }
  }
  static constexpr void sort(list<std::uint64_t>& hashes) {
    merge_sort(hashes, [](std::uint64_t a, std::uint64_t b) { return a < b; });
  }
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
  constexpr int lift(graph& to, int id, list<int> const& inputs) {
    if (!from_[id].op->elementwise) return -1;
    int const view = widest_view(to, inputs);
    if (view < 0) return -1;
    list<int> sources;
    for (int i : inputs)
      if (int const source = below(to, view, i); source >= 0) sources.push_back(source);
    return sources.size() == inputs.size() ? lifted_application(to, id, view, sources, true)
           : from_.is<op::mul>(id)          ? lift_factors(to, id, view, inputs)
                                            : -1;
  }
  /// A product whose factors that are the same along axes that a view adds are multiplied without
  /// them. In which order terms are added lowering decides.
  constexpr int lift_factors(graph& to, int id, int view, list<int> const& inputs) {
    list<int> sources, others;
    for (int i : inputs) {
      int const source = to.type(i).rank == 0 ? -1 : below(to, view, i);
      if (source >= 0) sources.push_back(source);
      else others.push_back(i);
    }
    int const factors = sources.size() < 2 ? -1 : lifted_application(to, id, view, sources, false);
    if (factors < 0) return -1;
    others.push_back(factors);
    return to.add(from_[id].op, from_.type(id), others, from_.attributes(id));
  }
  /// The view of an application to sources; -1 if nothing else computes it. All: whether it is all
  /// of the node.
  constexpr int lifted_application(graph& to, int id, int view, list<int>& sources, bool all) {
    tensor_type type = to.type(to.input_of(view, 0));
    type.element = from_.type(id).element;
    int application = to.add(from_[id].op, type, sources, from_.attributes(id));
    if (!is_known(to[application].hash) && from_[id].op->has(law::commutative)) {
      // The order of the operands is that of their views.
      order_as_known(to, id, sources);
      application = to.add(from_[id].op, type, sources, from_.attributes(id));
    }
    bool const are_few = all && multiplied(from_, id) == id && are_of_groups(to, view, sources);
    if (!is_known(to[application].hash) && !are_computed(to, view, sources) && !are_few) {
      // What selects elements may be of few of them, for which f(x) would compute more.
      if (all && to.is<op::dimshuffle>(view) && multiplied(from_, id) == id)
        refused_.push_back(to[application].hash);
      return -1;
    }
    list<int> operands;
    for (int i : to.inputs(view)) operands.push_back(i);
    operands[0] = application;
    list<long long> attributes;
    for (long long a : to.attributes(view)) attributes.push_back(a);
    tensor_type shape = all ? from_.type(id) : to.type(view);
    shape.element = type.element;
    return to.add(to[view].op, shape, operands, attributes);
  }
  // Whether a view adds axes to what loops compute: then f(x) costs no more than f(view(x)), and is
  // computed in the same loop; functions of one reduction stay where they are added or multiplied.
  static constexpr bool are_computed(graph const& g, int view, list<int> const& sources) {
    if (!g.is<op::dimshuffle>(view)) return false;
    long long expected = 0;
    for (long long a : g.attributes(view))
      if (a >= 0 && a != expected++) return false;
    int arrays = 0, reductions = 0;
    for (int s : sources) {
      int const of = g.is<op::dimshuffle>(s) ? g.input_of(s, 0) : s;
      if (g.type(of).rank == 0) continue;
      bool const is_applied = g[of].op->elementwise && g[of].input_count > 0;
      if (!is_applied && !g[of].op->reduction) return false;
      ++arrays;
      reductions += is_applied ? 0 : 1;
    }
    return (arrays > 1 || reductions == 0) && expected == g.type(g.input_of(view, 0)).rank;
  }
  /// Whether rows are taken by the indices by which rows were added up: there are at most as many
  /// sums as were written before, and most often fewer than there are indices.
  static constexpr bool are_of_groups(graph const& g, int view, list<int> const& sources) {
    if (!g.is<op::take>(view) || g.type(g.input_of(view, 1)).rank == 0) return false;
    for (int s : sources)
      if (g.type(s).rank != 0 && !is_of_groups(g, s, g.input_of(view, 1))) return false;
    return true;
  }
  /// A reduction of a view with the axes in another order, or with more of them, which it keeps:
  /// along these axes of what is viewed.
  constexpr int lift_reduction(graph& to, int id, int view) const {
    if (!to.is<op::dimshuffle>(view) || from_.attribute(id, 1) != 0) return -1;
    list<long long> axes{0, 0}, pattern;
    long long last = -1, kept = 0, seen = 0;
    for (int d = 0; d < to[view].attribute_count; ++d) {
      long long const from = to.attribute(view, d);
      bool const is_reduced = (from_.attribute(id, 0) >> d & 1) != 0;
      if (is_reduced ? from < 0 : from >= 0 && from < last) return -1;
      if (is_reduced) axes[0] |= 1ll << from;
      else pattern.push_back(from < 0 ? -1 : kept++);
      if (!is_reduced && from >= 0) last = from;
      seen += from >= 0 ? 1 : 0;
    }
    if (seen != source_rank(to, view)) return -1;
    list<int> const operand{to.input_of(view, 0)};
    int result = to.apply(from_[id].op, operand, axes);
    if (pattern.size() != kept) {
      list<int> const reduced{result};
      result = to.apply(identity<op::dimshuffle>(), reduced, pattern);
    }
    return result;
  }
  /// The transpose of the product of the transposes, when that product is computed anyway.
  constexpr int lift_dot(graph& to, int a, int b) const {
    if (to.type(a).rank != 2 || to.type(b).rank != 2) return -1;
    int const transposes = (ops::is_transpose(to, a) ? 1 : 0) + (ops::is_transpose(to, b) ? 1 : 0);
    if (transposes == 0) return -1;
    int const left = ops::transpose(to, b), size = to.size();
    int const product = to.apply<op::dot>({left, ops::transpose(to, a)});
    // Where both have one transpose, the first of the two stays.
    if (transposes == 2 ? !is_known(to[product].hash) : product >= size) return -1;
    return ops::transpose(to, product);
  }

  static constexpr int source_rank(graph const& g, int view) {
    return g.type(g.input_of(view, 0)).rank;
  }
  /// The operand whose view the others may be views like: of the highest rank, and with the fewest
  /// axes of one element; -1 where none is a view.
  static constexpr int widest_view(graph const& g, list<int> const& operands) {
    int view = -1;
    for (int operand : operands) {
      int const i = multiplied(g, operand);
      if (!is_selection(g, i)) continue;
      int const more = view < 0 ? 1 : source_rank(g, i) - source_rank(g, view);
      if (more > 0 || (more == 0 && ones_of_source(g, i) < ones_of_source(g, view))) view = i;
    }
    return view;
  }
  static constexpr int ones_of_source(graph const& g, int view) {
    return std::popcount(g.type(g.input_of(view, 0)).broadcast);
  }
  /// What a literal multiplies; another node itself. Where terms are signed is left as it is.
  static constexpr int multiplied(graph const& g, int id) {
    bool const is_multiple =
        g.is<op::mul>(id) && g[id].input_count == 2 && g.is_literal(g.input_of(id, 0));
    return is_multiple ? g.input_of(id, 1) : id;
  }
  /// What an operand is where a view is of the result: numbers stay, the same view goes; -1 where
  /// it has axes that the view adds, or is not a view.
  static constexpr int below(graph& g, int view, int id) {
    int const times = multiplied(g, id);
    if (g.type(id).rank == 0 && !is_selection(g, times)) return id;
    if (!is_selection(g, times))
      return g.type(id).rank < g.type(view).rank ? without_added_axes(g, view, id) : -1;
    int const source = same_view(g, view, times) ? g.input_of(times, 0)
                                                 : without_added_axes(g, view, times);
    if (source < 0 || times == id) return source;
    list<int> const factors{g.input_of(id, 0), source};
    return g.apply(identity<op::mul>(), factors);
  }
  /// An operand, such as another dimshuffle, as one of what a dimshuffle is the view of: without
  /// the axes that this one adds, and with the others in the order that they had before it.
  static constexpr int without_added_axes(graph& g, int view, int id) {
    bool const is_view = g.is<op::dimshuffle>(id);
    if (!g.is<op::dimshuffle>(view) || (!is_view && is_selection(g, id))) return -1;
    int const missing = g[view].attribute_count - g.type(id).rank,
              source = is_view ? g.input_of(id, 0) : id;
    tensor_type const whole = g.type(g.input_of(view, 0));
    list<long long> axes(whole.rank, -1);
    int kept = 0;
    for (int d = 0; d < g[view].attribute_count; ++d) {
      long long const to = g.attribute(view, d),
                      own = d < missing ? -1 : is_view ? g.attribute(id, d - missing) : d - missing;
      if (own >= 0 && (to < 0 || whole.broadcast >> to & 1)) return -1;
      if (to >= 0) axes[static_cast<int>(to)] = own;
      kept += to >= 0 ? 1 : 0;
    }
    if (missing < 0 || kept != whole.rank) return -1;
    list<long long> pattern;  // without ones in front, which broadcasting adds
    bool changes = false;
    for (long long axis : axes) {
      if (axis < 0 && pattern.empty()) continue;
      changes = changes || axis != pattern.size();
      pattern.push_back(axis);
    }
    if (!changes && pattern.size() == g.type(source).rank) return source;
    list<int> const operand{source};
    return g.apply(identity<op::dimshuffle>(), operand, pattern);
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
  list<std::uint64_t> known_{}, refused_{};
  list<unordered> commutative_{};
};

}  // namespace kroton::rewrite
