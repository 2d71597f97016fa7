// Containers: xtensor's (the one place that includes it), vectors, spans, C arrays and numbers as
// arguments and results.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/array.hpp>
#include <kroton/core/element.hpp>
#include <kroton/core/error.hpp>
#include <kroton/cpu/op/pages.hpp>

#include <exception>  // which xtl needs before it includes it

#include <xtensor/xstorage.hpp>
#include <xtensor/xutils.hpp>

// Debian's xtensor 0.24 under clang 19 finds two ways to rebind a small vector; this one is meant.
namespace xt {
template <>
struct rebind_container<std::ptrdiff_t,
                        svector<std::size_t, 4, std::allocator<std::size_t>, true>> {
  using type = svector<std::ptrdiff_t, 4, std::allocator<std::ptrdiff_t>, true>;
};
}  // namespace xt

#include <xtensor/xadapt.hpp>
#include <xtensor/xarray.hpp>
#include <xtensor/xbuilder.hpp>
#include <xtensor/xio.hpp>  // std::cout << f(x)
#include <xtensor/xmanipulation.hpp>
#include <xtensor/xnoalias.hpp>
#include <xtensor/xrandom.hpp>
#include <xtensor/xtensor.hpp>
#include <xtensor/xview.hpp>

#include <array>
#include <concepts>
#include <limits>
#include <memory>
#include <tuple>
#include <type_traits>
#include <vector>

namespace kroton::cpu {

template <class T>
inline constexpr bool is_tuple = false;
template <class... T>
inline constexpr bool is_tuple<std::tuple<T...>> = true;

template <class T, int Rank>
struct container_of {
  using type = xt::xtensor<T, static_cast<std::size_t>(Rank)>;
};
template <class T>
struct container_of<T, 0> {
  using type = T;
};
template <class T, int Rank>
using container_t = typename container_of<T, Rank>::type;

/// The rank of an array that only a device can read; -2 for other types.
template <class A>
inline constexpr int rank_of_device_array = -2;

template <class A> concept xtensor_expression = xt::is_xexpression<std::remove_cvref_t<A>>::value;
/// A contiguous range of numbers that is not an xtensor expression: std::vector, std::span,
/// std::array, a C array.
template <class A>
concept number_range = !xtensor_expression<A> && rank_of_device_array<std::remove_cvref_t<A>> < 0 &&
                       requires(A const& a) {
                         { std::data(a) };
                         { std::size(a) };
                         requires number<decltype(*std::data(a))>;
                       };
/// An xtensor container or view whose elements lie in memory with strides.
template <class A>
concept strided_expression = xtensor_expression<A> && requires(A const& a) {
  { a.data() };
  { a.strides() };
  { a.data_offset() };
};

/// Whether a type of array is row-major without gaps by its type.
template <class A>
constexpr bool is_row_major() {
  if constexpr (std::is_base_of_v<xt::xcontainer<A>, A>)
    return A::static_layout == xt::layout_type::row_major;
  else if constexpr (requires { A::is_row_major; }) return A::is_row_major;
  else return false;
}

template <class A>
struct element_of_argument;
template <xtensor_expression A>
struct element_of_argument<A> {
  using type = typename A::value_type;
};
template <number_range A>
struct element_of_argument<A> {
  using type = std::remove_cvref_t<decltype(*std::data(std::declval<A const&>()))>;
};
template <number A>
struct element_of_argument<A> {
  using type = A;
};
template <class A>
using element_t = typename element_of_argument<std::remove_cvref_t<A>>::type;

/// The rank that a type of argument always has; -1 where it is known at run time only.
template <class A>
constexpr int static_rank_() {
  if constexpr (number<A>) return 0;
  else if constexpr (number_range<A>) return 1;
  else if constexpr (xtensor_expression<A>) {
    using shape = typename A::shape_type;
    if constexpr (requires { std::tuple_size<shape>::value; })
      return static_cast<int>(std::tuple_size<shape>::value);
    else return -1;
  } else {
    return rank_of_device_array<A>;
  }
}
template <class A>
inline constexpr int static_rank_of = static_rank_<std::remove_cvref_t<A>>();

/// Whether every value of From is a value of To.
template <class From, class To>
constexpr bool is_lossless() {
  if constexpr (std::is_same_v<From, To>) return true;
  else if constexpr (!number<From> || !number<To> || std::is_same_v<From, long double>)
    return false;
  else return core::is_lossless(element_of<From>(), element_of<To>());
}

/// Copies an expression or a number into a container of Kroton's choice, converting the elements.
template <class T, int Rank, class V>
container_t<T, Rank> to_container(V const& value) {
  if constexpr (number<V>) {
    static_assert(Rank == 0, "a number was passed for a tensor");
    return static_cast<T>(value);
  } else if constexpr (number_range<V>) {
    static_assert(Rank == 1, "a range of numbers was passed for a tensor whose rank is not 1");
    container_t<T, Rank> result(std::array{static_cast<std::size_t>(std::size(value))});
    ask_for_large_pages(result.data(), result.size() * sizeof(T));
    for (std::size_t i = 0; i < result.size(); ++i) result(i) = static_cast<T>(std::data(value)[i]);
    return result;
  } else {
    if (static_cast<int>(value.dimension()) != Rank)
      throw shape_error(message(
          {"a tensor of rank ", value.dimension(), " was passed where the rank must be ", Rank}));
    if constexpr (Rank == 0) return static_cast<T>(value());
    else if constexpr (requires { V::is_view_of_others; })
      return value.template copied<container_t<T, Rank>>();
    else {
      auto result = container_t<T, Rank>::from_shape(value.shape());
      ask_for_large_pages(result.data(), result.size() * sizeof(T));
      if constexpr (std::is_same_v<typename V::value_type, T>) xt::noalias(result) = value;
      else xt::noalias(result) = xt::cast<T>(value);
      return result;
    }
  }
}

/// Describes memory that an xtensor container or view holds.
template <class A>
array_ref ref_to(A const& a) {
  array_ref r;
  using T = typename A::value_type;
  r.data = reinterpret_cast<std::byte*>(const_cast<T*>(a.data() + a.data_offset()));
  r.rank = static_cast<int>(a.dimension());
  r.bytes = static_cast<int>(sizeof(T));
  for (int d = 0; d < r.rank; ++d) {
    r.extents[d] = static_cast<std::ptrdiff_t>(a.shape()[static_cast<std::size_t>(d)]);
    r.strides[d] = static_cast<std::ptrdiff_t>(a.strides()[static_cast<std::size_t>(d)]);
  }
  return r;
}

/// An argument for a parameter of element type T and the given rank: a reference to the caller's
/// memory, or a converted copy.
template <class T, int Rank, class A>
class argument {
  using E = element_t<A>;
  static_assert(is_lossless<E, T>(),
                "kt::function: an argument's element type would be narrowed; convert it first");
  static_assert(static_rank_of<A> == Rank || static_rank_of<A> == -1,
                "kt::function: an argument's rank differs from that of its parameter");
  static constexpr bool in_place =
      std::is_same_v<E, T> && (strided_expression<A> || number_range<A>);

