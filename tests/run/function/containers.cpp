// Arrays of other libraries as arguments and as targets: Eigen's, those with the members of
// Armadillo's and of std::mdspan, arrays of arrays, and one that a program describes itself.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/runtime.hpp>

#include "run/reference.hpp"

#if __has_include(<eigen3/Eigen/Core>)
#include <eigen3/Eigen/Core>
#endif

#include <array>
#include <span>
#include <valarray>
#include <vector>

using namespace reference;
using I = std::size_t;

namespace {

/// What Armadillo calls the members of its matrices.
struct fortran_matrix {
  using elem_type = double;
  static constexpr bool is_col = false, is_row = false;
  std::vector<double> elements;
  I n_rows = 0, n_cols = 0;
  double* memptr() { return elements.data(); }
  double const* memptr() const { return elements.data(); }
  void set_size(I rows, I columns) {
    elements.resize(rows * columns);
    n_rows = rows, n_cols = columns;
  }
  double& at(I i, I j) { return elements[i + j * n_rows]; }
};
/// And of its cubes.
struct fortran_cube {
  using elem_type = double;
  std::vector<double> elements;
  I n_rows = 0, n_cols = 0, n_slices = 0;
  double* memptr() { return elements.data(); }
  double const* memptr() const { return elements.data(); }
  void set_size(I rows, I columns, I slices) {
    elements.resize(rows * columns * slices);
    n_rows = rows, n_cols = columns, n_slices = slices;
  }
};
/// What std::mdspan calls its own.
template <class T>
struct span_of_two {
  using rank_type = I;
  using element_type = T;
  using reference = T&;
  T* first;
  std::array<I, 2> extents, strides;
  static constexpr I rank() { return 2; }
  T* const& data_handle() const { return first; }
  I extent(I d) const { return extents[d]; }
  I stride(I d) const { return strides[d]; }
};
/// A program's own: rows that are padded to eight elements.
struct padded {
  std::vector<double> pixels;
  I rows = 0, columns = 0;
};

}  // namespace

template <>
struct kroton::array_traits<padded> {
  static auto view(auto& x) {
    using T = std::remove_pointer_t<decltype(x.pixels.data())>;
    return kroton::array_view<T, 2>{x.pixels.data(), {x.rows, x.columns}, {8, 1}};
  }
  static void resize(padded& x, std::array<std::size_t, 2> const& shape) {
    x = {std::vector<double>(8 * shape[0], -1.0), shape[0], shape[1]};
  }
};

namespace {

auto f =
    kt::function([](kt::dmatrix a, kt::dvector x) { return std::tuple(2 * a, dot(a, x), sum(a)); });
auto doubled = kt::function([](kt::dmatrix a) { return 2 * a; });
auto widened = kt::function([](kt::fmatrix a) { return a; });
auto product =
    kt::function([](kt::fixed<double, 2, 3> a, kt::fixed<double, 3> x) { return dot(a, x); });

mat<double> const a{{1, 2, 3}, {4, 5, 6}};
vec<double> const x{1, 10, 100};

}  // namespace

TEST_CASE("ranges of the standard library are targets") {
  std::vector<double> y;
  std::array<double, 2> fixed{};
  double c[2]{}, whole[2][3]{}, total = 0;
  mat<double> twice;
  f.into(std::tie(twice, y, total), a, x);
  CHECK(y == std::vector<double>{321, 654});
  CHECK(total == 21);
  f.into(std::tie(whole, fixed, total), a, x);
  CHECK(fixed == std::array<double, 2>{321, 654});
  CHECK(whole[1][2] == 12);
  product.into(c, a, x);
  CHECK(c[1] == 654);
  std::vector<double> longer(5, 7.0);
  product.into(std::span(longer).subspan(1, 2), a, x);
  CHECK(longer == std::vector<double>{7, 321, 654, 7, 7});
  CHECK_THROWS_AS(product.into(std::span(longer), a, x), kt::shape_error);
  CHECK_THROWS_AS(f.into(std::tie(twice, longer, total), a, y),
                  kt::shape_error);  // which leaves all targets as they are
  CHECK(longer.size() == 5);
  // A target that is an argument, too.
  std::vector<double> v{1, 2, 3};
  kt::function([](kt::dvector x) { return x + sum(x); }).into(v, v);
  CHECK(v == std::vector<double>{7, 8, 9});
}

