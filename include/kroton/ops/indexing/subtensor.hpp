// Basic indexing: integers, slices and new axes, as views, and the op that writes to such a part.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/shapes/shape.hpp>

namespace kroton {

/// A new broadcasting axis in an index: `x(kt::newaxis, kt::slice())`.
struct newaxis_t {};
inline constexpr newaxis_t newaxis{};

namespace ops {

template <class Begin, class End>
struct slice_t {
  Begin begin;
  End end;
  int step;
};

}  // namespace ops

/// The whole axis, Python's `:`; with bounds a part of it: `kt::slice(1, kt::none, 2)`.
constexpr auto slice() { return ops::slice_t<none_t, none_t>{none, none, 1}; }
/// Up to `end`, Python's `:end`.
template <class End>
constexpr auto slice(End end) {
  return ops::slice_t<none_t, End>{none, end, 1};
}
/// Python's `begin:end:step`; bounds are numbers, int64 scalars or `kt::none`, negative ones count
/// from the end, and the step is a nonzero number.
template <class Begin, class End>
constexpr auto slice(Begin begin, End end, int step = 1) {
  return ops::slice_t<Begin, End>{begin, end, step};
}

namespace ops {

/// The indices and attributes of `y`, from its input `from` on, applied to other operands by
/// another indexing op.
template <class Op>
constexpr term with_selection(term y, std::initializer_list<int> operands, int from) {
  list<int> inputs(operands);
  list<long long> attributes;
  for (int i = from; i < (*y.of)[y.id].input_count; ++i) inputs.push_back(y.of->input_of(y.id, i));
  for (long long a : y.of->attributes(y.id)) attributes.push_back(a);
  return {y.of, y.of->apply(identity<Op>(), inputs, attributes)};
}

/// Conditions of a selection whose indices are the operands from `next` on: each must be within its
/// extent; for a write, operand 1 must also have the extents of the part, or broadcast.
constexpr void selection_constraints(application const& a, int next, bool writes,
                                     list<extent_pair>& pairs) {
  int const rank = a.input(0).rank;
  int position = 0, kept = 0;
  for (int d = 0; d < rank; ++d) kept += a.attribute(2 * d) == 1 ? 0 : 1;
  for (int d = 0; d < rank; ++d) {
    long long const code = a.attribute(2 * d);
    extent_source const whole{extent_source::dimension, 0, d};
    if (code == 1) {
      pairs.push_back({{extent_source::value, next, 0}, whole, condition::index});
    } else {
      if (writes && a.input(1).spans(position, kept))
        pairs.push_back({code == 0 ? whole : extent_source{extent_source::value, next + 1, 0},
                         {extent_source::dimension, 1, a.input(1).aligned(position, kept)}});
      ++position;
    }
    next += static_cast<int>(code);
  }
}

}  // namespace ops

namespace op {

/// A view of part of a tensor. There are two attributes per axis: its treatment (0 whole, 1 one
/// index, 2 a range) and the step. The other inputs are an index, or start and length of a range:
/// int64 scalars, already counted from the front.
struct subtensor : operation<"subtensor", -1> {
  static constexpr auto step = core::step_kind::subtensor;
  static constexpr tensor_type type(core::application const& a) {
    tensor_type t{a.input(0).element, 0, 0};
    int next = 1;
    for (int d = 0; d < a.input(0).rank; ++d) {
      long long const code = a.attribute(2 * d);
      if (code == 1) {
        ++next;
        continue;
      }
      bool const one = code == 0 ? a.input(0).broadcasts(d)
                                 : a.of->is_literal(a.inputs[next + 1], 1);
      if (code == 2) next += 2;
      if (one) t.broadcast |= 1u << t.rank;
      ++t.rank;
    }
    return t;
  }
  static constexpr core::extent_source extent(core::application const& a, int axis) {
    int next = 1, position = 0;
    for (int d = 0; d < a.input(0).rank; ++d) {
      long long const code = a.attribute(2 * d);
      if (code != 1 && position++ == axis) {
        if (code == 0) return {core::extent_source::dimension, 0, d};
        return {core::extent_source::value, next + 1, 0};
      }
      next += static_cast<int>(code);
    }
    return {};
  }
  static constexpr void constraints(core::application const& a,
                                    core::list<core::extent_pair>& pairs) {
    ops::selection_constraints(a, 1, false, pairs);
  }
  static constexpr core::gradient_list<1> pullback(term g, term y);
};

/// Base of ops that return a copy of the first input with the second written to the part that the
/// other inputs and attributes select (as above). The second broadcasts.
template <text Name>
struct subtensor_write : operation<Name, -1> {
  static constexpr bool takes_complex = true;
  static constexpr int overwrites = 0;
  static constexpr tensor_type type(core::application const& a) { return a.input(0); }
  static constexpr core::extent_source extent(core::application const&, int d) {
    return {core::extent_source::dimension, 0, d};
  }
  static constexpr void constraints(core::application const& a,
                                    core::list<core::extent_pair>& pairs) {
    ops::selection_constraints(a, 2, true, pairs);
  }
};

/// The second input is added to the part. (theano.tensor.inc_subtensor)
struct inc_subtensor : subtensor_write<"inc_subtensor"> {
  static constexpr auto step = core::step_kind::inc_subtensor;
  static constexpr core::gradient_list<2> pullback(term g, term y) {
    return {{g, ops::with_selection<subtensor>(y, {g.id}, 2)}};
  }
};
/// The second input replaces the part. (theano.tensor.set_subtensor)
struct set_subtensor : subtensor_write<"set_subtensor"> {
  static constexpr auto step = core::step_kind::set_subtensor;
  static constexpr core::gradient_list<2> pullback(term g, term y) {
    term const rest =
        ops::with_selection<set_subtensor>(y, {g.id, g.of->literal(0, g.element())}, 2);
    return {{rest, ops::with_selection<subtensor>(y, {g.id}, 2)}};
  }
};

constexpr core::gradient_list<1> subtensor::pullback(term g, term y) {
  term const x{y.of, y.of->input_of(y.id, 0)};
  term const zeros = ops::expand_like({x.of, x.of->literal(0, x.element())}, x);
  return {{ops::with_selection<inc_subtensor>(y, {zeros.id, g.id}, 1)}};
}

}  // namespace op

namespace ops {

constexpr term integer(graph& g, long long value) { return {&g, g.literal(value, element::int64)}; }

/// An index or a bound of a slice: an integer, or an integer scalar.
template <class I>
constexpr bool is_index() {
  if constexpr (typed<I>) return rank_of<I> == 0 && is_integer(element_of<value_type_of<I>>());
  else return symbolic<I> || std::integral<I>;
}

template <class Bound>
constexpr term bound(graph& g, Bound const& value, term count, term fallback, term low, term high) {
  if constexpr (std::is_same_v<Bound, none_t>) {
    return fallback;
  } else {
    static_assert(is_index<Bound>(), "kt::slice: a bound must be an integer or an integer scalar");
    term v{&g, g.cast(node_of(g, value, element::int64), element::int64)};
    if constexpr (number<Bound>) {
      if (value < 0) v = v + count;
    } else {
      v = call<op::where>(call<op::lt>(v, 0), v + count, v);
    }
    return call<op::minimum>(call<op::maximum>(v, low), high);
  }
}

/// Collects the effect of an index on the axes of one tensor.
struct selection {
  graph& g;
  term of;
  list<int> inputs{};
  list<long long> attributes{};
  list<int> pattern{};  // axes of the result: a kept axis by its number, -1 a new one
  int axis = 0, kept = 0;
  bool whole = true;