 public:
  using value_type = T;
  explicit argument(A const& a) : given_(std::addressof(a)) {
    if constexpr (Rank == 0 || !in_place) copy_ = to_container<T, Rank>(a);
  }
  T const& value() const
    requires(Rank == 0)
  {
    return copy_;
  }
  /// The caller's array, or the converted copy.
  auto const& array() const {
    if constexpr (in_place) return *given_;
    else return copy_;
  }
  array_ref ref() const {
    if constexpr (Rank == 0) {
      array_ref r;
      r.data = reinterpret_cast<std::byte*>(const_cast<T*>(&copy_));
      r.bytes = static_cast<int>(sizeof(T));
      return r;
    } else if constexpr (!in_place) {
      return ref_to(copy_);
    } else if constexpr (number_range<A>) {
      array_ref r;
      r.data = reinterpret_cast<std::byte*>(const_cast<T*>(std::data(*given_)));
      r.rank = 1;
      r.bytes = static_cast<int>(sizeof(T));
      r.extents[0] = static_cast<std::ptrdiff_t>(std::size(*given_));
      r.strides[0] = 1;
      return r;
    } else {
      if (static_cast<int>(given_->dimension()) != Rank)
        throw shape_error(message(
            {"an argument has rank ", given_->dimension(), ", but its parameter has rank ", Rank}));
      return ref_to(*given_);
    }
  }

 private:
  struct nothing {};
  A const* given_;
  std::conditional_t<Rank == 0 || !in_place, container_t<T, Rank>, nothing> copy_{};
};

}  // namespace kroton::cpu
