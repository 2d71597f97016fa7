// A lambda as residuals of vectors, and with its Jacobians.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ceres/blocks.hpp>
#include <kroton/grad/jacobian.hpp>

#include <tuple>

namespace kroton::ceres {

/// F's result as a vector of doubles.
template <class R>
constexpr variable<double, 1> as_vector(R const& result) {
  return variable<double, 1>(term(flatten(cast<double>(result))));
}

/// The first parameters of F, which are B, taken as vectors; the further ones, D, stay as they are.
template <class F, class B, class D>
struct residuals;
template <class F, class... B, class... D>
struct residuals<F, std::tuple<B...>, std::tuple<D...>> {
  using parameters = std::tuple<fixed<double, size_of<B>()>..., D...>;

  template <calculus::symbolic_or_structured... X>
  constexpr variable<double, 1> operator()(X const&... x) const {
    auto const all = std::tie(x...);
    return [&]<std::size_t... I, std::size_t... J>(std::index_sequence<I...>,
                                                   std::index_sequence<J...>) {
      return as_vector(
          F{}(from_vector<B>(std::get<I>(all))..., std::get<sizeof...(B) + J>(all)...));
    }(std::index_sequence_for<B...>{}, std::index_sequence_for<D...>{});
  }
};

/// The residuals and their Jacobians by each of the first Blocks parameters: a row for each
/// residual.
template <class Residuals, std::size_t Blocks>
struct with_jacobians {
  using parameters = typename Residuals::parameters;

  template <calculus::symbolic_or_structured... X>
  constexpr auto operator()(X const&... x) const {
    auto const all = std::tie(x...);
    variable<double, 1> const r = Residuals{}(x...);
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      auto const by_all = jacobian(r, std::get<I>(all)..., disconnected::zero);
      return std::tuple_cat(std::tuple(r), calculus::as_tuple(by_all));
    }(std::make_index_sequence<Blocks>{});
  }
};

/// How many residuals there are. It computes none.
template <class Residuals>
struct count_of {
  using parameters = typename Residuals::parameters;

  template <calculus::symbolic_or_structured... X>
  constexpr auto operator()(X const&... x) const {
    return Residuals{}(x...).shape(0);
  }
};

}  // namespace kroton::ceres
