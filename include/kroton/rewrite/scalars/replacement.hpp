// Scalar replacement: a function of small arrays of known extents as a function of their elements.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/extents.hpp>
#include <kroton/ops/fixed.hpp>
#include <kroton/ops/reduction.hpp>
#include <kroton/rewrite/engine/clean.hpp>
#include <kroton/rewrite/form/fold.hpp>
#include <kroton/rewrite/scalars/small_array.hpp>

namespace kroton::rewrite {

class scalar_replacement;

/// How the elements of a node follow from those of its operands: gives them, or none where that is
/// not known.
struct element_rule {
  op_info const* op;
  void (*give)(scalar_replacement&, int id, list<int>& elements);
};
/// See scalars/rules.hpp.
constexpr items<element_rule> element_rules();

constexpr bool reads_arrays(graph const& g, int id) {
  bool reads = false;
  for (int in : g.inputs(id)) reads = reads || g.type(in).rank > 0;
  return reads;
}

/// What a small call takes as one of arrays and as one of numbers, in nanoseconds, where they
/// differ. (Measured on an EPYC of 2024 by functions of 2 to 32 elements)
class replacement_cost {
 public:
  /// `is_replaced`: a node that is not stays a step, which needs its operands put together.
  constexpr void add(graph const& g, int id, int count, bool is_replaced) {
    op_info const& op = *g[id].op;
    if ((g.type(id).rank == 0 && !reads_arrays(g, id)) || g.is<op::input>(id) ||
        g.is<op::extent_of>(id))
      return;
    if (!is_replaced) {
      scalars_ += step_in_frame;
    } else if (op.has_each) {
      arrays_ += function_of_matrices;
    } else if (!op.elementwise) {
      ++steps_;
    } else if (!op.cheap) {
      arrays_ += function_of_vectors + function_of_numbers * ((count + 7) / 8);
      scalars_ += function_of_numbers * count;
    }
  }
  constexpr bool favors_scalars() const {
    bool const is_small_call = steps_ <= 12;
    return scalars_ <= arrays_ + (is_small_call ? step : step_in_frame) * steps_;
  }

 private:
  static constexpr int function_of_numbers = 5, function_of_vectors = 3, function_of_matrices = 100,
                       step = 3, step_in_frame = 30;
  int steps_ = 0, arrays_ = 0, scalars_ = 0;
};

/// Writes a graph anew, with a node for each element of its arrays, if all their extents are known
/// and they have few elements. (Scalar replacement of aggregates, for arrays)
class scalar_replacement {
 public:
  // By measurement: a product of matrices of 4 x 4, 64 terms, takes 5 ns as numbers and 13 ns as
  // arrays, one of 6 x 6, 216 terms, 41 and 23 ns.
  static constexpr int most_elements = 36, most_terms = 64, most_nodes = 3000;

  constexpr explicit scalar_replacement(graph const& g) : from_(g), table_(from_) {
    for (auto const& c : g.constraints())
      if (c.kind == condition::equal) classes_.unite(from_, c.left, c.right);
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
    for (int id = 0; id < size && possible_; ++id)
      if (live[id] && arrays_[id].elements.empty()) replace(id);
    if (possible_) adopt();
    return possible_ && cost_.favors_scalars() && made.error().empty();
  }
  graph made{};

  // For rules.
  constexpr graph const& from() const { return from_; }
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
    return folded_integer(made.add(op, {e, 0, 0}, inputs, attributes));
  }
  constexpr int sum_of(list<int> const& terms) { return combined(identity<op::add>(), terms); }
  constexpr int zero(element e) { return made.literal(0, e); }
  constexpr void give_up() { possible_ = false; }

 private:
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
  /// The node that stands for a scalar, also for one of extents that is not among the nodes of the
  /// graph as it was. -1 if an extent is not known.
  constexpr int scalar(int id) {
    if (id >= arrays_.size()) {
      arrays_.extend(id + 1, {});
      whole_.extend(id + 1, -1);
    }
    if (arrays_[id].elements.empty()) {
      for (int in : list<int>(from_.inputs(id).first, from_.inputs(id).count))
        if (from_.type(in).rank == 0 && scalar(in) < 0) return -1;
      replace(id);
    }
    return arrays_[id].elements.empty() ? -1 : arrays_[id].elements[0];
  }

