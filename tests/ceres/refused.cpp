// Lambdas that are not residuals of parameter blocks.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/ceres.hpp>

namespace kt = kroton;

using vec2 = kt::fixed<double, 2>;

// expect: kt::ceres: the parameters of the lambda must have types
constexpr auto generic = [](auto x) { return x * x; };
auto* of_any = kt::ceres::cost_function<generic>();

// expect: kt::ceres: there are at least as many data as parameters
constexpr auto difference = [](vec2 x, vec2 y) { return x - y; };
auto* without_blocks =
    kt::ceres::cost_function<difference>(xt::ones<double>({2}), xt::ones<double>({2}));

// expect: kt::ceres: the size of a parameter block must be known
constexpr auto any_size = [](vec2 x, kt::dvector y) { return sum(x) * y; };
auto* of_unknown_size = kt::ceres::cost_function<any_size>();

// expect: kt::ceres: parameter blocks consist of doubles
constexpr auto floats = [](kt::fixed<float, 2> x) { return x; };
auto* of_floats = kt::ceres::cost_function<floats>();

// expect: kt::ceres: the lambda must return its residuals as one variable of real numbers
constexpr auto two = [](vec2 x) { return std::tuple(x(0), x(1)); };
auto* of_two = kt::ceres::cost_function<two>();

// expect: kt::ceres: a parameter of the lambda is not a variable
constexpr auto plain = [](vec2 x, double y) { return x * y; };
auto* of_a_number = kt::ceres::cost_function<plain>();

// expect: kt::ceres::batch: data are rows of doubles
constexpr auto counted = [](vec2 x, kt::lscalar n) { return x * cast<double>(n); };
auto of_counts = kt::ceres::batch<counted>(xt::xtensor<std::int64_t, 1>{1, 2});

// expect: kt::ceres: a value for a parameter of the lambda has another rank
auto* of_a_scalar = kt::ceres::cost_function<difference>(1.0);
