// Batches of the elements of a row: neighbours, or those that stand apart by a stride.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/loop/gathering.hpp>
#include <kroton/cpu/simd/intrinsics.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <type_traits>

namespace kroton::cpu {

template <class T>
inline constexpr auto batch_width = static_cast<std::ptrdiff_t>(xsimd::batch<T>::size);

/// Visits n elements by batches: the first one of each, and how many there are. Only if there are
/// less than a batch has, the only one has fewer; else the last one may overlap the one before.
template <class T, class Visit>
KROTON_INLINE void each_batch(std::ptrdiff_t n, Visit visit) {
  constexpr std::ptrdiff_t width = batch_width<T>;
  std::ptrdiff_t i = 0;
  for (; i + width <= n; i += width) visit(i, width);
  if (i == n) return;
  if (n > width) visit(n - width, width);
  else visit(0, n);
}
/// The first n elements of a batch; which ones follow does not matter. Reads nothing behind `end`.
template <class T>
KROTON_INLINE xsimd::batch<T> load_first(T const* from, std::ptrdiff_t n, T const* end) {
  if (n == batch_width<T> || end - from >= batch_width<T>)
    return xsimd::batch<T>::load_unaligned(from);
  T lanes[batch_width<T>]{};
  std::copy_n(from, n, lanes);
  return xsimd::batch<T>::load_unaligned(lanes);
}
/// The same in reverse: what follows is written later.
template <class T>
KROTON_INLINE void store_first(T* to, xsimd::batch<T> const& from, std::ptrdiff_t n, T const* end) {
  if (n == batch_width<T> || end - to >= batch_width<T>) return from.store_unaligned(to);
  T lanes[batch_width<T>];
  from.store_unaligned(lanes);
  std::copy_n(lanes, n, to);
}
/// 0, 1, 2 and so on.
template <class T>
KROTON_INLINE xsimd::batch<T> counted() {
  static constexpr auto lanes = [] {
    std::array<T, xsimd::batch<T>::size> all{};
    for (std::size_t k = 0; k < all.size(); ++k) all[k] = static_cast<T>(k);
    return all;
  }();
  return xsimd::batch<T>::load_unaligned(lanes.data());
}
/// The first n elements of a batch, followed by others.
template <class T>
KROTON_INLINE xsimd::batch<T> keep_first(xsimd::batch<T> const& v, std::ptrdiff_t n, T rest) {
  if (n == batch_width<T>) return v;
  return xsimd::select(counted<T>() < xsimd::batch<T>(static_cast<T>(n)), v, xsimd::batch<T>(rest));
}

/// The second one unless the first is larger; none is NaN.
template <class T>
KROTON_INLINE xsimd::batch<T> larger(xsimd::batch<T> const& v, xsimd::batch<T> const& than) {
#if defined(__SSE2__)
  return xsimd::max(v, than);  // the instruction takes the second of equals
#else
  return xsimd::select(v > than, v, than);
#endif
}

/// With larger strides windows are computed at all columns.
inline constexpr std::ptrdiff_t widest_step = 4;

/// A batch of every Step-th element; reads Step batches.
template <std::ptrdiff_t Step, class T>
KROTON_INLINE xsimd::batch<T> load_every(T const* from) {
  if constexpr (Step == 1) {
    return xsimd::batch<T>::load_unaligned(from);
  } else {
    T lanes[batch_width<T>];
#if defined(__SSE2__) && !defined(__CUDACC__)
    using word = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    auto const row =
        every<word, static_cast<std::size_t>(Step)>::load(reinterpret_cast<std::byte const*>(from));
    static_assert(sizeof(row) == sizeof(lanes));
    std::memcpy(lanes, &row, sizeof(lanes));
#else
    for (std::ptrdiff_t k = 0; k < batch_width<T>; ++k) lanes[k] = from[k * Step];
#endif
    return xsimd::batch<T>::load_unaligned(lanes);
  }
}
/// Calls `visit` with the step as a constant, 0 if it is wider.
template <class Visit>
KROTON_INLINE void with_step(std::ptrdiff_t step, Visit visit) {
  if (step == 1) visit(std::integral_constant<std::ptrdiff_t, 1>());
  else if (step == 2) visit(std::integral_constant<std::ptrdiff_t, 2>());
  else if (step == 3) visit(std::integral_constant<std::ptrdiff_t, 3>());
  else if (step == 4) visit(std::integral_constant<std::ptrdiff_t, 4>());
  else visit(std::integral_constant<std::ptrdiff_t, 0>());
}

}  // namespace kroton::cpu
