// Shapes: extents as numbers, permuted and added axes, reshapes, and values spread over a shape.
// All but the last are views.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/elementwise/arithmetic.hpp>

#include <bit>

namespace kroton {
namespace op {

/// The extent of one dimension (the attribute) of a tensor, an int64 scalar; it never needs the
/// tensor's values.
struct extent_of : operation<"extent", 1> {
  static constexpr bool takes_stored = true;
  static constexpr tensor_type type(core::application const&) { return {element::int64, 0, 0}; }
  static constexpr auto pullback = no_gradient;
};

/// Permutes axes and adds broadcasting ones: attribute d names the source of axis d, -1 a new axis
/// (Theano's DimShuffle).
struct dimshuffle : operation<"dimshuffle", 1> {
  static constexpr auto step = core::step_kind::dimshuffle;
  static constexpr tensor_type type(core::application const& a) {
    tensor_type t{a.input(0).element, static_cast<std::uint8_t>(a.attribute_count()), 0};
    for (int d = 0; d < t.rank; ++d)
      if (a.attribute(d) < 0 || a.input(0).broadcasts(static_cast<int>(a.attribute(d))))
        t.broadcast |= 1u << d;
    return t;
  }
  static constexpr core::extent_source extent(core::application const& a, int d) {
    if (a.attribute(d) < 0) return {};
    return {core::extent_source::dimension, 0, static_cast<int>(a.attribute(d))};
  }
  static constexpr core::gradient_list<1> pullback(term g, term y, term x);
};

/// A value spread over the extents given by the other inputs, one int64 scalar for each axis
/// (Theano's alloc).
struct alloc : operation<"alloc", -1> {
  static constexpr bool takes_stored = true;
  static constexpr tensor_type type(core::application const& a) {
    tensor_type t{a.input(0).element, static_cast<std::uint8_t>(a.count() - 1), 0};
    for (int d = 0; d < t.rank; ++d)
      if (a.of->is_literal(a.inputs[d + 1], 1)) t.broadcast |= 1u << d;
    return t;
  }
  static constexpr core::extent_source extent(core::application const&, int d) {
    return {core::extent_source::value, d + 1, 0};
  }
  static constexpr void constraints(core::application const& a,
                                    core::list<core::extent_pair>& pairs) {
    int const rank = a.count() - 1;
    for (int d = 0; d < rank; ++d)
      if (a.input(0).spans(d, rank))
        pairs.push_back({{core::extent_source::dimension, 0, a.input(0).aligned(d, rank)},
                         {core::extent_source::value, d + 1, 0}});
  }
  static constexpr core::gradient_list<1> pullback(term g, term y);
};

/// The elements in row-major order with other extents, given by the other inputs.
struct reshape : operation<"reshape", -1> {
  static constexpr auto step = core::step_kind::reshape;
  static constexpr tensor_type type(core::application const& a) {
    tensor_type t{a.input(0).element, static_cast<std::uint8_t>(a.count() - 1), 0};
    for (int d = 0; d < t.rank; ++d)
      if (a.of->is_literal(a.inputs[d + 1], 1)) t.broadcast |= 1u << d;
    return t;
  }
  static constexpr core::extent_source extent(core::application const&, int d) {
    return {core::extent_source::value, d + 1, 0};
  }
  static constexpr void constraints(core::application const& a,
                                    core::list<core::extent_pair>& pairs) {
    using core::extent_source;
    pairs.push_back({{extent_source::count, 0, 0}, {extent_source::result_count, 0, 0}});
    for (int d = 0; d < a.input(0).rank; ++d)
      pairs.push_back(
          {{extent_source::dimension, 0, d}, {extent_source::zero}, core::condition::note});
    for (int d = 1; d < a.count(); ++d)
      pairs.push_back({{extent_source::value, d, 0}, {extent_source::one}, core::condition::note});
  }
  static constexpr core::gradient_list<1> pullback(term g, term y);
};

/// Scalars as a vector. The first input is its length, a literal; the others are its elements.
/// (Theano's MakeVector)
struct make_vector : operation<"make_vector", -1> {
  static constexpr bool takes_stored = true;
  static constexpr auto own = core::own_function::untyped;
  static constexpr tensor_type type(core::application const& a) {
    return {a.input(1).element, 1, a.count() == 2 ? 1u : 0u};
  }
  static constexpr core::extent_source extent(core::application const&, int) {
    return {core::extent_source::value, 0, 0};
  }
  static constexpr core::any_gradients pullback(term g, term y);
};

}  // namespace op

namespace ops {

constexpr term permute(term x, list<int> const& pattern) {
  list<long long> attributes;
  bool same = pattern.size() == x.rank();
  for (int d = 0; d < pattern.size(); ++d) {
    attributes.push_back(pattern[d]);
    same = same && pattern[d] == d;
  }
  if (same) return x;
  int const inputs[] = {x.id};
  return {x.of, x.of->apply(identity<op::dimshuffle>(), inputs, attributes)};
}

/// The extent of dimension d as a term: the literal 1 if it broadcasts.
constexpr term extent(term x, int d) {
  if (x.type().broadcasts(d)) return {x.of, x.of->literal(1, element::int64)};
  return {x.of, x.of->apply<op::extent_of>({x.id}, {d})};
}

/// The number of elements along the given axes, an int64 scalar.
constexpr term count_of(term x, long long axes) {
  term product{x.of, x.of->literal(1, element::int64)};
  for (int d = 0; d < x.rank(); ++d)
    if ((axes >> d & 1) != 0) product = product * extent(x, d);
  return product;
}

constexpr term alloc(term value, list<term> const& extents) {
  list<int> inputs;
  inputs.push_back(value.id);
  for (auto const& e : extents) inputs.push_back(value.of->cast(e.id, element::int64));
  return {value.of, value.of->apply(identity<op::alloc>(), inputs)};
}

/// A value spread over the shape of x; the value itself if it already has that shape.
constexpr term expand_like(term value, term x) {
  if (value.rank() == x.rank() && value.type().broadcast == x.type().broadcast) return value;
  list<term> extents;
  for (int d = 0; d < x.rank(); ++d) extents.push_back(extent(x, d));
  return alloc(value, extents);
}

/// Says that the conditions of a graph from the `first` on are those of a value.
constexpr void take_conditions(term value, int first) {
  graph& g = *value.of;
  if (g.is<op::input>(value.id)) return;
  for (int k = first; k < g.constraints().size(); ++k)
    if (g.constraints()[k].node < 0) g.constraints()[k].node = value.id;
}

/// The same for a value that has the shape of x, or broadcasts to it. The call checks this in the
/// name of `op`. Fails with the given words if the value has more axes.
constexpr term shaped_like(op_info const* op, term value, term x, std::string_view more_axes) {
  graph& g = *x.of;
  if (value.rank() > x.rank()) {
    g.fail(more_axes);
    return x;
  }
  for (int d = 0; d < x.rank(); ++d) {
    int const own = value.type().aligned(d, x.rank());
    if (!value.type().spans(d, x.rank())) continue;
    int const given = extent(value, own).id, wanted = extent(x, d).id;
    if (given != wanted) g.constraints().push_back({given, wanted, op});
  }
  return expand_like(value, x);
}

constexpr term reshape(term x, list<term> const& extents) {
  list<int> inputs;
  inputs.push_back(x.id);
  for (auto const& e : extents) inputs.push_back(x.of->cast(e.id, element::int64));
  return {x.of, x.of->apply(identity<op::reshape>(), inputs)};
}

// Gradients of views sum: defined in ops/along_axes/reduction.hpp and ops/shapes/joining.hpp.
constexpr term sum_over(term x, long long axes, bool keep);
constexpr term axis_range(term x, int axis, term begin, term length, int step = 1);

/// Sums a gradient over the dimensions along which its operand was broadcast, so that it has the
/// operand's type.
constexpr term unbroadcast(term gradient, tensor_type to) {
  long long missing = 0, flagged = 0;
  int const lead = gradient.rank() - to.rank;
  for (int d = 0; d < gradient.rank(); ++d) {
    if (d < lead) missing |= 1ll << d;
    else if (to.broadcasts(d - lead) && !gradient.type().broadcasts(d)) flagged |= 1ll << d;
  }
  if (flagged != 0) gradient = sum_over(gradient, flagged, true);
  if (missing != 0) gradient = sum_over(gradient, missing, false);
  return gradient;
}

}  // namespace ops

namespace op {

constexpr core::gradient_list<1> dimshuffle::pullback(term g, term y, term x) {
  core::list<int> back(x.rank(), -1);
  core::list<int> order;
  long long dropped = 0;
  for (int d = 0; d < y.rank(); ++d) {
    int const source = static_cast<int>(y.of->attribute(y.id, d));
    if (source < 0) dropped |= 1ll << d;
    else back[source] = d;
  }
  // Added axes are summed away (their extent is 1), then the others return to their places.
  term without = dropped == 0 ? g : ops::sum_over(g, dropped, false);
  for (int d = 0; d < x.rank(); ++d) {
    int position = back[d];
    for (int e = 0; back[d] >= 0 && e < back[d]; ++e)
      if ((dropped >> e & 1) != 0) --position;
    order.push_back(position);
  }
  return inputs(ops::permute(without, order));
}
constexpr core::gradient_list<1> alloc::pullback(term g, term y) {
  term const value{y.of, y.of->input_of(y.id, 0)};
  return inputs(ops::unbroadcast(g, value.type()));
}
constexpr core::any_gradients make_vector::pullback(term g, term y) {
  graph& in = *y.of;
  core::any_gradients result;
  result.terms.push_back({});
  for (int k = 1; k < in[y.id].input_count; ++k) {
    term const position{&in, in.literal(k - 1, element::int64)},
        one{&in, in.literal(1, element::int64)};
    result.terms.push_back(ops::sum_over(ops::axis_range(g, 0, position, one), 1, false));
  }
  return result;
}
constexpr core::gradient_list<1> reshape::pullback(term g, term y) {
  term const x{y.of, y.of->input_of(y.id, 0)};
  core::list<term> extents;
  for (int d = 0; d < x.rank(); ++d) extents.push_back(ops::extent(x, d));
  return inputs(ops::reshape(g, extents));
}

}  // namespace op

/// Permutes axes and adds broadcasting ones: `dimshuffle<1, 'x', 0>(a)`; an omitted axis must
/// broadcast. A view. (theano.tensor.TensorVariable.dimshuffle)
template <int... Pattern, symbolic X>
constexpr auto dimshuffle(X const& x) {
  core::list<int> const pattern{(Pattern == 'x' ? -1 : Pattern)...};
  for (int d = 0; d < x.type().rank; ++d)
    if (!pattern.contains(d) && !x.type().broadcasts(d))
      x.of->fail("kt::dimshuffle: only a broadcasting axis can be left out");
  term const result = ops::permute(x, pattern);
  if constexpr (typed<X>) {
    static_assert(((Pattern == 'x' || (Pattern >= 0 && Pattern < rank_of<X>)) && ...),
                  "kt::dimshuffle: an axis is outside the rank of the operand");
    return variable<value_type_of<X>, static_cast<int>(sizeof...(Pattern))>(result);
  } else {
    return result;
  }
}

/// All axes reversed. A view. (numpy.transpose)
template <symbolic X>
constexpr X transpose(X const& x) {
  core::list<int> pattern;
  for (int d = x.type().rank - 1; d >= 0; --d) pattern.push_back(d);
  return X(ops::permute(x, pattern));
}
template <class Value, int Rank>
constexpr variable<Value, Rank> variable<Value, Rank>::T() const {
  return transpose(*this);
}

template <class Value, int Rank>
constexpr variable<std::int64_t, 0> variable<Value, Rank>::shape(int d) const
  requires(Rank > 0)
{
  if (d < -Rank || d >= Rank) {
    of->fail("shape: the dimension is outside the rank of the variable");
    d = 0;
  }
  return variable<std::int64_t, 0>(ops::extent(*this, d < 0 ? d + Rank : d));
}

template <class Value, int Rank>
constexpr variable<std::int64_t, 1> variable<Value, Rank>::shape() const
  requires(Rank > 0)
{
  core::list<int> inputs{of->literal(Rank, element::int64)};
  for (int d = 0; d < Rank; ++d) inputs.push_back(ops::extent(*this, d).id);
  return variable<std::int64_t, 1>(term{of, of->apply(core::identity<op::make_vector>(), inputs)});
}

namespace ops {

/// Extents of a reshape as terms; a literal -1 is replaced by the extent that the number of
/// elements of x implies.
template <class... E>
constexpr list<term> reshape_extents(term x, E const&... extents) {
  list<term> result{term{x.of, node_of(*x.of, extents, element::int64)}...};
  int rest = -1;
  term known{x.of, x.of->literal(1, element::int64)};
  for (int d = 0; d < result.size(); ++d) {
    if (x.of->is_literal(result[d].id, -1)) {
      if (rest >= 0) x.of->fail("kt::reshape: only one extent may be -1");
      rest = d;
    } else {
      if (x.of->is_literal(result[d].id) && x.of->literal_bits(result[d].id) < 0)
        x.of->fail(
            "kt::reshape: an extent is negative; only -1 has a meaning: that extent is inferred "
            "from the number of elements");
      known = known * result[d];
    }
  }
  if (rest >= 0) result[rest] = call<op::floordiv>(count_of(x, (1ll << x.rank()) - 1), known);
  return result;
}


template <class E>
constexpr bool is_extent() {
  if constexpr (number<E> || typed<E>) return is_integer_operand<E>() && static_rank<E>() == 0;
  else return symbolic<E>;
}

}  // namespace ops

/// The elements of x in row-major order with R new extents (numbers or int64 scalars; one may be
/// -1): a view of contiguous data. A different number of elements throws kt::shape_error.
/// (numpy.reshape)
template <int R, symbolic X, class... E>
constexpr auto reshape(X const& x, E const&... extents) {
  constexpr bool has_rank_extents = sizeof...(E) == R, are_extents = (ops::is_extent<E>() && ...);
  static_assert(has_rank_extents, "kt::reshape: reshape<R>(x, ...) takes R extents");
  static_assert(are_extents, "kt::reshape: an extent must be an integer or an integer scalar");
  if constexpr (!has_rank_extents || !are_extents) {
    x.of->fail(core::said_above);
    if constexpr (typed<X>) return variable<value_type_of<X>, R>(term(x));
    else return X(x);
  } else {
    term const result = ops::reshape(x, ops::reshape_extents(x, extents...));
    if constexpr (typed<X>) return variable<value_type_of<X>, R>(result);
    else return result;
  }
}
/// All elements as one vector, in row-major order. (numpy.ravel)
template <symbolic X>
constexpr auto flatten(X const& x) {
  return reshape<1>(x, -1);
}

/// A number spread over the shape of x, with the element type of x. (numpy.full_like)
template <symbolic X, operand V>
constexpr X full_like(X const& x, V const& value) {
  term const v{x.of, x.of->cast(core::node_of(*x.of, value, x.type().element), x.type().element)};
  return X(ops::expand_like(v, x));
}
/// Zeros of the shape and element type of x; x itself is not computed. (numpy.zeros_like)
template <symbolic X>
constexpr X zeros_like(X const& x) {
  return full_like(x, 0);
}
/// Ones of the shape and element type of x. (numpy.ones_like)
template <symbolic X>
constexpr X ones_like(X const& x) {
  return full_like(x, 1);
}

}  // namespace kroton
