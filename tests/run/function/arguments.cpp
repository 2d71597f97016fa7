// What may be passed to a function: every container, view, expression, range and number, with lossless conversions.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/reference.hpp"

#include <xtensor/xfixed.hpp>
#include <xtensor/xstrided_view.hpp>

#include <array>
#include <span>
#include <vector>

using namespace reference;
using I = std::size_t;
using xt::placeholders::_;

TEST_CASE("vectors from every kind of container") {
  auto f = kt::function([](kt::dvector x) { return std::tuple(2 * x, sum(x)); });
  vec<double> const want{2, 4, 6};
  auto is = [&](auto const& r) { return std::get<0>(r) == want && std::get<1>(r) == 6; };
  vec<double> x{1, 2, 3};
  CHECK(is(f(x)));
  CHECK(is(f(xt::xarray<double>{1, 2, 3})));
  CHECK(is(f(xt::xtensor_fixed<double, xt::xshape<3>>{1, 2, 3})));
  CHECK(is(f(std::vector<double>{1, 2, 3})));
  CHECK(is(f(std::array<double, 3>{1, 2, 3})));
  std::vector<double> owner{1, 2, 3};
  CHECK(is(f(std::span<double const>(owner))));
  CHECK(is(f(std::span(owner))));
  double const c_array[] = {1, 2, 3};
  CHECK(is(f(c_array)));
  CHECK(is(f(xt::adapt(owner))));
  CHECK(is(f(xt::adapt(owner.data(), 3, xt::no_ownership(), std::array<I, 1>{3}))));
  CHECK(is(f(x + 0.0)));
  CHECK(is(f(xt::arange<double>(1, 4))));
  CHECK(is(f(xt::view(x, xt::all()))));
  vec<double> const backwards{3, 2, 1}, spread{1, 0, 2, 0, 3, 0};
  CHECK(is(f(xt::view(backwards, xt::range(_, _, -1)))));
  CHECK(is(f(xt::view(spread, xt::range(0, 6, 2)))));
  mat<double> const m{{1, 9}, {2, 9}, {3, 9}};
  CHECK(is(f(xt::view(m, xt::all(), 0))));
  CHECK(is(f(xt::view(xt::xarray<double>(m), xt::all(), 0))));
  CHECK(is(f(xt::strided_view(m, {xt::all(), 0}))));
  CHECK(is(f(xt::cast<double>(vec<int>{1, 2, 3}))));
}

TEST_CASE("matrices from every kind of container") {
  auto f = kt::function([](kt::dmatrix x, kt::dmatrix y) { return x + y; });
  mat<double> const a{{1, 2, 3}, {4, 5, 6}}, zero(std::array<I, 2>{2, 3}, 0.0);
  CHECK((f(a, zero) == a));
  CHECK((f(xt::xarray<double>(a), zero) == a));
  CHECK((f(xt::xtensor<double, 2, xt::layout_type::column_major>(a), zero) == a));
  CHECK((f(xt::xarray<double, xt::layout_type::column_major>(a), zero) == a));
  CHECK((f(a * 1, xt::zeros<double>({2, 3})) == a));
  mat<double> const t = xt::transpose(a);
  CHECK((f(xt::transpose(t), zero) == a));
  CHECK((f(xt::view(a, xt::all(), xt::all()), zero) == a));
  mat<double> const large{{0, 0, 0, 0}, {0, 1, 2, 3}, {0, 4, 5, 6}};
  CHECK((f(xt::view(large, xt::range(1, _), xt::range(1, _)), zero) == a));
  std::vector<double> flat{1, 2, 3, 4, 5, 6};
  CHECK((f(xt::adapt(flat, std::array<I, 2>{2, 3}), zero) == a));
  CHECK((f(xt::broadcast(vec<double>{1, 2, 3}, {2, 3}), zero) == mat<double>{{1, 2, 3}, {1, 2, 3}}));
  CHECK_THROWS_AS(f(xt::xarray<double>{1, 2, 3}, zero), kt::shape_error);
  CHECK_THROWS_WITH(f(xt::xarray<double>{1, 2, 3}, zero), Catch::Contains("rank 1") && Catch::Contains("rank 2"));
}

TEST_CASE("numbers and rank 0 expressions for scalars") {
  auto f = kt::function([](kt::dscalar a, kt::lscalar b, kt::scalar<bool> c) { return std::tuple(a + b, where(c, a, -a)); });
  using R = std::tuple<double, double>;
  CHECK((f(1.5, 2, true) == R{3.5, 1.5}));
  CHECK((f(1.5f, std::int8_t{2}, false) == R{3.5, -1.5}));
  CHECK((f(1, 2u, true) == R{3, 1}));
  CHECK((f(true, true, true) == R{2, 1}));
  xt::xtensor<double, 0> const zero_rank(1.5);
  CHECK((f(zero_rank, 2, true) == R{3.5, 1.5}));
  CHECK((f(xt::xarray<double>(2.5), 0, true) == R{2.5, 2.5}));
  CHECK((f(xt::sum(vec<double>{1, 2}), 0, true) == R{3, 3}));
}

TEST_CASE("element types are converted where nothing is lost") {
  auto f = kt::function([](kt::dvector d, kt::lvector l, kt::fvector s, kt::wvector w) { return d + l + s + w; });
  vec<double> const want{4, 8};
  CHECK((f(vec<float>{1, 2}, vec<std::int32_t>{1, 2}, vec<std::int16_t>{1, 2}, vec<std::uint8_t>{1, 2}) == want));
  CHECK((f(std::vector<int>{1, 2}, std::vector<unsigned>{1, 2}, std::vector<std::int8_t>{1, 2}, std::vector<std::int8_t>{1, 2}) == want));
  CHECK((f(vec<bool>{true, false}, vec<bool>{true, false}, vec<bool>{true, false}, vec<bool>{true, false}) == vec<double>{4, 0}));
  CHECK((f(xt::view(mat<float>{{1, 0}, {2, 0}}, xt::all(), 0), std::array<short, 2>{1, 2}, vec<float>{1, 2}, vec<short>{1, 2}) == want));
  unsigned char const bytes[] = {1, 2};
  CHECK((f(bytes, bytes, bytes, bytes) == want));
}

TEST_CASE("views are read where they lie, not copied") {
  auto f = kt::function([](kt::dvector x) { return x(kt::slice(0, 1)); });
  vec<double> x{1, 2, 3};
  auto v = xt::view(x, xt::range(1, 3));
  CHECK((f(v)(0) == 2));
  x(1) = 7;
  CHECK((f(v)(0) == 7));
}

TEST_CASE("rows and columns take any matrix of their extents") {
  auto f = kt::function([](kt::drow r, kt::dcol c) { return r + c; });
  mat<double> const r{{1, 2, 3}}, c{{10}, {20}};
  mat<double> const want{{11, 12, 13}, {21, 22, 23}};
  CHECK((f(r, c) == want));
  mat<double> const m{{0, 0, 0}, {1, 2, 3}};
  CHECK((f(xt::view(m, xt::range(1, 2)), c) == want));
  CHECK((f(xt::transpose(mat<double>{{1}, {2}, {3}}), c) == want));
  CHECK_THROWS_AS(f(c, c), kt::shape_error);
}
