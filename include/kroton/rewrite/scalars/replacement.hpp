// Scalar replacement: a function of small arrays of known extents as a function of their elements.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/along_axes/reduction.hpp>
#include <kroton/ops/shapes/extents.hpp>
#include <kroton/ops/shapes/fixed.hpp>
#include <kroton/rewrite/engine/clean.hpp>
#include <kroton/rewrite/form/fold.hpp>
#include <kroton/rewrite/scalars/assembly.hpp>
#include <kroton/rewrite/scalars/cost.hpp>

namespace kroton::rewrite {

class scalar_replacement;

/// How the elements of a node follow from those of its operands: gives them, or none where that is
/// not known.
struct element_rule {
  op_info const* op;
  void (*give)(scalar_replacement&, int id, list<int>& elements);
  bool takes_whole_axes = false, takes_each = false;  // the same for each index of leading axes
};
/// See scalars/rules.hpp.
constexpr items<element_rule> element_rules();
/// See scalars/conditions.hpp.
constexpr bool has_no_contradiction(scalar_replacement&);
constexpr void move_conditions(scalar_replacement&);

/// Writes a graph anew, with a node for each element of its arrays along the axes whose extents are
/// known, if these are few. (Scalar replacement of aggregates, for arrays)
class scalar_replacement {
 public:
  // By measurement: a product of matrices of 4 x 4, 64 terms, takes 5 ns as numbers and 13 ns as
  // arrays, one of 6 x 6, 216 terms, 41 and 23 ns.
  static constexpr int most_elements = 36, most_terms = 64, most_nodes = 3000;

  /// With `in_any_case`, types give all extents. Without it, arrays stay whole where an op needs
  /// them whole.
  constexpr scalar_replacement(graph const& g, bool in_any_case)
      : from_(g), table_(from_), in_any_case_(in_any_case) {
    for (auto const& c : g.constraints())
      if (c.kind == condition::equal) classes_.unite(from_, traced(c.left), traced(c.right));
  }

  /// Whether everything could be replaced.
  constexpr bool run() {
    int const size = from_.size();
    list<bool> const live = from_.live();
    arrays_ = list<small_array>(size);
    whole_ = list<int>(size, -1);
    made.share_bodies(from_);
    for (int id : from_.parameters())
      whole_[id] = made.input(from_.type(id), static_cast<int>(from_.attribute(id, 0)));
    possible_ = has_no_contradiction(*this) && possible_;
    for (int id = 0; id < size && possible_; ++id)
      if (live[id] && arrays_[id].elements.empty()) replace(id);
    if (possible_) adopt();
    bool const favored =
        has_whole_axes_ ? cost_.favors_elements_that_are_arrays() : cost_.favors_scalars();
    return possible_ && favored && made.error().empty();
  }
  graph made{};

