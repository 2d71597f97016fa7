// Indexing by integer tensors: taking elements, and writing to them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/along_axes/axes.hpp>
#include <kroton/ops/indexing/subtensor.hpp>
#include <kroton/ops/shapes/creation.hpp>

namespace kroton {
namespace ops {

// Attributes of op::take and of the writes: the indexed axes, as bits, and the number of other axes
// that precede the axes of the indices. The indices are int64 tensors, one for each axis, the last
// operands.

/// The index tensors as the operands of an elementwise op.
constexpr application indices_of(application const& a, int first) {
  return {a.of, {a.inputs.first + first, a.count() - first}, {}};
}

/// The type of the result of op::take: the axes of the indices among the others.
constexpr tensor_type taken_type(application const& a, int first) {
  tensor_type const from = a.input(0),
                    index = elementwise_type(indices_of(a, first), element::int64);
  tensor_type t{from.element, 0, 0};
  auto add = [&](bool one) {
    if (one) t.broadcast |= 1u << t.rank;
    ++t.rank;
  };
  auto add_indices = [&] {
    for (int d = 0; d < index.rank; ++d) add(index.broadcasts(d));
  };
  int others = 0;
  if (a.attribute(1) == 0) add_indices();
  for (int d = 0; d < from.rank; ++d) {
    if ((a.attribute(0) >> d & 1) != 0) continue;
    add(from.broadcasts(d));
    if (++others == a.attribute(1)) add_indices();
  }
  return t;
}
constexpr extent_source taken_extent(application const& a, int first, int axis) {
  int const before = static_cast<int>(a.attribute(1));
  application const indices = indices_of(a, first);
  int const rank = result_rank(indices);
  if (axis >= before && axis < before + rank) {
    extent_source source = elementwise_extent(indices, axis - before);
    source.input += first;
    return source;
  }
  int other = axis < before ? axis : axis - rank;
  for (int d = 0;; ++d)
    if ((a.attribute(0) >> d & 1) == 0 && other-- == 0) return {extent_source::dimension, 0, d};
}
/// The indices broadcast together, and the written value broadcasts to the part.
constexpr void taken_constraints(application const& a, int first, list<extent_pair>& pairs) {
  int const known = pairs.size();
  elementwise_constraints(indices_of(a, first), pairs);
  for (int i = known; i < pairs.size(); ++i) {
    pairs[i].left.input += first;
    pairs[i].right.input += first;
  }
  int const rank = first == 1 ? 0 : taken_type(a, first).rank;
  for (int d = 0; d < rank; ++d)
    if (a.input(1).spans(d, rank))
      pairs.push_back(
          {taken_extent(a, first, d), {extent_source::dimension, 1, a.input(1).aligned(d, rank)}});
}

}  // namespace ops

namespace op {

/// A copy of the elements of the first input that index tensors select; see ops::taken_type.
/// (theano AdvancedSubtensor)
struct take : operation<"take", -1> {
  static constexpr bool takes_stored = true;
  static constexpr auto own = core::own_function::untyped;
  static constexpr bool takes_complex = true, selects = true;
  static constexpr tensor_type type(core::application const& a) { return ops::taken_type(a, 1); }
  static constexpr core::extent_source extent(core::application const& a, int d) {
    return ops::taken_extent(a, 1, d);
  }
  static constexpr void constraints(core::application const& a,
                                    core::list<core::extent_pair>& pairs) {
    ops::taken_constraints(a, 1, pairs);
  }
  static constexpr core::gradient_list<1> pullback(term g, term y);
};

/// Base of ops that return a copy of the first input with the second, which broadcasts, written to
/// the selected elements.
template <text Name>
struct taken_write : operation<Name, -1> {
  static constexpr bool takes_complex = true;
  static constexpr int overwrites = 0;
  static constexpr tensor_type type(core::application const& a) { return a.input(0); }
  static constexpr core::extent_source extent(core::application const&, int d) {
    return {core::extent_source::dimension, 0, d};
  }
  static constexpr void constraints(core::application const& a,
                                    core::list<core::extent_pair>& pairs) {
    ops::taken_constraints(a, 2, pairs);
  }
};

/// Adds to elements, once for each time that the indices select them. (numpy.add.at)
struct inc_take : taken_write<"inc_take"> {
  static constexpr auto own = core::own_function::typed;
  static constexpr bool scatters = true;
  static constexpr core::gradient_list<2> pullback(term g, term y) {
    return {{g, ops::with_selection<take>(y, {g.id}, 2)}};
  }
};
/// Replaces elements; if an index occurs several times, the last value counts.
struct set_take : taken_write<"set_take"> {
  static constexpr auto own = core::own_function::untyped;
  static constexpr core::gradient_list<2> pullback(term g, term y);
};

constexpr core::gradient_list<1> take::pullback(term g, term y) {
  term const x{y.of, y.of->input_of(y.id, 0)};
  term const zeros = ops::expand_like({x.of, x.of->literal(0, x.element())}, x);
  return {{ops::with_selection<inc_take>(y, {zeros.id, g.id}, 1)}};
}

}  // namespace op

namespace ops {

/// The rank of the index tensors of a write.
constexpr int rank_of_indices(term y) {
  application const a{y.of, y.of->inputs(y.id), y.of->attributes(y.id)};
  return result_rank(indices_of(a, 2));
}
/// Whether no two elements of the index tensors of a write are the same. They may be, unless this
/// is known.
constexpr bool are_indices_distinct(term y) {
  graph const& g = *y.of;
  int const rank = rank_of_indices(y);
  bool distinct = rank == 0;
  for (int k = 2; k < g[y.id].input_count; ++k)
    distinct = distinct || (rank == 1 && g.is<op::iota>(g.input_of(y.id, k)));
  return distinct;
}
/// What of `gradient`, that of the elements that a write selects, belongs to the value that it
/// writes: 0 for elements that it overwrites itself. Which of several is the last, the same write
/// tells of their numbers.
constexpr term of_last_written(term y, term gradient) {
  if (are_indices_distinct(y)) return gradient;
  graph& g = *y.of;
  int const before = static_cast<int>(g.attribute(y.id, 1)), first = 2;
  int const rank = rank_of_indices(y);
  list<term> shape, extents;
  term count = {&g, g.literal(1, element::int64)};
  for (int d = 0; d < rank; ++d) {
    shape.push_back(extent(gradient, before + d));
    count = count * shape.back();
  }
  for (int d = 0; d < y.rank(); ++d)
    if ((g.attribute(y.id, 0) >> d & 1) != 0) extents.push_back(extent(y, d));
  term const numbers = rank == 1 ? iota(count) : reshape(iota(count), shape),
             none = alloc({&g, g.literal(0, element::int64)}, extents);
  list<int> write{none.id, numbers.id}, read{-1};
  for (int k = first; k < g[y.id].input_count; ++k) {
    write.push_back(g.input_of(y.id, k));
    read.push_back(g.input_of(y.id, k));
  }
  long long const all[] = {(1LL << extents.size()) - 1, 0};
  read[0] = g.apply(identity<op::set_take>(), write, all);
  term const last{&g, g.apply(identity<op::take>(), read, all)};
  list<int> pattern;
  for (int d = 0; d < gradient.rank(); ++d)
    pattern.push_back(d >= before && d < before + rank ? d - before : -1);
  return call<op::where>(permute(call<op::eq>(last, numbers), pattern), gradient,
                         term{&g, g.literal(0, gradient.element())});
}

}  // namespace ops

namespace op {

constexpr core::gradient_list<2> set_take::pullback(term g, term y) {
  term const rest = ops::with_selection<set_take>(y, {g.id, g.of->literal(0, g.element())}, 2);
  return {{rest, ops::of_last_written(y, ops::with_selection<take>(y, {g.id}, 2))}};
}

}  // namespace op

namespace ops {

/// Elements of x by one index tensor for each of the axes given as bits; the axes of the indices
/// come after `before` others.
constexpr term take(term x, long long axes, int before, list<term> const& indices) {
  list<int> inputs{x.id};
  for (term const& i : indices) inputs.push_back(x.of->cast(i.id, element::int64));
  long long const attributes[] = {axes, before};
  return {x.of, x.of->apply(identity<op::take>(), inputs, attributes)};
}

/// Index tensors together with integers, slices and new axes. As in NumPy, the axes of the indices,
/// including integers, replace the indices if these are adjacent, and otherwise come first.
struct mixed_selection {
  selection slices;  // whole along the axes that are taken
  list<term> indices{};
  long long taken = 0;
  // For each axis of the result: the number of one that is not taken, -1 for a new one, -2 for
  // those of the indices
  list<int> order{};
  int before = 0, others = 0;
  bool closed = false, separated = false;

