// Variables whose extents are known at compile time.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/variable.hpp>
#include <kroton/ops/shapes/extents.hpp>

namespace kroton {
namespace ops {

template <class T, int... N>
constexpr tensor_type type_of_extents() {
  tensor_type t{element_of<T>(), static_cast<std::uint8_t>(sizeof...(N)), 0};
  int d = 0;
  ((t.broadcast |= N == 1 ? 1u << d : 0u, ++d), ...);
  return t;
}

}  // namespace ops

/// A symbolic tensor of element type T whose extents are the numbers N: `kt::fixed<double, 3, 3>`.
/// Loops over it are unrolled, and results whose extents are all known are xt::xtensor_fixed, which
/// allocates nothing. A parameter accepts every argument of its rank. Other extents throw
/// kt::shape_error at the call; if the argument's type contains them, or if operands do not match,
/// they are a compile-time error. An extent of 1 broadcasts, as in a kt::row.
template <class T, int... N>
struct fixed : variable<T, static_cast<int>(sizeof...(N))> {
  static_assert(sizeof...(N) > 0,
                "kt::fixed: the extents are missing; a scalar is a kt::scalar<T>");
  static_assert(((N >= 0) && ...), "kt::fixed: an extent is negative");
  using base = variable<T, static_cast<int>(sizeof...(N))>;
  using base::base;
  /// Rejects other tensors, with a sentence.
  template <class X>
    requires core::undeclared<X, fixed, variable<T, static_cast<int>(sizeof...(N))>>
  constexpr fixed(X const& x) : base(core::refused_conversion<X, fixed>(x)) {}
  static constexpr int known_extents[sizeof...(N) + 1] = {N..., 0};
  static constexpr tensor_type parameter_type = ops::type_of_extents<T, N...>();
};

namespace op {

/// Not the op of any node: it names the conditions that the extents of a kt::fixed are the numbers
/// in its type.
struct fixed : core::named_condition<"fixed"> {};

}  // namespace op

namespace ops {

template <class P>
inline constexpr bool has_known_extents = false;
template <class T, int... N>
inline constexpr bool has_known_extents<fixed<T, N...>> = true;

/// Records in a graph that an extent is a number that is known.
constexpr void note_extent(graph& g, int array, int d, long long n) {
  int const number = g.literal(n, element::int64);
  g.constraints().push_back({extent_node(g, array, d), number, identity<op::fixed>()});
}
/// Records the extents of a parameter, if its type contains them.
template <class P>
constexpr void note_extents(graph& g, int parameter) {
  if constexpr (has_known_extents<P>)
    for (int d = 0; d < P::rank; ++d)
      if (P::known_extents[d] != 1) note_extent(g, parameter, d, P::known_extents[d]);
}

}  // namespace ops
}  // namespace kroton
