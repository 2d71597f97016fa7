// kt::shape: the extents of a parameter, when there is no array yet.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/array.hpp>
#include <kroton/core/error.hpp>

#include <array>
#include <concepts>
#include <string>
#include <tuple>

namespace kroton {

/// The result of kt::shape.
template <int Rank>
struct shape_t {
  static_assert(Rank <= core::max_rank, "kt::shape: more extents than the largest rank");
  std::array<std::ptrdiff_t, static_cast<std::size_t>(Rank)> extents{};
};

/// The extents of a parameter for `kt::debugprint(f, shapes...)`: `kt::shape(10, 1000)`;
/// `kt::shape()` is the shape of a scalar. Throws kt::shape_error for a negative extent.
template <std::integral... N>
constexpr shape_t<static_cast<int>(sizeof...(N))> shape(N... extents) {
  shape_t<static_cast<int>(sizeof...(N))> const result{{static_cast<std::ptrdiff_t>(extents)...}};
  for (std::ptrdiff_t n : result.extents)
    if (n < 0) throw shape_error("kt::shape: an extent is negative: " + std::to_string(n));
  return result;
}
/// The same from an array of extents, such as `x.shape()` of an xtensor.
template <std::integral T, std::size_t Rank>
constexpr shape_t<static_cast<int>(Rank)> shape(std::array<T, Rank> const& extents) {
  return std::apply([](auto... n) { return shape(n...); }, extents);
}

}  // namespace kroton
