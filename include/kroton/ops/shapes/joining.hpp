// Joining tensors and splitting them: concatenate, stack, split.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/indexing.hpp>

#include <array>

namespace kroton {
namespace ops {

/// The range of `length` elements starting at `begin` along one axis, counted from the front.
constexpr term axis_range(term x, int axis, term begin, term length, int step) {
  int const inputs[] = {x.id, begin.id, length.id};
  list<long long> attributes;
  for (int d = 0; d < x.rank(); ++d) {
    attributes.push_back(d == axis ? 2 : 0);
    attributes.push_back(d == axis ? step : 1);
  }
  return {x.of, x.of->apply(identity<op::subtensor>(), inputs, attributes)};
}

}  // namespace ops

namespace op {

/// Tensors one after the other along an axis (the attribute). The first input is the sum of their
/// extents along it, an int64 scalar. (Theano's Join)
struct join : operation<"join", -1> {
  static constexpr bool takes_stored = true;
  static constexpr auto own = core::own_function::untyped;
  static constexpr bool takes_complex = true, concatenates = true;
  static constexpr tensor_type type(core::application const& a) {
    tensor_type t = a.input(1);
    for (int k = 2; k < a.count(); ++k) t.broadcast &= a.input(k).broadcast;
    t.broadcast &= ~(1u << a.attribute(0));
    if (a.of->is_literal(a.inputs[0], 1)) t.broadcast |= 1u << a.attribute(0);
    return t;
  }
  static constexpr core::extent_source extent(core::application const& a, int d) {
    if (d == a.attribute(0)) return {core::extent_source::value, 0, 0};
    for (int k = 1; k < a.count(); ++k)
      if (!a.input(k).broadcasts(d)) return {core::extent_source::dimension, k, d};
    return {};
  }
  static constexpr void constraints(core::application const& a,
                                    core::list<core::extent_pair>& pairs) {
    for (int d = 0; d < a.input(1).rank; ++d)
      for (int k = 2; d != a.attribute(0) && k < a.count(); ++k)
        pairs.push_back(
            {{core::extent_source::dimension, 1, d}, {core::extent_source::dimension, k, d}});
  }
  static constexpr core::any_gradients pullback(term g, term y) {
    int const axis = static_cast<int>(y.of->attribute(y.id, 0));
    core::any_gradients result;
    result.terms.push_back({});
    term begin = ops::integer(*y.of, 0);
    for (int k = 1; k < (*y.of)[y.id].input_count; ++k) {
      term const length = ops::extent({y.of, y.of->input_of(y.id, k)}, axis);
      result.terms.push_back(ops::axis_range(g, axis, begin, length));
      begin = begin + length;
    }
    return result;
  }
};

}  // namespace op

namespace ops {

/// Tensors of one rank and element type joined along an axis.
constexpr term join(list<term> const& parts, int axis) {
  graph& g = *parts[0].of;
  // Axes that broadcast are counted in one literal, which determines whether the axis of the result
  // broadcasts.
  term total = integer(g, 0);
  int ones = 0;
  for (term const& p : parts) {
    if (p.type().broadcasts(axis)) ++ones;
    else total = total + extent(p, axis);
  }
  list<int> inputs{ones == parts.size() ? g.literal(ones, element::int64) : (total + ones).id};
  for (term const& p : parts) inputs.push_back(p.id);
  long long const attributes[] = {axis};
  return {&g, g.apply(identity<op::join>(), inputs, attributes)};
}
/// The operands converted to their promoted element type.
template <class... X>
constexpr list<term> promoted(X const&... x) {
  element const elements[] = {x.type().element...};
  element const to = promote_all(elements, static_cast<int>(sizeof...(X)));
  return {term{x.of, x.of->cast(x.id, to)}...};
}
/// A new axis of extent 1 in front of axis `axis`.
constexpr term with_new_axis(term x, int axis) {
  list<int> pattern;
  for (int d = 0; d < x.rank(); ++d) pattern.push_back(d);
  pattern.insert(axis, -1);
  return permute(x, pattern);
}

}  // namespace ops

/// Joined tensors must have the same rank.
template <class A, class... X>
concept operands_have_one_rank = ((rank_of<A> == rank_of<X>) && ...);

/// Tensors of the same rank, one after another along an axis, with the promoted element type. Along
/// the other axes their extents must be equal, otherwise kt::shape_error. (numpy.concatenate)
template <int Axis = 0, typed A, typed... X>
  requires operands_have_one_rank<A, X...>
constexpr auto concatenate(A const& a, X const&... x) {
  constexpr int rank = rank_of<A>;
  static_assert(rank > 0,
                "kt::concatenate: scalars have no axis; kt::stack makes a vector of them");
  static_assert(axis_is_within_the_rank<rank, Axis>,
                "kt::concatenate: the axis is outside the rank of the operands");
  using T = core::value_t<core::static_element_beside<A, X...>()>;
  return variable<T, rank>(ops::join(ops::promoted(a, x...), Axis < 0 ? Axis + rank : Axis));
}

/// Tensors of the same shape side by side along a new axis, with the promoted element type.
/// (numpy.stack)
template <int Axis = 0, typed A, typed... X>
  requires operands_have_one_rank<A, X...>
constexpr auto stack(A const& a, X const&... x) {
  constexpr int rank = rank_of<A> + 1, axis = Axis < 0 ? Axis + rank : Axis;
  static_assert(axis_is_within_the_rank<rank, Axis>,
                "kt::stack: the axis is outside the rank of the result");
  using T = core::value_t<core::static_element_beside<A, X...>()>;
  core::list<term> parts = ops::promoted(a, x...);
  for (term& p : parts) p = ops::with_new_axis(p, axis);
  return variable<T, rank>(ops::join(parts, axis));
}

/// Sizes of the parts that split returns: `split(x, kt::sizes<2, 3>, kt::axis<0>)`.
template <int... Sizes>
struct sizes_t {};
template <int... Sizes>
inline constexpr sizes_t<Sizes...> sizes{};

namespace ops {

/// x with one axis replaced by other extents, whose product the call checks: a reshape that keeps
/// the other axes.
constexpr term with_axis(term x, int axis, list<term> const& instead) {
  list<term> extents;
  for (int d = 0; d < x.rank(); ++d) {
    if (d != axis) extents.push_back(extent(x, d));
    else
      for (term const& e : instead) extents.push_back(e);
  }
  return reshape(x, extents);
}

}  // namespace ops

/// A tensor in N equal parts along an axis, as a std::array: `auto [a, b, c] = split<3>(x,
/// kt::axis<0>)`. An extent that is not divisible by N throws kt::shape_error. The parts are views.
/// (numpy.split)
template <int N, typed X, int Axis = 0>
constexpr auto split(X const& x, axis_t<Axis> = {}) {
  constexpr int rank = rank_of<X>, axis = Axis < 0 ? Axis + rank : Axis;
  static_assert(N > 0, "kt::split: the number of parts must be positive");
  static_assert(axis_is_within_the_rank<rank, Axis>,
                "kt::split: the axis is outside the rank of the operand");
  term const count = ops::integer(*x.of, N), length = call<op::floordiv>(ops::extent(x, axis), N);
  // The reshape requires an extent divisible by N.
  term const whole = ops::with_axis(x, axis, {count * length});
  std::array<variable<value_type_of<X>, rank>, static_cast<std::size_t>(N)> parts;
  for (int k = 0; k < N; ++k)
    parts[static_cast<std::size_t>(k)] =
        variable<value_type_of<X>, rank>(ops::axis_range(whole, axis, length * k, length));
  return parts;
}
/// A tensor in parts of the given sizes along an axis. The sizes must add up to its extent,
/// otherwise kt::shape_error. (theano.tensor.split)
template <typed X, int... Sizes, int Axis = 0>
constexpr auto split(X const& x, sizes_t<Sizes...>, axis_t<Axis> = {}) {
  constexpr int rank = rank_of<X>, axis = Axis < 0 ? Axis + rank : Axis;
  static_assert(((Sizes >= 0) && ...), "kt::split: a size is negative");
  static_assert(axis_is_within_the_rank<rank, Axis>,
                "kt::split: the axis is outside the rank of the operand");
  term const whole = ops::with_axis(x, axis, {ops::integer(*x.of, (Sizes + ... + 0))});
  int begin = 0;
  auto next = [&](int size) {
    term const part =
        ops::axis_range(whole, axis, ops::integer(*x.of, begin), ops::integer(*x.of, size));
    begin += size;
    return variable<value_type_of<X>, rank>(part);
  };
  return std::array<variable<value_type_of<X>, rank>, sizeof...(Sizes)>{next(Sizes)...};
}

}  // namespace kroton
