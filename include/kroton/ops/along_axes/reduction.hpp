// Reductions over all or some axes, which are removed or kept.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/along_axes/axes.hpp>
#include <kroton/ops/shapes/shape.hpp>

#include <limits>

namespace kroton {

namespace ops {

// A reduction's attributes: the set of its axes as bits, and whether it keeps them.
constexpr bool reduces(application const& a, int d) { return (a.attribute(0) >> d & 1) != 0; }
constexpr bool keeps(application const& a) { return a.attribute(1) != 0; }

constexpr tensor_type reduction_type(application const& a) {
  tensor_type const from = a.input(0);
  tensor_type to{from.element, 0, 0};
  for (int d = 0; d < from.rank; ++d) {
    if (reduces(a, d) && !keeps(a)) continue;
    if (reduces(a, d) || from.broadcasts(d)) to.broadcast |= 1u << to.rank;
    ++to.rank;
  }
  return to;
}

constexpr extent_source reduction_extent(application const& a, int axis) {
  for (int d = 0, position = 0; d < a.input(0).rank; ++d) {
    if (reduces(a, d) && !keeps(a)) continue;
    if (position++ == axis)
      return reduces(a, d) ? extent_source{} : extent_source{extent_source::dimension, 0, d};
  }
  return {};
}

constexpr term reduce(op_info const* op, term x, long long axes, bool keep) {
  if (is_complex(x.element()) && !op->takes_complex) x.of->fail(no_complex_numbers);
  long long const attributes[] = {axes, keep};
  int const inputs[] = {x.id};
  return {x.of, x.of->apply(op, inputs, attributes)};
}

/// A reduction's result, or its gradient, with the reduced axes restored with extent 1.
constexpr term with_reduced_axes(term result, term reduction) {
  graph& g = *reduction.of;
  if (g.attribute(reduction.id, 1) != 0) return result;
  list<int> pattern;
  int const rank = g.type(g.input_of(reduction.id, 0)).rank;
  for (int d = 0, position = 0; d < rank; ++d)
    pattern.push_back((g.attribute(reduction.id, 0) >> d & 1) != 0 ? -1 : position++);
  return permute(result, pattern);
}

/// The same for an operand of an elementwise op, where a scalar broadcasts directly.
constexpr term beside_operand(term result, term reduction) {
  return result.rank() == 0 ? result : with_reduced_axes(result, reduction);
}

/// The element type in which sums and products accumulate, and of their results.
constexpr element accumulated(element e) {
  if (is_bool(e) || is_signed(e)) return element::int64;
  return is_unsigned(e) ? element::uint64 : e;
}

}  // namespace ops

/// Base of a reduction: a derived struct provides `start<R>()`, the value of the empty reduction,
/// and `combine(a, b)`.
template <text Name>
struct reduction : operation<Name, 1> {
  static constexpr bool is_reduction = true, takes_complex = true;
  // Whether combining rounds: then floats accumulate in double.
  static constexpr bool rounds = false;
  static constexpr element result(element e) { return e; }
  static constexpr tensor_type type(core::application const& a) { return ops::reduction_type(a); }
  static constexpr core::extent_source extent(core::application const& a, int d) {
    return ops::reduction_extent(a, d);
  }
};

namespace op {

struct sum : reduction<"sum"> {
  static constexpr bool rounds = true;
  static constexpr element result(element e) { return ops::accumulated(e); }
  template <class R>
  KROTON_FN static R start() {
    return R(0);
  }
  template <class R>
  KROTON_FN static R combine(R a, R b) {
    return ops::plus(a, b);
  }
  static constexpr auto pullback(auto g, auto y, auto x) {
    return inputs(ops::expand_like(ops::beside_operand(g, y), x));
  }
};

// The gradient is the product of the other elements, even if some are 0. Four are exact there.
struct prod : reduction<"prod"> {
  static constexpr bool rounds = true;
  static constexpr element result(element e) { return ops::accumulated(e); }
  template <class R>
  KROTON_FN static R start() {
    return R(1);
  }
  template <class R>
  KROTON_FN static R combine(R a, R b) {
    return ops::times(a, b);
  }
  // For clang a deduced type would depend on itself, since `over` takes the record of this op.
  static constexpr core::gradient_list<1> pullback(term g, term y, term x) {
    auto over = [&](core::op_info const* op, term v) {
      return ops::beside_operand(
          ops::reduce(op, v, y.of->attribute(y.id, 0), y.of->attribute(y.id, 1) != 0), y);
    };
    term const is_zero = call<eq>(x, 0), one_if_zero = kroton::cast<std::int64_t>(is_zero);
    term const factors = call<where>(is_zero, 1, x), zeros = call<where>(is_zero, x, 0);
    // The others that are not 0, times up to three zeros, which have derivatives, as an elementary
    // symmetric polynomial in sums of powers (Newton). Each line has its own number of zeros.
    auto const total = [&](term v) { return over(core::identity<sum>(), v); };
    term const product = over(core::identity<prod>(), factors), count = total(one_if_zero),
               square = call<sqr>(zeros), cube = zeros * square, s1 = total(zeros),
               s2 = total(square), s3 = total(cube);
    auto const choose = [&](int least, term p1, term p2, term p3) {
      term const pairs = 0.5 * (call<sqr>(p1) - p2),
                 triples = (p1 * call<sqr>(p1) - 3 * p1 * p2 + 2 * p3) / 6;
      auto const is_finite_with = [&](int n) {
        return call<bit_and>(call<eq>(count, least + n), call<isfinite>(product));
      };
      term const three = call<where>(is_finite_with(3), product * triples, 0),
                 two = call<where>(is_finite_with(2), product * pairs, three);
      return call<where>(call<eq>(count, least), product,
                         call<where>(is_finite_with(1), product * p1, two));
    };
    term const of_others = choose(0, s1, s2, s3),
               of_zeros = choose(1, s1 - zeros, s2 - square, s3 - cube);
    return inputs(ops::beside_operand(g, y) * call<where>(is_zero, of_zeros, of_others / factors));
  }
};

/// True at the first element, in row-major order, of each reduced slice of x that equals m: the
/// gradients of extrema go there.
struct first_equal : operation<"first_equal", 2> {
  static constexpr auto step = core::step_kind::first_equal;
  static constexpr tensor_type type(core::application const& a) {
    tensor_type t = a.input(0);
    t.element = element::boolean;
    return t;
  }
  static constexpr core::extent_source extent(core::application const& a, int d) {
    return a.input(0).broadcasts(d) ? core::extent_source{}
                                    : core::extent_source{core::extent_source::dimension, 0, d};
  }
  static constexpr auto pullback = no_gradient;
};

template <text Name>
struct extremum : reduction<Name> {
  static constexpr bool takes_complex = false;
  // Every slice must have an element.
  static constexpr void constraints(core::application const& a,
                                    core::list<core::extent_pair>& pairs) {
    for (int d = 0; d < a.input(0).rank; ++d)
      if (ops::reduces(a, d) && !a.input(0).broadcasts(d))
        pairs.push_back({{core::extent_source::zero},
                         {core::extent_source::dimension, 0, d},
                         core::condition::index});
  }
  static constexpr auto pullback(auto g, auto y, auto x) {
    int const operands[] = {x.id, ops::with_reduced_axes(y, y).id};
    long long const attributes[] = {y.of->attribute(y.id, 0)};
    term const first{x.of, x.of->apply(core::identity<first_equal>(), operands, attributes)};
    return inputs(call<where>(first, ops::beside_operand(g, y), 0));
  }
};

struct max : extremum<"max"> {
  template <class R>
  KROTON_FN static R start() {
    if constexpr (std::numeric_limits<R>::has_infinity) return -std::numeric_limits<R>::infinity();
    else return std::numeric_limits<R>::lowest();
  }
  template <class R>
  KROTON_FN static R combine(R a, R b) {
    return math::maximum(a, b);
  }
};

struct min : extremum<"min"> {
  template <class R>
  KROTON_FN static R start() {
    if constexpr (std::numeric_limits<R>::has_infinity) return std::numeric_limits<R>::infinity();
    else return std::numeric_limits<R>::max();
  }
  template <class R>
  KROTON_FN static R combine(R a, R b) {
    return math::minimum(a, b);
  }
};

struct all : reduction<"all"> {
  template <class R>
  KROTON_FN static R start() {
    return R(true);
  }
  template <class R>
  KROTON_FN static R combine(R a, R b) {
    return R(a & b);
  }
  static constexpr auto pullback = no_gradient;
};

struct any : reduction<"any"> {
  template <class R>
  KROTON_FN static R start() {
    return R(false);
  }
  template <class R>
  KROTON_FN static R combine(R a, R b) {
    return R(a | b);
  }
  static constexpr auto pullback = no_gradient;
};

}  // namespace op

namespace ops {

constexpr term sum_over(term x, long long axes, bool keep) {
  return reduce(identity<op::sum>(), x, axes, keep);
}

struct whole_reduction {
  static constexpr bool everything = true, keep = false, known = true;
  static constexpr int named = 0;
  static constexpr long long axes(int rank) { return (1ll << rank) - 1; }
  static constexpr bool within(int) { return true; }
};
template <class... Options>
struct reduction_options : whole_reduction {
  static constexpr bool known = sizeof...(Options) == 0;
};
template <>
struct reduction_options<keepdims_t> : whole_reduction {
  static constexpr bool keep = true;
};
template <int... Axes>
struct reduction_options<axis_t<Axes...>> {
  static constexpr bool everything = false, keep = false, known = true;
  static constexpr int named = sizeof...(Axes);
  static constexpr long long axes(int rank) {
    return ((1ll << (Axes < 0 ? Axes + rank : Axes)) | ... | 0);
  }
  /// The k-th of the axes, counted from the front.
  static constexpr int position(int k, int rank) {
    int const axes[] = {Axes..., 0};
    return axes[k] < 0 ? axes[k] + rank : axes[k];
  }
  static constexpr bool within(int rank) { return ((Axes >= -rank && Axes < rank) && ...); }
};
template <int... Axes>
struct reduction_options<axis_t<Axes...>, keepdims_t> : reduction_options<axis_t<Axes...>> {
  static constexpr bool keep = true;
};
template <int... Axes>
struct reduction_options<keepdims_t, axis_t<Axes...>>
    : reduction_options<axis_t<Axes...>, keepdims_t> {};

template <class X, class... Options>
constexpr bool axes_within() {
  if constexpr (!reduction_options<Options...>::known) return false;
  else if constexpr (typed<X>) return reduction_options<Options...>::within(rank_of<X>);
  else return true;
}

/// Records a reduction of x, converted to element type `as`.
template <class Op, class X, class... Options>
constexpr auto reduce_as(X const& x, element as) {
  using options = reduction_options<Options...>;
  term const operand{x.of, x.of->cast(x.id, as)};
  term const result = reduce(identity<Op>(), operand, options::axes(x.type().rank), options::keep);
  return result;
}
template <class Op, class X, class... Options>
constexpr auto reduce_to(X const& x) {
  using options = reduction_options<Options...>;
  constexpr bool logical = std::is_same_v<Op, op::all> || std::is_same_v<Op, op::any>;
  if constexpr (typed<X>) {
    constexpr int removed =
        options::keep ? 0
                      : std::popcount(static_cast<unsigned long long>(options::axes(rank_of<X>)));
    constexpr element as = logical ? element::boolean : Op::result(element_of<value_type_of<X>>());
    return variable<value_t<as>, rank_of<X> - removed>(reduce_as<Op, X, Options...>(x, as));
  } else {
    return reduce_as<Op, X, Options...>(x, logical ? element::boolean : Op::result(x.element()));
  }
}

}  // namespace ops

/// The options of a reduction are axes, within the rank, and keepdims.
template <class X, class... Options>
concept reduced_axes_are_within_the_rank = ops::axes_within<X, Options...>();

/// Sum over all elements, or over `kt::axis<...>`; bools and signed integers give int64, unsigned
/// uint64. It starts from 0, so the sum of a single -0 is 0. (numpy.sum)
template <symbolic X, class... Options>
  requires reduced_axes_are_within_the_rank<X, Options...>
constexpr auto sum(X const& x, Options...) {
  return ops::reduce_to<op::sum, X, Options...>(x);
}
/// Product over all elements, or over `kt::axis<...>`; element types as in `sum`. (numpy.prod)
template <symbolic X, class... Options>
  requires reduced_axes_are_within_the_rank<X, Options...>
constexpr auto prod(X const& x, Options...) {
  return ops::reduce_to<op::prod, X, Options...>(x);
}
/// Largest element; NaN wins; the gradient goes to the first of equals. Throws kt::value_error if
/// there are no elements. (numpy.max)
template <symbolic X, class... Options>
  requires(!operand<Options> && ...) && reduced_axes_are_within_the_rank<X, Options...>
constexpr auto max(X const& x, Options...) {
  return ops::reduce_to<op::max, X, Options...>(x);
}
/// Rejects two operands, with a sentence.
template <class A, class B>
  requires operands<A, B>
constexpr auto max(A const& a, B const& b) {
  constexpr bool is_pair = operands<A, B>;
  static_assert(
      !is_pair,
      "kt::max reduces one tensor: the larger of two is maximum(a, b), the largest along an axis "
      "max(a, kt::axis<0>)");
  return maximum(a, b);
}
template <symbolic X>
  requires(sizeof(X) > 0)  // more constraints than the overload of std::max has
constexpr auto max(X const& a, X const& b) {  // by reference, as in std::max
  return kroton::max<X, X>(a, b);
}
/// Smallest element; NaN wins; the gradient goes to the first of equals. Throws kt::value_error if
/// there are no elements. (numpy.min)
template <symbolic X, class... Options>
  requires(!operand<Options> && ...) && reduced_axes_are_within_the_rank<X, Options...>
constexpr auto min(X const& x, Options...) {
  return ops::reduce_to<op::min, X, Options...>(x);
}
/// Rejects two operands, with a sentence.
template <class A, class B>
  requires operands<A, B>
constexpr auto min(A const& a, B const& b) {
  constexpr bool is_pair = operands<A, B>;
  static_assert(
      !is_pair,
      "kt::min reduces one tensor: the smaller of two is minimum(a, b), the smallest along an axis "
      "min(a, kt::axis<0>)");
  return minimum(a, b);
}
template <symbolic X>
  requires(sizeof(X) > 0)  // more constraints than the overload of std::min has
constexpr auto min(X const& a, X const& b) {  // by reference, as in std::min
  return kroton::min<X, X>(a, b);
}
/// Whether all elements are true (not 0); true if there are none. (numpy.all)
template <symbolic X, class... Options>
  requires reduced_axes_are_within_the_rank<X, Options...>
constexpr auto all(X const& x, Options...) {
  return ops::reduce_to<op::all, X, Options...>(x);
}
/// Whether any element is true (not 0); false if there are none. (numpy.any)
template <symbolic X, class... Options>
  requires reduced_axes_are_within_the_rank<X, Options...>
constexpr auto any(X const& x, Options...) {
  return ops::reduce_to<op::any, X, Options...>(x);
}
/// Mean over all elements, or over `kt::axis<...>`; float64 for integers; NaN if there are no
/// elements. (numpy.mean)
template <symbolic X, class... Options>
  requires reduced_axes_are_within_the_rank<X, Options...>
constexpr auto mean(X const& x, Options... options) {
  auto const total = [&] {
    if constexpr (typed<X>) {
      using value = std::conditional_t<core::is_continuous(core::element_of<value_type_of<X>>()),
                                       value_type_of<X>, double>;
      return sum(core::as_type<value>(x), options...);
    } else {
      return ops::reduce_as<op::sum, X, Options...>(
          x, core::is_continuous(x.element()) ? x.element() : element::float64);
    }
  }();
  term const count = ops::count_of(x, ops::reduction_options<Options...>::axes(x.type().rank));
  term const divisor{x.of, x.of->cast(count.id, total.type().element)};
  if constexpr (typed<X>) return total / variable<value_type_of<decltype(total)>, 0>(divisor);
  else return total / divisor;
}

}  // namespace kroton
