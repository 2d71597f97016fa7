// Variance, standard deviation and the Euclidean norm, over everything or over some axes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/reduction.hpp>
#include <kroton/ops/selection.hpp>

namespace kroton {
namespace op {

/// The square root of a sum of squares. Its gradient where the sum is 0 is 0, as that of abs.
struct root : elementwise<"root", 1> {
  static constexpr law laws = law::increasing;
  template <class R>
  KROTON_FN static R value(R a) {
    return math::sqrt(a);
  }
  static constexpr core::gradient_list<1> pullback(term g, term y, term) {
    term const is_zero = call<eq>(y, 0);
    return inputs(call<where>(is_zero, 0, g / (2 * call<where>(is_zero, 1, y))));
  }
};

}  // namespace op

namespace core {

/// The floating type that a mean of these elements has.
constexpr element averaged(element e) { return is_continuous(e) ? e : element::float64; }

/// A reduction's result with its static type.
template <element E, class X, class... Options>
constexpr auto reduced(term result) {
  if constexpr (typed<X>) {
    using options = reduction_options<Options...>;
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
/// x as the floats that statistics are made of.
constexpr term as_floats(term x) { return {x.of, x.of->cast(x.id, averaged(x.element()))}; }

/// What is squared for a distance: of complex numbers their absolute value.
constexpr term magnitude_of(term x) {
  if (is_complex(x.element())) return call<op::abs>(x);
  return x;
}

/// The mean squared distance from the mean, so that a large mean costs no digits. What is long is
/// read once all the same, by the pass `assumed_means`.
constexpr term variance(term x, long long axes, bool keep) {
  term const count = count_of(x, axes);
  term const total = sum_over(x, axes, false);
  term const mean = total / term{x.of, x.of->cast(count.id, x.element())};
  term const distance = magnitude_of(x - beside_operand(mean, total));
  return sum_over(distance * distance, axes, keep) /
         term{x.of, x.of->cast(count.id, distance.element())};
}

}  // namespace core

/// Mean squared distance from the mean (ddof 0) over everything, or over `kt::axis<...>`, as exact
/// as in two passes; of integers float64; of nothing NaN; of complex numbers real. (numpy.var)
template <symbolic X, class... Options>
  requires reduced_axes_are_within_the_rank<X, Options...>
constexpr auto var(X const& x, Options...) {
  using options = core::reduction_options<Options...>;
  return core::reduced<core::static_average<X>(), X, Options...>(
      core::variance(core::as_floats(x), options::axes(x.type().rank), options::keep));
}
/// Standard deviation, the square root of `var`; the gradient of equal elements is 0. (numpy.std)
template <symbolic X, class... Options>
  requires reduced_axes_are_within_the_rank<X, Options...>
constexpr auto stddev(X const& x, Options... options) {
  return call<op::root>(var(x, options...));
}
/// Euclidean norm, the square root of the sum of squares, over everything or over `kt::axis<...>`;
/// of integers float64. The gradient at 0 is 0. (numpy.linalg.norm of a vector; of a matrix its
/// Frobenius norm)
template <symbolic X, class... Options>
  requires reduced_axes_are_within_the_rank<X, Options...>
constexpr auto norm(X const& x, Options...) {
  using options = core::reduction_options<Options...>;
  term const v = core::magnitude_of(core::as_floats(x));
  return core::reduced<core::static_average<X>(), X, Options...>(
      call<op::root>(core::sum_over(v * v, options::axes(x.type().rank), options::keep)));
}

}  // namespace kroton