TEST_CASE("arrays of arrays, and those of other libraries by the names of their members") {
  double c[2][3] = {{1, 2, 3}, {4, 5, 6}};
  std::array<std::array<double, 3>, 2> const nested{{{1, 2, 3}, {4, 5, 6}}};
  CHECK(std::get<1>(f(c, x))(1) == 654);
  CHECK(product(nested, x)(0) == 321);
  std::array<std::array<float, 3>, 2> const floats{{{1, 2, 3}, {4, 5, 6}}};
  CHECK(std::get<1>(f(floats, x))(0) == 321);

  fortran_matrix columns;
  columns.set_size(2, 3);
  for (I i = 0; i < 2; ++i)
    for (I j = 0; j < 3; ++j) columns.at(i, j) = a(i, j);
  CHECK(std::get<1>(f(std::as_const(columns), x))(1) == 654);
  fortran_matrix larger;
  doubled.into(larger, columns);
  REQUIRE(larger.n_cols == 3);
  CHECK(larger.at(1, 0) == 8);
  widened.into(larger, mat<float>{{1}, {2}, {3}});
  REQUIRE(larger.n_rows == 3);
  CHECK(larger.at(2, 0) == 3);

  fortran_cube cube, sums;
  cube.set_size(2, 3, 2);
  for (I k = 0; k < 12; ++k) cube.elements[k] = static_cast<double>(k);
  CHECK(kt::as_array(std::as_const(cube)).strides == std::array<std::ptrdiff_t, 3>{1, 2, 6});
  auto const cumulative = kt::function([](kt::dtensor3 t) { return cumsum(t, kt::axis<2>); });
  CHECK(cumulative(std::as_const(cube))(1, 2, 1) == 5 + 11);
  cumulative.into(sums, cube);
  REQUIRE(sums.n_slices == 2);
  CHECK(sums.elements[3] == 3);        // (1, 1, 0)
  CHECK(sums.elements[9] == 3 + 9);    // (1, 1, 1)
  cumulative.into(cube, cube);
  CHECK(cube.elements == sums.elements);

  std::vector<double> memory(24, -1.0);
  doubled.into(span_of_two<double>{memory.data() + 1, {2, 3}, {12, 4}}, a);
  CHECK(memory[1] == 2);
  CHECK(memory[9] == 6);
  CHECK(memory[21] == 12);
  CHECK(memory[2] == -1);
  CHECK(std::get<2>(f(span_of_two<double const>{memory.data() + 1, {2, 3}, {12, 4}}, x)) == 42);
  CHECK_THROWS_AS(doubled.into(span_of_two<double>{memory.data(), {3, 2}, {2, 1}}, a),
                  kt::shape_error);

  padded p;
  doubled.into(p, a);
  REQUIRE(p.rows == 2);
  CHECK(p.pixels[10] == 12);
  CHECK(p.pixels[3] == -1);
  CHECK(std::get<1>(f(p, x))(0) == 642);
  CHECK(kt::as_array(p).strides == std::array<std::ptrdiff_t, 2>{8, 1});
}

#if __has_include(<eigen3/Eigen/Core>)
TEST_CASE("Eigen's matrices, vectors, maps, blocks and expressions") {
  Eigen::MatrixXd m(2, 3);
  m << 1, 2, 3, 4, 5, 6;
  Eigen::VectorXd v(3);
  v << 1, 10, 100;
  auto const y = [](auto const& matrix, auto const& vector) {
    return std::get<1>(f(matrix, vector))(1);
  };
  CHECK(y(m, v) == 654);
  CHECK(y(a, v) == 654);
  CHECK(y(2 * m, v) == 1308);
  CHECK(y(m, v + v) == 1308);
  Eigen::Matrix<double, 3, 2> const fixed = m.transpose();
  CHECK(y(fixed.transpose(), v) == 654);
  Eigen::Matrix<double, 5, 7, Eigen::RowMajor> big =
      Eigen::Matrix<double, 5, 7, Eigen::RowMajor>::Zero();
  big.block(1, 2, 2, 3) = m;
  CHECK(y(big.block(1, 2, 2, 3), v) == 654);
  CHECK(y(m, m.row(1)) == 4 * 4 + 5 * 5 + 6 * 6);

  Eigen::MatrixXd twice;
  Eigen::VectorXd dots;
  double total = 0;
  f.into(std::tie(twice, dots, total), m, v);
  CHECK(twice == 2 * m);
  CHECK(dots(1) == 654);
  doubled.into(big.block(2, 0, 2, 3), m);
  CHECK(big(3, 2) == 12);
  CHECK(big(1, 4) == 3);
  doubled.into(big.block(2, 0, 2, 3), big.block(2, 0, 2, 3));  // where it is read
  CHECK(big(3, 2) == 24);
  double memory[6];
  doubled.into(Eigen::Map<Eigen::Matrix<double, 2, 3>>(memory), m);
  CHECK(memory[1] == 8);
  CHECK_THROWS_AS(doubled.into(Eigen::Map<Eigen::Matrix2d>(memory), m), kt::shape_error);
  Eigen::MatrixXd wide;
  widened.into(wide, Eigen::MatrixXf(m.cast<float>()));
  CHECK(wide == m);

  // Elements of other types, and expressions of which members that name elements exist by their
  // names only.
  CHECK(y(Eigen::MatrixXf(m.cast<float>()), v) == 654);
  CHECK(y(Eigen::Matrix<int, 2, 3, Eigen::RowMajor>(m.cast<int>()), v) == 654);
  CHECK(y((fixed + fixed).transpose(), v) == 1308);
  CHECK(y((m.array() * m.array()).matrix(), v) == 16 + 250 + 3600);
  CHECK(y(m, (m.transpose() * m).diagonal()) == 4 * 17 + 5 * 29 + 6 * 45);

  // Extents that types have.
  Eigen::Vector2d known;
  product.into(known, Eigen::Matrix<double, 2, 3>(m), Eigen::Vector3d(v));
  CHECK(known(0) == 321);
  CHECK_THROWS_AS(product(Eigen::MatrixXd(3, 3), v), kt::shape_error);
  auto const both =
      kt::function([](kt::fixed<double, 2, 2> a) { return std::tuple(2 * a, a.T()); });
  Eigen::Matrix2d one, other, square;
  square << 1, 2, 3, 4;
  both.into(std::tie(one, other), square);
  CHECK(one == 2 * square);
  CHECK(other == square.transpose());
  auto const tied = std::tie(other, one);
  both.into(tied, square);
  CHECK(other == 2 * square);
  CHECK_THROWS_AS(both.into(std::tie(one, one), square), kt::value_error);
}

