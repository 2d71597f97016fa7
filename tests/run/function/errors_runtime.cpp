// What errors at a call say: the op or the parameter by the user's name, and the extents met.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/reference.hpp"

using namespace reference;
using I = std::size_t;
using Catch::Contains;

TEST_CASE("every error is a kt::error, which is a std::runtime_error") {
  static_assert(std::is_base_of_v<kt::error, kt::shape_error> && std::is_base_of_v<kt::error, kt::value_error>);
  static_assert(std::is_base_of_v<kt::error, kt::linalg_error> && std::is_base_of_v<std::runtime_error, kt::error>);
}

TEST_CASE("elementwise operands that differ in an extent") {
  auto f = kt::function([](kt::dvector a, kt::dvector b) { return exp(a) * named(b, "weights"); });
  CHECK_THROWS_AS(f(vec<double>{1, 2, 3}, vec<double>{1, 2}), kt::shape_error);
  CHECK_THROWS_WITH(f(vec<double>{1, 2, 3}, vec<double>{1, 2}), "mul: extent 0 of parameter 1 (dvector) is 3, extent 0 of weights is 2");
}

TEST_CASE("a run-time extent of 1 does not broadcast where it is not declared") {
  auto f = kt::function([](kt::dmatrix a, kt::dmatrix b) { return a + b; });
  CHECK_THROWS_AS(f(matrix<double>(2, 3), matrix<double>(1, 3)), kt::shape_error);
  CHECK_THROWS_AS(f(matrix<double>(2, 1), matrix<double>(2, 3)), kt::shape_error);
  CHECK_THROWS_WITH(f(matrix<double>(2, 3), matrix<double>(1, 3)), "add: extent 0 of parameter 1 (dmatrix) is 2, extent 0 of parameter 2 (dmatrix) is 1; an extent of 1 broadcasts only "
                    "where the type says so: declare parameter 2 (dmatrix) as a kt::row");
  CHECK_THROWS_WITH(f(matrix<double>(2, 1), matrix<double>(2, 3)), "add: extent 1 of parameter 1 (dmatrix) is 1, extent 1 of parameter 2 (dmatrix) is 3; an extent of 1 broadcasts only "
                    "where the type says so: declare parameter 1 (dmatrix) as a kt::col");
  CHECK_THROWS_WITH(f(matrix<double>(2, 3), matrix<double>(4, 3)), "add: extent 0 of parameter 1 (dmatrix) is 2, extent 0 of parameter 2 (dmatrix) is 4");
  CHECK(f(matrix<double>(1, 3), matrix<double>(1, 3)).size() == 3);
  auto g = kt::function([](kt::dmatrix a, kt::dvector v, kt::dscalar s) { return a * v + s; });
  CHECK_THROWS_AS(g(matrix<double>(2, 3), vec<double>{1}, 1), kt::shape_error);
  CHECK_THROWS_AS(g(matrix<double>(2, 1), vec<double>{1, 2, 3}, 1), kt::shape_error);
  CHECK_THROWS_WITH(g(matrix<double>(2, 3), vec<double>{1}, 1), Contains("parameter 2 (dvector) is 1; an extent of 1 broadcasts only where the type says so: kt::newaxis"));
  auto spread = kt::function([](kt::dmatrix a, kt::lscalar n) { return broadcast_to(a, n, 3); });
  CHECK_THROWS_WITH(spread(matrix<double>(1, 3), 2), Contains("alloc") && Contains("declare parameter 1 (dmatrix) as a kt::row"));
}

TEST_CASE("rows and columns refuse other extents, used or not") {
  auto f = kt::function([](kt::drow r, kt::lcol c) { return std::tuple(r * 2, sum(c)); });
  mat<std::int64_t> const column{{1}, {2}}, wide{{1, 2}};
  CHECK(std::get<1>(f(matrix<double>(1, 3), column)) == 3);
  CHECK_THROWS_AS(f(matrix<double>(2, 3), column), kt::shape_error);
  CHECK_THROWS_AS(f(matrix<double>(0, 3), column), kt::shape_error);
  CHECK_THROWS_WITH(f(matrix<double>(2, 3), column), "extent 0 of parameter 1 (drow) is 2, but it must be 1");
  CHECK_THROWS_WITH(f(matrix<double>(1, 3), wide), "extent 1 of parameter 2 (lcol) is 2, but it must be 1");
}

