// Arrays of other libraries: one customization point, and the families that it knows by what their
// members are called. None of their headers is included.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/call/arrays/strided.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <memory>
#include <type_traits>

#include <xtensor/xfixed.hpp>

namespace kroton {

/// How Kroton reads and writes a type of array; empty for types that it does not know. To let your
/// own take part as arguments of functions and as targets of `into`, specialize it:
///
///     template <>
///     struct kroton::array_traits<image> {
///       // The elements of an `image const` are const.
///       static auto view(auto& x) {
///         return kroton::row_major_view(x.pixels(), x.rows(), x.columns());
///       }
///       // Where it owns its elements and can have others:
///       static void resize(image& x, std::array<std::size_t, 2> const& shape);
///     };
///
/// `static bool takes(shape)` says which extents it can have, if not any.
/// `using shape = xt::xshape<3, 3>` tells extents that the type has, and
/// `static constexpr bool is_dense = true` that its elements lie row by row without gaps: small
/// arrays of which the type tells only the extents are copied. Known are the dense matrices,
/// vectors, maps and blocks of Eigen (expressions are evaluated), matrices, vectors
/// and cubes of Armadillo, dense matrices and vectors of Boost.uBLAS, std::mdspan and its reference
/// implementation, arrays of arrays, std::array, std::vector, std::valarray and std::span, also of
/// small arrays such as points.
template <class A>
struct array_traits {};

namespace cpu {

/// A type that array_traits describes.
template <class A>
concept described_array =
    !xtensor_expression<A> && requires(A& a) { array_traits<std::remove_cv_t<A>>::view(a); };

// ---- Eigen

template <class A>
concept eigen_dense = requires(A const& a) {
  typename A::Scalar;
  { A::RowsAtCompileTime };
  { A::ColsAtCompileTime };
  { A::IsRowMajor };
  { a.rows() };
  { a.cols() };
  requires !requires { a.innerIndexPtr(); };  // of a sparse matrix
};
/// Matrices, vectors, maps and blocks of these: what has elements in memory, by Eigen's
/// DirectAccessBit. Transposes and others have the members for any expression.
template <class A>
concept eigen_array = eigen_dense<A> && (int(A::Flags) & 0x40) != 0 && requires(A const& a) {
  { a.data() };
  { a.innerStride() };
  { a.outerStride() };
};
template <class A>
inline constexpr std::size_t eigen_rank =
    A::RowsAtCompileTime == 1 || A::ColsAtCompileTime == 1 ? 1 : 2;
template <class A>
inline constexpr bool eigen_is_dense =
    int(A::InnerStrideAtCompileTime) == 1 &&
    (eigen_rank<A> == 1 ||
     (A::IsRowMajor && int(A::OuterStrideAtCompileTime) == int(A::ColsAtCompileTime)));
template <class A>
constexpr auto eigen_shape() {
  constexpr int rows = A::RowsAtCompileTime, columns = A::ColsAtCompileTime;
  if constexpr (rows < 0 || columns < 0)
    return std::type_identity<std::array<std::size_t, eigen_rank<A>>>{};
  else if constexpr (eigen_rank<A> == 2)
    return std::type_identity<xt::xshape<std::size_t{rows}, std::size_t{columns}>>{};
  else return std::type_identity<xt::xshape<std::size_t{rows} * std::size_t{columns}>>{};
}

// ---- arrays of arrays

template <class A>
struct nested {
  static constexpr std::size_t rank = 0;
};
template <class A, std::size_t N>
struct nested<A[N]> {
  using inner = A;
  static constexpr std::size_t rank = nested<A>::rank + 1, count = N;
};
template <class A, std::size_t N>
struct nested<std::array<A, N>> : nested<A[N]> {};
template <class A, std::size_t... Outer>
constexpr auto nested_shape() {
  if constexpr (nested<A>::rank == 0) return std::type_identity<xt::xshape<Outer...>>{};
  else return nested_shape<typename nested<A>::inner, Outer..., nested<A>::count>();
}
template <std::size_t... N, class A>
constexpr auto view_of_nested(xt::xshape<N...>, A& a) {
  if constexpr (nested<std::remove_cv_t<A>>::rank == 0)
    return row_major_view(std::addressof(a), N...);
  else return view_of_nested(xt::xshape<N...>(), a[0]);
}

}  // namespace cpu

template <cpu::eigen_array A>
struct array_traits<A> {
  using shape = typename decltype(cpu::eigen_shape<A>())::type;
  static constexpr bool is_dense = cpu::eigen_is_dense<A>;
  static auto view(auto& a) {
    using T = std::remove_pointer_t<decltype(a.data())>;
    auto const rows = static_cast<std::size_t>(a.rows()),
               columns = static_cast<std::size_t>(a.cols());
    auto const inner = static_cast<std::ptrdiff_t>(a.innerStride()),
               outer = static_cast<std::ptrdiff_t>(a.outerStride());
    if constexpr (cpu::eigen_rank<A> == 1)
      return array_view<T, 1>{a.data(), {rows * columns}, {inner}};
    else if constexpr (A::IsRowMajor)
      return array_view<T, 2>{a.data(), {rows, columns}, {outer, inner}};
    else return array_view<T, 2>{a.data(), {rows, columns}, {inner, outer}};
  }
  /// Whether its type can have these extents.
  static constexpr bool takes(std::array<std::size_t, cpu::eigen_rank<A>> const& n) {
    auto const fits = [](std::size_t extent, int known, int most) {
      return known < 0 ? most < 0 || extent <= static_cast<std::size_t>(most)
                       : extent == static_cast<std::size_t>(known);
    };
    if constexpr (cpu::eigen_rank<A> == 1)
      return fits(n[0], A::SizeAtCompileTime, A::MaxSizeAtCompileTime);
    else
      return fits(n[0], A::RowsAtCompileTime, A::MaxRowsAtCompileTime) &&
             fits(n[1], A::ColsAtCompileTime, A::MaxColsAtCompileTime);
  }
  static void resize(A& a, std::array<std::size_t, 1> const& n)
    requires(cpu::eigen_rank<A> == 1 && A::SizeAtCompileTime < 0 &&
             requires { a.conservativeResize(1); })
  {
    a.resize(static_cast<typename A::Index>(n[0]));
  }
  static void resize(A& a, std::array<std::size_t, 2> const& n)
    requires(cpu::eigen_rank<A> == 2 && A::SizeAtCompileTime < 0 &&
             requires { a.conservativeResize(1, 1); })
  {
    a.resize(static_cast<typename A::Index>(n[0]), static_cast<typename A::Index>(n[1]));
  }
};

/// Matrices and vectors of Armadillo, which lie column by column.
template <class A>
  requires requires(A const& a) {
    typename A::elem_type;
    { a.memptr() };
    { a.n_rows };
    { a.n_cols };
    { A::is_col };
    { A::is_row };
  }
struct array_traits<A> {
  static constexpr bool is_vector = A::is_col || A::is_row;
  static auto view(auto& a) {
    if constexpr (is_vector) return row_major_view(a.memptr(), a.n_elem);
    else return column_major_view(a.memptr(), a.n_rows, a.n_cols);
  }
  static void resize(A& a, std::array<std::size_t, is_vector ? 1 : 2> const& n) {
    if constexpr (is_vector) a.set_size(n[0]);
    else a.set_size(n[0], n[1]);
  }
};

/// Cubes of Armadillo: slices one after the other, each column by column. The axes are rows,
/// columns and slices, as in its own indices.
template <class A>
  requires requires(A const& a) {
    typename A::elem_type;
    { a.memptr() };
    { a.n_rows };
    { a.n_cols };
    { a.n_slices };
  }
struct array_traits<A> {
  static auto view(auto& a) {
    return column_major_view(a.memptr(), a.n_rows, a.n_cols, a.n_slices);
  }
  static void resize(A& a, std::array<std::size_t, 3> const& n) { a.set_size(n[0], n[1], n[2]); }
};

/// std::mdspan, and others with its members.
template <class A>
  requires requires(A const& a) {
    { a.data_handle() };
    { A::rank() } -> std::convertible_to<std::size_t>;
    { a.extent(0) };
    { a.stride(0) };
    // Not through an accessor that computes elements
    requires std::is_same_v<typename A::reference, typename A::element_type&>;
  }
struct array_traits<A> {
  static auto view(A const& a) {
    array_view<typename A::element_type, A::rank()> made{a.data_handle(), {}, {}};
    for (std::size_t d = 0; d < A::rank(); ++d) {
      made.shape[d] = static_cast<std::size_t>(a.extent(static_cast<typename A::rank_type>(d)));
      made.strides[d] =
          static_cast<std::ptrdiff_t>(a.stride(static_cast<typename A::rank_type>(d)));
    }
    return made;
  }
};

/// Arrays of arrays, of C or std::array.
template <class A>
  requires(cpu::nested<A>::rank > 1)
struct array_traits<A> {
  static constexpr bool is_dense = true;
  using shape = typename decltype(cpu::nested_shape<A>())::type;
  static auto view(auto& a) { return cpu::view_of_nested(shape(), a); }
};

/// A view itself.
template <class T, std::size_t Rank>
struct array_traits<array_view<T, Rank>> {
  static constexpr array_view<T, Rank> view(array_view<T, Rank> const& a) { return a; }
};

/// Where the elements of an array lie, by its array_traits; valid until it is resized or destroyed.
template <cpu::described_array A>
constexpr auto as_array(A& a) {
  return array_traits<std::remove_cv_t<A>>::view(a);
}

}  // namespace kroton