  constexpr void replace(int id) {
    small_array all;
    tensor_type const type = from_.type(id);
    for (int d = 0; d < type.rank && possible_; ++d) {
      long long const n = known_extent(id, d);
      possible_ = n > 0 && n <= most_elements;
      if (possible_) all.extents.push_back(static_cast<int>(n));
      possible_ = possible_ && all.count() <= most_elements;
    }
    if (!possible_) return;
    arrays_[id].extents = all.extents;
    give_elements(id, all.elements);
    cost_.add(from_, id, all.count(), !all.elements.empty());
    if (all.elements.empty() && possible_) give_elements_of_whole(id, all);
    arrays_[id].elements.swap(all.elements);
    possible_ = possible_ && made.size() <= most_nodes;
  }
  constexpr void give_elements(int id, list<int>& elements) {
    op_info const& op = *from_[id].op;
    if (from_.is<op::input>(id)) return;
    if (from_.is<op::extent_of>(id)) give_extent(id, elements);
    else if (op.elementwise) give_elementwise(id, elements);
    else if (op.reduction) give_reduced(id, elements);
    else
      for (element_rule const& rule : element_rules())
        if (rule.op->key == op.key) rule.give(*this, id, elements);
  }
  constexpr void give_extent(int id, list<int>& elements) {
    long long const n =
        known_extent(from_.input_of(id, 0), static_cast<int>(from_.attribute(id, 0)));
    possible_ = possible_ && n >= 0;
    elements.push_back(made.literal_of_bits(n, element::int64));
  }
  constexpr void give_elementwise(int id, list<int>& elements) {
    list<int> inputs;
    for_each_index(extents(id), [&](list<int> const& index) {
      inputs.clear();
      for (int in : from_.inputs(id)) inputs.push_back(arrays_[in].at(index));
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
    // Sums of float32 are rounded once.
    element const e = from_.type(id).element,
                  wide = e == element::float32 && (from_.is<op::sum>(id) || from_.is<op::prod>(id))
                             ? element::float64
                             : e;
    list<list<int>> operands(extents(id).empty() ? 1 : arrays_[id].count(), list<int>{});
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
    for (list<int> const& all : operands) elements.push_back(made.cast(combined(with, all), e));
  }

  // The elements of a parameter, or of what is computed as a whole from whole arrays.
  constexpr void give_elements_of_whole(int id, small_array& all) {
    int const array = whole(id);
    if (!possible_) return;
    list<long long> attributes;
    for (int d = 0; d < all.rank(); ++d)
      for (long long a : {1, 1}) attributes.push_back(a);
    for_each_index(all.extents, [&](list<int> const& index) {
      list<int> inputs{array};
      for (int i : index) inputs.push_back(made.literal(i, element::int64));
      bool const is_scalar = index.empty();
      all.elements.push_back(is_scalar ? array
                                       : made.apply(identity<op::subtensor>(), inputs, attributes));
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
      for (int in : list<int>(from_.inputs(id).first, from_.inputs(id).count))
        inputs.push_back(whole(in));
      if (possible_)
        whole_[id] = made.add(from_[id].op, from_.type(id), inputs, from_.attributes(id));
    } else if (all.rank() == 0) {
      whole_[id] = all.elements[0];
    } else {
      whole_[id] = assembled(all, from_.type(id));
    }
    return whole_[id];
  }
  constexpr int assembled(small_array const& all, tensor_type const& type) {
    list<int> inputs{made.literal(all.count(), element::int64)};
    for (int e : all.elements) inputs.push_back(made.cast(e, type.element));
    int const vector = made.apply(identity<op::make_vector>(), inputs);
    if (all.rank() == 1) return vector;
    list<int> extents{vector};
    for (int e : all.extents) extents.push_back(made.literal(e, element::int64));
    return made.apply(identity<op::reshape>(), extents);
  }

  // Conditions between numbers that hold are gone; those that give the extents of parameters stay.
  constexpr void adopt() {
    for (int id : list<int>(from_.results())) made.results().push_back(whole(id));
    for (auto const& u : from_.updates()) made.updates().push_back({u.parameter, whole(u.value)});
    auto in_made = [&](int id) {
      bool const of_parameter =
          from_.is<op::extent_of>(id) && from_.is<op::input>(from_.input_of(id, 0));
      return of_parameter ? extent_node(made, whole_[from_.input_of(id, 0)],
                                        static_cast<int>(from_.attribute(id, 0)))
                          : scalar(id);
    };
    for (auto c : from_.constraints()) {
      int const left = scalar(c.left), right = scalar(c.right);
      bool const are_numbers =
          left >= 0 && right >= 0 && made.is_literal(left) && made.is_literal(right);
      if (are_numbers && !is_op<op::fixed>(c.op)) continue;
      c.left = in_made(c.left);
      c.right = in_made(c.right);
      made.constraints().push_back(c);
    }
    for (auto const& n : from_.names())
      if (from_.is<op::input>(n.node)) made.names().push_back({whole_[n.node], n.name});
    made.fail(from_.error());
  }

  graph from_;
  ops::extent_table table_;
  ops::extent_classes classes_{};
  list<small_array> arrays_{};
  list<int> whole_{};  // what stands for a node as an array
  replacement_cost cost_{};
  bool possible_ = true;
};

}  // namespace kroton::rewrite