TEST_CASE("extents are checked as the expression was written, whatever becomes of it") {
  auto f = kt::function([](kt::dvector a, kt::dvector b) { return std::tuple(0 * b + a, a + b - b, zeros_like(a + b), where(a > b, a, a)); });
  CHECK_THROWS_AS(f(vec<double>{1, 2}, vec<double>{1, 2, 3}), kt::shape_error);
  CHECK((std::get<0>(f(vec<double>{1, 2}, vec<double>{3, 4})) == vec<double>{1, 2}));
}

TEST_CASE("extents that are computed are named as such") {
  auto f = kt::function([](kt::dvector a, kt::dvector b) { return a(kt::slice(1, kt::none)) + b; });
  CHECK_THROWS_WITH(f(vec<double>{1, 2, 3}, vec<double>{1, 2, 3}), Contains("add") && Contains("2") && Contains("extent 0 of parameter 2 (dvector) is 3"));
  auto g = kt::function([](kt::dmatrix a, kt::dmatrix b) { return dot(a, b) + a; });
  CHECK_THROWS_WITH(g(matrix<double>(2, 3), matrix<double>(3, 4)), Contains("add") && Contains("3") && Contains("4"));
}

TEST_CASE("a reshape to another number of elements names both shapes") {
  auto f = kt::function([](kt::dmatrix a, kt::lscalar n) { return std::tuple(reshape<2>(exp(a), n, 3), reshape<1>(a, -1)); });
  CHECK_THROWS_AS(f(matrix<double>(2, 5), 2), kt::shape_error);
  CHECK_THROWS_WITH(f(matrix<double>(2, 5), 2), "reshape: an operand of shape (2, 5) has 10 elements, but the requested shape, (2, 3), has 6");
  CHECK_THROWS_WITH(f(matrix<double>(1, 1), 0), "reshape: an operand of shape (1, 1) has 1 element, but the requested shape, (0, 3), has 0");
  CHECK(std::get<0>(f(matrix<double>(3, 4), 4)).shape()[0] == 4);
  auto rest = kt::function([](kt::dvector a) { return reshape<2>(a(kt::slice(1, kt::none)), -1, 3); });
  CHECK_THROWS_WITH(rest(vec<double>{1, 2, 3, 4, 5}), "reshape: an operand of shape (4) has 4 elements, but the requested shape, (1, 3), has 3");
  auto square = kt::function([](kt::dvector a, kt::lscalar n) { return reshape<2>(a, n, n); });
  CHECK_THROWS_WITH(square(vec<double>{1, 2, 3, 4}, -2), "reshape: an extent is negative: -2 (the -1 of reshape must be a literal)");
}

TEST_CASE("parameters are numbered with the shared variables, and named by their types") {
  kt::shared w(vec<float>{1, 2});
  auto f = kt::function([](kt::vector<std::uint8_t> a, kt::scalar<bool> s, kt::fvector v) { return where(s, a + v, v); }, w);
  CHECK_THROWS_WITH(f(vec<std::uint8_t>{1, 2, 3}, true), Contains("parameter 1 (uint8 vector) is 3") && Contains("parameter 3 (fvector) is 2"));
}

TEST_CASE("a function works again after it has thrown") {
  auto f = kt::function([](kt::dvector a, kt::dvector b) { return sum(exp(a) * b) + a; });
  vec<double> const two{1, 2};
  auto const before = f(two, two);
  for (int i = 0; i < 3; ++i) {
    CHECK_THROWS_AS(f(two, vec<double>{1}), kt::shape_error);
    CHECK((f(two, two) == before));
  }
}