TEST_CASE("small arrays of Eigen's that do not lie row by row") {
  auto const f = kt::function([](kt::fixed<double, 3, 3> a, kt::fixed<double, 3> x) {
    return std::tuple(2 * a, dot(a, x));
  });
  Eigen::Matrix3d m, twice;
  m << 1, 2, 3, 4, 5, 6, 7, 8, 10;
  Eigen::Vector3d const v(1, 10, 100);
  Eigen::Vector3d y;
  Eigen::Matrix<double, 5, 4, Eigen::RowMajor> around =
      Eigen::Matrix<double, 5, 4, Eigen::RowMajor>::Zero();
  around.block<3, 3>(1, 1) = m;
  auto const check = [&](auto const& matrix, auto const& vector) {
    f.into(std::tie(twice, y), matrix, vector);
    CHECK(twice == 2 * matrix);
    CHECK(y == matrix * Eigen::Vector3d(vector));
  };
  check(m, v);
  check(m + m, v);
  check(m.transpose(), v + v);
  check(around.block<3, 3>(1, 1), m.row(1).transpose());
  check(m, around.col(2).head<3>());
  check(m, m.diagonal());
  double spaced[5] = {1, 0, 10, 0, 100};
  check(m, Eigen::Map<Eigen::Vector3d, 0, Eigen::InnerStride<2>>(spaced));
  // As targets, which may be what is read.
  auto row = m.row(2);
  auto block = around.block<3, 3>(2, 1);
  f.into(std::tie(block, row), around.block<3, 3>(1, 1), m.row(2));
  CHECK(block(0, 0) == 2);
  CHECK(around(4, 3) == 20);
  CHECK(around(1, 1) == 1);
  CHECK(m(2, 0) == 7 + 16 + 30);
  CHECK(m(2, 2) == 49 + 64 + 100);
  CHECK(m(1, 0) == 4);
}

TEST_CASE("rows of small arrays, and targets whose type keeps an extent") {
  using points = std::vector<std::array<double, 3>>;
  kt::shared count(0);
  auto const f = kt::function(
      [](kt::dmatrix x, kt::iscalar n) { return kt::outputs(2 * x).update(n, n + 1); }, count,
      kt::mode::interpret);
  points const p{{1, 2, 3}, {4, 5, 6}};
  points to;
  f.into(to, p);
  CHECK(to == points{{2, 4, 6}, {8, 10, 12}});
  f.into(to, std::span(to));
  CHECK(to[1] == std::array<double, 3>{16, 20, 24});
  CHECK((f(std::vector<Eigen::Vector3d>{{1, 2, 3}}) == mat<double>{{2, 4, 6}}));
  CHECK(f(points{}).shape()[1] == 3);
  Eigen::Matrix<double, Eigen::Dynamic, 3> three;
  f.into(three, p);
  CHECK(three(1, 2) == 12);
  int const before = count.get_value();
  mat<double> const two{{1, 2}};
  CHECK_THROWS_WITH(f.into(to, two), "into: the type of a target of shape (2, 3) cannot have the "
                                     "shape of the result, (1, 2)");
  CHECK_THROWS_AS(f.into(three, two), kt::shape_error);
  CHECK(count.get_value() == before);
  std::valarray<double> v;
  kt::function([](kt::dvector x) { return -x; }, kt::mode::interpret).into(v, std::valarray{1., 2.});
  CHECK(v[1] == -2);
}
#endif
