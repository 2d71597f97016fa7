// Arrays of other libraries as the arguments and targets that calls know: views of their elements.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/call/arrays/standard_arrays.hpp>
#include <kroton/cpu/call/run.hpp>
#include <kroton/cpu/call/arrays/targets.hpp>
#include <kroton/cpu/call/arrays/ublas_arrays.hpp>
#include <kroton/cpu/machine.hpp>

#include <algorithm>
#include <memory>
#include <tuple>

namespace kroton::cpu {

template <class A>
using traits_of_array = array_traits<std::remove_cv_t<A>>;

template <class A, class Array, class View>
struct elements_type;
template <class A, class Array, class T, std::size_t Rank>
struct elements_type<A, Array, array_view<T, Rank>> {
  using type = strided_elements<Array, T, Rank, std::array<std::size_t, Rank>>;
};
template <class A, class Array, class T, std::size_t Rank>
  requires requires { typename traits_of_array<A>::shape; }
struct elements_type<A, Array, array_view<T, Rank>> {
  using type = strided_elements<Array, T, Rank, typename traits_of_array<A>::shape>;
};
/// The base of `Array` that has the elements of an A, with the extents that its type has.
template <described_array A, class Array>
using elements_of =
    typename elements_type<A, Array, decltype(traits_of_array<A>::view(std::declval<A&>()))>::type;

// ---- arguments

/// An argument that a call reads through a view. It reads contiguous ranges of the standard library
/// by itself.
template <class A>
concept adapted_argument =
    eigen_dense<A> ||
    (described_array<A> && !requires { requires traits_of_array<A>::is_standard_range; });

/// The elements of an array that somebody holds.
template <class A>
class array_of_others : public elements_of<A, array_of_others<A>> {
 public:
  explicit array_of_others(A& a) : array_of_others::strided_elements(traits_of_array<A>::view(a)) {}
};
template <class Plain>
struct evaluated_elements {
  Plain value;
};
/// An expression of Eigen's, evaluated for a call.
template <class Plain>
class evaluated_array : evaluated_elements<Plain>,
                        public elements_of<Plain const, evaluated_array<Plain>> {
 public:
  explicit evaluated_array(auto const& expression)
      : evaluated_elements<Plain>{expression},
        evaluated_array::strided_elements(
            traits_of_array<Plain>::view(std::as_const(this->value))) {}
  evaluated_array(evaluated_array const&) = delete;
};

/// Small arrays whose type does not say that their elements lie row by row without gaps: functions
/// of a few elements read and write such rows, and copying takes less than asking for strides.
template <class Shape>
inline constexpr std::size_t elements_of_shape = 0;
template <std::size_t... N>
inline constexpr std::size_t elements_of_shape<xt::fixed_shape<N...>> = (N * ... * 1);
template <class A>
concept copied_array = described_array<A> && !requires {
  requires traits_of_array<A>::is_dense;
} && requires {
  typename traits_of_array<A>::shape;
  requires elements_of_shape<typename traits_of_array<A>::shape> > 0;
  requires elements_of_shape<typename traits_of_array<A>::shape> <= machine::max_written_elements;
};
template <class A>
using rows_of = xt::xtensor_fixed<typename array_of_others<std::remove_cv_t<A>>::value_type,
                                  typename traits_of_array<A>::shape>;
template <std::size_t... Extent>
KROTON_INLINE void copy_elements(xt::fixed_shape<Extent...>, auto const& from, auto&& to,
                                 auto... index) {
  if constexpr (sizeof...(Extent) == 0) to(index...) = from(index...);
  else
    [&]<std::size_t First, std::size_t... Rest>(xt::fixed_shape<First, Rest...>) {
      for (std::size_t i = 0; i < First; ++i)
        copy_elements(xt::fixed_shape<Rest...>(), from, to, index..., i);
    }(xt::fixed_shape<Extent...>());
}

/// The argument itself, or what stands for it. (Of an expression without a copy: the view refers to
/// the object that holds the elements.)
template <class A>
constexpr decltype(auto) adapted(A const& a) {
  if constexpr (!adapted_argument<A>) return (a);
  else if constexpr (copied_array<A const>) {
    rows_of<A> rows;
    copy_elements(typename traits_of_array<A>::shape(), array_of_others<A const>(a), rows);
    return rows;
  } else if constexpr (described_array<A const>) return array_of_others<A const>(a);
  else {
    using Plain = std::remove_cvref_t<decltype(a.eval())>;
    if constexpr (copied_array<Plain const>) return adapted(Plain(a));
    else return evaluated_array<Plain>(a);
  }
}

// ---- targets

/// A target that a call writes through a view. It owns its elements where it can be resized.
template <class A>
concept owning_array = described_array<A> && requires(A& a) {
  traits_of_array<A>::resize(a, traits_of_array<A>::view(a).shape);
};
/// Not what a temporary owns, which would be lost.
template <class A>
concept adapted_target =
    described_array<std::remove_reference_t<A>> &&
    !std::is_const_v<
        std::remove_pointer_t<decltype(traits_of_array<std::remove_reference_t<A>>::view(
                                           std::declval<std::remove_reference_t<A>&>())
                                           .data)>> &&
    (std::is_lvalue_reference_v<A> || !owning_array<std::remove_reference_t<A>>);

template <class A>
class target_of_others : public elements_of<A, target_of_others<A>> {
 public:
  explicit target_of_others(A& a)
      : target_of_others::strided_elements(traits_of_array<A>::view(a)), array_(&a) {}

