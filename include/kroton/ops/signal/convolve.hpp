// Convolutions and correlations of vectors, as NumPy has them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/choices.hpp>
#include <kroton/ops/shapes/creation.hpp>
#include <kroton/ops/elementwise/complex.hpp>
#include <kroton/ops/signal/convolution.hpp>

namespace kroton {
namespace op {

/// Not the ops of any node: they name the condition that both vectors have elements.
struct convolve : core::named_condition<"convolve"> {};
struct correlate : core::named_condition<"correlate"> {};

}  // namespace op

namespace ops {

/// Which positions of all at which two vectors overlap a result has: the first, and how many.
struct overlaps {
  term begin, count;
};
/// Vectors of n and k elements overlap at n + k - 1 positions.
constexpr overlaps overlaps_of(window_border border, bool correlates, term n, term k) {
  if (border == window_border::full) return {integer(*n.of, 0), n + k - 1};
  term const shorter = call<op::minimum>(n, k), longer = call<op::maximum>(n, k);
  if (border == window_border::valid) return {shorter - 1, longer - shorter + 1};
  // NumPy exchanges the vectors if the second one is longer, and turns a correlation around.
  term const odd = correlates ? call<op::where>(call<op::lt>(n, k), shorter, shorter - 1)
                              : term(shorter - 1);
  return {call<op::floordiv>(odd, 2), longer};
}

/// By the op that convolves images: one channel, one filter.
constexpr term convolved_at(term a, term v, bool correlates, overlaps const& at) {
  graph& g = *a.of;
  window_options o;
  o.axes = 1;
  o.correlates = correlates;
  term const image = permute(a, {-1, -1, 0}), filter = permute(v, {-1, -1, 0});
  term const before = extent(v, 0) - 1 - at.begin;
  list<int> const inputs{image.id,           filter.id, integer(g, 1).id,
                         integer(g, 1).id, before.id, at.count.id};
  term const y{&g, g.apply(identity<op::convolution>(), inputs, window_attributes(o))};
  return reshape(y, list<term>{at.count});
}
template <class Op, class A, class V, class Border>
constexpr auto convolved_vectors(A const& a, V const& v, Border, std::string_view otherwise) {
  constexpr element e = core::static_element_beside<A, V>();
  constexpr bool correlates = std::is_same_v<Op, op::correlate>;
  using enum window_border;
  constexpr window_border border = std::is_same_v<Border, border::full_t>   ? full
                                   : std::is_same_v<Border, border::half_t> ? half
                                                                            : valid;
  graph& g = *a.of;
  int const conditions = g.constraints().size();
  term const conjugated = correlates ? term(conj(v)) : term(v);
  term const left{&g, g.cast(a.id, e)}, right{&g, g.cast(conjugated.id, e)};
  for (term const& x : {left, right}) {
    term const n = extent(x, 0);
    if (!g.is_literal(n.id))
      g.constraints().push_back({n.id, integer(g, 1).id, identity<Op>(), condition::at_least});
    else if (g.literal_bits(n.id) < 1) g.fail(otherwise);
  }
  overlaps const at = overlaps_of(border, correlates, extent(left, 0), extent(right, 0));
  term const y = convolved_at(left, right, correlates, at);
  take_conditions(y, conditions);
  return variable<value_t<e>, 1>(y);
}

template <class B>
inline constexpr bool is_border = std::is_same_v<B, border::full_t> ||
                                  std::is_same_v<B, border::half_t> ||
                                  std::is_same_v<B, border::valid_t>;

}  // namespace ops

/// The convolution of two vectors: y(i) is the sum of a(i - j) v(j), at all n + k - 1 positions
/// where they overlap; with `kt::border::half` at the max(n, k) in their middle (NumPy's 'same'),
/// with `kt::border::valid` where the shorter one lies within the other. Element types are
/// promoted; integers stay integers. Long vectors of floating-point numbers are multiplied by
/// transforms. Throws kt::shape_error for vectors without elements. (numpy.convolve)
template <typed A, typed V, class Border = border::full_t>
constexpr auto convolve(A const& a, V const& v, Border mode = {}) {
  constexpr bool fits = rank_of<A> == 1 && rank_of<V> == 1 && ops::is_border<Border>;
  static_assert(fits, "kt::convolve: takes two vectors and kt::border::full, half or valid");
  if constexpr (fits)
    return ops::convolved_vectors<op::convolve>(a, v, mode,
                                                "kt::convolve: a vector has no elements");
  else return core::in_place_of<core::value_t<core::static_element_beside<A, V>()>, 1>(a);
}
/// The correlation of two vectors: y(i) is the sum of a(i + j) conj(v(j)), where the shorter one
/// lies within the other, or with `kt::border::full` or `half` as in `convolve`.
/// (numpy.correlate)
template <typed A, typed V, class Border = border::valid_t>
constexpr auto correlate(A const& a, V const& v, Border mode = {}) {
  constexpr bool fits = rank_of<A> == 1 && rank_of<V> == 1 && ops::is_border<Border>;
  static_assert(fits, "kt::correlate: takes two vectors and kt::border::full, half or valid");
  if constexpr (fits)
    return ops::convolved_vectors<op::correlate>(a, v, mode,
                                                 "kt::correlate: a vector has no elements");
  else return core::in_place_of<core::value_t<core::static_element_beside<A, V>()>, 1>(a);
}

}  // namespace kroton
