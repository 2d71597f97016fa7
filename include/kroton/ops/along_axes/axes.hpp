// Axes as arguments of functions that run along some of them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace kroton {

/// Selects axes: `sum(x, kt::axis<0, 2>)`; negative axes count from the end.
template <int... Axes>
struct axis_t {};
template <int... Axes>
inline constexpr axis_t<Axes...> axis{};

/// Keeps the reduced axes with extent 1, so that they broadcast: `sum(x, kt::axis<1>,
/// kt::keepdims)`.
struct keepdims_t {};
inline constexpr keepdims_t keepdims{};

/// A variance divides by N less than the number of elements: `var(x, kt::ddof<1>)` estimates from a
/// sample the variance of what it is drawn from. (ddof of numpy.var)
template <int N>
  requires(N >= 0)
struct ddof_t {};
template <int N>
inline constexpr ddof_t<N> ddof{};

/// Every axis is within the rank.
template <int Rank, int... Axes>
inline constexpr bool axis_is_within_the_rank = ((Axes >= -Rank && Axes < Rank) && ...);

}  // namespace kroton