  /// The node that selects, or the tensor itself if the index leaves every axis whole.
  constexpr int node() const {
    return whole ? of.id : g.apply(identity<op::subtensor>(), inputs, attributes);
  }

  constexpr void add(newaxis_t) { pattern.push_back(-1); }
  template <class B, class E>
  constexpr void add(slice_t<B, E> const& s) {
    term const count = extent(of, axis++);
    pattern.push_back(kept++);
    if (std::is_same_v<B, none_t> && std::is_same_v<E, none_t> && s.step == 1) {
      attributes.push_back(0);
      attributes.push_back(1);
      return;
    }
    if (s.step == 0) g.fail("kt::slice: the step must not be 0");
    bool const forward = s.step > 0;
    whole = false;
    term const low = integer(g, forward ? 0 : -1);
    term const high = forward ? count : count - 1;
    term const begin = bound(g, s.begin, count, forward ? low : high, low, high);
    term const end = bound(g, s.end, count, forward ? high : low, low, high);
    term const distance = forward ? end - begin : begin - end;
    long long const stride = forward ? s.step : -s.step;
    term const length = call<op::maximum>(call<op::floordiv>(distance + (stride - 1), stride), 0);
    attributes.push_back(2);
    attributes.push_back(s.step);
    inputs.push_back(begin.id);
    inputs.push_back(length.id);
  }
  template <operand I>
  constexpr void add(I const& index) {
    term const count = extent(of, axis++);
    term i{&g, g.cast(node_of(g, index, element::int64), element::int64)};
    if constexpr (number<I>) {
      if (index < 0) i = i + count;
    } else {
      i = call<op::where>(call<op::lt>(i, 0), i + count, i);
    }
    whole = false;
    attributes.push_back(1);
    attributes.push_back(1);
    inputs.push_back(i.id);
  }
};

template <class I>
inline constexpr int kept_axes = operand<I> ? 0 : 1;
/// A tensor of bools as an index: see ops/indexing/masking.hpp.
template <class I>
constexpr bool is_mask() {
  if constexpr (typed<I>) return rank_of<I> > 0 && is_bool(element_of<value_type_of<I>>());
  else return false;
}
template <class I>
constexpr int axes_read_by() {
  if constexpr (is_mask<I>()) return rank_of<I>;
  else return std::is_same_v<std::remove_cvref_t<I>, newaxis_t> ? 0 : 1;
}
template <class I>
inline constexpr int read_axes = axes_read_by<I>();

/// An integer tensor as an index: see ops/indexing/take.hpp.
template <class I>
constexpr bool is_index_tensor() {
  if constexpr (typed<I>) return rank_of<I> > 0 && is_integer(element_of<value_type_of<I>>());
  else return false;
}

/// The result of `x(...)`: a variable that knows the tensor of rank `Whole` that it is a part of,
/// so that set_subtensor and inc_subtensor can write to it.
template <class Value, int Rank, int Whole>
struct part : variable<Value, Rank> {
  term whole{};           // the tensor; empty for anything computed from a part
  int selected = -1;      // the node that selects, before new axes
  bool has_new_axes = false;

