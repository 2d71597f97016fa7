// Positions of the largest and the smallest element.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/along_axes/reduction.hpp>

namespace kroton {
namespace op {

/// The position of an extreme element along the axis (the attribute), which is removed: the first
/// of equals, or the first NaN.
template <text Name>
struct position_of_extremum : operation<Name, 1> {
  static constexpr auto pullback = no_gradient;
  static constexpr tensor_type type(core::application const& a) {
    tensor_type const from = a.input(0);
    tensor_type to{element::int64, 0, 0};
    for (int d = 0; d < from.rank; ++d) {
      if (d == a.attribute(0)) continue;
      if (from.broadcasts(d)) to.broadcast |= 1u << to.rank;
      ++to.rank;
    }
    return to;
  }
  static constexpr core::extent_source extent(core::application const& a, int d) {
    int const from = d < a.attribute(0) ? d : d + 1;
    if (a.input(0).broadcasts(from)) return {};
    return {core::extent_source::dimension, 0, from};
  }
  static constexpr void constraints(core::application const& a,
                                    core::list<core::extent_pair>& pairs) {
    int const axis = static_cast<int>(a.attribute(0));
    if (!a.input(0).broadcasts(axis))
      pairs.push_back({{core::extent_source::zero},
                       {core::extent_source::dimension, 0, axis},
                       core::condition::index});
  }
};

struct argmax : position_of_extremum<"argmax"> {
  static constexpr auto own = core::own_function::typed;
};
struct argmin : position_of_extremum<"argmin"> {
  static constexpr auto own = core::own_function::typed;
};

}  // namespace op

namespace ops {

template <class Op, class X, class... Options>
constexpr auto position(X const& x, Options...) {
  using options = reduction_options<Options...>;
  int const rank = x.type().rank;
  long long const axes = options::axes(rank);
  bool const one = !options::everything || rank == 1;
  term const line = one ? term(x) : reshape(term(x), {count_of(x, axes)});
  int const axis = one ? std::countr_zero(static_cast<unsigned long long>(axes)) : 0;
  term result{x.of, x.of->template apply<Op>({line.id}, {axis})};
  if (options::keep) {
    list<int> pattern;
    for (int d = 0, position = 0; d < rank; ++d)
      pattern.push_back((axes >> d & 1) != 0 ? -1 : position++);
    result = permute(result, pattern);
  }
  if constexpr (typed<X>) {
    constexpr long long reduced = options::axes(rank_of<X>);
    constexpr int removed = std::popcount(static_cast<unsigned long long>(reduced));
    static_assert(options::everything || removed == 1,
                  "kt: argmax and argmin run along one axis, or over everything");
    return variable<std::int64_t, options::keep ? rank_of<X> : rank_of<X> - removed>(result);
  } else {
    return result;
  }
}

}  // namespace ops

/// The int64 position of the largest element: the first of equals, or the first NaN. Without an
/// axis, it counts all elements in row-major order. Throws kt::value_error if there are no
/// elements. (numpy.argmax)
template <symbolic X, class... Options>
  requires reduced_axes_are_within_the_rank<X, Options...>
constexpr auto argmax(X const& x, Options... options) {
  return ops::position<op::argmax>(x, options...);
}
/// The int64 position of the smallest element, as `argmax`. (numpy.argmin)
template <symbolic X, class... Options>
  requires reduced_axes_are_within_the_rank<X, Options...>
constexpr auto argmin(X const& x, Options... options) {
  return ops::position<op::argmin>(x, options...);
}

}  // namespace kroton
