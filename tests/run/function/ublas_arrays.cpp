// Matrices and vectors of Boost.uBLAS as arguments and as targets.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

#include "run/reference.hpp"

#if __has_include(<boost/numeric/ublas/matrix_proxy.hpp>)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"  // std::iterator
#include <boost/numeric/ublas/matrix.hpp>
#include <boost/numeric/ublas/matrix_proxy.hpp>
#include <boost/numeric/ublas/triangular.hpp>
#include <boost/numeric/ublas/vector.hpp>
#include <boost/numeric/ublas/vector_proxy.hpp>
#pragma GCC diagnostic pop

#include <vector>

namespace ublas_arrays {
namespace kt = kroton;
namespace ub = boost::numeric::ublas;

// The default storage of Boost before 1.76 asks std::allocator for what C++20 has taken from it.
template <class Order>
using matrix = ub::matrix<double, Order, std::vector<double>>;
using vector = ub::vector<double, std::vector<double>>;

template <class A>
A numbered(std::size_t rows, std::size_t columns) {
  A a(rows, columns);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) a(i, j) = static_cast<double>(10 * i + j);
  return a;
}
constexpr auto twice = [](kt::dmatrix x) { return 2.0 * x; };
constexpr auto twice_each = [](kt::dvector x) { return 2.0 * x; };

template <class A>
void check_both_ways() {
  auto const f = kt::function(twice);
  A const a = numbered<A>(3, 4);
  A y(3, 4);
  f.into(y, a);
  bool is_equal = true;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 4; ++j) is_equal = is_equal && y(i, j) == 2 * a(i, j);
  CHECK(is_equal);
  auto const part = ub::project(a, ub::range(1, 3), ub::range(2, 4));
  CHECK((f(part) == xt::xtensor<double, 2>{{24, 26}, {44, 46}}));
  auto const apart = ub::project(a, ub::slice(2, -2, 2), ub::slice(0, 3, 2));
  CHECK((f(apart) == xt::xtensor<double, 2>{{40, 46}, {0, 6}}));
}
}  // namespace ublas_arrays

TEST_CASE("matrices of uBLAS are read and written in any order") {
  using namespace ublas_arrays;
  check_both_ways<matrix<ub::row_major>>();
  check_both_ways<matrix<ub::column_major>>();
  check_both_ways<ub::bounded_matrix<double, 5, 5>>();
  check_both_ways<ub::bounded_matrix<double, 3, 4, ub::column_major>>();
  check_both_ways<ub::c_matrix<double, 3, 4>>();
}
TEST_CASE("matrices and vectors of uBLAS that own their elements are resized") {
  using namespace ublas_arrays;
  matrix<ub::column_major> y, none;
  kt::function(twice).into(y, numbered<matrix<ub::row_major>>(2, 3));
  CHECK((y.size1() == 2 && y.size2() == 3 && y(1, 0) == 20 && y(0, 2) == 4));
  kt::function(twice).into(y, none);
  CHECK((y.size1() == 0 && y.size2() == 0));
  vector v, x(3);
  x(0) = 1, x(1) = 2, x(2) = 3;
  kt::function(twice_each).into(v, x);
  CHECK((v.size() == 3 && v(2) == 6));
  // One element has no other to tell a stride by.
  CHECK((kt::function(twice)(numbered<matrix<ub::row_major>>(1, 1)) == xt::xtensor<double, 2>{{0}}));
  ub::bounded_matrix<double, 5, 5> other(1, 1);
  CHECK_THROWS_AS(kt::function(twice).into(other, numbered<matrix<ub::row_major>>(2, 3)), kt::shape_error);
}
TEST_CASE("rows, columns, ranges and slices of uBLAS") {
  using namespace ublas_arrays;
  auto const f = kt::function(twice_each);
  auto a = numbered<matrix<ub::row_major>>(3, 4);
  CHECK((f(ub::column(a, 1)) == xt::xtensor<double, 1>{2, 22, 42}));
  CHECK((f(ub::project(ub::row(a, 2), ub::range(1, 3))) == xt::xtensor<double, 1>{42, 44}));
  f.into(ub::column(a, 3), ub::column(a, 0));
  CHECK((a(0, 3) == 0 && a(1, 3) == 20 && a(2, 3) == 40 && a(2, 2) == 22));
  // What does not have each element in memory is not an array.
  using triangle = ub::triangular_matrix<double, ub::lower, ub::row_major, std::vector<double>>;
  STATIC_REQUIRE(kt::cpu::described_array<matrix<ub::row_major>>);
  STATIC_REQUIRE(!kt::cpu::described_array<triangle>);
  using sum = decltype(a + a);
  STATIC_REQUIRE(!kt::cpu::described_array<sum>);
}
TEST_CASE("only what has strides of uBLAS is an array") {
  using namespace ublas_arrays;
  using ordered = matrix<ub::row_major>;
  using picked = ub::indirect_array<std::vector<std::size_t>>;
  using some = ub::vector_indirect<vector, picked>;
  using grid = ub::matrix_indirect<ordered, picked>;
  using diagonal = ub::matrix_vector_indirect<ordered, picked>;
  using rows = ub::vector_of_vector<double, ub::row_major, std::vector<std::vector<double>>>;
  STATIC_REQUIRE(!kt::cpu::described_array<some>);
  STATIC_REQUIRE(!kt::cpu::described_array<some const>);
  STATIC_REQUIRE(!kt::cpu::described_array<grid>);
  STATIC_REQUIRE(!kt::cpu::described_array<diagonal>);
  STATIC_REQUIRE(!kt::cpu::described_array<rows>);
  // Nor what is made of these.
  STATIC_REQUIRE(!kt::cpu::described_array<ub::vector_range<some>>);
  STATIC_REQUIRE(!kt::cpu::described_array<ub::vector_slice<some const>>);
  STATIC_REQUIRE(!kt::cpu::described_array<ub::vector_range<diagonal>>);
  STATIC_REQUIRE(!kt::cpu::described_array<ub::matrix_row<grid>>);
  STATIC_REQUIRE(!kt::cpu::described_array<ub::matrix_column<rows>>);
  STATIC_REQUIRE(!kt::cpu::described_array<ub::matrix_range<rows const>>);
  STATIC_REQUIRE(!kt::cpu::described_array<ub::matrix_reference<rows>>);

  vector v(6);
  for (std::size_t i = 0; i < 6; ++i) v(i) = static_cast<double>(i);
  auto const f = kt::function(twice_each);
  CHECK((f(ub::project(v, ub::slice(5, -2, 3))) == xt::xtensor<double, 1>{10, 6, 2}));
  auto a = numbered<ordered>(3, 4);
  ub::matrix_slice<ordered> const sparse(a, ub::slice(0, 2, 2), ub::slice(3, -3, 2));
  CHECK((f(ub::column(sparse, 1)) == xt::xtensor<double, 1>{0, 40}));
  CHECK((f(ub::matrix_vector_range<ordered>(a, ub::range(0, 3), ub::range(1, 4))) == xt::xtensor<double, 1>{2, 24, 46}));
  f.into(ub::matrix_vector_slice<ordered>(a, ub::slice(0, 1, 3), ub::slice(0, 1, 3)), ub::project(v, ub::range(1, 4)));
  CHECK((a(0, 0) == 2 && a(1, 1) == 4 && a(2, 2) == 6 && a(0, 1) == 1));
  ub::matrix_reference<ordered> const same(a);
  CHECK((kt::function(twice)(same)(2, 2) == 12));
}
#endif
