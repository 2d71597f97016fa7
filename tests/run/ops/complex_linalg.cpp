// Linear algebra on complex matrices: what it is made of gives the matrix back, interpreted, compiled and for many slices; errors.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/runtime.hpp>

#include "run/complex_linalg.hpp"

using namespace complex_linalg_tests;
using linalg_test::said;
using namespace std::complex_literals;

namespace {

constexpr auto solvers = [](auto a, auto b, auto v) {
  return std::tuple_cat(std::tuple(solve(a, b), solve(a, v), solve_triangular(a, b, kt::lower), solve_triangular(a, v, kt::upper),
                                   solve_triangular(a, b, kt::upper, kt::unit_diagonal), matrix_inverse(a), det(a)),
                        slogdet(a));
};
constexpr auto of_any = [](auto a, auto b) { return std::tuple_cat(qr(a), svd(a), std::tuple(lstsq(a, b))); };
constexpr auto of_hermitian = [](auto a) { return std::tuple_cat(std::tuple(cholesky(a)), eigh(a)); };

template <class F, class A, class B, class V>
void check_solvers(F& f, A const& a, B const& b, V const& v, double e) {
  auto const [x, y, l, u, u1, inverse, d, sign, size] = f(a, b, v);
  static_assert(std::is_arithmetic_v<std::remove_cvref_t<decltype(size)>>);
  same(product(a, x), mat<c128>(b), e);
  same(product(a, column(y)), column(v), e);
  same(product(triangle(a, true, false), l), mat<c128>(b), e);
  same(product(triangle(a, false, false), column(u)), column(v), e);
  same(product(triangle(a, false, true), u1), mat<c128>(b), e);
  same(product(inverse, a), identity(a.shape()[0]), e);
  CHECK(close(c128(sign) * std::exp(double(size)), c128(d), e));
  CHECK(std::abs(c128(sign)) == Approx(1));
  // By products of the pivots of an elimination without exchanges.
  mat<c128> m = a;
  c128 det = 1;
  for (std::size_t k = 0; k < m.shape()[0]; ++k) {
    det *= m(k, k);
    for (std::size_t i = k + 1; i < m.shape()[0]; ++i) {
      c128 const by = m(i, k) / m(k, k);
      for (std::size_t j = k; j < m.shape()[0]; ++j) m(i, j) -= by * m(k, j);
    }
  }
  CHECK(close(c128(d), det, e));
}

template <class F, class A>
void check_any(F& f, A const& a, double e) {
  std::size_t const m = a.shape()[0], n = a.shape()[1], k = std::min(m, n);
  CAPTURE(m, n);
  auto const b = matrix(m, 2, 17);
  auto const [q, r, u, s, vh, x] = f(a, b);
  static_assert(std::is_floating_point_v<std::remove_cvref_t<decltype(s(0))>>);
  same(product(q, r), mat<c128>(a), e);
  same(product(adjoint(q), q), identity(k), e);
  CHECK(is_upper(r));
  for (std::size_t i = 0; i < k; ++i) CHECK(r(i, i).imag() == 0);
  same(product(product(u, with_diagonal(s)), vh), mat<c128>(a), e);
  same(product(adjoint(u), u), identity(k), e);
  same(product(vh, adjoint(vh)), identity(k), e);
  for (std::size_t i = 0; i < k; ++i) CHECK((s(i) >= 0 && (i == 0 || s(i - 1) >= s(i))));
  // What is left of b is orthogonal to all columns, and the solution lies in the space of the rows.
  mat<c128> const left = product(a, x) - b;
  same(product(adjoint(a), left), mat<c128>(std::array<std::size_t, 2>{n, 2}, 0.0), 10 * e);
  same(product(product(adjoint(vh), vh), x), mat<c128>(x), 10 * e);
}

template <class F>
void check_hermitian(F& f, mat<c128> const& a, double e) {
  std::size_t const n = a.shape()[0];
  CAPTURE(n);
  mat<c128> lower = a;
  for (std::size_t i = 0; i < n; ++i) {
    lower(i, i) += 3i;  // not read
    for (std::size_t j = i + 1; j < n; ++j) lower(i, j) = reference::not_a_number;
  }
  auto const [l, w, v] = f(lower);
  static_assert(std::is_floating_point_v<std::remove_cvref_t<decltype(w(0))>>);
  same(product(l, adjoint(l)), a, e);
  CHECK(is_upper(adjoint(l)));
  for (std::size_t i = 0; i < n; ++i) CHECK((l(i, i).imag() == 0 && l(i, i).real() > 0));
  same(product(a, v), product(v, with_diagonal(w)), e);
  same(product(adjoint(v), v), identity(n), e);
  for (std::size_t i = 1; i < n; ++i) CHECK(w(i - 1) <= w(i));
}

}  // namespace

