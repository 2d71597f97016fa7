// Arrays of the standard library: contiguous ranges of numbers, and of small arrays such as points.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/call/arrays/array_traits.hpp>

#include <array>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <valarray>
#include <vector>

namespace kroton {

// Contiguous ranges of the standard library. Calls read these by themselves; as targets they are
// written through a view.
template <number T, std::size_t N>
struct array_traits<T[N]> {
  static constexpr bool is_standard_range = true, is_dense = true;
  using shape = xt::xshape<N>;
  static auto view(auto& a) { return row_major_view(&a[0], N); }
};
template <number T, std::size_t N>
struct array_traits<std::array<T, N>> {
  static constexpr bool is_standard_range = true, is_dense = true;
  using shape = xt::xshape<N>;
  static auto view(auto& a) { return row_major_view(a.data(), N); }
};
template <number T, class Allocator>
  requires(!std::is_same_v<T, bool>)
struct array_traits<std::vector<T, Allocator>> {
  static constexpr bool is_standard_range = true;
  static auto view(auto& a) { return row_major_view(a.data(), a.size()); }
  static void resize(std::vector<T, Allocator>& a, std::array<std::size_t, 1> const& n) {
    a.resize(n[0]);
  }
};
template <class T, std::size_t N>
  requires number<std::remove_const_t<T>>
struct array_traits<std::span<T, N>> {
  static constexpr bool is_standard_range = true;
  static auto view(std::span<T, N> const& a) { return row_major_view(a.data(), a.size()); }
};

namespace cpu {

/// Small arrays of one type in a row, such as points: the first axis counts them.
template <class P, class Shape = typename array_traits<P>::shape>
struct arrays_in_a_row;
template <class P, std::size_t... N>
struct arrays_in_a_row<P, xt::fixed_shape<N...>> {
  using shape = std::array<std::size_t, sizeof...(N) + 1>;
  using value = std::remove_pointer_t<decltype(array_traits<P>::view(std::declval<P&>()).data)>;
  static constexpr bool are_dense =
      array_traits<P>::is_dense && sizeof(P) == sizeof(value) * (N * ... * 1);

  static auto view(P* first, std::size_t count) {
    return row_major_view(reinterpret_cast<value*>(first), count, N...);
  }
  static auto view(P const* first, std::size_t count) {
    return row_major_view(reinterpret_cast<value const*>(first), count, N...);
  }
  static constexpr bool takes(shape const& n) { return n == shape{n[0], N...}; }
};
template <class P>
concept small_array = requires {
  typename array_traits<P>::shape;
  requires array_traits<P>::is_dense;
  requires arrays_in_a_row<P>::are_dense;
};

}  // namespace cpu

template <cpu::small_array P, class Allocator>
struct array_traits<std::vector<P, Allocator>> {
  using row = cpu::arrays_in_a_row<P>;
  static auto view(auto& a) { return row::view(a.data(), a.size()); }
  static constexpr bool takes(typename row::shape const& n) { return row::takes(n); }
  static void resize(std::vector<P, Allocator>& a, typename row::shape const& n) { a.resize(n[0]); }
};
template <class P, std::size_t N>
  requires cpu::small_array<std::remove_const_t<P>>
struct array_traits<std::span<P, N>> {
  static auto view(std::span<P, N> const& a) {
    return cpu::arrays_in_a_row<std::remove_const_t<P>>::view(a.data(), a.size());
  }
};

/// The elements of a std::valarray.
template <number T>
  requires(!std::is_same_v<T, bool>)
struct array_traits<std::valarray<T>> {
  static auto view(auto& a) {
    return row_major_view(a.size() == 0 ? nullptr : std::addressof(a[0]), a.size());
  }
  static void resize(std::valarray<T>& a, std::array<std::size_t, 1> const& n) { a.resize(n[0]); }
};

}  // namespace kroton
