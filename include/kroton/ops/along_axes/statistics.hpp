// Variance, standard deviation and the Euclidean norm, over all or some axes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/along_axes/reduction.hpp>
#include <kroton/ops/elementwise/selection.hpp>

#include <boost/mp11.hpp>

namespace kroton {
namespace ops {

/// What is left of a product without one of its factors, or of a sum of such products; nothing if
/// the factor is not in it.
constexpr term without_factor(term product, int factor) {
  graph& g = *product.of;
  auto const operand = [&](int k) { return term{&g, g.input_of(product.id, k)}; };
  auto const rest = [&](int k) { return without_factor(operand(k), factor); };
  if (product.id == factor) return {&g, g.literal(1, product.element())};
  if (g.is<op::pow>(product.id) && operand(0).id == factor && g.is_literal(operand(1).id, 1))
    return {&g, g.literal(1, product.element())};
  if (g.is<op::neg>(product.id)) {
    term const inner = rest(0);
    return inner.exists() ? term(-inner) : inner;
  }
  if (g.is<op::add>(product.id)) {
    term const left = rest(0), right = left.exists() ? rest(1) : left;
    return right.exists() ? term(left + right) : right;
  }
  if (!g.is<op::mul>(product.id)) return {};
  for (int k : {1, 0})
    if (term const inner = rest(k); inner.exists()) return operand(1 - k) * inner;
  return {};
}

}  // namespace ops

namespace op {

/// The square root of a sum of squares. Its gradient is 0 where the sum is 0, like that of abs;
/// that of its square is the sum's, which has a second derivative there.
struct root : elementwise<"root", 1> {
  static constexpr law laws = law::increasing;
  template <class R>
  KROTON_FN static R value(R a) {
    return math::sqrt(a);
  }
  static constexpr core::gradient_list<1> pullback(term g, term y, term) {
    if (term const rest = ops::without_factor(g, y.id); rest.exists())
      return inputs(ops::expand_like(rest / 2, y));
    term const is_zero = call<eq>(y, 0);
    return inputs(call<where>(is_zero, 0, g / (2 * call<where>(is_zero, 1, y))));
  }
};

}  // namespace op

namespace ops {

/// The floating-point type of a mean of these elements.
constexpr element averaged(element e) { return is_continuous(e) ? e : element::float64; }

/// A reduction's result with its static type.
template <element E, class X, class options>
constexpr auto reduced(term result) {
  if constexpr (typed<X>) {
    constexpr int removed =
        options::keep ? 0
                      : std::popcount(static_cast<unsigned long long>(options::axes(rank_of<X>)));
    return variable<value_t<E>, rank_of<X> - removed>(result);
  } else {
    return result;
  }
}
template <class X>
constexpr element static_average() {
  if constexpr (typed<X>) return real_of(averaged(element_of<value_type_of<X>>()));
  else return element::float64;
}
/// x converted to the floating-point type of statistics.
constexpr term as_floats(term x) { return {x.of, x.of->cast(x.id, averaged(x.element()))}; }

/// The value that a distance squares: for complex numbers, the absolute value.
constexpr term magnitude_of(term x) {
  if (is_complex(x.element())) return call<op::abs>(x);
  return x;
}

template <class Option>
inline constexpr int ddof_in = -1;
template <int N>
inline constexpr int ddof_in<ddof_t<N>> = N;
template <class Option>
using is_ddof = std::bool_constant<(ddof_in<Option> >= 0)>;

/// The options of a variance: those of a reduction and, anywhere among them, a ddof.
template <class... Options>
struct variance_options {
  using others = boost::mp11::mp_remove_if<boost::mp11::mp_list<Options...>, is_ddof>;
  using reduction = boost::mp11::mp_rename<others, reduction_options>;
  static constexpr int ddof = (0 + ... + (is_ddof<Options>::value ? ddof_in<Options> : 0));
  static constexpr bool known = reduction::known && (0 + ... + is_ddof<Options>::value) <= 1;
  template <class X>
  static constexpr bool fit() {
    if constexpr (!known) return false;
    else if constexpr (typed<X>) return reduction::within(rank_of<X>);
    else return true;
  }
};

/// The mean of the squared distances from the mean, so that a large mean costs no digits, of `ddof`
/// elements less. The pass `assumed_means` reads long operands only once.
constexpr term variance(term x, long long axes, bool keep, int ddof) {
  term const count = count_of(x, axes);
  term const total = sum_over(x, axes, false);
  term const mean = total / term{x.of, x.of->cast(count.id, x.element())};
  term const distance = magnitude_of(x - beside_operand(mean, total));
  term const freedoms = ddof == 0 ? count : call<op::maximum>(count - ddof, 0);
  return sum_over(distance * distance, axes, keep) /
         term{x.of, x.of->cast(freedoms.id, distance.element())};
}

}  // namespace ops

/// The options of a variance are axes, within the rank, keepdims and one ddof.
template <class X, class... Options>
concept variance_options_fit_the_rank = ops::variance_options<Options...>::template fit<X>();

/// The mean of the squared distances from the mean, with the options of `sum`; `kt::ddof<1>`
/// divides by one less than the number of elements. It is as accurate as a computation in two
/// passes. Integers give float64, complex numbers a real number. The result is NaN without
/// elements, and NaN or infinity where ddof leaves nothing to divide by. (numpy.var)
template <symbolic X, class... Options>
  requires variance_options_fit_the_rank<X, Options...>
constexpr auto var(X const& x, Options...) {
  using all = ops::variance_options<Options...>;
  using options = typename all::reduction;
  return ops::reduced<ops::static_average<X>(), X, options>(
      ops::variance(ops::as_floats(x), options::axes(x.type().rank), options::keep, all::ddof));
}
/// The standard deviation: the square root of `var`, with its options. Its gradient is 0 where all
/// elements are equal. (numpy.std)
template <symbolic X, class... Options>
  requires variance_options_fit_the_rank<X, Options...>
constexpr auto stddev(X const& x, Options... options) {
  return call<op::root>(var(x, options...));
}
/// Euclidean norm, the square root of the sum of squares, over all elements or over
/// `kt::axis<...>`; float64 for integers. The gradient at 0 is 0. (numpy.linalg.norm of a vector;
/// for a matrix its Frobenius norm)
template <symbolic X, class... Options>
  requires reduced_axes_are_within_the_rank<X, Options...>
constexpr auto norm(X const& x, Options...) {
  using options = ops::reduction_options<Options...>;
  term const v = ops::magnitude_of(ops::as_floats(x));
  return ops::reduced<ops::static_average<X>(), X, options>(
      call<op::root>(ops::sum_over(v * v, options::axes(x.type().rank), options::keep)));
}

}  // namespace kroton