TEST_CASE("complex linear systems, inverses and determinants", "[linalg]") {
  auto f = kt::function<kt::zmatrix, kt::zmatrix, kt::zvector>(solvers, kt::mode::interpret);
  for (std::size_t n : {1u, 2u, 5u, 40u}) check_solvers(f, regular(n, 1), matrix(n, 3, 2), numbers(n, 3), 1e-10);
  check_solvers(f, xt::transpose(regular(4, 4)), xt::transpose(matrix(2, 4, 5)), numbers(4, 6), 1e-11);
  auto const single = kt::function<kt::cmatrix, kt::cmatrix, kt::cvector>(solvers, kt::mode::interpret);
  check_solvers(single, regular<float>(6, 1), matrix<float>(6, 2, 2), numbers<float>(6, 3), 1e-4);
  auto const none = f(mat<c128>(std::array<std::size_t, 2>{0, 0}), mat<c128>(std::array<std::size_t, 2>{0, 3}), vec<c128>(std::array<std::size_t, 1>{0}));
  CHECK((std::get<6>(none) == 1. && std::get<7>(none) == 1. && std::get<8>(none) == 0));
}

TEST_CASE("complex determinants neither overflow on the way nor lose phases", "[linalg]") {
  auto f = kt::function([](kt::zmatrix a) { return std::tuple_cat(std::tuple(det(a)), slogdet(a)); }, kt::mode::interpret);
  auto const [big, sign, size] = f(mat<c128>{{0, 1e200i, 0}, {1e200, 0, 0}, {0, 0, 1e-300 - 1e-300i}});
  CHECK(close(big / 1e100, -1i * (1. - 1i), 1e-12));
  CHECK(close(sign, -1i * (1. - 1i) / std::sqrt(2.), 1e-12));
  CHECK(size == Approx(std::log(std::sqrt(2.)) + 100 * std::log(10.)));
  auto const [small, turn, depth] = f(mat<c128>{{1e-200, 0, 0}, {0, -1e-200i, 0}, {0, 0, 1e300}});
  CHECK(close(small * 1e100, -1i, 1e-12));
  auto const [zero, least, lost] = f(mat<c128>{{1i, 2}, {2i, 4}});
  CHECK((zero == 0. && least == 0. && lost == -reference::infinity));
  CHECK(std::isinf(std::abs(std::get<0>(f(mat<c128>{{1e200i, 0}, {0, 1e200}})))));
  CHECK(std::isnan(std::abs(std::get<0>(f(mat<c128>{{c128(1, reference::not_a_number), 0}, {0, 1}})))));
}

TEST_CASE("factors, singular values, eigenvalues and least squares of complex matrices", "[linalg]") {
  auto f = kt::function<kt::zmatrix, kt::zmatrix>(of_any, kt::mode::interpret);
  for (auto [m, n] : {std::array<std::size_t, 2>{1, 1}, {3, 3}, {5, 3}, {3, 5}, {1, 4}, {4, 1}, {30, 20}, {20, 30}}) check_any(f, matrix(m, n, 3), 1e-11);
  check_any(f, xt::transpose(matrix(4, 6, 5)), 1e-12);
  check_any(f, product(matrix(5, 2, 7), matrix(2, 4, 8)), 1e-12);  // without full rank
  auto g = kt::function<kt::zmatrix>(of_hermitian, kt::mode::interpret);
  for (std::size_t n : {1u, 2u, 5u, 70u}) check_hermitian(g, positive(n, 3), 1e-9);
  // Blocked algorithms, too, must not look at the imaginary parts of the diagonal.
  auto const pauli = g(mat<c128>{{2, 0}, {1i, 2}});
  CHECK((std::get<1>(pauli)(0) == Approx(1) && std::get<1>(pauli)(1) == Approx(3)));
}

