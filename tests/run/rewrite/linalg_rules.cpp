// Rules of linear algebra keep values: functions with the book and without it agree, and with the book they compute less.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/linalg.hpp"
#include "run/suite.hpp"

using namespace reference;
using linalg_test::regular;

namespace {

constexpr auto of_matrices = [](kt::dmatrix a, kt::dmatrix b, kt::dvector v) {
  auto const s = dot(a, a.T()) + kt::identity_like(a);
  auto const l = cholesky(s);
  return std::tuple(matrix_inverse(matrix_inverse(a)), matrix_inverse(a.T()), dot(matrix_inverse(a), b), dot(b.T(), matrix_inverse(a)),
                    dot(v, matrix_inverse(a)), dot(matrix_inverse(a.T()), v), solve(matrix_inverse(a), b), solve(l, b), solve(l.T(), v),
                    solve(dot(l, l.T()), b), cholesky(dot(l, l.T())), dot(a, diag(v)), dot(diag(v), b), matrix_inverse(diag(v)), solve(diag(v), b),
                    diag(dot(a, b)), diag(dot(b.T(), a)), solve(diag(v), v), dot(diag(v), v), dot(v, diag(v)));
};
constexpr auto of_scalars = [](kt::dmatrix a, kt::dvector v) {
  auto const l = cholesky(dot(a, a.T()) + kt::identity_like(a));
  return std::tuple(det(a.T()), det(matrix_inverse(a)), det(dot(a, a)) + det(a), det(diag(v)), det(l), det(dot(l, l.T())), log(abs(det(a))),
                    log(det(dot(l, l.T()))), log(det(l)), trace(dot(a, a)), log(-det(a)), log(det(a)));
};

template <class A, class B>
void compare(A const& with, B const& without) {
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    auto check = [](std::size_t i, auto const& x, auto const& y) {
      CAPTURE(i);
      if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(x)>>) {
        CHECK(close(x, y, 1e-9, 1e-12));
      } else {
        REQUIRE(x.shape() == y.shape());
        for (std::size_t k = 0; k < x.size(); ++k) CHECK(close(x.flat(k), y.flat(k), 1e-9, 1e-11));
      }
    };
    (check(I, std::get<I>(with), std::get<I>(without)), ...);
  }(std::make_index_sequence<std::tuple_size_v<std::remove_cvref_t<A>>>{});
}

constexpr auto as_written = suite::mode.excluding<"linear_algebra">();

}  // namespace

TEST_CASE("rules of linear algebra keep matrices and vectors", "[rewrite][linalg]") {
  auto with = kt::function(of_matrices);
  auto without = kt::function(of_matrices, as_written);
  auto compare_at = [&](std::size_t n, std::size_t k) {
    auto const a = regular<double>(n, 1), b = matrix<double>(n, k, 2);
    auto const v = numbers<double>(n, 3, 0.5, 2);
    compare(with(a, b, v), without(a, b, v));
  };
  compare_at(4, 4);
  compare_at(1, 1);
  compare_at(3, 5);
  compare_at(5, 2);
}
TEST_CASE("rules of linear algebra keep scalars", "[rewrite][linalg]") {
  auto with = kt::function(of_scalars);
  auto without = kt::function(of_scalars, as_written);
  for (unsigned seed : {1u, 2u, 3u}) {
    auto const a = regular<double>(3, seed);
    auto const v = numbers<double>(3, seed + 10, -2, 2);
    compare(with(a, v), without(a, v));
  }
}
TEST_CASE("logarithms of determinants neither overflow nor vanish", "[rewrite][linalg]") {
  auto f = kt::function([](kt::dmatrix a) { return std::tuple(log(det(a)), log(abs(det(-a))), log(det(cholesky(a))), grad(log(det(a)), a)); });
  for (double size : {1e-30, 1e30}) {
    mat<double> a(std::array<std::size_t, 2>{15, 15}, 0.0);
    for (std::size_t i = 0; i < 15; ++i) a(i, i) = size;
    auto const [one, two, half, gradient] = f(a);
    CHECK(one == Approx(15 * std::log(size)));
    CHECK(two == Approx(15 * std::log(size)));
    CHECK(half == Approx(7.5 * std::log(size)));
    CHECK(gradient(3, 3) == Approx(1 / size));
  }
  CHECK(std::isnan(std::get<0>(kt::function([](kt::dmatrix a) { return std::tuple(log(det(a)), det(a)); })(mat<double>{{0, 1}, {1, 0}}))));
}