  template <class Shape>
    requires owning_array<A>
  void resize(Shape const& shape) {
    auto extents = this->shape();
    std::copy_n(shape.begin(), extents.size(), extents.begin());
    if constexpr (requires { traits_of_array<A>::takes(extents); })
      if (!traits_of_array<A>::takes(extents)) refuse_extents(shape);
    traits_of_array<A>::resize(*array_, extents);
    this->view_ = traits_of_array<A>::view(*array_);
  }

 private:
  template <class Shape>
  [[noreturn]] void refuse_extents(Shape const& shape) const {
    array_ref wanted;
    wanted.rank = static_cast<int>(this->dimension());
    std::copy_n(shape.begin(), wanted.rank, wanted.extents);
    throw shape_error(message({"into: the type of a target of shape ", shape_text(ref_to(*this)),
                               " cannot have the shape of the result, ", shape_text(wanted)}));
  }

  A* array_;
};

/// A small array that is written by rows, and copied at the end.
template <class A>
class copied_target {
 public:
  explicit copied_target(A& a) : array_(&a) {}
  auto& target() { return rows_; }
  memory_range range() const { return range_of(ref_to(array_of_others<A>(*array_))); }
  static constexpr bool is_copied = true;
  void finish() {
    copy_elements(typename traits_of_array<A>::shape(), rows_, array_of_others<A>(*array_));
  }

 private:
  rows_of<A> rows_;
  A* array_;
};

/// A target that calls write by themselves.
template <class A>
class written_target {
 public:
  explicit written_target(A& a) : array_(&a) {}
  A& target() { return *array_; }
  memory_range range() const { return spanned_range(*array_); }
  static constexpr bool is_copied = false;
  void finish() {}

 private:
  A* array_;
};
template <class A>
class viewed_target {
 public:
  explicit viewed_target(A& a) : view_(a) {}
  auto& target() { return view_; }
  memory_range range() { return spanned_range(view_); }
  static constexpr bool is_copied = false;
  void finish() {}

 private:
  target_of_others<A> view_;
};
template <class A>
constexpr auto adapted_or_itself(A& a) {
  if constexpr (!adapted_target<A&>) return written_target<A>(a);
  else if constexpr (copied_array<A>) return copied_target<A>(a);
  else return viewed_target<A>(a);
}
template <class Out>
inline constexpr bool adapts_targets = adapted_target<Out>;
template <class... T>
inline constexpr bool adapts_targets<std::tuple<T...>&> = (adapted_target<T&> || ...);
template <class... T>
inline constexpr bool adapts_targets<std::tuple<T...>> = (adapted_target<T> || ...);
template <class... T>
inline constexpr bool adapts_targets<std::tuple<T...> const&> = adapts_targets<std::tuple<T...>>;

/// Calls use(targets) with what stands for those that are adapted.
template <class Out, class Use>
  requires(!is_tuple<std::remove_const_t<Out>>)
void with_adapted_targets(Out& out, Use const& use) {
  auto one = adapted_or_itself(out);
  use(one.target());
  one.finish();
}
/// What is copied at the end shares memory with no other target: calls see the copies only.
template <class... Target>
void refuse_shared_copies(Target&... targets) {
  constexpr bool is_copied[] = {Target::is_copied...};
  if constexpr ((Target::is_copied || ...)) {
    memory_range const ranges[] = {targets.range()...};
    for (std::size_t i = 0; i < sizeof...(Target); ++i)
      for (std::size_t k = i + 1; k < sizeof...(Target); ++k)
        if ((is_copied[i] || is_copied[k]) && ranges[i].meets(ranges[k]))
          throw value_error(message({"into: targets ", i + 1, " and ", k + 1, " share memory"}));
  }
}
template <class Tuple, class Use>
  requires is_tuple<std::remove_const_t<Tuple>>
void with_adapted_targets(Tuple& out, Use const& use) {
  auto all = std::apply([](auto&... each) { return std::tuple(adapted_or_itself(each)...); }, out);
  std::apply(
      [&](auto&... each) {
        refuse_shared_copies(each...);
        auto targets = std::tie(each.target()...);
        use(targets);
        (each.finish(), ...);
      },
      all);
}

}  // namespace kroton::cpu
