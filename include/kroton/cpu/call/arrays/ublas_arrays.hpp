// Dense matrices and vectors of Boost.uBLAS, and ranges, slices, rows and columns of these. None of
// its headers is included.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/call/arrays/array_traits.hpp>

#include <array>
#include <cstddef>
#include <memory>
#include <type_traits>

namespace boost::numeric::ublas {
struct dense_tag;
struct dense_proxy_tag;
template <class V> class vector_reference;
template <class M> class matrix_reference;
template <class V> class vector_range;
template <class V> class vector_slice;
template <class M> class matrix_row;
template <class M> class matrix_column;
template <class M> class matrix_vector_range;
template <class M> class matrix_vector_slice;
template <class M> class matrix_range;
template <class M> class matrix_slice;
}  // namespace boost::numeric::ublas

namespace kroton {
namespace cpu {

/// Whether the distance from an element to the next is the same everywhere along an axis. Not so
/// where a list of indices picks elements, nor where each row has memory of its own, although
/// uBLAS calls these dense, too; nor in a part of them.
template <class A>
inline constexpr bool ublas_strided = [] {
  if constexpr (requires { typename A::array_type::value_type; })
    return std::is_same_v<typename A::array_type::value_type, typename A::value_type>;
  else return std::is_same_v<typename A::storage_category, boost::numeric::ublas::dense_tag>;
}();
template <class A>
inline constexpr bool ublas_strided<A const> = ublas_strided<A>;
template <class V>
inline constexpr bool ublas_strided<boost::numeric::ublas::vector_reference<V>> = ublas_strided<V>;
template <class M>
inline constexpr bool ublas_strided<boost::numeric::ublas::matrix_reference<M>> = ublas_strided<M>;
template <class V>
inline constexpr bool ublas_strided<boost::numeric::ublas::vector_range<V>> = ublas_strided<V>;
template <class V>
inline constexpr bool ublas_strided<boost::numeric::ublas::vector_slice<V>> = ublas_strided<V>;
template <class M>
inline constexpr bool ublas_strided<boost::numeric::ublas::matrix_row<M>> = ublas_strided<M>;
template <class M>
inline constexpr bool ublas_strided<boost::numeric::ublas::matrix_column<M>> = ublas_strided<M>;
template <class M>
inline constexpr bool ublas_strided<boost::numeric::ublas::matrix_vector_range<M>> =
    ublas_strided<M>;
template <class M>
inline constexpr bool ublas_strided<boost::numeric::ublas::matrix_vector_slice<M>> =
    ublas_strided<M>;
template <class M>
inline constexpr bool ublas_strided<boost::numeric::ublas::matrix_range<M>> = ublas_strided<M>;
template <class M>
inline constexpr bool ublas_strided<boost::numeric::ublas::matrix_slice<M>> = ublas_strided<M>;

/// What has all its elements in memory with strides: not the packed and sparse ones, nor
/// expressions.
template <class A>
concept ublas_dense = requires { typename A::storage_category; } &&
                      (std::is_same_v<typename A::storage_category,
                                      boost::numeric::ublas::dense_tag> ||
                       std::is_same_v<typename A::storage_category,
                                      boost::numeric::ublas::dense_proxy_tag>) &&
                      ublas_strided<A>;
template <class A>
concept ublas_matrix = ublas_dense<A> && requires(A const& a) {
  { a.size1() };
  { a.size2() };
  requires std::is_lvalue_reference_v<decltype(a(0, 0))>;
};
template <class A>
concept ublas_vector = ublas_dense<A> && requires(A const& a) {
  { a.size() };
  requires std::is_lvalue_reference_v<decltype(a(0))>;
};
/// Whether its storage grows: the arrays of bounded matrices and vectors do not.
template <class A>
concept ublas_resizable =
    std::is_same_v<typename A::storage_category, boost::numeric::ublas::dense_tag> &&
    requires { typename A::array_type::allocator_type; };

/// How far the second element is from the first; where there is none, no matter.
template <class T>
std::ptrdiff_t ublas_stride(T& first, bool has_second, auto const& second) {
  return has_second ? std::addressof(second()) - std::addressof(first) : 1;
}

}  // namespace cpu

template <cpu::ublas_matrix A>
struct array_traits<A> {
  // Orders, ranges and slices show in the addresses of elements.
  static auto view(auto& a) {
    using T = std::remove_reference_t<decltype(a(0, 0))>;
    array_view<T, 2> made{nullptr, {a.size1(), a.size2()}, {}};
    if (made.shape[0] == 0 || made.shape[1] == 0) return made;
    T& first = a(0, 0);
    made.data = std::addressof(first);
    auto const next_row = [&]() -> T& { return a(1, 0); };
    auto const next_column = [&]() -> T& { return a(0, 1); };
    made.strides = {cpu::ublas_stride(first, made.shape[0] > 1, next_row),
                    cpu::ublas_stride(first, made.shape[1] > 1, next_column)};
    return made;
  }
  static void resize(A& a, std::array<std::size_t, 2> const& n)
    requires cpu::ublas_resizable<A>
  {
    a.resize(n[0], n[1], false);
  }
};
template <cpu::ublas_vector A>
struct array_traits<A> {
  static auto view(auto& a) {
    using T = std::remove_reference_t<decltype(a(0))>;
    array_view<T, 1> made{nullptr, {a.size()}, {}};
    if (made.shape[0] == 0) return made;
    T& first = a(0);
    made.data = std::addressof(first);
    auto const next = [&]() -> T& { return a(1); };
    made.strides = {cpu::ublas_stride(first, made.shape[0] > 1, next)};
    return made;
  }
  static void resize(A& a, std::array<std::size_t, 1> const& n)
    requires cpu::ublas_resizable<A>
  {
    a.resize(n[0], false);
  }
};

}  // namespace kroton
