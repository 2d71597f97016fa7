// Ceres' call: pointers to parameters in, residuals and the Jacobians that are asked for out.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ceres/data.hpp>
#include <kroton/ceres/residuals.hpp>
#include <kroton/function/function.hpp>

#include <ceres/types.h>

#include <span>
#include <vector>

namespace kroton::ceres {

/// A compiled function for this thread alone: calls on several threads must not share the memory
/// that a function keeps between calls. One without such memory is the same for all.
template <class F>
auto const& function_of_this_thread() {
  using function = decltype(kroton::function(F{}));
  if constexpr (std::is_empty_v<function>) {
    static constinit function const f{};
    return f;
  } else {
    static thread_local function const f = kroton::function(F{});
    return f;
  }
}

template <class Container>
inline constexpr int count_in = ::ceres::DYNAMIC;
template <class T, std::size_t N, xt::layout_type L, bool S, class Tag>
inline constexpr int count_in<xt::xfixed_container<T, xt::fixed_shape<N>, L, S, Tag>> =
    static_cast<int>(N);

template <class F, class B, class D>
struct evaluation;
/// F's residuals, by blocks B, with data for its further parameters D.
template <class F, class... B, class... D>
struct evaluation<F, std::tuple<B...>, std::tuple<D...>> {
  using values_function = residuals<F, std::tuple<B...>, std::tuple<D...>>;
  using data = std::tuple<data_t<D>...>;

  static constexpr std::size_t block_count = sizeof...(B);
  static constexpr int sizes[sizeof...(B)] = {size_of<B>()...};
  /// How many residuals there are, or ceres::DYNAMIC where the data decide.
  static constexpr int residual_count =
      count_in<std::remove_cvref_t<decltype(kroton::function(values_function{})(
          std::declval<data_t<fixed<double, size_of<B>()>>>()..., std::declval<data_t<D>>()...))>>;

  /// How many residuals these data give; throws kt::shape_error where their extents do not fit.
  static int count(data const& given) {
    constexpr bool all_known = residual_count >= 0 && ((is_fixed<D>()) && ...);
    if constexpr (all_known) return residual_count;
    else
      return std::apply(
          [](auto const&... d) {
            return static_cast<int>(function_of_this_thread<count_of<values_function>>()(
                data_t<fixed<double, size_of<B>()>>{}..., d...));
          },
          given);
  }

  /// Ceres' Evaluate; false where a value has no result, as a singular matrix.
  static bool run(data const& given, int count, double const* const* parameters, double* residuals,
                  double** jacobians) {
    return run(std::index_sequence_for<B...>{}, given, count, parameters, residuals, jacobians);
  }

 private:
  template <class P>
  static constexpr bool is_fixed() {
    return size_of<P>() >= 0;
  }
  template <std::size_t... I>
  static bool run(std::index_sequence<I...>, data const& given, [[maybe_unused]] int count,
                  double const* const* parameters, double* residuals, double** jacobians) try {
    std::apply(
        [&](auto const&... d) {
          auto const call = [&](auto const& f, auto&& targets) {
            f.into(targets,
                   std::span<double const, static_cast<std::size_t>(sizes[I])>(
                       parameters[I], static_cast<std::size_t>(sizes[I]))...,
                   d...);
          };
          auto const n = static_cast<std::size_t>(residual_count >= 0 ? residual_count : count);
          auto r = into_pointer(residuals, n);
          if (jacobians == nullptr) {
            call(function_of_this_thread<values_function>(), r);
          } else {
            std::tuple all(r, into_pointer(wanted<I>(jacobians[I], n), n, sizes[I])...);
            call(function_of_this_thread<with_jacobians<values_function, block_count>>(), all);
          }
        },
        given);
    return true;
  } catch (error const&) { return false; }
  /// Where a Jacobian goes; that of a constant block is computed with the others, and forgotten.
  template <std::size_t I>
  static double* wanted(double* jacobian, std::size_t count) {
    if (jacobian != nullptr) return jacobian;
    static thread_local std::vector<double> forgotten;
    forgotten.resize(count * static_cast<std::size_t>(sizes[I]));
    return forgotten.data();
  }
};

}  // namespace kroton::ceres