  // For rules.
  constexpr graph const& from() const { return from_; }
  /// A list of its own, since references into a graph end where it grows.
  constexpr list<int> inputs_of(int id) const {
    return list<int>(from_.inputs(id).first, from_.inputs(id).count);
  }
  /// What is applied, perhaps for each index of leading axes.
  constexpr op_info const& op_of(int id) const {
    op_info const* const op = from_[id].op;
    return op->has_slice ? *op->slice() : *op;
  }
  /// Whether nothing has axes that are whole but the leading ones for each index of which an op is
  /// applied, and there all of these are.
  constexpr bool is_taken_apart(int id) const {
    auto const bits = [](int axes) { return (1u << axes) - 1; };
    bool is = arrays_[id].whole == bits(leading_axes(id)) || from_.is<op::item>(id) ||
              op_of(id).outputs > 1;
    for (int k = 0; k < from_[id].input_count; ++k)
      is = is && arrays_[from_.input_of(id, k)].whole == bits(leading_axes(id, k));
    return is;
  }
  /// For each index of how many leading axes an op is applied; and how many of them an operand has.
  constexpr int leading_axes(int id) const {
    return from_[id].op->has_slice ? static_cast<int>(from_.attribute(id, 0)) : 0;
  }
  constexpr int leading_axes(int id, int k) const {
    int const axes = leading_axes(id);
    return axes > 0 && (from_.attribute(id, 1) >> k & 1) != 0 ? axes : 0;
  }
  constexpr small_array const& array(int id) { return arrays_[id]; }
  constexpr small_array const& operand(int id, int k) { return arrays_[from_.input_of(id, k)]; }
  constexpr list<int> const& extents(int id) const { return arrays_[id].extents; }
  /// An operand that is a number; -1 where it is not.
  constexpr long long number(int id, int k) {
    int const n = scalar(from_.input_of(id, k));
    bool const known = n >= 0 && made.is_literal(n) && made.literal_bits(n) >= 0;
    return known ? made.literal_bits(n) : -1;
  }
  constexpr int apply(op_info const* op, element e, list<int> const& inputs,
                      items<long long> attributes = {}) {
    int rank = 0;
    for (int in : inputs) rank = rank < made.type(in).rank ? made.type(in).rank : rank;
    if (is_op<op::cast>(op) && (rank > 0 || made.is_literal(inputs[0])))
      return made.cast(inputs[0], e);
    return rank == 0 ? folded_integer(made.add(op, {e, 0, 0}, inputs, attributes))
                     : made.apply(op, inputs, attributes);
  }
  /// An element of an array as one of a node, given for each axis of the array the one of the node.
  constexpr int placed(small_array const& of, int element, list<int> const& axes, int id) {
    // Elements of one along an axis that is whole in the other.
    for (int own = 0; own < axes.size(); ++own)
      if (of.extents[own] > 1 && axes[own] >= 0 && arrays_[id].is_whole(axes[own])) give_up();
    list<int> pattern;
    for (int d = 0; d < arrays_[id].extents.size(); ++d) {
      if (!arrays_[id].is_whole(d)) continue;
      int source = -1;
      for (int own = 0; own < axes.size(); ++own)
        if (axes[own] == d && of.is_whole(own)) source = of.axis_in_element(own);
      if (source >= 0 || !pattern.empty()) pattern.push_back(source);
    }
    int found = 0;
    bool same = true;
    for (int k = 0; k < pattern.size(); ++k) {
      found += pattern[k] >= 0 ? 1 : 0;
      same = same && pattern[k] == k;
    }
    if (found != of.whole_axes()) give_up();
    if (found != of.whole_axes() || (same && found == pattern.size())) return element;
    list<long long> attributes;
    for (int source : pattern) attributes.push_back(source);
    return made.apply(identity<op::dimshuffle>(), list<int>{element}, attributes);
  }
  /// The same where axes are aligned on the right.
  constexpr int aligned(small_array const& of, list<int> const& index, int id) {
    if (of.whole == 0 && arrays_[id].whole == 0) return of.at(index);
    list<int> axes;
    for (int d = 0, lead = arrays_[id].rank() - of.rank(); d < of.rank(); ++d)
      axes.push_back(d + lead);
    return placed(of, of.at(index), axes, id);
  }
  /// A value with all axes of an element of a node, whose extents are given.
  constexpr int spread(int value, list<int> const& extents) {
    if (made.type(value).rank == extents.size() && made.type(value).broadcast == 0) return value;
    list<int> inputs{value};
    inputs.append(extents.data(), extents.size());
    return made.apply(identity<op::alloc>(), inputs);
  }
  /// The node that stands for a scalar, also for one of extents that is not among the nodes of the
  /// graph as it was. -1 if an extent is not known.
  constexpr int scalar(int id) {
    if (id >= arrays_.size()) {
      arrays_.extend(id + 1, {});
      whole_.extend(id + 1, -1);
    }
    if (arrays_[id].elements.empty()) {
      if (from_.type(id).rank > 0 || in_progress_.contains(id)) return -1;
      in_progress_.push_back(id);
      bool known = true;
      for (int in : inputs_of(id))
        known = known && (from_.type(in).rank > 0 ? is_there(id, in) : scalar(in) >= 0);
      if (known) replace(id);
      in_progress_.pop_back();
    }
    return arrays_[id].elements.empty() ? -1 : arrays_[id].elements[0];
  }

