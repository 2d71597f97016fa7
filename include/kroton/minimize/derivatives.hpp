// A lambda together with its derivatives by its first parameter, as callables for kt::function.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/function/structure.hpp>
#include <kroton/grad/jacobian.hpp>

namespace kroton::minimization {

/// The cost and its gradient by each variable of the first parameter.
template <class F, class Parameters>
struct cost_and_gradient;
template <class F, class P, class... D>
struct cost_and_gradient<F, std::tuple<P, D...>> {
  using parameters = std::tuple<P, D...>;

  constexpr auto operator()(P const& p, D const&... data) const {
    auto const cost = F{}(p, data...);
    return std::tuple_cat(std::tuple(cost), core::leaves(grad(cost, p)));
  }
};

/// The same, and the blocks of the Hessian on and below the diagonal, row by row.
template <class F, class Parameters>
struct cost_gradient_and_hessian;
template <class F, class P, class... D>
struct cost_gradient_and_hessian<F, std::tuple<P, D...>> {
  using parameters = std::tuple<P, D...>;

  constexpr auto operator()(P const& p, D const&... data) const {
    auto const cost = F{}(p, data...);
    return std::tuple_cat(std::tuple(cost), core::leaves(grad(cost, p)), lower(hessian(cost, p)));
  }

 private:
  template <class H>
  static constexpr auto lower(H const& rows) {
    if constexpr (typed<H>) return std::tuple<H>(rows);
    else
      return [&]<std::size_t... I>(std::index_sequence<I...>) {
        return std::tuple_cat(up_to<I>(std::get<I>(rows))...);
      }(std::make_index_sequence<std::tuple_size_v<H>>{});
  }
  template <std::size_t Last, class Row>
  static constexpr auto up_to(Row const& row) {
    return [&]<std::size_t... J>(std::index_sequence<J...>) {
      return std::tuple(std::get<J>(row)...);
    }(std::make_index_sequence<Last + 1>{});
  }
};

/// The variables of a result, of structs too, as a std::tuple.
template <class R>
constexpr auto result_variables(R const& result) {
  return std::apply([](auto const&... piece) { return std::tuple_cat(core::leaves(piece)...); },
                    functions::pieces(result));
}

/// The residuals, and for each of them its Jacobian by each variable of the first parameter.
template <class F, class Parameters>
struct residuals_and_jacobian;
template <class F, class P, class... D>
struct residuals_and_jacobian<F, std::tuple<P, D...>> {
  using parameters = std::tuple<P, D...>;

  constexpr auto operator()(P const& p, D const&... data) const {
    auto const all = result_variables(F{}(p, data...));
    return std::apply(
        [&](auto const&... r) { return std::tuple_cat(all, jacobians<sizeof...(r)>(r, p)...); },
        all);
  }

 private:
  template <std::size_t Pieces, class R>
  static constexpr auto jacobians(R const& r, P const& p) {
    // One of several residuals need not depend on everything.
    if constexpr (Pieces == 1 && core::leaf_count<P>() == 1)
      return calculus::as_tuple(jacobian(r, p));
    else return calculus::as_tuple(jacobian(r, p, disconnected::zero));
  }
};

}  // namespace kroton::minimization
