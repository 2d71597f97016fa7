// logsumexp, softmax and its logarithm: the stable forms of sums of exponentials, which do not
// overflow.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/along_axes/reduction.hpp>
#include <kroton/ops/elementwise/exponential.hpp>

namespace kroton {
namespace ops {

/// A softmax-like op over the axes of another node.
constexpr term over_axes(op_info const* op, term x, long long axes) {
  return reduce(op, x, axes, false);
}
constexpr extent_source same_extent(application const& a, int d) {
  if (a.input(0).broadcasts(d)) return {};
  return {extent_source::dimension, 0, d};
}

}  // namespace ops

namespace op {

/// Returns its operand, a sum that is not merged into other sums. Lowering removes it.
struct whole : elementwise<"whole", 1> {
  using types = signatures::promoted;
  template <class R>
  KROTON_FN static R value(R x) {
    return x;
  }
  static constexpr auto pullback(auto g, auto, auto) { return inputs(g); }
};

/// exp(x) / sum(exp(x)) over the axes (the first attribute, as bits).
struct softmax : operation<"softmax", 1> {
  static constexpr tensor_type type(core::application const& a) { return a.input(0); }
  static constexpr core::extent_source extent(core::application const& a, int d) {
    return ops::same_extent(a, d);
  }
  static constexpr core::gradient_list<1> pullback(term g, term y, term) {
    term const weighted = g * y;
    return {{weighted - y * ops::sum_over(weighted, y.of->attribute(y.id, 0), true)}};
  }
};

/// x - logsumexp(x) over the axes.
struct log_softmax : operation<"log_softmax", 1> {
  static constexpr tensor_type type(core::application const& a) { return a.input(0); }
  static constexpr core::extent_source extent(core::application const& a, int d) {
    return ops::same_extent(a, d);
  }
  static constexpr core::gradient_list<1> pullback(term g, term y, term x) {
    long long const axes = y.of->attribute(y.id, 0);
    return {
        {g - ops::over_axes(core::identity<softmax>(), x, axes) * ops::sum_over(g, axes, true)}};
  }
};

/// log(sum(exp(x))); attributes as those of a reduction.
struct logsumexp : operation<"logsumexp", 1> {
  static constexpr tensor_type type(core::application const& a) { return ops::reduction_type(a); }
  static constexpr core::extent_source extent(core::application const& a, int d) {
    return ops::reduction_extent(a, d);
  }
  static constexpr core::gradient_list<1> pullback(term g, term y, term x) {
    return {{ops::with_reduced_axes(g, y) *
             ops::over_axes(core::identity<softmax>(), x, y.of->attribute(y.id, 0))}};
  }
};

/// The largest element, relative to which exponentials are summed; attributes as those of a
/// reduction. The gradient of a loop stores it together with the sum, and computes a softmax from
/// them without reductions. Whatever depends on both does not depend on it, so it has no gradient.
struct largest_exponent : operation<"largest_exponent", 1> {
  static constexpr core::gradient_barrier pullback{};
  static constexpr tensor_type type(core::application const& a) { return ops::reduction_type(a); }
  static constexpr core::extent_source extent(core::application const& a, int d) {
    return ops::reduction_extent(a, d);
  }
};
/// sum(exp(x - largest_exponent(x)))
struct relative_sum : operation<"relative_sum", 1> {
  static constexpr tensor_type type(core::application const& a) { return ops::reduction_type(a); }
  static constexpr core::extent_source extent(core::application const& a, int d) {
    return ops::reduction_extent(a, d);
  }
  static constexpr core::gradient_list<1> pullback(term g, term y, term x) {
    return {{ops::with_reduced_axes(g * y, y) *
             ops::over_axes(core::identity<softmax>(), x, y.of->attribute(y.id, 0))}};
  }
};

}  // namespace op

namespace ops {

/// The axes of a softmax: the given ones, or the last.
template <int... Axes>
constexpr long long axes_or_last(axis_t<Axes...>, int rank) {
  if constexpr (sizeof...(Axes) == 0) return rank == 0 ? 0 : 1ll << (rank - 1);
  else return reduction_options<axis_t<Axes...>>::axes(rank);
}
template <class Op, class X, int... Axes>
constexpr auto softmax_like(X const& x, axis_t<Axes...> axes) {
  term const operand{x.of, x.of->cast(x.id, floating(x.type().element))};
  term const result = over_axes(identity<Op>(), operand, axes_or_last(axes, x.type().rank));
  if constexpr (typed<X>)
    return variable<value_t<floating(element_of<value_type_of<X>>())>, rank_of<X>>(result);
  else return result;
}

// A term's rank is known when it is recorded. (nvcc does not accept a lambda in a concept.)
template <class X>
inline constexpr bool may_have_an_axis = true;
template <typed X>
inline constexpr bool may_have_an_axis<X> = rank_of<X> > 0;

}  // namespace ops

/// A softmax needs an axis to run along, within the rank.
template <class X, class Axes>
concept softmax_has_an_axis =
    reduced_axes_are_within_the_rank<X, Axes> && ops::may_have_an_axis<X>;

/// log(sum(exp(x))) over all elements, or over `kt::axis<...>`, without overflow.
/// (scipy.special.logsumexp)
template <symbolic X, class... Options>
  requires reduced_axes_are_within_the_rank<X, Options...>
constexpr auto logsumexp(X const& x, Options...) {
  using options = ops::reduction_options<Options...>;
  term const operand{x.of, x.of->cast(x.id, core::floating(x.type().element))};
  term const result = ops::reduce(core::identity<op::logsumexp>(), operand,
                                  options::axes(x.type().rank), options::keep);
  if constexpr (typed<X>) {
    constexpr int removed =
        options::keep ? 0
                      : std::popcount(static_cast<unsigned long long>(options::axes(rank_of<X>)));
    return variable<core::value_t<core::floating(core::element_of<value_type_of<X>>())>,
                    rank_of<X> - removed>(result);
  } else {
    return result;
  }
}
/// exp(x) / sum(exp(x)) along the last axis, or along `kt::axis<...>`, without overflow.
/// (scipy.special.softmax)
template <symbolic X, int... Axes>
  requires softmax_has_an_axis<X, axis_t<Axes...>>
constexpr auto softmax(X const& x, axis_t<Axes...> axes = {}) {
  return ops::softmax_like<op::softmax>(x, axes);
}
/// log(softmax(x)), accurate even where the softmax underflows. (scipy.special.log_softmax)
template <symbolic X, int... Axes>
  requires softmax_has_an_axis<X, axis_t<Axes...>>
constexpr auto log_softmax(X const& x, axis_t<Axes...> axes = {}) {
  return ops::softmax_like<op::log_softmax>(x, axes);
}

}  // namespace kroton
