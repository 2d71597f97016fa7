// Functions that combine tensors of numbers with variables: a tensor without a graph is placed in
// that of the variable. (Elementwise functions accept such tensors directly.)
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/allocation.hpp>
#include <kroton/ops/creation.hpp>

namespace kroton {
namespace ops {

template <class... X>
concept placed_by_another =
    (placeable<X> || ...) && (symbolic<X> || ...) && ((placeable<X> || symbolic<X>) && ...);

template <class T>
struct eye_of_numbers {
  long long rows, columns;
  int offset;
  constexpr term operator()(graph& g) const {
    term const n = extent_in(g, rows), m = extent_in(g, columns);
    return eye<T>(lscalar(n), lscalar(m), offset);
  }
};
struct arange_of_numbers {
  long long begin, end;
  int step;
  constexpr term operator()(graph& g) const {
    auto const number = [&](long long v) {
      return lscalar(term{&g, g.literal(v, element::int64)});
    };
    return arange(number(begin), number(end), step);
  }
};

}  // namespace ops

#define KROTON_PLACE(name)                               \
  template <class A, class B>                            \
    requires ops::placed_by_another<A, B>                \
  constexpr auto name(A const& a, B const& b) {          \
    graph& g = *core::graph_of_operands(a, b);           \
    return name(core::placed(g, a), core::placed(g, b)); \
  }
KROTON_PLACE(dot)
KROTON_PLACE(outer)
KROTON_PLACE(batched_dot)
KROTON_PLACE(solve)
#undef KROTON_PLACE

#define KROTON_PLACE(name)                     \
  template <int Axis = 0, class... X>          \
    requires ops::placed_by_another<X...>      \
  constexpr auto name(X const&... x) {         \
    graph& g = *core::graph_of_operands(x...); \
    return name<Axis>(core::placed(g, x)...);  \
  }
KROTON_PLACE(concatenate)
KROTON_PLACE(stack)
#undef KROTON_PLACE

/// The n by m matrix of T with ones on a diagonal, from numbers alone: it joins the graph of the
/// first variable that it is combined with.
template <class T = double, std::integral N, std::integral M>
constexpr auto eye(N n, M m, int k = 0) {
  return unplaced<T, 2, ops::eye_of_numbers<T>>{{n, m, k}};
}
template <class T = double, std::integral N>
constexpr auto eye(N n) {
  return eye<T>(n, n);
}
/// The integers from `begin` up to but excluding `end`, `step` apart, from numbers alone.
template <std::integral B, std::integral E>
constexpr auto arange(B begin, E end, int step = 1) {
  return unplaced<std::int64_t, 1, ops::arange_of_numbers>{{begin, end, step}};
}
template <std::integral N>
constexpr auto arange(N n) {
  return arange(N{}, n);
}

}  // namespace kroton
