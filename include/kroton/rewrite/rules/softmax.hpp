// What the softmax family is computed by: maxima, exponentials and sums that the loops can fuse.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/rewrite/rules/reduction.hpp>
#include <kroton/rewrite/rules/stable.hpp>

namespace kroton::rewrite::rules {

/// The pattern that puts the reduced axes of a tensor of some rank back with extent 1.
constexpr list<long long> kept_axes(int rank, long long axes) {
  list<long long> pattern;
  for (int d = 0, position = 0; d < rank; ++d)
    pattern.push_back((axes >> d & 1) != 0 ? -1 : position++);
  return pattern;
}
/// A reduction with its axes put back.
constexpr int kept(rewriter& r, op_info const* op, int x, long long axes) {
  return make_view(r, reduced(r, op, x, axes), kept_axes(r.g.type(x).rank, axes));
}
/// A condition: a number is neither infinite nor NaN.
constexpr int is_finite(rewriter& r, int x) {
  element const e = r.g.type(x).element;
  double const most = e == element::float32 ? static_cast<double>(std::numeric_limits<float>::max())
                                            : std::numeric_limits<double>::max();
  return r.make<op::le>({r.make<op::abs>({x}), r.literal(most, e)});
}
/// sum(exp(d)) for differences d <= 0 of which some are 0, whose exponentials are exactly 1, in two
/// parts, which are kept apart so that small others are not lost next to it. The ones are counted
/// in the element type, so that the loop needs no other.
struct exponentials {
  int others, ones;
};
constexpr exponentials sums_of_exponentials(rewriter& r, int d, long long axes) {
  element const e = r.g.type(d).element;
  int const zero = r.literal(0, e), one = r.literal(1, e);
  int const is_largest = r.make<op::eq>({d, zero});
  int const others = r.make<op::where>({is_largest, zero, r.make<op::exp>({d})});
  int const ones =
      reduced(r, identity<op::sum>(), r.make<op::where>({is_largest, one, zero}), axes);
  return {reduced(r, identity<op::sum>(), others, axes), ones};
}
/// Its logarithm: one of the ones goes into log1p.
constexpr int log_of_sum(rewriter& r, int d, long long axes) {
  exponentials const sums = sums_of_exponentials(r, d, axes);
  int const rest =
      r.make<op::whole>({r.make<op::sub>({sums.ones, r.literal(1, r.g.type(d).element)})});
  return r.make<op::log1p>({r.make<op::add>({sums.others, rest})});
}
/// Whether the logarithm of the sum of exponentials has been asked for, too.
constexpr bool has_log_of_sum(rewriter& r, int x, long long axes) {
  int const nodes = r.g.size();
  return r.g.apply<op::logsumexp>({x}, {axes, 0}) < nodes ||
         r.g.apply<op::log_softmax>({x}, {axes}) < nodes;
}

/// The largest element as one of those of x, to the last place: x minus the multiple of a maximum
/// would not be exactly 0 anywhere.
constexpr int largest_element(rewriter& r, int x, long long axes) {
  if (split_coefficient(r, x).node == x || axes == 0)
    return reduced(r, identity<op::max>(), x, axes);
  int const inputs[] = {x};
  long long const attributes[] = {axes, 0};
  return r.mark(r.g.apply(identity<op::max>(), inputs, attributes));
}
constexpr int expanded_softmax(rewriter& r, int id) {
  int const x = r.g.input_of(id, 0);
  long long const axes = r.g.attribute(id, 0);
  int const difference = r.make<op::sub>({x, kept(r, identity<op::max>(), x, axes)}),
            exponential = r.make<op::exp>({difference});
  int sum = -1;
  if (split_coefficient(r, x).node == x && has_log_of_sum(r, x, axes)) {
    exponentials const sums = sums_of_exponentials(r, difference, axes);
    // Not a third sum of both
    sum = r.make<op::add>({r.make<op::whole>({sums.others}), r.make<op::whole>({sums.ones})});
  } else {
    sum = reduced(r, identity<op::sum>(), exponential, axes);
  }
  return r.make<op::div>({exponential, make_view(r, sum, kept_axes(r.g.type(x).rank, axes))});
}
constexpr int expanded_logsumexp(rewriter& r, int id) {
  int const x = r.g.input_of(id, 0);
  long long const axes = r.g.attribute(id, 0);
  int const maximum = largest_element(r, x, axes);
  list<long long> const pattern = kept_axes(r.g.type(x).rank, axes);
  int const difference = r.make<op::sub>({x, make_view(r, maximum, pattern)});
  // Where the maximum is infinite, the differences are NaN. They stay, since a softmax has the same
  // ones.
  int const sum = r.make<op::add>({maximum, log_of_sum(r, difference, axes)});
  int const result = r.make<op::where>({is_finite(r, maximum), sum, maximum});
  return r.g.attribute(id, 1) == 0 ? result : make_view(r, result, pattern);
}
/// What is stored of a sum of exponentials is what logsumexp or softmax computes next to it.
constexpr int expanded_largest_exponent(rewriter& r, int id) {
  int const x = r.g.input_of(id, 0);
  long long const axes = r.g.attribute(id, 0);
  bool const is_next_to_logarithm = has_log_of_sum(r, x, axes);
  int const m = is_next_to_logarithm ? largest_element(r, x, axes)
                                     : reduced(r, identity<op::max>(), x, axes);
  return r.g.attribute(id, 1) == 0 ? m : make_view(r, m, kept_axes(r.g.type(x).rank, axes));
}
constexpr int expanded_relative_sum(rewriter& r, int id) {
  int const x = r.g.input_of(id, 0);
  long long const axes = r.g.attribute(id, 0);
  list<long long> const pattern = kept_axes(r.g.type(x).rank, axes);
  int sum = -1;
  if (has_log_of_sum(r, x, axes)) {
    int const d = r.make<op::sub>({x, make_view(r, largest_element(r, x, axes), pattern)});
    exponentials const sums = sums_of_exponentials(r, d, axes);
    sum = r.make<op::add>({r.make<op::whole>({sums.others}), r.make<op::whole>({sums.ones})});
  } else {
    int const d = r.make<op::sub>({x, kept(r, identity<op::max>(), x, axes)});
    sum = reduced(r, identity<op::sum>(), r.make<op::exp>({d}), axes);
  }
  return r.g.attribute(id, 1) == 0 ? sum : make_view(r, sum, pattern);
}
constexpr int expanded_log_softmax(rewriter& r, int id) {
  int const x = r.g.input_of(id, 0);
  long long const axes = r.g.attribute(id, 0);
  int const difference = r.make<op::sub>({x, kept(r, identity<op::max>(), x, axes)});
  list<long long> const pattern = kept_axes(r.g.type(x).rank, axes);
  // Of a negative one, and of other sums, the maximum would otherwise meet the logarithm first,
  // which may be far smaller.
  return r.make<op::sub>(
      {r.make<op::whole>({difference}), make_view(r, log_of_sum(r, difference, axes), pattern)});
}

}  // namespace kroton::rewrite::rules
