// Observations, kept as constants of a cost function.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/message.hpp>
#include <kroton/function/known_extents.hpp>
#include <kroton/function/structure.hpp>

namespace kroton::ceres {

using namespace functions;

template <class P>
struct data_of_parameter {
  using type = parameter_value_t<P>;
};
template <class T, int... N>
struct data_of_parameter<fixed<T, N...>> {
  using type = xt::xtensor_fixed<T, xt::xshape<static_cast<std::size_t>(N)...>>;
};
/// What is kept for a parameter: a number, an array, or kt::values; an array whose extents are
/// known lies in the object itself.
template <class P>
using data_t = typename data_of_parameter<P>::type;

/// Throws kt::shape_error where an array has other extents than the type of a variable says.
template <class P, class Array>
void require_known_extents([[maybe_unused]] Array const& array, [[maybe_unused]] int parameter) {
  if constexpr (has_known_extents<P>)
    for (int d = 0; d < rank_of<P>; ++d) {
      auto const extent = array.shape()[static_cast<std::size_t>(d)];
      if (static_cast<int>(extent) != P::known_extents[d])
        throw shape_error(
            message({"kt::ceres: the value of parameter ", parameter, " has the extent ", extent,
                     " along axis ", d, ", but its type, kt::fixed, says ", P::known_extents[d]}));
    }
}
template <class... P, class... Array>
void require_known_extents(std::type_identity<std::tuple<P...>>,
                           std::tuple<Array const&...> const& arrays, int parameter) {
  std::apply([&](auto const&... array) { (require_known_extents<P>(array, parameter), ...); },
             arrays);
}

/// A copy of an argument for P, the parameter numbered `parameter`. Throws kt::shape_error where
/// its extents differ from those of P.
template <class P, class A>
data_t<P> kept(A const& given, int parameter) {
  if constexpr (structured<P>) {
    values<P> const value = values_of_argument<P>(given);
    require_known_extents(std::type_identity<core::leaves_t<P>>{}, leaf_references(value),
                          parameter);
    return value;
  } else {
    constexpr int rank = cpu::static_rank_of<A>;
    constexpr bool fits = rank == rank_of<P> || rank == -1;
    static_assert(fits,
                  "kt::ceres: a value for a parameter of the lambda has another rank than it");
    if constexpr (fits) {
      auto const array = cpu::to_container<value_type_of<P>, rank_of<P>>(given);
      require_known_extents<P>(array, parameter);
      return data_t<P>(array);
    } else {
      return data_t<P>{};
    }
  }
}

}  // namespace kroton::ceres