  constexpr int parameter(int id) const { return whole_[id]; }
  /// The scalar that is an extent of an array, in the graph as it was.
  constexpr int extent_of(int id, int d) { return table_.find(id, d); }
  /// Whether two extents are the same at every call.
  constexpr bool are_equal(int a, int b) const { return classes_.find(a) == classes_.find(b); }
  constexpr bool has_whole_axes() const { return has_whole_axes_; }
  /// An operand that is an extent or an index, as a node.
  constexpr int scalar_operand(int id, int k) {
    int const n = scalar(from_.input_of(id, k));
    if (n < 0) give_up();
    return n;
  }
  constexpr int sum_of(list<int> const& terms) { return combined(identity<op::add>(), terms); }
  constexpr int zero(element e) { return made.literal(0, e); }
  constexpr void give_up() { possible_ = false; }

 private:
  /// What a condition says of an extent counts for what the extent is traced back to. A function
  /// that is mapped has said it of extents of its slices.
  constexpr int traced(int extent) {
    if (from_.is<op::extent_of>(extent)) {
      int const of = from_.input_of(extent, 0),
                found = table_.find(of, static_cast<int>(from_.attribute(extent, 0)));
      return found == extent ? extent : traced(found);
    }
    if (from_.type(extent).rank > 0 || !from_[extent].op->elementwise) return extent;
    list<int> inputs;
    for (int in : inputs_of(extent)) inputs.push_back(traced(in));
    list<long long> const attributes(from_.attributes(extent).first, from_[extent].attribute_count);
    return from_.add(from_[extent].op, from_.type(extent), inputs, attributes);
  }
  /// Whether a scalar can be had of an array: an extent of it also before it is replaced, unless it
  /// is computed with its elements.
  constexpr bool is_there(int scalar, int array) {
    if (!arrays_[array].elements.empty()) return true;
    return from_.is<op::extent_of>(scalar) &&
           (from_.is<op::input>(array) ||
            table_.find(array, static_cast<int>(from_.attribute(scalar, 0))) != scalar);
  }
  // Indices and extents have to be numbers here; functions of other literals are folded last.
  constexpr int folded_integer(int id) {
    return is_integer(made.type(id).element) ? folded(made, id) : id;
  }
  constexpr int combined(op_info const* op, list<int> const& operands) {
    int all = operands[0];
    for (int k = 1; k < operands.size(); ++k)
      all = apply(op, made.type(all).element, list<int>{all, operands[k]});
    return all;
  }

