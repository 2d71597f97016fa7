// Cheap values that several loops need are computed in each of them; others are stored once.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

#include "run/reference.hpp"

#include <catch2/catch.hpp>

#include <cmath>

using namespace reference;

namespace {

template <class Got, class Expected>
bool same(Got const& got, Expected const& expected) {
  return xt::allclose(got, expected, 1e-12, 1e-12);
}

constexpr auto standardize = [](kt::dvector x) {
  auto d = x - mean(x);
  return d / sqrt(mean(sqr(d)) + 1e-5);
};
constexpr auto weighted = [](kt::dvector a, kt::dvector b) {
  auto t = a * b + 1;
  return t * sum(t);
};
constexpr auto three_times = [](kt::dvector a, kt::dvector b) {
  auto t = maximum(a, b);
  return t * sum(tanh(t * sum(t)));
};
constexpr auto softened = [](kt::dvector x) {
  auto e = tanh(x);
  return e / sum(e);
};
constexpr auto given_out = [](kt::dvector x) {
  auto d = x - mean(x);
  return std::tuple(d, d / (1 + sum(sqr(d))));
};
constexpr auto by_rows = [](kt::dmatrix x) {
  auto d = abs(x) - mean(x, kt::axis<1>, kt::keepdims);
  return d * max(d, kt::axis<1>, kt::keepdims) + sum(d);
};

/// How many arrays a program keeps in memory of its own.
template <auto Lambda, class... P>
constexpr int temporaries() {
  int count = 0;
  for (auto const& v : kt::freeze::program<std::remove_const_t<decltype(Lambda)>, std::remove_const_t<decltype(kt::mode::fast_run)>, 0, P...>::values)
    count += v.where == kt::plan::storage::buffer && v.output < 0 ? 1 : 0;
  return count;
}
static_assert(temporaries<standardize, kt::dvector>() == 0);
static_assert(temporaries<weighted, kt::dvector, kt::dvector>() == 0);
static_assert(temporaries<by_rows, kt::dmatrix>() == 3, "the statistics of the rows");
static_assert(temporaries<three_times, kt::dvector, kt::dvector>() == 1, "two arrays for two other loops: stored");
static_assert(temporaries<softened, kt::dvector>() == 1, "a hyperbolic tangent is stored");
static_assert(temporaries<given_out, kt::dvector>() == 0, "an output is stored anyway");

}  // namespace

TEST_CASE("values computed again are the same values", "[recompute]") {
  vec<double> const x = numbers<double>(1003, 1), b = numbers<double>(1003, 2);
  vec<double> const d = x - xt::mean(x)();
  CHECK(same(kt::function(standardize)(x), vec<double>(d / std::sqrt(xt::mean(d * d)() + 1e-5))));
  vec<double> const t = x * b + 1, u = xt::maximum(x, b);
  CHECK(same(kt::function(weighted)(x, b), vec<double>(t * xt::sum(t)())));
  CHECK(same(kt::function(three_times)(x, b), vec<double>(u * xt::sum(xt::tanh(u * xt::sum(u)()))())));
  auto const [first, second] = kt::function(given_out)(x);
  CHECK(same(first, d));
  CHECK(same(second, vec<double>(d / (1 + xt::sum(d * d)()))));
}

TEST_CASE("values computed again in rows", "[recompute]") {
  mat<double> const x{{1, -2, 3}, {-4, 5, 7}};
  mat<double> const d{{1 - 2.0 / 3, 2 - 2.0 / 3, 3 - 2.0 / 3}, {4 - 8.0 / 3, 5 - 8.0 / 3, 7 - 8.0 / 3}};
  double const total = xt::sum(d)();
  mat<double> expected = d;
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t j = 0; j < 3; ++j) expected(i, j) = d(i, j) * std::max({d(i, 0), d(i, 1), d(i, 2)}) + total;
  CHECK(same(kt::function(by_rows)(x), expected));
}
