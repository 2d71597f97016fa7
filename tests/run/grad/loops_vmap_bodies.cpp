// What bodies of mapped loops consist of: solvers, choices, indices, functions as one op, axes of one element.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>
#include <kroton/kroton.hpp>

#include <xtensor/xmath.hpp>
#include <xtensor/xtensor.hpp>
#include <xtensor/xview.hpp>

namespace kt = kroton;

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;
using tensor = xt::xtensor<double, 3>;
using integers = xt::xtensor<std::int64_t, 1>;

template <class A, class B>
bool same(A const& a, B const& b) {
  return a.shape() == b.shape() && xt::amax(xt::abs(a - b))() < 1e-13;
}

constexpr auto inner = kt::opaque([](kt::dvector x, kt::dscalar a) {
  return scan([&](auto e, auto s) { return s * a + e; }, kt::sequences(x), kt::outputs_info(1.0));
});

}  // namespace

TEST_CASE("mapped loops: solvers and choices in steps") {
  auto const f = [](kt::dmatrix a, kt::dvector start, kt::dvector x) {
    return scan([&](auto e, auto s) {
      auto next = solve(a, s * e);
      return ifelse(gt(sum(s), 1), next, where(lt(s, 0), -s, next + e));
    }, kt::sequences(x), kt::outputs_info(start));
  };
  matrix const a{{2, 1}, {0.5, 3}}, starts{{1, 2}, {-3, 1}, {0.5, 0.25}};
  vector const x{1, -2, 0.5};
  tensor const found = kt::function(kt::vmap<1>(f))(a, starts, x);
  auto const one = kt::function(f);
  for (std::size_t k = 0; k < 3; ++k) CHECK(same(matrix(one(a, xt::eval(xt::view(starts, k)), x)), matrix(xt::view(found, k))));
}

TEST_CASE("mapped loops: indices that are the same for all slices, and indices that are not") {
  // A walk along a table: the state is a position.
  auto const walk = [](kt::lvector next, kt::lscalar start, kt::dvector values) {
    auto [at, value] = scan([&](auto, auto at) { auto to = take(next, at); return std::tuple(to, take(values, to)); },
                            kt::sequences(values), kt::outputs_info(start, kt::none));
    return std::tuple(at, value);
  };
  auto const [at, value] = kt::function(kt::vmap<1>(walk))(integers{2, 0, 1}, integers{0, 1}, vector{0.5, 1.5, 2.5});
  CHECK(at == xt::xtensor<std::int64_t, 2>{{2, 1, 0}, {0, 2, 1}});
  CHECK(same(value, matrix{{2.5, 1.5, 0.5}, {0.5, 2.5, 1.5}}));

  auto const part = kt::function(kt::vmap<0>([](kt::dmatrix x) {
    return foldl([](auto row, auto s) { return s + sum(row(kt::slice(1, kt::none))) * row(0); }, kt::sequences(x), kt::outputs_info(0.0));
  }));
  CHECK(same(vector(part(tensor{{{1, 2, 3}, {4, 5, 6}}, {{0, 1, 1}, {-1, 2, 1}}})), vector{49, -3}));
}

TEST_CASE("mapped loops and Jacobians of them: functions as one op, axes of one element") {
  auto const f = kt::function([](kt::dmatrix x, kt::dscalar a) {
    return std::tuple(kt::vmap<0>([&](kt::dvector row) { return inner(row, a); })(x), jacobian(inner(x(0), a), a));
  });
  auto const [y, by_a] = f(matrix{{1, 2}, {3, 4}}, 3.);
  CHECK(same(y, matrix{{4, 14}, {6, 22}}));
  CHECK(same(by_a, vector{1, 7}));

  auto const row = kt::function([](kt::drow x, kt::dmatrix w) {
    auto y = foldl([&](auto column, auto s) { return s * 2 + dot(s, w) + column; }, kt::sequences(transpose(w)), kt::outputs_info(x));
    return jacobian(y, x);
  });
  matrix const w{{1, 2}, {3, 4}};
  matrix const square = xt::transpose(matrix{{9 + 6, 6 + 12}, {9 + 18, 6 + 36}});
  auto const found = row(matrix{{1, -1}}, w);
  CHECK(found.shape() == std::array<std::size_t, 4>{1, 2, 1, 2});
  CHECK(same(matrix(xt::view(found, 0, xt::all(), 0)), square));
}