  constexpr long long known_extent(int id, int d) { return known_number(table_.find(id, d)); }
  // Of extents that are equal one may be a number, another one computed from numbers.
  constexpr long long known_number(int extent) {
    int const same = classes_.find(extent);
    if (from_.is_literal(same)) return from_.literal_bits(same);
    int const computed = from_.is<op::extent_of>(extent) ? same : extent;
    int const n = from_.is<op::extent_of>(computed) ? -1 : scalar(computed);
    return n >= 0 && made.is_literal(n) ? made.literal_bits(n) : -1;
  }
  constexpr void replace(int id) {
    small_array all;
    tensor_type const type = from_.type(id);
    for (int d = 0; d < type.rank && possible_; ++d) {
      long long const n = known_extent(id, d);
      possible_ = n != 0 && n <= most_elements;
      if (n < 0) all.whole |= 1u << d;
      if (possible_) all.extents.push_back(n < 0 ? 1 : static_cast<int>(n));
      possible_ = possible_ && all.count() <= most_elements;
    }
    if (!possible_) return;
    arrays_[id].extents = all.extents;
    arrays_[id].whole = all.whole;
    has_whole_axes_ = has_whole_axes_ || all.whole != 0;
    give_elements(id, all.elements);
    possible_ = possible_ && (in_any_case_ || stays_apart(id, all));
    cost_.add(from_, id, all.count(), !all.elements.empty());
    if (from_[id].op->reduction && all.whole != 0 && operand(id, 0).count() > all.count())
      cost_.add_short_rows();
    if (all.elements.empty() && possible_) give_elements_of_whole(id, all);
    possible_ = possible_ && all.elements.size() == all.count();
    arrays_[id].elements.swap(all.elements);
    possible_ = possible_ && made.size() <= most_nodes;
  }
  /// Whether a node is computed element by element. An outer product of whole axes is left to one
  /// product of matrices.
  constexpr bool stays_apart(int id, small_array const& all) const {
    bool const is_product = from_.is<op::dot>(id) || from_.is<op::batched_dot>(id);
    if (!all.elements.empty()) return !is_product || all.whole_axes() < 2;
    if (from_.is<op::input>(id) || from_.is<op::subtensor>(id) ||
        from_.is<op::set_subtensor>(id) || from_.is<op::inc_subtensor>(id))
      return true;
    bool are_whole = true;
    for (int in : from_.inputs(id))
      are_whole = are_whole && (whole_[in] >= 0 || arrays_[in].count() == 1);
    return are_whole;
  }
  constexpr void give_elements(int id, list<int>& elements) {
    op_info const& op = *from_[id].op;
    if (from_.is<op::input>(id)) return;
    if (from_.is<op::extent_of>(id)) give_extent(id, elements);
    else if (op.elementwise) give_elementwise(id, elements);
    else if (op.reduction) give_reduced(id, elements);
    else
      for (element_rule const& rule : element_rules())
        if (rule.op->key == (rule.takes_each ? op_of(id) : op).key &&
            (rule.takes_whole_axes || is_taken_apart(id)))
          rule.give(*this, id, elements);
  }
  constexpr void give_extent(int id, list<int>& elements) {
    int const of = from_.input_of(id, 0), d = static_cast<int>(from_.attribute(id, 0));
    long long const n = known_extent(of, d);
    int const same = n >= 0 ? -1 : table_.find(of, d);
    if (n >= 0) elements.push_back(made.literal_of_bits(n, element::int64));
    else if (from_.is<op::input>(of)) elements.push_back(extent_node(made, whole_[of], d));
    else if (same != id) elements.push_back(scalar(same));
    else if (!arrays_[of].elements.empty())
      elements.push_back(
          extent_node(made, arrays_[of].elements[0], arrays_[of].axis_in_element(d)));
    possible_ = possible_ && !elements.empty() && elements[0] >= 0;
  }
  constexpr void give_elementwise(int id, list<int>& elements) {
    list<int> inputs;
    for_each_index(extents(id), [&](list<int> const& index) {
      inputs.clear();
      for (int in : inputs_of(id)) inputs.push_back(aligned(arrays_[in], index, id));
      elements.push_back(apply(from_[id].op, from_.type(id).element, inputs, from_.attributes(id)));
    });
  }
  constexpr void give_reduced(int id, list<int>& elements) {
    op_info const* with = from_.is<op::sum>(id)    ? identity<op::add>()
                          : from_.is<op::prod>(id) ? identity<op::mul>()
                          : from_.is<op::max>(id)  ? identity<op::maximum>()
                          : from_.is<op::min>(id)  ? identity<op::minimum>()
                          : from_.is<op::all>(id)  ? identity<op::bit_and>()
                          : from_.is<op::any>(id)  ? identity<op::bit_or>()
                                                   : nullptr;
    if (with == nullptr) return;
    small_array const& of = operand(id, 0);
    long long const axes = from_.attribute(id, 0);
    bool const keeps = from_.attribute(id, 1) != 0;
    // Sums of numbers of float32 are rounded once; arrays stay lanes of one type.
    element const e = from_.type(id).element,
                  wide = of.whole == 0 && e == element::float32 &&
                                 (from_.is<op::sum>(id) || from_.is<op::prod>(id))
                             ? element::float64
                             : e;
    list<list<int>> operands(arrays_[id].count(), list<int>{});
    int next = 0;
    for_each_index(of.extents, [&](list<int> const& index) {
      int flat = 0;
      for (int d = 0, kept = 0; d < index.size(); ++d) {
        bool const is_axis = (axes >> d & 1) != 0;
        if (is_axis && !keeps) continue;
        flat = flat * extents(id)[kept++] + (is_axis ? 0 : index[d]);
      }
      operands[flat].push_back(made.cast(of.elements[next++], wide));
    });
    long long in_element = 0;
    for (int d = 0; d < of.rank(); ++d)
      if ((axes >> d & 1) != 0 && of.is_whole(d)) in_element |= 1ll << of.axis_in_element(d);
    for (list<int> const& all : operands) {
      int const over_elements = combined(with, all);
      int const over_all = in_element == 0 ? over_elements
                                           : made.apply(from_[id].op, list<int>{over_elements},
                                                        list<long long>{in_element, 0});
      elements.push_back(made.cast(over_all, e));
    }
  }

