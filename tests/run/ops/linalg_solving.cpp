// Systems of linear equations, inverses and determinants: reconstruction, closed forms, layouts, element types, and what is refused.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/linalg.hpp"

#include <kroton/runtime.hpp>

using namespace reference;
using linalg_test::almost;
using linalg_test::product;
using linalg_test::regular;
using linalg_test::said;

namespace {

// Everything that LU factors serve, and the triangles of the same matrix.
constexpr auto everything = [](auto a, auto b, auto v) {
  auto [sign, magnitude] = slogdet(a);
  return std::tuple(solve(a, b), solve(a, v), matrix_inverse(a), det(a), sign, magnitude, solve_triangular(a, b, kt::lower),
                    solve_triangular(a, v, kt::upper), solve_triangular(a.T(), v, kt::lower, kt::unit_diagonal),
                    solve_triangular(a, b, kt::upper, kt::unit_diagonal));
};

/// The triangle of a matrix, with ones on its diagonal on demand.
template <class A>
mat<double> part(A const& a, bool lower, bool unit) {
  mat<double> t(std::array<std::size_t, 2>{a.shape()[0], a.shape()[0]}, 0.0);
  for (std::size_t i = 0; i < a.shape()[0]; ++i)
    for (std::size_t j = 0; j < a.shape()[0]; ++j)
      if (i == j) t(i, j) = unit ? 1 : static_cast<double>(a(i, j));
      else if ((j < i) == lower) t(i, j) = static_cast<double>(a(i, j));
  return t;
}

template <class F, class A, class B, class V>
void check(F& f, A const& a, B const& b, V const& v, double e) {
  std::size_t const n = a.shape()[0];
  CAPTURE(n, b.shape()[1]);
  auto const r = f(a, b, v);
  mat<double> column(std::array<std::size_t, 2>{n, 1});
  for (std::size_t i = 0; i < n; ++i) column(i, 0) = v(i);
  CHECK(almost(product(a, std::get<0>(r)), b, e));
  CHECK(almost(product(a, linalg_test::as_column(std::get<1>(r))), column, e));
  CHECK(almost(product(a, std::get<2>(r)), linalg_test::identity(n), e));
  CHECK(static_cast<double>(std::get<3>(r)) == Approx(static_cast<double>(std::get<4>(r)) * std::exp(static_cast<double>(std::get<5>(r)))).epsilon(1e3 * e));
  CHECK(almost(product(part(a, true, false), std::get<6>(r)), b, e));
  CHECK(almost(product(part(a, false, false), linalg_test::as_column(std::get<7>(r))), column, e));
  CHECK(almost(product(part(xt::transpose(a), true, true), linalg_test::as_column(std::get<8>(r))), column, e));
  CHECK(almost(product(part(a, false, true), std::get<9>(r)), b, e));
}

}  // namespace

TEST_CASE("linear systems of doubles, in every layout", "[linalg]") {
  auto f = kt::function<kt::dmatrix, kt::dmatrix, kt::dvector>(everything);
  for (std::size_t n : {1u, 2u, 3u, 10u, 40u})
    for (std::size_t k : {1u, 3u}) check(f, regular<double>(n, 1), matrix<double>(n, k, 2), numbers<double>(n, 3), 1e-11);
  // Transposed, sliced and reversed operands.
  auto const a = regular<double>(6, 4), at = regular<double>(6, 5), wide = regular<double>(12, 6), b = matrix<double>(4, 6, 7);
  auto const v = numbers<double>(6, 8), lots = numbers<double>(18, 9);
  check(f, xt::transpose(at), xt::transpose(b), v, 1e-11);
  check(f, xt::view(wide, xt::range(0, 12, 2), xt::range(0, 12, 2)), xt::view(wide, xt::range(0, 6), xt::range(1, 7, 3)),
        xt::view(lots, xt::range(1, 18, 3)), 1e-11);
  check(f, xt::view(a, xt::range(5, xt::placeholders::_, -1), xt::range(5, xt::placeholders::_, -1)), xt::transpose(b), xt::view(v, xt::range(5, xt::placeholders::_, -1)), 1e-11);
}

TEST_CASE("linear systems of floats and of integers", "[linalg]") {
  auto f = kt::function<kt::fmatrix, kt::fmatrix, kt::fvector>(everything);
  check(f, regular<float>(7, 1), matrix<float>(7, 2, 2), numbers<float>(7, 3), 1e-4);
  // Integers are computed as float64.
  auto g = kt::function<kt::imatrix, kt::bmatrix, kt::lvector>(everything);
  auto const r = g(mat<int>{{2, 1}, {1, 3}}, mat<std::int8_t>{{3}, {4}}, vec<std::int64_t>{3, 4});
  static_assert(std::is_same_v<std::tuple_element_t<0, std::remove_cvref_t<decltype(r)>>, mat<double>>);
  CHECK(almost(std::get<0>(r), mat<double>{{1}, {1}}, 1e-15));
  CHECK(std::get<3>(r) == Approx(5));
}

