// Functions that combine tensors of numbers with variables: a tensor without a graph is placed in
// that of the variable. (Elementwise functions and indices accept such tensors directly.)
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/shapes/allocation.hpp>
#include <kroton/ops/shapes/creation.hpp>

namespace kroton {
namespace ops {

template <class... X>
concept placed_by_another = (placeable<X> || ...) && (symbolic<X> || ...);

template <class T>
struct eye_of_numbers {
  long long rows, columns;
  int offset;
  constexpr term operator()(graph& g) const {
    term const n = extent_in(g, rows), m = extent_in(g, columns);
    return eye<T>(lscalar(n), lscalar(m), offset);
  }
};

}  // namespace ops

// Where a function itself takes such a tensor in one place, its own declaration is more special.
#define KROTON_PLACE(name)                     \
  template <class... X>                        \
    requires ops::placed_by_another<X...>      \
  constexpr auto name(X const&... x) {         \
    graph& g = *core::graph_of_operands(x...); \
    return name(core::placed(g, x)...);        \
  }
// Products and systems of equations
KROTON_PLACE(dot)
KROTON_PLACE(outer)
KROTON_PLACE(batched_dot)
KROTON_PLACE(tensordot)
KROTON_PLACE(vdot)
KROTON_PLACE(cross)
KROTON_PLACE(kron)
KROTON_PLACE(solve)
KROTON_PLACE(solve_triangular)
KROTON_PLACE(solve_sylvester)
KROTON_PLACE(solve_continuous_lyapunov)
KROTON_PLACE(solve_discrete_lyapunov)
KROTON_PLACE(lstsq)
KROTON_PLACE(tensorsolve)
// Tables, samples and positions
KROTON_PLACE(take)
KROTON_PLACE(take_along_axis)
KROTON_PLACE(put_along_axis)
KROTON_PLACE(choose)
KROTON_PLACE(searchsorted)
KROTON_PLACE(digitize)
KROTON_PLACE(histogram)
KROTON_PLACE(bincount)
KROTON_PLACE(interp)
KROTON_PLACE(trapz)
KROTON_PLACE(trapezoid)
KROTON_PLACE(average)
KROTON_PLACE(lexsort)
KROTON_PLACE(meshgrid)
KROTON_PLACE(ravel_multi_index)
KROTON_PLACE(broadcast_to)
KROTON_PLACE(repeat)
KROTON_PLACE(roll)
KROTON_PLACE(tile)
// Filters and labels
KROTON_PLACE(conv1d)
KROTON_PLACE(conv2d)
KROTON_PLACE(conv3d)
KROTON_PLACE(conv2d_transpose)
KROTON_PLACE(fftconvolve)
KROTON_PLACE(convolve)
KROTON_PLACE(correlate)
KROTON_PLACE(categorical_crossentropy)
KROTON_PLACE(binary_crossentropy)
KROTON_PLACE(multiclass_hinge)
#undef KROTON_PLACE

template <text Subscripts, class... X>
  requires ops::placed_by_another<X...>
constexpr auto einsum(X const&... x) {
  graph& g = *core::graph_of_operands(x...);
  return einsum<Subscripts>(core::placed(g, x)...);
}
template <int Axes, class... X>
  requires ops::placed_by_another<X...>
constexpr auto tensordot(X const&... x) {
  graph& g = *core::graph_of_operands(x...);
  return tensordot<Axes>(core::placed(g, x)...);
}

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
}  // namespace kroton
