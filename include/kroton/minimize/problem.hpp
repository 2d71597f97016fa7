// Lambdas compiled with their derivatives, as functions of one flat vector.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/function/function.hpp>
#include <kroton/minimize/derivatives.hpp>
#include <kroton/minimize/given.hpp>
#include <kroton/minimize/newton.hpp>
#include <kroton/minimize/residuals.hpp>
#include <kroton/minimize/unknowns.hpp>

#include <optional>

namespace kroton::minimization {

/// A compiled callable of unknowns and data, whose results are kept: after the first call, calls
/// allocate nothing.
template <class Callable, class... D>
class compiled {
  using parameters = typename Callable::parameters;
  using function_type = decltype(function(Callable{}));

 public:
  using parameter = std::tuple_element_t<0, parameters>;
  using unknowns_type = unknowns<parameter>;

  compiled(unknowns_type& x, std::tuple<D...> const& data) : x_(x), data_(data) {}

  /// The outputs at x as a std::tuple.
  auto const& at(numbers const& x) {
    x_.set(x);
    std::apply(
        [&](auto const&... d) {
          if (!outputs_) {
            outputs_ = function_(x_.value(), d...);
          } else {
            auto targets = std::apply([](auto&... o) { return std::tie(o...); }, *outputs_);
            function_.into(targets, x_.value(), d...);
          }
        },
        data_);
    return *outputs_;
  }

 private:
  using outputs = decltype(std::declval<function_type const&>()(
      std::declval<typename unknowns_type::value_type const&>(), std::declval<D const&>()...));
  function_type function_ = function(Callable{});
  unknowns_type& x_;
  std::tuple<D...> const& data_;
  std::optional<outputs> outputs_;
};

template <std::size_t First, std::size_t Count, class Tuple, class Use>
void for_each_of(Tuple const& all, Use const& use) {
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (use(std::get<First + I>(all), I), ...);
  }(std::make_index_sequence<Count>{});
}

template <class V>
double* copy_to(double* to, V const& v) {
  return std::copy(data_of(v), data_of(v) + size_of(v), to);
}

/// The variables of a lambda's result, in a tuple.
template <class F, class Parameters>
using results_of = decltype(result_variables(
    std::declval<typename functions::result_on<F, Parameters>::type const&>()));

/// A cost with its gradient.
template <class F, class Parameters, class... D>
class first_order_problem final : public objective {
  using call = compiled<cost_and_gradient<F, Parameters>, D...>;
  static constexpr std::size_t leaves = core::leaf_count<typename call::parameter>();

 public:
  first_order_problem(typename call::unknowns_type& x, std::tuple<D...> const& data)
      : call_(x, data) {}
  double evaluate(numbers const& x, numbers& gradient) override {
    auto const& all = call_.at(x);
    double* to = gradient.data();
    for_each_of<1, leaves>(all, [&](auto const& g, std::size_t) { to = copy_to(to, g); });
    return static_cast<double>(std::get<0>(all));
  }
  double precision() const override {
    return precision_of<typename call::parameter, results_of<F, Parameters>>;
  }

 private:
  call call_;
};

/// A cost with its gradient and its Hessian.
template <class F, class Parameters, class... D>
class second_order_problem final : public second_order_objective {
  using call = compiled<cost_gradient_and_hessian<F, Parameters>, D...>;
  static constexpr std::size_t leaves = core::leaf_count<typename call::parameter>();

 public:
  second_order_problem(typename call::unknowns_type& x, std::tuple<D...> const& data)
      : call_(x, data) {}
  double evaluate(numbers const& x, numbers& gradient, numbers& hessian) override {
    auto const& all = call_.at(x);
    double* to = gradient.data();
    std::size_t sizes[leaves];
    for_each_of<1, leaves>(all, [&](auto const& g, std::size_t i) {
      to = copy_to(to, g);
      sizes[i] = size_of(g);
    });
    std::size_t row = 0, column = 0, top = 0, left = 0;
    for_each_of<1 + leaves, leaves*(leaves + 1) / 2>(all, [&](auto const& block, std::size_t) {
      auto const* from = data_of(block);
      for (std::size_t i = 0; i < sizes[row]; ++i, from += sizes[column])
        std::copy(from, from + sizes[column], hessian.data() + (top + i) * x.size() + left);
      left += sizes[column];
      if (column++ == row) {
        top += sizes[row++];
        column = left = 0;
      }
    });
    return static_cast<double>(std::get<0>(all));
  }
  double precision() const override {
    return precision_of<typename call::parameter, results_of<F, Parameters>>;
  }

 private:
  call call_;
};

/// Residuals with their Jacobian.
template <class F, class Parameters, class... D>
class residual_problem final : public residual_function {
  using call = compiled<residuals_and_jacobian<F, Parameters>, D...>;
  static constexpr std::size_t leaves = core::leaf_count<typename call::parameter>(),
                               pieces = std::tuple_size_v<results_of<F, Parameters>>;

 public:
  residual_problem(typename call::unknowns_type& x, std::tuple<D...> const& data)
      : call_(x, data) {}
  void evaluate(numbers const& x, numbers& table) override {
    auto const& all = call_.at(x);
    std::size_t const width = x.size() + 1;
    std::size_t sizes[pieces], rows = 0;
    for_each_of<0, pieces>(all, [&](auto const& r, std::size_t k) {
      sizes[k] = size_of(r);
      rows += sizes[k];
    });
    table.resize(rows * width);
    std::size_t first = 0;
    for_each_of<0, pieces>(all, [&](auto const& r, std::size_t) {
      auto const* from = data_of(r);
      for (std::size_t i = 0; i < size_of(r); ++i) table[(first + i) * width + x.size()] = from[i];
      first += size_of(r);
    });
    std::size_t top = 0, left = 0;
    for_each_of<pieces, pieces * leaves>(all, [&](auto const& block, std::size_t k) {
      std::size_t const m = sizes[k / leaves], n = m == 0 ? 0 : size_of(block) / m;
      auto const* from = data_of(block);
      double* to = table.data() + top * width + left;
      for (std::size_t i = 0; i < m; ++i, from += n, to += width)
        for (std::size_t j = 0; j < n; ++j) to[j] = from[j];
      left += n;
      if ((k + 1) % leaves == 0) {
        top += m;
        left = 0;
      }
    });
  }
  double precision() const override {
    return precision_of<typename call::parameter, results_of<F, Parameters>>;
  }

 private:
  call call_;
};

}  // namespace kroton::minimization
