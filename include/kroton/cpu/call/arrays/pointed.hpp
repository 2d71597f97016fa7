// Memory of a caller that has nothing but a pointer to it, as a target of into.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/error.hpp>
#include <kroton/core/message.hpp>
#include <kroton/cpu/call/arrays/containers.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <type_traits>

namespace kroton {
namespace cpu {

/// A row-major array without gaps that somebody else owns. As little as a call needs of it: what
/// xt::adapt gives computes strides and copies itself with care, which takes longer than a small
/// function.
template <class T, std::size_t Rank>
class pointed_array : public xt::xexpression<pointed_array<T, Rank>> {
 public:
  using value_type = std::remove_const_t<T>;
  using reference = T&;
  using const_reference = T const&;
  using size_type = std::size_t;
  using shape_type = std::array<std::size_t, Rank>;
  using expression_tag = xt::xtensor_expression_tag;
  static constexpr bool is_row_major = true;

  constexpr pointed_array(T* data, shape_type const& shape) : data_(data), shape_(shape) {}

  constexpr T* data() const { return data_; }
  static constexpr std::size_t data_offset() { return 0; }
  static constexpr std::size_t dimension() { return Rank; }
  constexpr shape_type const& shape() const { return shape_; }
  constexpr std::array<std::ptrdiff_t, Rank> strides() const {
    std::array<std::ptrdiff_t, Rank> result{};
    std::ptrdiff_t stride = 1;
    for (std::size_t d = Rank; d-- > 0;) {
      result[d] = stride;
      stride *= static_cast<std::ptrdiff_t>(shape_[d]);
    }
    return result;
  }
  constexpr std::size_t size() const {
    std::size_t n = 1;
    for (std::size_t extent : shape_) n *= extent;
    return n;
  }
  constexpr T& operator()() const
    requires(Rank == 0)
  {
    return *data_;
  }

 private:
  T* data_;
  shape_type shape_;
};

}  // namespace cpu

/// Memory at a pointer, row by row, as a target of `into`: `f.into(kt::into_pointer(p, 2, 3), x)`
/// writes a result of shape {2, 3} to the six elements from p on. Throws kt::value_error for a
/// negative extent; the call throws kt::shape_error where the result has other extents. The memory
/// may be an argument of the call, too.
template <class T, std::integral... N>
constexpr cpu::pointed_array<T, sizeof...(N)> into_pointer(T* data, N... extents) {
  for (long long n : {0ll, static_cast<long long>(extents)...})
    if (n < 0) throw value_error(core::message({"kt::into_pointer: an extent is ", n}));
  return {data, {static_cast<std::size_t>(extents)...}};
}

}  // namespace kroton
