// Elements in memory with strides that somebody else owns, as arguments and as targets of into.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/call/arrays/containers.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace kroton {

/// Where the elements of an array lie: the first one, the extents, and the strides in elements,
/// which may be 0 or negative. What `kt::array_traits` gives.
template <class T, std::size_t Rank>
struct array_view {
  T* data = nullptr;
  std::array<std::size_t, Rank> shape{};
  std::array<std::ptrdiff_t, Rank> strides{};
};

/// The view of elements that lie row by row without gaps.
template <class T, std::integral... N>
constexpr array_view<T, sizeof...(N)> row_major_view(T* data, N... extents) {
  array_view<T, sizeof...(N)> made{data, {static_cast<std::size_t>(extents)...}, {}};
  std::ptrdiff_t stride = 1;
  for (std::size_t d = sizeof...(N); d-- > 0; stride *= static_cast<std::ptrdiff_t>(made.shape[d]))
    made.strides[d] = stride;
  return made;
}
/// The view of elements that lie column by column without gaps, as Fortran's.
template <class T, std::integral... N>
constexpr array_view<T, sizeof...(N)> column_major_view(T* data, N... extents) {
  array_view<T, sizeof...(N)> made{data, {static_cast<std::size_t>(extents)...}, {}};
  std::ptrdiff_t stride = 1;
  for (std::size_t d = 0; d < sizeof...(N); stride *= static_cast<std::ptrdiff_t>(made.shape[d++]))
    made.strides[d] = stride;
  return made;
}

namespace cpu {

/// A view with what a call asks of an array, as a base of `Array`; `Shape` has the extents where
/// the type has them.
template <class Array, class T, std::size_t Rank, class Shape>
class strided_elements : public xt::xexpression<Array> {
 public:
  using value_type = std::remove_const_t<T>;
  using reference = T&;
  using const_reference = T const&;
  using size_type = std::size_t;
  using shape_type = Shape;
  using expression_tag = xt::xtensor_expression_tag;

  constexpr explicit strided_elements(array_view<T, Rank> const& view) : view_(view) {}

  constexpr T* data() const { return view_.data; }
  static constexpr std::size_t data_offset() { return 0; }
  static constexpr std::size_t dimension() { return Rank; }
  constexpr std::array<std::size_t, Rank> const& shape() const { return view_.shape; }
  constexpr std::array<std::ptrdiff_t, Rank> const& strides() const { return view_.strides; }
  constexpr std::size_t size() const {
    std::size_t n = 1;
    for (std::size_t extent : view_.shape) n *= extent;
    return n;
  }
  template <class... I>
  constexpr T& operator()(I... index) const {
    static_assert(sizeof...(I) == Rank);
    std::size_t d = 0;
    std::ptrdiff_t at = 0;
    ((at += static_cast<std::ptrdiff_t>(index) * view_.strides[d++]), ...);
    return view_.data[at];
  }

  static constexpr bool is_view_of_others = true;
  /// Converts the elements of a container of the same shape.
  template <class Container>
  void assign(Container const& from) {
    auto next = from.begin();
    for_each_element([&](T& element) { element = static_cast<T>(*next++); });
  }
  /// A container of the same shape, with the elements converted to its own.
  template <class Container>
  Container copied() const {
    auto made = Container::from_shape(view_.shape);
    auto next = made.begin();
    for_each_element(
        [&](T& element) { *next++ = static_cast<typename Container::value_type>(element); });
    return made;
  }

 protected:
  array_view<T, Rank> view_;

 private:
  // Row by row, whatever the strides.
  template <class Visit>
  void for_each_element(Visit const& visit) const {
    std::array<std::size_t, Rank> index{};
    for (std::size_t left = size(); left > 0; --left) {
      std::ptrdiff_t at = 0;
      for (std::size_t d = 0; d < Rank; ++d)
        at += static_cast<std::ptrdiff_t>(index[d]) * view_.strides[d];
      visit(view_.data[at]);
      for (std::size_t d = Rank; d-- > 0; index[d] = 0)
        if (++index[d] < view_.shape[d]) break;
    }
  }
};

}  // namespace cpu
}  // namespace kroton