TEST_CASE("linear systems of no equations", "[linalg]") {
  auto f = kt::function<kt::dmatrix, kt::dmatrix, kt::dvector>(everything);
  auto const r = f(mat<double>(std::array<std::size_t, 2>{0, 0}), mat<double>(std::array<std::size_t, 2>{0, 3}), vec<double>(std::array<std::size_t, 1>{0}));
  CHECK(std::get<0>(r).shape() == std::array<std::size_t, 2>{0, 3});
  CHECK(std::get<2>(r).size() == 0);
  CHECK(std::get<3>(r) == 1);
  CHECK(std::get<4>(r) == 1);
  CHECK(std::get<5>(r) == 0);
  // Nor of no unknowns on the right.
  CHECK(std::get<0>(f(regular<double>(2, 1), mat<double>(std::array<std::size_t, 2>{2, 0}), vec<double>{1, 2})).size() == 0);
}

TEST_CASE("determinants neither overflow on the way nor lose signs", "[linalg]") {
  constexpr auto both = [](kt::dmatrix a) { return std::tuple_cat(std::tuple(det(a)), slogdet(a)); };
  for (auto f : {kt::function(both)}) {
    auto d = [&](mat<double> const& a) { return std::get<0>(f(a)); };
    CHECK(d({{1, 2}, {3, 4}}) == Approx(-2));
    CHECK(d({{0, 1}, {1, 0}}) == -1);
    CHECK(d({{1, 2}, {2, 4}}) == 0);
    CHECK(d({{1e200, 0, 0}, {0, 1e200, 0}, {0, 0, 1e-300}}) == Approx(1e100));
    CHECK(d({{-1e-200, 0, 0}, {0, 1e-200, 0}, {0, 0, 1e300}}) == Approx(-1e-100));
    CHECK(std::isinf(d({{1e200, 0}, {0, 1e200}})));
    CHECK(std::isnan(d({{not_a_number, 0}, {0, 1}})));
    auto const [zero, least, lost] = f(mat<double>{{1, 2}, {2, 4}});
    CHECK((zero == 0 && least == 0 && lost == -infinity));
    auto const [big, sign, size] = f(mat<double>{{0, 1e200}, {1e200, 0}});
    CHECK((big == -infinity && sign == -1 && size == Approx(2 * std::log(1e200))));
  }
}

TEST_CASE("singular matrices and extents that do not fit are refused in words", "[linalg]") {
  mat<double> const singular{{1, 2, 3}, {2, 4, 6}, {1, 0, 1}};
  vec<double> const v{1, 2, 3};
  auto f = kt::function([](kt::dmatrix a, kt::dvector b) { return solve(a, b); });
  auto inverse = kt::function([](kt::dmatrix a) { return matrix_inverse(a); });
  auto triangular = kt::function([](kt::dmatrix a, kt::dvector b) { return solve_triangular(a, b, kt::upper); });
  CHECK(said<kt::linalg_error>([&] { f(singular, v); }) == "solve: the matrix is singular: pivot 2 of 3 is 0");
  CHECK(said<kt::linalg_error>([&] { inverse(singular); }) == "matrix_inverse: the matrix is singular: pivot 2 of 3 is 0");
  CHECK(said<kt::linalg_error>([&] { triangular(mat<double>{{1, 2, 3}, {2, 0, 6}, {1, 0, 1}}, v); }) ==
        "solve_triangular: the matrix is singular: element 1 of its diagonal is 0");
  auto const not_square = said<kt::shape_error>([&] { inverse(matrix<double>(2, 3)); });
  CHECK(not_square.find("matrix_inverse: ") == 0);
  CHECK(not_square.find("extent 0 of parameter 1 (dmatrix) is 2") != std::string::npos);
  CHECK(not_square.find("extent 1 of parameter 1 (dmatrix) is 3") != std::string::npos);
  auto const no_fit = said<kt::shape_error>([&] { f(matrix<double>(2, 2), v); });
  CHECK(no_fit.find("solve: ") == 0);
  CHECK(no_fit.find("is 3") != std::string::npos);
  // What is not a number stays so.
  CHECK(std::isnan(f(mat<double>{{not_a_number, 0}, {0, 1}}, vec<double>{1, 2})(0)));
}

TEST_CASE("an error leaves shared variables as they were", "[linalg]") {
  kt::shared w(vec<double>{1, 2});
  kt::shared count(0.0);
  auto f = kt::function([](kt::dmatrix a, kt::dvector b, kt::dvector x, kt::dscalar n) {
    return kt::outputs().update(x, solve(a, b)).update(n, n + 1);
  }, w, count);
  CHECK_THROWS_AS(f(mat<double>{{1, 1}, {1, 1}}, vec<double>{1, 1}), kt::linalg_error);
  CHECK((w.get_value() == vec<double>{1, 2}));
  CHECK(count.get_value() == 0);
  f(mat<double>{{2, 0}, {0, 4}}, vec<double>{1, 1});
  CHECK((w.get_value() == vec<double>{0.5, 0.25}));
  CHECK(count.get_value() == 1);
}

TEST_CASE("the interpreter solves too, and refuses what it cannot", "[linalg]") {
  auto f = kt::function<kt::dmatrix, kt::dmatrix, kt::dvector>(everything, kt::mode::interpret);
  check(f, regular<double>(4, 1), matrix<double>(4, 2, 2), numbers<double>(4, 3), 1e-11);
  CHECK(said<kt::linalg_error>([&] { f(mat<double>{{1, 1}, {1, 1}}, mat<double>{{1}, {1}}, vec<double>{1, 1}); }).find("singular") != std::string::npos);
}
