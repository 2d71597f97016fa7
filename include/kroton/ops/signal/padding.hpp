// Arrays extended beyond their borders: by a number, or by their own elements.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/indexing.hpp>
#include <kroton/ops/shapes/joining.hpp>
#include <kroton/ops/signal/windows.hpp>

namespace kroton {

/// What stands beyond the borders of an array: its outermost elements (edge), what a mirror at
/// these shows (reflect), or one behind them (symmetric), or the array again and again (wrap). (the
/// modes of numpy.pad)
enum class extend { edge, reflect, symmetric, wrap };

namespace ops {

/// The positions in an axis of n elements that stand at `before` elements before it, its own, and
/// `after` behind it.
constexpr term extended_positions(term n, int before, int after, extend how) {
  term const i = iota(n + (before + after)) - before;
  if (how == extend::edge) return call<op::minimum>(call<op::maximum>(i, 0), n - 1);
  if (how == extend::wrap) return call<op::mod>(i, n);
  // In a mirror behind the last element that one is seen twice.
  term const period = n * 2 - (how == extend::reflect ? 2 : 0),
             at = call<op::mod>(i, call<op::maximum>(period, 1));
  return call<op::minimum>(at, period - (how == extend::reflect ? 0 : 1) - at);
}
/// What kt::padding says of each axis: as many before it, and behind it.
template <int Rank, int... N>
struct padded_axes {
  static constexpr int given = sizeof...(N);
  static constexpr bool fits = given == 1 || given == Rank || given == 2 * Rank;
  static constexpr bool counts = ((N >= 0) && ...);
  static constexpr int numbers[sizeof...(N) + 1] = {N..., 0};
  static constexpr bool has_sides = given == 2 * Rank && given > 1;
  static constexpr int before(int d) { return numbers[given == 1 ? 0 : has_sides ? 2 * d : d]; }
  static constexpr int after(int d) { return numbers[given == 1 ? 0 : has_sides ? 2 * d + 1 : d]; }
};
template <class X, int... N>
constexpr bool padding_fits() {
  using axes = padded_axes<rank_of<X>, N...>;
  static_assert(rank_of<X> > 0 && axes::fits,
                "kt::pad: kt::padding takes one number, one for each axis, or two for each axis: "
                "before and behind");
  static_assert(axes::counts, "kt::pad: a padding must not be negative");
  return rank_of<X> > 0 && axes::fits && axes::counts;
}

}  // namespace ops

/// x with a number beyond its borders: `pad(x, kt::padding<1>)` has a zero more at each end of each
/// axis, `kt::padding<0, 0, 2, 3>` two before and three behind the last axis of a matrix.
/// (numpy.pad with mode 'constant')
template <typed X, int... N, operand V = int>
constexpr X pad(X const& x, padding_t<N...>, V const& value = 0) {
  if constexpr (ops::padding_fits<X, N...>()) {
    using axes = ops::padded_axes<rank_of<X>, N...>;
    graph& g = *x.of;
    element const e = term(x).element();
    term const beyond{&g, g.cast(core::node_of(g, value, e), e)};
    term y = x;
    for (int d = 0; d < rank_of<X>; ++d) {
      auto const part = [&](int count) {
        core::list<term> extents;
        for (int k = 0; k < rank_of<X>; ++k)
          extents.push_back(k == d ? ops::integer(g, count) : ops::extent(y, k));
        return ops::alloc(beyond, extents);
      };
      core::list<term> parts;
      if (axes::before(d) > 0) parts.push_back(part(axes::before(d)));
      parts.push_back(y);
      if (axes::after(d) > 0) parts.push_back(part(axes::after(d)));
      if (parts.size() > 1) y = ops::join(parts, d);
    }
    return X(y);
  } else {
    return x;
  }
}
/// x extended by its own elements, as often as needed: `pad(x, kt::padding<2>,
/// kt::extend::reflect)`. Gradients add up where elements repeat. Throws kt::value_error where
/// there are none to repeat. (numpy.pad with modes 'edge', 'reflect', 'symmetric', 'wrap')
template <typed X, int... N>
constexpr X pad(X const& x, padding_t<N...>, extend how) {
  if constexpr (ops::padding_fits<X, N...>()) {
    using axes = ops::padded_axes<rank_of<X>, N...>;
    term y = x;
    for (int d = 0; d < rank_of<X>; ++d)
      if (axes::before(d) + axes::after(d) > 0)
        y = ops::take(
            y, 1ll << d, d,
            {ops::extended_positions(ops::extent(y, d), axes::before(d), axes::after(d), how)});
    return X(y);
  } else {
    return x;
  }
}

}  // namespace kroton
