// Quantiles by several shares, with NumPy's values and shapes.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/reference.hpp"

#include <kroton/runtime.hpp>

using namespace reference;

namespace {

using I = std::size_t;
xt::xtensor<double, 3> const tensor{{{1, 2}, {3, 4}, {5, 6}}, {{7, 8}, {9, 1}, {2, 3}}};

template <class Array>
std::string differs(Array const& got, std::vector<double> const& wanted) {
  vec<double> const flat = xt::flatten(got);
  return flat.size() != wanted.size() ? "size" : mismatch(flat, [&](auto i) { return wanted[i]; }, 1e-14);
}

}  // namespace

TEST_CASE("quantiles by several shares have a leading axis") {
  auto const f = kt::function([](kt::dvector x, kt::dvector q, kt::dtensor3 t, kt::imatrix n) {
    auto const several = quantile(x, q);
    auto const nine = kt::constant({0.5, 0.9});
    static_assert(std::is_same_v<decltype(percentile(n, q, kt::axis<1>)), kt::dmatrix>);
    static_assert(std::is_same_v<decltype(quantile(x, t)), kt::dtensor3>);
    return std::tuple(several, quantile(t, nine, kt::axis<0, 2>), quantile(t, nine, kt::axis<-1, 0>, kt::keepdims),
                      percentile(n, 100 * q, kt::axis<1>), grad(sum(several * q), x), grad(sum(several), q));
  });
  vec<double> const x{3, -1, 10, 0.75}, q{0, 0.25, 0.9, 1};
  xt::xtensor<std::int32_t, 2> const n{{4, 1}, {0, 8}};
  auto const [several, shares, kept, percents, by_x, by_q] = f(x, q, tensor, n);
  CHECK(differs(several, {-1, 0.3125, 7.9, 10}) == "");
  CHECK(shares.shape() == std::array<I, 2>{2, 3});
  CHECK(differs(shares, {4.5, 3.5, 4, 7.7, 7.5, 5.7}) == "");
  CHECK(kept.shape() == std::array<I, 4>{2, 1, 3, 1});
  CHECK(differs(kept, {4.5, 3.5, 4, 7.7, 7.5, 5.7}) == "");
  CHECK(percents.shape() == std::array<I, 2>{4, 2});
  CHECK(differs(percents, {1, 0, 1.75, 2, 3.7, 7.2, 4, 8}) == "");
  CHECK(differs(by_x, {0.27, 0.0625, 0.63 + 1, 0.1875}) == "");
  CHECK(differs(by_q, {3 * 1.75, 3 * 1.75, 3 * 7, 3 * 7}) == "");
  CHECK_THROWS_WITH(f(x, vec<double>{0.5, 1.5}, tensor, n), "kt::quantile: a share is a number from 0 to 1");
  CHECK_THROWS_WITH(f(vec<double>{}, q, tensor, n), "kt::quantile: there are no elements");
  vec<double> const with_nan{3, not_a_number, 1};
  CHECK(differs(std::get<0>(f(with_nan, q, tensor, n)), {not_a_number, not_a_number, not_a_number, not_a_number}) == "");
  CHECK(std::get<0>(f(x, vec<double>{}, tensor, n)).size() == 0);
}

TEST_CASE("slopes of quantiles at elements, next to infinities and of one element") {
  kt::runtime::graph g;
  auto const x = g.input<double, 1>("x"), q = g.input<double, 1>("q");
  auto const y = quantile(x, q);
  auto const f = g.function({x, q}, std::tuple(y, grad(sum(y), q)));
  auto const [values, slopes] = f(vec<double>{3, 1e20, -1, 1, 4}, vec<double>{0.25, 0.5, 1});
  CHECK(differs(values, {1, 3, 1e20}) == "");
  CHECK(differs(slopes, {4 * 2, 4 * 1, 4 * 1e20}) == "");
  auto const between = std::get<0>(f(vec<double>{-infinity, 1, infinity}, vec<double>{0, 0.25, 0.5, 0.75, 1}));
  CHECK(differs(between, {-infinity, -infinity, 1, infinity, infinity}) == "");
  auto const one = f(vec<double>{7}, vec<double>{0.5, 1});
  CHECK(differs(std::get<0>(one), {7, 7}) == "");
  CHECK(differs(std::get<1>(one), {0, 0}) == "");
}

TEST_CASE("quantiles by several shares of many samples") {
  auto const f = kt::function(kt::vmap<0>([](kt::dvector x, kt::dvector q) { return quantile(x, q); }));
  CHECK(differs(f(mat<double>{{1, 3}, {6, 2}}, vec<double>{0.5, 1}), {2, 3, 4, 6}) == "");
}

TEST_CASE("between infinities of both signs lies no number") {
  double const infinity = std::numeric_limits<double>::infinity();
  auto const f = kt::function([](kt::dvector x, kt::dvector q) {
    return std::tuple(kt::median(x), kt::nanmedian(x), kt::quantile(x, q));
  });
  auto const [middle, of_numbers, at] = f(vec<double>{infinity, -infinity}, vec<double>{0, 0.25, 1});
  CHECK((std::isnan(middle) && std::isnan(of_numbers)));
  CHECK((at(0) == -infinity && std::isnan(at(1)) && at(2) == infinity));
  CHECK(std::get<0>(f(vec<double>{infinity, -infinity, 3}, vec<double>{0})) == 3);
  CHECK(std::get<0>(f(vec<double>{infinity, 1, 2, infinity}, vec<double>{0})) == infinity);
}
