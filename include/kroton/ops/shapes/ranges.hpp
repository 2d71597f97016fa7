// Numbers at equal steps from one to another: arange of any element type.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/assertion.hpp>
#include <kroton/ops/shapes/creation.hpp>

namespace kroton {
namespace ops {

/// What a range begins, ends and steps with: a number or a scalar, not a complex one.
template <class X>
constexpr bool is_bound() {
  if constexpr (number<X>) return !is_complex_number<X>;
  else if constexpr (typed<X>)
    return rank_of<X> == 0 && !is_complex(core::element_of<value_type_of<X>>());
  else return symbolic<X>;
}

/// The element type of a range: T if it is given; int64 of integers; else that of the variables, or
/// float64 where they are integers. Plain numbers only count as whole or not, as in sums.
template <class T, class... X>
constexpr element range_element() {
  constexpr element of_variables = core::static_element_beside<X...>();
  if constexpr (!std::is_void_v<T>) return core::element_of<T>();
  else if constexpr (!(is_continuous_operand<X>() || ...)) return element::int64;
  else return is_continuous(of_variables) ? of_variables : element::float64;
}

/// Whether the distance of two integers may be beyond the range of int64.
constexpr bool may_be_too_far(term lower, term upper) {
  graph const& g = *lower.of;
  if (long long distance = 0; g.is_literal(lower.id) && g.is_literal(upper.id))
    return __builtin_sub_overflow(g.literal_bits(upper.id), g.literal_bits(lower.id), &distance);
  bool const starts_low = !g.is_literal(lower.id) || g.literal_bits(lower.id) < 0;
  return starts_low && (!g.is_literal(upper.id) || g.literal_bits(upper.id) >= 0);
}
/// How many steps of a given size fit in the integers from `lower` up to but excluding `upper`. A
/// distance beyond the range of int64 is not an empty one: as an unsigned number it is correct, and
/// so many steps of 1 or 2 are a negative number, which is an error.
constexpr term steps_between(term lower, term upper, term size) {
  graph& g = *lower.of;
  bool const is_one = g.is_literal(size.id, 1);
  if (is_one && g.is_literal(lower.id, 0)) {
    bool const is_count = g.is_literal(upper.id) && g.literal_bits(upper.id) >= 0;
    return is_count ? upper : call<op::maximum>(upper, 0);
  }
  term const distance = upper - lower;
  term steps = distance;
  if (!is_one) {
    term const whole{&g, g.cast(distance.id, element::uint64)},
        divisor{&g, g.cast(size.id, element::uint64)};
    steps = {&g, g.cast((call<op::floordiv>(whole - 1, divisor) + 1).id, element::int64)};
  }
  // Steps of 3 never are so many.
  bool const is_short = is_one || g.is_literal(size.id, 2) || !g.is_literal(size.id);
  if (is_short && may_be_too_far(lower, upper))
    steps = assert_that("kt::arange: more numbers than an integer counts",
                        call<op::bit_or>(call<op::le>(upper, lower), call<op::ge>(steps, 0)),
                        steps);
  return call<op::where>(call<op::gt>(upper, lower), steps, term{&g, g.literal(0, element::int64)});
}
/// How many integers a range has; the step is a literal or a scalar.
constexpr term integers_in_range(term begin, term end, term& step) {
  graph& g = *begin.of;
  if (!g.is_literal(step.id)) {
    step = assert_that("kt::arange: the step is 0", call<op::neq>(step, 0), step);
    term const is_up = call<op::gt>(step, 0);
    return steps_between(call<op::where>(is_up, begin, end), call<op::where>(is_up, end, begin),
                         call<op::abs>(step));
  }
  long long const by = g.literal_bits(step.id);
  term const size{&g, g.literal(by < 0 ? -by : by, element::int64)};
  return by < 0 ? steps_between(end, begin, size) : steps_between(begin, end, size);
}
/// The same for float64 numbers: as NumPy counts them, by the rounded quotient.
constexpr term numbers_in_range(term begin, term end, term step) {
  graph& g = *begin.of;
  term const steps = call<op::ceil>((end - begin) / step);
  term const counted = assert_that(
      "kt::arange: the number of steps is not finite, as of a step of 0",
      call<op::lt>(call<op::abs>(steps), 0x1p63), call<op::maximum>(steps, 0));
  return {&g, g.cast(counted.id, element::int64)};
}
/// A range of element type e from bounds that are all integers, or not.
constexpr term range(graph& g, element e, bool of_integers, int begin, int end, int step) {
  element const counted = of_integers ? element::int64 : element::float64;
  term const first{&g, g.cast(begin, counted)}, last{&g, g.cast(end, counted)};
  term by{&g, g.cast(step, counted)};
  if (of_integers && g.is_literal(by.id, 0)) {
    g.fail("kt::arange: the step must not be 0");
    by.id = g.literal(1, counted);
  }
  term const n =
      of_integers ? integers_in_range(first, last, by) : numbers_in_range(first, last, by);
  term values{&g, g.cast(iota(n).id, counted)};
  if (!g.is_literal(by.id, 1)) values = values * by;
  if (!g.is_literal(first.id, 0)) values = values + first;
  return {&g, g.cast(values.id, e)};
}
/// The node of a bound of its own element type: a number whole or not.
template <class X>
constexpr int bound_in(graph& g, X const& x) {
  return core::node_of(g, x, is_continuous_operand<X>() ? element::float64 : element::int64);
}

template <class T, class B, class E, class S>
constexpr auto range_of(graph& g, B const& begin, E const& end, S const& step) {
  constexpr element e = range_element<T, B, E, S>();
  constexpr bool of_integers = !is_continuous_operand<B>() && !is_continuous_operand<E>() &&
                               !is_continuous_operand<S>();
  return variable<core::value_t<e>, 1>(
      range(g, e, of_integers, bound_in(g, begin), bound_in(g, end), bound_in(g, step)));
}
template <class T, class B, class E, class S>
struct range_of_numbers {
  B begin;
  E end;
  S step;
  constexpr term operator()(graph& g) const { return range_of<T>(g, begin, end, step); }
};

template <class... X>
concept bounds = (operand<X> && ...) && (is_bound<X>() && ...);

}  // namespace ops

/// The numbers begin, begin + step ... up to but excluding `end`; the step may be negative, the
/// range empty. All three are numbers or scalars; gradients flow to the first and to the step.
/// Integers give int64, others the type of the variables, or float64; `arange<float>(0, 1, 0.25)`
/// says which. Of numbers alone the result joins the graph of the first variable that it is
/// combined with. A step of 0 in a variable throws kt::value_error. (numpy.arange)
template <class T = void, class B, class E, class S = int>
  requires ops::bounds<B, E, S>
constexpr auto arange(B const& begin, E const& end, S const& step = 1) {
  if constexpr ((symbolic<B> || symbolic<E> || symbolic<S>))
    return ops::range_of<T>(*core::graph_of_operands(begin, end, step), begin, end, step);
  else
    return unplaced<core::value_t<ops::range_element<T, B, E, S>()>, 1,
                    ops::range_of_numbers<T, B, E, S>>{{begin, end, step}};
}
/// 0, 1 ... up to but excluding n. (numpy.arange)
template <class T = void, class N>
  requires ops::bounds<N>
constexpr auto arange(N const& n) {
  return arange<T>(0, n);
}

}  // namespace kroton
