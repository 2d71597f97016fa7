// Arrays extended beyond their borders, as numpy.pad of NumPy 1.24 does.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/runtime.hpp>

#include "run/reference.hpp"

using namespace reference;
using I = std::size_t;
using values = std::vector<double>;

namespace {

constexpr auto all_ways = [](kt::dmatrix x) {
  using kt::extend, kt::padding;
  return std::tuple(
      pad(x, padding<0, 0, 4, 5>, extend::edge), pad(x, padding<0, 0, 4, 5>, extend::reflect),
      pad(x, padding<0, 0, 4, 5>, extend::symmetric), pad(x, padding<0, 0, 4, 5>, extend::wrap),
      pad(x, padding<1, 0, 2, 1>, 7), pad(x, padding<1>, extend::wrap), pad(x, padding<0, 1>));
};

std::string differs(mat<double> const& got, I rows, values const& expected) {
  if (got.shape()[0] != rows || got.size() != expected.size()) return "another shape";
  return values(got.begin(), got.end()) == expected ? "" : "other elements";
}

}  // namespace

TEST_CASE("pad: numbers, edges, mirrors and repetitions") {
  mat<double> const m{{1, 2, 4}, {0, 5, 9}};
  auto const check = [](auto const& found) {
    auto const& [edge, reflect, symmetric, wrap, constant, around, columns] = found;
    CHECK(differs(edge, 2,
                  {1, 1, 1, 1, 1, 2, 4, 4, 4, 4, 4, 4, 0, 0, 0, 0, 0, 5, 9, 9, 9, 9, 9, 9}) == "");
    CHECK(differs(reflect, 2,
                  {1, 2, 4, 2, 1, 2, 4, 2, 1, 2, 4, 2, 0, 5, 9, 5, 0, 5, 9, 5, 0, 5, 9, 5}) == "");
    CHECK(differs(symmetric, 2,
                  {4, 4, 2, 1, 1, 2, 4, 4, 2, 1, 1, 2, 9, 9, 5, 0, 0, 5, 9, 9, 5, 0, 0, 5}) == "");
    CHECK(differs(wrap, 2,
                  {4, 1, 2, 4, 1, 2, 4, 1, 2, 4, 1, 2, 9, 0, 5, 9, 0, 5, 9, 0, 5, 9, 0, 5}) == "");
    CHECK(differs(constant, 3, {7, 7, 7, 7, 7, 7, 7, 7, 1, 2, 4, 7, 7, 7, 0, 5, 9, 7}) == "");
    CHECK(differs(around, 4, {9, 0, 5, 9, 0, 4, 1, 2, 4, 1, 9, 0, 5, 9, 0, 4, 1, 2, 4, 1}) == "");
    CHECK(differs(columns, 2, {0, 1, 2, 4, 0, 0, 0, 5, 9, 0}) == "");
  };
  check(kt::function(all_ways)(m));
  auto interpreted = kt::function(all_ways, kt::mode::interpret);
  check(interpreted(m));
  check(interpreted(xt::transpose(mat<double>(xt::transpose(m)))));
  CHECK(differs(std::get<1>(interpreted(mat<double>{{3}})), 1, values(10, 3)) == "");
  CHECK_THROWS_AS(interpreted(mat<double>(std::array<I, 2>{2, 0})), kt::value_error);
}

TEST_CASE("gradients of pad add up where elements repeat") {
  auto f = kt::function(
      [](kt::dvector x, kt::dscalar v) {
        auto weighted = [](auto y) { return sum(y * kt::arange(y.shape(0))); };
        auto cost = weighted(pad(x, kt::padding<2>, kt::extend::reflect)) +
                    weighted(pad(x, kt::padding<1, 3>, v));
        return std::tuple(cost, grad(cost, x), grad(cost, v),
                          pad(kt::cast<int>(x), kt::padding<1>, kt::extend::edge));
      },
      kt::mode::interpret);
  auto const [cost, by_x, by_v, edges] = f(vec<double>{1, 2, 4}, 0.5);
  // x2 x1 x0 x1 x2 x1 x0, and v x0 x1 x2 v v v.
  CHECK(cost ==
        4 * 0 + 2 * 1 + 1 * 2 + 2 * 3 + 4 * 4 + 2 * 5 + 1 * 6 + 0.5 * 15 + 1 * 1 + 2 * 2 + 4 * 3);
  CHECK(values(by_x.begin(), by_x.end()) == values{2 + 6 + 1, 1 + 3 + 5 + 2, 0 + 4 + 3});
  CHECK(by_v == 0 + 4 + 5 + 6);
  CHECK(edges == vec<int>{1, 1, 2, 4, 4});
}