  constexpr part() = default;
  constexpr explicit part(term t) : variable<Value, Rank>(t) {}
  constexpr part(term t, term tensor, int node, bool with_new_axes)
      : variable<Value, Rank>(t), whole(tensor), selected(node), has_new_axes(with_new_axes) {}
  constexpr part(part const&) = default;
  constexpr part& operator=(part const&) & = default;
  /// A named variable becomes another expression, and is then no longer a part of a tensor.
  template <class V>
  constexpr part& operator=(V const& v) & {
    static_cast<variable<Value, Rank>&>(*this) = v;
    return *this = part(term(*this));
  }
  template <class V>
  constexpr part const& operator=(V const&) const&& {
    static_assert(
        is_accepted<part, V>,
        "kt: a part of a variable cannot be assigned to: write x = set_subtensor(x(i), value), or "
        "inc_subtensor to add");
    this->of->fail(core::said_above);
    return *this;
  }
};

template <int Rank, class Value, int Whole, class... I>
constexpr part<Value, Rank, Whole> basic_part(variable<Value, Whole> const& x, I const&... index) {
  selection chosen{*x.of, x};
  chosen.inputs.push_back(x.id);
  (chosen.add(index), ...);
  while (chosen.axis < Whole) chosen.add(slice());
  int const node = chosen.node();
  return {permute(term{x.of, node}, chosen.pattern), x, node, chosen.pattern.contains(-1)};
}
template <int Rank, class Value, int Whole, class... I>
constexpr part<Value, Rank, Whole> taken_part(variable<Value, Whole> const& x, I const&... index);
template <class Value, int Whole, class... I>
constexpr auto masked_part(variable<Value, Whole> const& x, I const&... index);

template <class I>
inline constexpr bool is_slice = false;
template <class Begin, class End>
inline constexpr bool is_slice<slice_t<Begin, End>> = true;

/// Whether I is a valid index in x(...).
template <class I>
constexpr bool is_index_of_any_kind() {
  return is_index<I>() || is_slice<I> || std::is_same_v<I, newaxis_t> || is_mask<I>() ||
         is_index_tensor<I>() || placeable<I>;
}

}  // namespace ops

/// An index has at most as many axes as the tensor.
template <int Rank, class... I>
inline constexpr bool index_is_within_the_rank =
    (ops::read_axes<core::placed_type<I>> + ... + 0) <= Rank;

template <class Value, int Rank>
template <class... I>
constexpr auto variable<Value, Rank>::operator()(I const&... index) const {
  static_assert(index_is_within_the_rank<Rank, I...>,
                "kt::variable: more indices than the tensor has axes");
  constexpr bool are_indices = (ops::is_index_of_any_kind<I>() && ...);
  static_assert(are_indices,
                "kt::variable: an index must be an integer or an integer scalar, a kt::slice or "
                "kt::newaxis; a tensor of integers or bools selects elements");
  constexpr int rest = (ops::kept_axes<I> + ... + 0) + Rank - (ops::read_axes<I> + ... + 0);
  constexpr int most = (ops::is_mask<I>() || ...) ? 0 : rest + core::largest_rank<I...>();
  static_assert(most < 0 || core::is_rank<most>, "kt::variable: a tensor has 0 to 8 dimensions");
  if constexpr (!index_is_within_the_rank<Rank, I...> || !are_indices || most > core::max_rank)
    return core::in_place_of<Value, 0>(*this);
  else if constexpr ((placeable<I> || ...)) return (*this)(core::placed(*this->of, index)...);
  else if constexpr ((ops::is_mask<I>() || ...)) return ops::masked_part(*this, index...);
  else if constexpr ((ops::is_index_tensor<I>() || ...))
    return ops::taken_part<rest + core::largest_rank<I...>()>(*this, index...);
  else return ops::basic_part<rest>(*this, index...);
}

}  // namespace kroton