  // The elements of a parameter, or of what is computed as a whole from whole arrays.
  constexpr void give_elements_of_whole(int id, small_array& all) {
    int const array = whole(id);
    if (!possible_) return;
    list<long long> attributes;
    for (int d = 0; d < all.rank(); ++d)
      for (long long a : {all.is_whole(d) ? 0 : 1, 1}) attributes.push_back(a);
    bool const is_element = all.whole_axes() == all.rank();
    for_each_index(all.extents, [&](list<int> const& index) {
      list<int> inputs{array};
      for (int d = 0; d < all.rank(); ++d)
        if (!all.is_whole(d)) inputs.push_back(made.literal(index[d], element::int64));
      all.elements.push_back(
          is_element ? array : made.apply(identity<op::subtensor>(), inputs, attributes));
    });
  }
  constexpr int whole(int id) {
    if (whole_[id] >= 0) return whole_[id];
    small_array const& all = arrays_[id];
    if (all.elements.empty()) {
      op_info const& op = *from_[id].op;
      possible_ =
          possible_ && !op.has_body && !op.is_serial && op.outputs == 1 && !from_.is<op::item>(id);
      if (!possible_) return -1;
      list<int> inputs;
      for (int in : inputs_of(id)) inputs.push_back(whole(in));
      if (possible_)
        whole_[id] = made.add(from_[id].op, from_.type(id), inputs, from_.attributes(id));
    } else if (all.rank() == all.whole_axes()) {
      whole_[id] = all.elements[0];
    } else {
      whole_[id] = assembled(made, all, from_.type(id));
    }
    return whole_[id];
  }
  constexpr void adopt() {
    for (int id : list<int>(from_.results())) made.results().push_back(whole(id));
    for (auto const& u : from_.updates()) made.updates().push_back({u.parameter, whole(u.value)});
    move_conditions(*this);
    for (auto const& n : from_.names())
      if (from_.is<op::input>(n.node)) made.names().push_back({whole_[n.node], n.name});
    made.fail(from_.error());
  }

  graph from_;
  ops::extent_table table_;
  ops::extent_classes classes_{};
  list<small_array> arrays_{};
  list<int> whole_{};  // what stands for a node as an array
  list<int> in_progress_{};
  replacement_cost cost_{};
  bool in_any_case_, possible_ = true, has_whole_axes_ = false;
};

}  // namespace kroton::rewrite
