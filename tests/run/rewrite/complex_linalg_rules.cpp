// Rules of linear algebra keep the values of complex expressions: functions with the book and without it agree.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/runtime.hpp>

#include "run/complex_linalg.hpp"

using namespace complex_linalg_tests;
using namespace std::complex_literals;

namespace {

constexpr auto adjoint_of = [](auto a) { return conj(a.T()); };
constexpr auto of_matrices = [](kt::zmatrix a, kt::zmatrix b, kt::zvector v) {
  auto const l = cholesky(dot(a, adjoint_of(a)) + kt::identity_like(a)), by_transpose = dot(l, l.T()), by_adjoint = dot(l, adjoint_of(l));
  return std::tuple(matrix_inverse(matrix_inverse(a)), matrix_inverse(a.T()), dot(matrix_inverse(a), b), dot(b.T(), matrix_inverse(a)),
                    dot(v, matrix_inverse(a)), dot(matrix_inverse(a.T()), v), dot(conj(matrix_inverse(a)), v), dot(adjoint_of(matrix_inverse(a)), b),
                    dot(adjoint_of(b), adjoint_of(matrix_inverse(a))), solve(matrix_inverse(a), b), solve(l, b), solve(l.T(), v),
                    solve(adjoint_of(l), v), solve(by_transpose, b), solve(by_adjoint, b), cholesky(by_adjoint), dot(a, diag(v)), dot(diag(v), b),
                    matrix_inverse(diag(v)), solve(diag(v), b), solve(diag(v), v), diag(dot(a, b)), diag(dot(adjoint_of(b), a)));
};
constexpr auto of_scalars = [](kt::zmatrix a, kt::zvector v) {
  auto const l = cholesky(dot(a, adjoint_of(a)) + kt::identity_like(a));
  return std::tuple(det(a.T()), det(conj(a)), det(adjoint_of(a)), det(matrix_inverse(a)), det(dot(a, a)) + det(a), det(diag(v)), det(l), det(dot(l, l.T())),
                    det(dot(l, adjoint_of(l))), log(abs(det(a))), log(det(dot(l, adjoint_of(l)))), log(det(l)), trace(dot(a, adjoint_of(a))), log(-det(a)),
                    log(det(a)), log(det(1i * a)));
};

template <class A, class B>
void compare(A const& with, B const& without) {
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    auto check = [](std::size_t i, auto const& x, auto const& y) {
      CAPTURE(i);
      if constexpr (requires { x.shape(); }) same(x, y, 1e-9);
      else CHECK(close(c128(x), c128(y), 1e-9));
    };
    (check(I, std::get<I>(with), std::get<I>(without)), ...);
  }(std::make_index_sequence<std::tuple_size_v<std::remove_cvref_t<A>>>{});
}

constexpr auto with_rules = kt::mode::interpret;
constexpr auto as_written = kt::mode::interpret.excluding<"linear_algebra">();

}  // namespace

TEST_CASE("rules of linear algebra keep complex matrices and vectors", "[rewrite][linalg]") {
  auto with = kt::function(of_matrices, with_rules);
  auto without = kt::function(of_matrices, as_written);
  for (auto [n, k] : {std::array<std::size_t, 2>{4, 4}, {1, 1}, {3, 5}, {5, 2}}) {
    auto const a = regular(n, 1), b = matrix(n, k, 2);
    auto const v = vec<c128>(numbers(n, 3) + 2.);
    compare(with(a, b, v), without(a, b, v));
  }
}
TEST_CASE("rules of linear algebra keep complex scalars", "[rewrite][linalg]") {
  auto with = kt::function(of_scalars, with_rules);
  auto without = kt::function(of_scalars, as_written);
  for (unsigned seed : {1u, 2u, 3u}) compare(with(regular(3, seed), numbers(3, seed)), without(regular(3, seed), numbers(3, seed)));
}
TEST_CASE("logarithms of complex determinants neither overflow nor vanish", "[rewrite][linalg]") {
  auto f = kt::function([](kt::zmatrix a) { return std::tuple(log(det(a)), log(abs(det(a))), grad(real(log(det(a))), a), grad(log(abs(det(a))), a)); }, with_rules);
  for (double size : {1e-30, 1e30}) {
    mat<c128> const a = with_diagonal(vec<c128>(std::array<std::size_t, 1>{15}, c128(0, size)));
    auto const [both, magnitude, gradient, by_magnitude] = f(a);
    CHECK(close(both, {15 * std::log(size), -std::acos(0.)}, 1e-12));
    CHECK(magnitude == Approx(15 * std::log(size)));
    CHECK(std::abs(gradient(3, 3) * std::conj(a(3, 3)) - 1.) < 1e-12);
    CHECK(std::abs(by_magnitude(3, 3) * std::conj(a(3, 3)) - 1.) < 1e-12);
  }
}
TEST_CASE("a direction times the conjugate is the magnitude, also where a factor divides by it", "[rewrite]") {
  auto f = kt::function([](kt::zvector z, kt::dvector x) { return std::tuple(sgn(z) * conj(z), x * sgn(z) * (2i * conj(z)), sgn(z) * conj(z) * (x / abs(z)) * z); }, with_rules);
  vec<c128> const z{3. - 4i, 0., -2i};
  vec<double> const x{1, 2, -3};
  auto const [size, scaled, turned] = f(z, x);
  same(size, vec<c128>{5., 0., 2.}, 1e-15);
  same(scaled, vec<c128>{10i, 0., -12i}, 1e-15);
  CHECK((close(turned(0), 3. - 4i, 1e-15) && close(turned(2), 6i, 1e-15)));
}