TEST_CASE("compiled functions of complex matrices, of single precision and of real ones next to them", "[linalg]") {
  auto f = kt::function([](kt::cmatrix a, kt::dmatrix b, kt::fvector v, kt::zvector w) {
    auto [q, r] = qr(a);
    auto [u, s, vh] = svd(a);
    auto [values, vectors] = eigh(dot(a, conj(a.T())));
    auto [sign, size] = slogdet(a);
    return std::tuple(solve(a, b), solve(a, v), solve(b, w), solve_triangular(b, w, kt::lower), lstsq(b, w), q, r, u, s, vh, values, vectors, sign, size,
                      cholesky(dot(a, conj(a.T()))), matrix_inverse(a), det(a));
  });
  auto const a = regular<float>(3, 2);
  auto const b = reference::matrix<double>(3, 3, 4);
  auto const v = reference::numbers<float>(3, 5);
  auto const w = numbers(3, 6);
  auto const [x, y, z, t, least, q, r, u, s, vh, values, vectors, sign, size, l, inverse, d] = f(a, b, v, w);
  static_assert(std::is_same_v<std::remove_cvref_t<decltype(x)>, mat<c128>> && std::is_same_v<std::remove_cvref_t<decltype(y)>, vec<c64>> &&
                std::is_same_v<std::remove_cvref_t<decltype(least)>, vec<c128>> && std::is_same_v<std::remove_cvref_t<decltype(values)>, vec<float>> &&
                std::is_same_v<std::remove_cvref_t<decltype(size)>, float>);
  mat<c128> const as(a);
  same(product(a, x), mat<c128>(b), 1e-10);
  same(product(a, column(y)), column(v), 1e-5);
  same(product(b, column(z)), column(w), 1e-10);
  same(product(triangle(b, true, false), column(t)), column(w), 1e-10);
  same(least, z, 1e-10);
  same(product(q, r), as, 1e-5);
  same(product(product(u, with_diagonal(s)), vh), as, 1e-5);
  same(product(product(vectors, with_diagonal(values)), adjoint(vectors)), product(a, adjoint(a)), 1e-4);
  same(product(l, adjoint(l)), product(a, adjoint(a)), 1e-4);
  same(product(a, inverse), identity(3), 1e-5);
  CHECK(close(c128(sign) * double(std::exp(size)), c128(d), 1e-5));
}

TEST_CASE("linear algebra of stacks of complex matrices", "[linalg]") {
  auto one = [](kt::zmatrix a, kt::zvector v) {
    auto [values, vectors] = eigh(dot(a, conj(a.T())));
    return std::tuple(solve(a, v), det(a), cholesky(dot(a, conj(a.T()))), values, dot(vectors * values, conj(vectors.T())), std::get<1>(svd(a)));
  };
  auto f = kt::function<kt::ztensor3, kt::zmatrix>(kt::vmap<0, 1>(one), kt::mode::interpret);
  auto single = kt::function<kt::zmatrix, kt::zvector>(one, kt::mode::interpret);
  xt::xtensor<c128, 3> a(std::array<std::size_t, 3>{4, 3, 3});
  for (std::size_t i = 0; i < 4; ++i) xt::view(a, i, xt::all(), xt::all()) = regular(3, static_cast<unsigned>(i));
  auto const v = matrix(4, 3, 9);
  auto const many = f(a, v);
  for (std::size_t i = 0; i < 4; ++i) {
    auto const want = single(xt::view(a, i, xt::all(), xt::all()), xt::view(v, i, xt::all()));
    same(vec<c128>(xt::view(std::get<0>(many), i, xt::all())), std::get<0>(want), 1e-13);
    CHECK(close(std::get<1>(many)(i), std::get<1>(want), 1e-13));
    same(mat<c128>(xt::view(std::get<2>(many), i, xt::all(), xt::all())), std::get<2>(want), 1e-13);
    same(vec<double>(xt::view(std::get<3>(many), i, xt::all())), std::get<3>(want), 1e-13);
    same(mat<c128>(xt::view(std::get<4>(many), i, xt::all(), xt::all())), std::get<4>(want), 1e-13);
    same(vec<double>(xt::view(std::get<5>(many), i, xt::all())), std::get<5>(want), 1e-13);
  }
}

TEST_CASE("complex matrices are refused in the words of real ones", "[linalg]") {
  auto f = kt::function<kt::zmatrix, kt::zmatrix, kt::zvector>(solvers, kt::mode::interpret);
  auto g = kt::function<kt::zmatrix>(of_hermitian, kt::mode::interpret);
  auto h = kt::function([](kt::zmatrix a) { return std::get<1>(svd(a)); }, kt::mode::interpret);
  auto inverse = kt::function([](kt::zmatrix a) { return matrix_inverse(a); }, kt::mode::interpret);
  CHECK(said<kt::linalg_error>([&] { f(mat<c128>{{1i, 1}, {1i, 1}}, matrix(2, 1), numbers(2)); }).find(": the matrix is singular: ") != std::string::npos);
  CHECK(said<kt::linalg_error>([&] { inverse(mat<c128>{{1i, 1}, {2i, 2}}); }) == "matrix_inverse: the matrix is singular: pivot 2 of 2 is 0");
  CHECK(said<kt::linalg_error>([&] { g(mat<c128>{{1, 0}, {2i, 1}}); }) == "cholesky: the leading minor of order 2 is not positive");
  CHECK(said<kt::linalg_error>([&] { h(mat<c128>{{1, 0}, {c128(0, reference::infinity), 1}}); }) == "svd: an element of the matrix is not finite");
  CHECK(said<kt::shape_error>([&] { inverse(matrix(2, 3)); }).find("matrix_inverse: ") == 0);
}