  constexpr void add(newaxis_t) {
    order.push_back(-1);
    closed = !indices.empty();
  }
  template <class B, class E>
  constexpr void add(slice_t<B, E> const& s) {
    slices.add(s);
    order.push_back(others++);
    closed = !indices.empty();
  }
  template <operand I>
  constexpr void add(I const& index) {
    static_assert(is_index<I>() || is_index_tensor<I>(),
                  "kt::variable: an index must be an integer, or an integer scalar or tensor");
    separated = separated || closed;
    if (indices.empty()) {
      before = others;
      order.push_back(-2);
    }
    taken |= 1ll << slices.axis;
    slices.add(slice());
    indices.push_back({&slices.g, node_of(slices.g, index, element::int64)});
  }
  /// The axes of the result in their order, as positions in the result of op::take.
  constexpr list<int> pattern(int rank_of_indices) const {
    list<int> result;
    auto add_indices = [&](int first) {
      for (int d = 0; d < rank_of_indices; ++d) result.push_back(first + d);
    };
    if (separated) add_indices(0);
    int const first = separated ? 0 : before;
    for (int axis : order) {
      if (axis == -2 && !separated) add_indices(first);
      if (axis == -1) result.push_back(-1);
      if (axis >= 0) result.push_back(axis < first ? axis : axis + rank_of_indices);
    }
    return result;
  }
};

template <int Rank, class Value, int Whole, class... I>
constexpr part<Value, Rank, Whole> taken_part(variable<Value, Whole> const& x, I const&... index) {
  mixed_selection chosen{{*x.of, x}};
  chosen.slices.inputs.push_back(x.id);
  (chosen.add(index), ...);
  while (chosen.slices.axis < Whole) chosen.add(slice());
  term const node = take({x.of, chosen.slices.node()}, chosen.taken,
                         chosen.separated ? 0 : chosen.before, chosen.indices);
  list<int> const pattern = chosen.pattern(largest_rank<I...>());
  return {permute(node, pattern), x, node.id, pattern.contains(-1)};
}

}  // namespace ops

/// Indices must be integers.
template <class I>
concept indices_are_integers =
    (symbolic<I> && !typed<I>) || ops::is_index<core::placed_type<I>>() ||
    ops::is_index_tensor<core::placed_type<I>>();

/// The elements of x whose index along an axis is in `indices`, an integer tensor of any rank whose
/// axes replace the axis; without an axis, `indices` select among all elements in row-major order.
/// Negative indices count from the end; one that is out of range throws kt::value_error. Gradients
/// of elements that are taken several times add up. (numpy.take)
template <symbolic X, operand I, int Axis>
  requires indices_are_integers<I>
constexpr auto take(X const& x, I const& indices, axis_t<Axis>) {
  int const axis = Axis < 0 ? Axis + x.type().rank : Axis;
  term const index{x.of, core::node_of(*x.of, indices, element::int64)};
  if constexpr (typed<X>) {
    static_assert(axis_is_within_the_rank<rank_of<X>, Axis>,
                  "kt::take: the axis is outside the rank of the operand");
    term const result = ops::take(x, 1ll << axis, axis, {index});
    if constexpr (core::static_operand<I> || number<I>)
      return variable<value_type_of<X>, rank_of<X> - 1 + core::static_rank<I>()>(result);
    else return result;
  } else {
    return ops::take(x, 1ll << axis, axis, {index});
  }
}
template <symbolic X, operand I>
  requires indices_are_integers<I>
constexpr auto take(X const& x, I const& indices) {
  if constexpr (typed<X>) {
    if constexpr (rank_of<X> == 1) return take(x, indices, axis<0>);
    else return take(flatten(x), indices, axis<0>);
  } else {
    return take(flatten(x), indices, axis<0>);
  }
}

}  // namespace kroton
