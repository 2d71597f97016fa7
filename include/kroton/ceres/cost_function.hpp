// Cost functions: what ceres::Problem::AddResidualBlock takes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ceres/evaluation.hpp>
#include <kroton/ceres/refused.hpp>

#include <ceres/sized_cost_function.h>

namespace kroton::ceres {

template <class F, class B, class D>
class lambda_cost_function;
/// A lambda's residuals with their Jacobians, and data as constants: what `cost_function` makes.
template <class F, class... B, class... D>
class lambda_cost_function<F, std::tuple<B...>, std::tuple<D...>> final
    : public ::ceres::SizedCostFunction<
          evaluation<F, std::tuple<B...>, std::tuple<D...>>::residual_count, size_of<B>()...> {
  using evaluation = ceres::evaluation<F, std::tuple<B...>, std::tuple<D...>>;

 public:
  explicit lambda_cost_function(typename evaluation::data data) : data_(std::move(data)) {
    this->set_num_residuals(evaluation::count(data_));
  }
  bool Evaluate(double const* const* parameters, double* residuals,
                double** jacobians) const override {
    return evaluation::run(data_, this->num_residuals(), parameters, residuals, jacobians);
  }

 private:
  typename evaluation::data data_;
};

/// A new cost function from a constexpr lambda that returns residuals: a scalar, or a tensor of any
/// rank, row by row. The values given are those of the lambda's last parameters, observations,
/// which the object keeps. The parameters before are Ceres' parameter blocks: a kt::dscalar, a
/// kt::fixed of doubles, whose rows follow each other, or a struct of these, whose members follow
/// each other. One call computes the residuals and all Jacobians; it returns false where a matrix
/// is singular or an assertion fails. A manifold may be set for each block. The caller, most often
/// a ceres::Problem, owns the object:
///   `problem.AddResidualBlock(kt::ceres::cost_function<reprojection>(seen), loss, camera, point)`
/// Values whose extents do not fit throw kt::shape_error. (ceres::AutoDiffCostFunction)
template <auto f, class... Data>
auto* cost_function(Data const&... data) {
  using F = std::remove_const_t<decltype(f)>;
  constexpr fault_at met = fault_of<F, sizeof...(Data)>();
  if constexpr (refuses<F, met>()) {
    return static_cast<::ceres::CostFunction*>(nullptr);
  } else {
    using divided = divided_parameters<parameters_of<F>, sizeof...(Data)>;
    constexpr int blocks = static_cast<int>(divided::block_count);
    return [&]<class... D, int... I>(std::type_identity<std::tuple<D...>>,
                                     std::integer_sequence<int, I...>) {
      return new lambda_cost_function<F, typename divided::blocks, std::tuple<D...>>(
          std::tuple<data_t<D>...>(kept<D>(data, blocks + I + 1)...));
    }(std::type_identity<typename divided::data>{},
           std::make_integer_sequence<int, static_cast<int>(sizeof...(Data))>{});
  }
}

}  // namespace kroton::ceres
