// Extents as one argument.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/shapes/allocation.hpp>

#include <tuple>

namespace kroton {
namespace ops {

/// What kt::size holds: integers and integer scalars.
template <class... E>
struct extent_pack {
  std::tuple<E...> extents;
};

template <class X>
inline constexpr bool is_extent_pack = false;
template <class... E>
inline constexpr bool is_extent_pack<extent_pack<E...>> = true;

}  // namespace ops

/// Extents, integers or integer scalars, as one argument of functions that take other arguments,
/// too: `r.normal(mean, deviation, kt::size(x.shape(0), 3))`. None at all: a scalar.
template <operand... E>
constexpr ops::extent_pack<E...> size(E const&... extents) {
  constexpr bool are_extents = (ops::is_extent<E>() && ...);
  static_assert(are_extents, "kt::size: an extent must be an integer or an integer scalar");
  return {{extents...}};
}

}  // namespace kroton
