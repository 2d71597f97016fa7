// Functions whose results are Eigen's.
// SPDX-License-Identifier: BSD-3-Clause
#if __has_include(<Eigen/Core>) || __has_include(<eigen3/Eigen/Core>)
#include <kroton/eigen.hpp>
#include <kroton/kroton.hpp>

#include <catch2/catch.hpp>

namespace kt = kroton;

TEST_CASE("results are vectors and matrices of Eigen's") {
  auto f = kt::eigen(kt::function([](kt::dmatrix a, kt::fvector x, kt::lscalar n) {
    return std::tuple(a.T() * 2, x + 1, sum(a) + n, n * 2, a > 1);
  }));
  Eigen::MatrixXd a(2, 3);
  a << 1, 2, 3, 4, 5, 6;
  auto [doubled, next, total, twice, above] = f(a, Eigen::Vector2f(1, 2), 10);
  static_assert(std::is_same_v<decltype(doubled), Eigen::MatrixXd>);
  static_assert(std::is_same_v<decltype(next), Eigen::VectorXf>);
  static_assert(std::is_same_v<decltype(total), double> &&
                std::is_same_v<decltype(twice), std::int64_t>);
  CHECK((doubled.rows() == 3 && doubled.cols() == 2 && doubled == 2 * a.transpose()));
  CHECK((next == Eigen::Vector2f(2, 3) && total == 31 && twice == 20));
  CHECK((above.rows() == 2 && !above(0, 0) && above(0, 1) && above(1, 2)));
}

TEST_CASE("results of known extents are of Eigen's fixed sizes") {
  auto f = kt::eigen(kt::function([](kt::fixed<double, 3, 3> a, kt::fixed<double, 3> x) {
    return std::tuple(dot(a, x), a + x, dot(x, x), a(kt::slice(0, 1)) * x);
  }));
  Eigen::Matrix3d a;
  a << 1, 2, 3, 4, 5, 6, 7, 8, 9;
  Eigen::Vector3d const x(1, -1, 2);
  auto [y, sum, square, row] = f(a, x);
  static_assert(std::is_same_v<decltype(y), Eigen::Vector3d>);
  static_assert(std::is_same_v<decltype(sum), Eigen::Matrix3d>);
  CHECK((row.rows() == 1 && row.cols() == 3 && row(0, 2) == 6));
  CHECK((y == a * x && sum == a.rowwise() + x.transpose() && square == 6));
  auto single = kt::eigen(kt::function([](kt::dvector v) { return v * v; }));
  Eigen::VectorXd const z = single(Eigen::VectorXd(x));
  CHECK(z == Eigen::Vector3d(1, 1, 4));
}

#endif
