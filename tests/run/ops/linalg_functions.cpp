// Functions of matrices: pseudoinverses, ranks, exponentials, triangular factors, eigenvalues of
// any matrix, systems of tensors.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/linalg.hpp"

#include <kroton/runtime.hpp>

using namespace reference;
using linalg_test::almost;
using linalg_test::identity;
using linalg_test::product;
using linalg_test::regular;
using linalg_test::said;
using linalg_test::transposed;
using shape2 = std::array<std::size_t, 2>;
using c128 = std::complex<double>;

namespace {

constexpr auto of_any = [](auto a) {
  auto [p, l, u] = kt::lu(a);
  return std::tuple(pinv(a), matrix_rank(a), cond(a), svdvals(a), p, l, u, matrix_rank(a, 1.5),
                    pinv(a, 0.5));
};
constexpr auto of_square = [](auto a) {
  auto [w, v] = eig(a);
  return std::tuple(expm(a), w, v, eigvals(a), eigvalsh(a));
};

template <class F, class A>
void check_any(F& f, A const& a, std::size_t rank, double e) {
  std::size_t const m = a.shape()[0], n = a.shape()[1], k = std::min(m, n);
  CAPTURE(m, n);
  auto const [x, found, condition, s, p, l, u, more, rough] = f(a);
  // The four conditions of Moore and Penrose.
  REQUIRE(x.shape() == shape2{n, m});
  CHECK(almost(product(product(a, x), a), a, e));
  CHECK(almost(product(product(x, a), x), x, e));
  CHECK(almost(product(a, x), transposed(product(a, x)), e));
  CHECK(almost(product(x, a), transposed(product(x, a)), e));
  CHECK(found == static_cast<std::int64_t>(rank));
  std::int64_t above = 0;
  for (std::size_t i = 0; i < k; ++i) above += s(i) > 1.5;
  CHECK(more == above);
  if (rank == k) CHECK(condition == Approx(s(0) / s(k - 1)).epsilon(1e-4));
  REQUIRE(p.shape() == shape2{m, m});
  REQUIRE(l.shape() == shape2{m, k});
  REQUIRE(u.shape() == shape2{k, n});
  CHECK(almost(product(p, product(l, u)), a, e));
  CHECK(almost(product(p, transposed(p)), identity(m), 0));
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < k; ++j)
      CHECK((std::abs(l(i, j)) <= 1 && (j < i || l(i, j) == (i == j))));
  for (std::size_t i = 0; i < k; ++i)
    for (std::size_t j = 0; j < i; ++j) CHECK(u(i, j) == 0);
}

template <class A, class W, class V>
void check_vectors(A const& a, W const& w, V const& v, double e) {
  std::size_t const n = a.shape()[0];
  for (std::size_t j = 0; j < n; ++j) {
    double length = 0;
    for (std::size_t i = 0; i < n; ++i) {
      c128 sum = 0;
      for (std::size_t k = 0; k < n; ++k) sum += c128(a(i, k)) * c128(v(k, j));
      CHECK(std::abs(sum - c128(v(i, j)) * c128(w(j))) <= e);
      length += std::norm(c128(v(i, j)));
    }
    CHECK(std::abs(length - 1) <= e);
  }
}

}  // namespace

TEST_CASE("pseudoinverses, ranks, conditions and triangular factors", "[linalg]") {
  auto f = kt::function<kt::dmatrix>(of_any);
  for (auto [m, n] : {shape2{1, 1}, {3, 3}, {5, 3}, {3, 5}, {1, 4}, {4, 1}, {30, 20}, {20, 30}})
    check_any(f, matrix<double>(m, n, 3), std::min(m, n), 1e-11);
  auto const at = matrix<double>(4, 6, 5);
  check_any(f, xt::transpose(at), 4, 1e-12);
  check_any(f, product(matrix<double>(5, 2, 7), matrix<double>(2, 4, 8)), 2, 1e-12);
  check_any(f, product(matrix<double>(4, 1, 7), matrix<double>(1, 4, 8)), 1, 1e-12);
  auto const r = f(mat<double>{{0, 2, 0}, {1, 0, 0}, {0, 0, 0.25}});
  CHECK(almost(std::get<0>(r), mat<double>{{0, 1, 0}, {0.5, 0, 0}, {0, 0, 4}}, 1e-15));
  CHECK(std::get<2>(r) == Approx(8));
  CHECK((std::get<4>(r) == mat<double>{{0, 1, 0}, {1, 0, 0}, {0, 0, 1}}));
  CHECK(std::get<7>(r) == 1);
  CHECK(almost(std::get<8>(r), mat<double>{{0, 0, 0}, {0.5, 0, 0}, {0, 0, 0}}, 1e-15));
  // Hilbert's matrix, by NumPy.
  CHECK(std::get<2>(f(mat<double>{
            {1, 1 / 2., 1 / 3.}, {1 / 2., 1 / 3., 1 / 4.}, {1 / 3., 1 / 4., 1 / 5.}})) ==
        Approx(524.0567775860644).epsilon(1e-10));
  CHECK(std::get<2>(f(mat<double>{{0, 0}, {0, 1}})) == infinity);
  CHECK(std::get<2>(f(mat<double>{{0, 0}, {0, 0}})) == infinity);
  CHECK(said<kt::linalg_error>([&] {
          f(mat<double>{{1, not_a_number}, {2, 3}});
        }).find("an element of the matrix is not finite") != std::string::npos);
  auto g = kt::function<kt::fmatrix>(of_any);
  auto const a = matrix<float>(4, 3, 2);
  static_assert(std::is_same_v<std::remove_cvref_t<decltype(std::get<2>(g(a)))>, float>);
  check_any(g, a, 3, 1e-5);
  mat<float> const low = product(matrix<float>(5, 2, 7), matrix<float>(2, 4, 8));
  CHECK(std::get<1>(g(low)) == 2);
  CHECK(almost(product(product(low, std::get<0>(g(low))), low), low, 1e-5));
  // Of nothing.
  auto h =
      kt::function([](kt::dmatrix x) { return std::tuple_cat(std::tuple(pinv(x)), kt::lu(x)); },
                   kt::mode::interpret);
  auto const none = h(mat<double>(shape2{3, 0}));
  CHECK(std::get<0>(none).shape() == shape2{0, 3});
  CHECK((std::get<1>(none) == identity(3)));
  CHECK(std::get<2>(none).shape() == shape2{3, 0});
  CHECK(std::get<3>(none).shape() == shape2{0, 0});
}
TEST_CASE("exponentials of matrices", "[linalg]") {
  auto f = kt::function([](kt::dmatrix a, kt::fmatrix b, kt::zmatrix c, kt::cmatrix d) {
    return std::tuple(expm(a), expm(b), expm(c), expm(d));
  });
  mat<float> const one{{1}};
  mat<c128> const zero{{0.0}};
  mat<std::complex<float>> const turn{{{0, 1}}};
  auto const real = [&](mat<double> const& a) {
    return mat<double>(std::get<0>(f(a, one, zero, turn)));
  };
  CHECK((real(mat<double>(shape2{3, 3}, 0.0)) == identity(3)));
  CHECK(real(mat<double>(shape2{0, 0})).size() == 0);
  // A nilpotent one is a polynomial.
  CHECK(almost(real({{0, 1, 2}, {0, 0, 3}, {0, 0, 0}}),
               mat<double>{{1, 1, 3.5}, {0, 1, 3}, {0, 0, 1}}, 1e-14));
  // Every degree, and scaling: rotations, and hyperbolic ones.
  for (double t : {1e-3, 0.1, 0.5, 1.5, 4.0, 30.0, 1000.0}) {
    CAPTURE(t);
    CHECK(almost(real({{0, -t}, {t, 0}}),
                 mat<double>{{std::cos(t), -std::sin(t)}, {std::sin(t), std::cos(t)}},
                 1e-15 * (4 + 10 * t)));
    if (t > 100) continue;
    double const size = std::exp(t);
    CHECK(almost(real({{0, t}, {t, 0}}),
                 mat<double>{{std::cosh(t), std::sinh(t)}, {std::sinh(t), std::cosh(t)}},
                 1e-15 * size * (4 + 10 * t)));
    auto const [of_double, of_float, of_complex, of_single] = f(
        mat<double>{{1}}, mat<float>{{0, float(-t)}, {float(t), 0}},
        mat<c128>{{c128(0, t), 1.0}, {0.0, c128(0, t)}}, mat<std::complex<float>>{{{0, float(t)}}});
    CHECK(of_double(0, 0) == Approx(std::exp(1.0)).epsilon(1e-15));
    double const s = float(t);
    CHECK(almost(of_float, mat<double>{{std::cos(s), -std::sin(s)}, {std::sin(s), std::cos(s)}},
                 1e-6 * (1 + 2 * t)));
    c128 const phase(std::cos(t), std::sin(t));
    CHECK(std::abs(of_complex(0, 0) - phase) <= 1e-15 * (4 + 10 * t));
    CHECK(std::abs(of_complex(0, 1) - phase) <= 1e-15 * (4 + 10 * t));
    CHECK(std::abs(of_complex(1, 0)) == 0);
    CHECK(std::abs(c128(of_single(0, 0)) - c128(std::cos(s), std::sin(s))) <= 1e-6 * (1 + 2 * t));
  }
  // Large numbers: what is negative vanishes, what is too large is infinite.
  auto const far = real({{-1000, 0}, {0, 600}});
  CHECK((far(0, 0) == 0 && far(0, 1) == 0 && std::abs(far(1, 1) / std::exp(600.0) - 1) < 1e-12));
  CHECK(real({{-1e308}})(0, 0) == 0);
  // By the eigenvectors that NumPy gives.
  mat<double> const known = real({{1, 2}, {3, 4}});
  CHECK(known(0, 0) == Approx(51.968956198705).epsilon(1e-12));
  CHECK(known(0, 1) == Approx(74.736564567003).epsilon(1e-12));
  CHECK(known(1, 0) == Approx(112.104846850505).epsilon(1e-12));
  CHECK(known(1, 1) == Approx(164.073803049210).epsilon(1e-12));
  // The exponential of twice a matrix is that of the matrix, squared.
  auto const a = matrix<double>(12, 12, 4);
  mat<double> const twice = 2 * a;
  CHECK(almost(real(twice), product(real(a), real(a)), 1e-11));
  CHECK(said<kt::linalg_error>([&] { real({{infinity}}); }) ==
        "expm: an element of the matrix is not finite");
  CHECK(said<kt::shape_error>([&] { real(matrix<double>(2, 3)); })
            .find("expm: extent 0 of parameter 1 (dmatrix) is 2, extent 1 of parameter 1 (dmatrix) "
                  "is 3") == 0);
}
TEST_CASE("exponentials of matrices with elements of unlike sizes", "[linalg]") {
  auto f = kt::function([](kt::dmatrix a, kt::fmatrix b, kt::zmatrix c) {
    return std::tuple(expm(a), expm(b), real(expm(c)), expm(a.T()).T(), sum(abs(imag(expm(c)))));
  });
  // To a part of the largest element, and the same with rows and columns exchanged.
  auto const check = [&](mat<double> const& a, mat<double> const& expected, double e = 1e-14) {
    double largest = 0;
    for (double x : expected) largest = std::max(largest, std::abs(x));
    auto const [x, single, complex, turned, rest] =
        f(a, largest < 1e30 ? mat<float>(a) : mat<float>{{1}}, mat<c128>(a));
    CAPTURE(x, turned, expected);
    CHECK(almost(x, expected, e * largest));
    CHECK(almost(turned, expected, e * largest));
    CHECK(almost(complex, expected, e * largest));
    CHECK(rest == 0);
    if (largest < 1e30) CHECK(almost(single, expected, 1e-6 * largest));
    return mat<double>(x);
  };
  for (double t : {1e9, 1e18, 1e300}) {
    auto const x = check({{0, t}, {0, 0}}, {{1, t}, {0, 1}}, 0);
    CHECK((x(0, 0) == 1 && x(1, 0) == 0 && x(1, 1) == 1));
  }
  double const e1 = std::exp(-1.0), e2 = std::exp(-2.0);
  auto const triangle = check({{-1, 1e6}, {0, -2}}, {{e1, 1e6 * (e1 - e2)}, {0, e2}});
  CHECK((triangle(0, 0) == Approx(e1).epsilon(1e-15) && triangle(1, 0) == 0 &&
         triangle(1, 1) == Approx(e2).epsilon(1e-15)));
  check({{-1, 1e300}, {0, -2}}, {{e1, 1e300 * (e1 - e2)}, {0, e2}});
  check({{0, 1e300}, {1e-300, 0}},
        {{std::cosh(1.0), 1e300 * std::sinh(1.0)}, {1e-300 * std::sinh(1.0), std::cosh(1.0)}});
  // By SciPy.
  auto const full = check({{-1, 1e6, 0}, {0, -2, 3}, {1e-6, 0, -1}},
                          {{0.5172118656220555, 264437.4810141578, 426261.8033880823},
                           {4.262618033880823e-07, 0.2527743846078976, 0.7933124430424735},
                           {4.065247488101853e-07, 0.1420872677960274, 0.5172118656220555}});
  CHECK(full(0, 0) == Approx(0.5172118656220555).epsilon(1e-13));
  CHECK(full(1, 0) == Approx(4.262618033880823e-07).epsilon(1e-13));
  CHECK(full(2, 1) == Approx(0.1420872677960274).epsilon(1e-13));
  // Large elements that cancel in two rows, by mpmath: of float, too, since it rounds at the end.
  auto const cancelling = f(mat<double>{{300.5, -3000}, {30, -300}},
                            mat<float>{{1000.25, -1000}, {1000, -1000}}, mat<c128>{{1}});
  CHECK(almost(std::get<0>(cancelling),
               mat<double>{{3422669.4708572953, -32857626.92017105},
                           {328576.2692017105, -3154332.1843302766}},
               1e-6));
  CHECK(almost(std::get<1>(cancelling),
               mat<double>{{268011383.43511157, -263807120.38156988},
                           {263807120.38156988, -259668809.10812359}},
               20));
  auto const apart = f(mat<double>{{-1e200, 1}, {1, 1}}, mat<float>{{1}}, mat<c128>{{1}});
  CHECK(std::get<0>(apart)(0, 0) == Approx(0).margin(1e-15));
  CHECK(std::get<0>(apart)(1, 1) == Approx(std::exp(1.0)));
  // A triangle but for the order of rows and columns, and eigenvalues that are far apart or equal.
  auto const mixed =
      check({{2, 0, 0}, {1e8, 2, 1e8}, {1e8, 0, 2}},
            std::exp(2.0) * mat<double>{{1, 0, 0}, {1e8 + 5e15, 1, 1e8}, {1e8, 0, 1}});
  CHECK((mixed(0, 1) == 0 && mixed(0, 2) == 0 && mixed(2, 1) == 0));
  auto const stiff = check({{-1e5, 1e5}, {0, -0.5}},
                           {{0, 1e5 * std::exp(-0.5) / (1e5 - 0.5)}, {0, std::exp(-0.5)}});
  CHECK(stiff(1, 1) == Approx(std::exp(-0.5)).epsilon(1e-15));
  auto const a = matrix<double>(7, 7, 3);
  auto const r = f(mat<double>(4 * a), mat<float>{{1}}, mat<c128>{{1}});
  CHECK(almost(std::get<0>(r), std::get<3>(r), 1e-13 * xt::amax(xt::abs(std::get<0>(r)))()));
}
TEST_CASE("eigenvalues of any matrix", "[linalg]") {
  auto f = kt::function<kt::dmatrix>(of_square);
  auto const r = f(mat<double>{{0, -2}, {2, 0}});
  CHECK(std::abs(std::get<1>(r)(0) * std::get<1>(r)(1) - 4.0) < 1e-14);
  CHECK(std::abs(std::get<1>(r)(0) + std::get<1>(r)(1)) < 1e-14);
  for (std::size_t n : {1u, 2u, 5u, 6u, 33u}) {
    auto const a = matrix<double>(n, n, 5);
    auto const [e, w, v, values, symmetric] = f(a);
    check_vectors(a, w, v, 1e-12 * double(n));
    CHECK(symmetric.size() == n);
  }
  auto g = kt::function<kt::fmatrix, kt::zmatrix>(
      [](auto a, auto b) { return std::tuple_cat(eig(a), eig(b), std::tuple(eigvals(b))); },
      kt::mode::interpret);
  auto const a = matrix<float>(4, 4, 2);
  mat<c128> b(shape2{3, 3});
  for (std::size_t i = 0; i < 9; ++i) b.data()[i] = c128(a.data()[i], a.data()[i + 4]);
  auto const [w, v, wb, vb, values] = g(a, b);
  static_assert(std::is_same_v<std::remove_cvref_t<decltype(w(0))>, std::complex<float>>);
  check_vectors(a, w, v, 1e-5);
  check_vectors(b, wb, vb, 1e-13);
  c128 sum = 0;
  for (std::size_t i = 0; i < 3; ++i) sum += values(i) - b(i, i);
  CHECK(std::abs(sum) < 1e-13);
  CHECK(std::get<0>(g(a, mat<c128>(shape2{0, 0}))).size() == 4);
  CHECK(said<kt::shape_error>([&] { g(a, mat<c128>(shape2{2, 3})); })
            .find("eig: extent 0 of parameter 2 (zmatrix) is 2, extent 1 of parameter 2 (zmatrix) "
                  "is 3") == 0);
  CHECK(said<kt::linalg_error>([&] { g(a, mat<c128>{{c128(0, infinity)}}); }) ==
        "eig: an element of the matrix is not finite");
}
TEST_CASE("square roots of matrices", "[linalg]") {
  auto f = kt::function([](kt::dmatrix a, kt::fmatrix b, kt::zmatrix c) {
    return std::tuple(sqrtm(a), sqrtm(b), sqrtm(c));
  });
  mat<float> const one{{4}};
  mat<c128> const turn{{c128(0, 2)}};
  auto const real = [&](mat<double> const& a) { return mat<double>(std::get<0>(f(a, one, turn))); };
  CHECK(real(mat<double>(shape2{0, 0})).size() == 0);
  CHECK(almost(real({{33, 24}, {48, 57}}), mat<double>{{5, 2}, {4, 7}}, 1e-14));
  CHECK(almost(real({{1, 4}, {0, 1}}), mat<double>{{1, 2}, {0, 1}}, 1e-15));
  // A quarter of a turn is two eighths, and what is no real number in between.
  CHECK(almost(real({{0, -1}, {1, 0}}),
               mat<double>{{std::sqrt(0.5), -std::sqrt(0.5)}, {std::sqrt(0.5), std::sqrt(0.5)}},
               1e-15));
  CHECK((real({{0, 0}, {0, 0}}) == mat<double>{{0, 0}, {0, 0}}));
  auto const a = matrix<double>(6, 3, 4);
  for (mat<double> const& m :
       {product(a, transposed(a)), product(transposed(a), a), regular<double>(1, 4),
        product(regular<double>(9, 3), regular<double>(9, 3))}) {
    auto const root = real(m);
    CHECK(almost(product(root, root), m, 1e-12 * (1 + std::abs(m(0, 0)))));
  }
  auto const [none, single, complex] =
      f(mat<double>{{1}}, mat<float>{{33, 24}, {48, 57}}, mat<c128>{{-4, 1}, {0, -9}});
  CHECK(almost(single, mat<double>{{5, 2}, {4, 7}}, 1e-5));
  CHECK(std::abs(complex(0, 0) - c128(0, 2)) + std::abs(complex(1, 1) - c128(0, 3)) +
            std::abs(complex(0, 1) - c128(0, -0.2)) <
        1e-14);
  // Zeros of either sign: -4 has one root.
  for (double zero : {0.0, -0.0}) {
    auto const turned =
        f(mat<double>{{1}}, one, mat<c128>{{c128(-4, 0.0), 1}, {0, c128(-4, zero)}});
    auto const& x = std::get<2>(turned);
    CHECK(std::abs(x(0, 0) - c128(0, 2)) + std::abs(x(1, 1) - c128(0, 2)) +
              std::abs(x(0, 1) - c128(0, -0.25)) <
          1e-14);
    CHECK(x(1, 0) == c128(0));
  }
  CHECK(said<kt::linalg_error>([&] {
          real({{2, 0}, {0, -1}});
        }).find("sqrtm: an eigenvalue is negative, so that the square root is complex") == 0);
  CHECK(said<kt::linalg_error>([&] { real({{0, 1}, {0, 0}}); }) ==
        "sqrtm: the matrix has no square root");
  CHECK(said<kt::shape_error>([&] { real(matrix<double>(3, 2)); })
            .find("sqrtm: extent 0 of parameter 1 (dmatrix) is 3, extent 1 of parameter 1 "
                  "(dmatrix) is 2") == 0);
}
TEST_CASE("inverses and systems of tensors", "[linalg]") {
  using s4 = std::array<std::size_t, 4>;
  auto const tensor = [](s4 shape) {
    xt::xtensor<double, 4> x(shape);
    auto const m = regular<double>(6, 3);
    std::copy(m.data(), m.data() + 36, x.data());
    return x;
  };
  auto const a = tensor({2, 3, 6, 1});
  auto const m = regular<double>(6, 3);
  auto const right = matrix<double>(2, 3, 4);
  auto f = kt::function([](kt::dtensor4 a, kt::dmatrix b) {
    return std::tuple(tensorinv(a), tensorsolve(a, b), kt::tensordot<2>(a, tensorsolve(a, b)));
  });
  auto const [inverse, x, again] = f(a, right);
  REQUIRE(inverse.shape() == s4{6, 1, 2, 3});
  mat<double> flat(std::array<std::size_t, 2>{6, 6}, 0.0);
  std::copy(inverse.data(), inverse.data() + 36, flat.data());
  CHECK(almost(product(flat, m), identity(6), 1e-12));
  CHECK(x.shape() == std::array<std::size_t, 2>{6, 1});
  CHECK(almost(again, right, 1e-12));
  auto g = kt::function([](kt::ltensor3 a) { return kt::tensorinv<1>(a); });
  xt::xtensor<std::int64_t, 3> const turn{
      {{0, 2}, {0, 0}}, {{4, 0}, {0, 0}}, {{0, 0}, {8, 0}}, {{0, 0}, {0, 1}}};
  auto const back = g(turn);
  CHECK(back.shape() == std::array<std::size_t, 3>{2, 2, 4});
  CHECK((back(0, 0, 1) == 0.25 && back(0, 1, 0) == 0.5 && back(1, 0, 2) == 0.125 &&
         back(1, 1, 3) == 1 && back(1, 1, 0) == 0));
  std::string const other = said<kt::shape_error>([&] { f(a, matrix<double>(2, 2)); }),
                    not_square = said<kt::shape_error>(
                        [&] { f(tensor({1, 3, 6, 2}), matrix<double>(1, 3)); });
  CHECK(other ==
        "tensorsolve: extent 1 of parameter 1 (dtensor4) is 3, extent 1 of parameter 2 (dmatrix) "
        "is 2");
  CHECK(not_square == "tensorinv: a computed extent is 3, a computed extent is 12");
  CHECK(kt::verify_grad(
      [](kt::dtensor4 a, kt::dmatrix b) {
        return sum(sin(tensorsolve(a, b))) + sum(sin(tensorinv(a)));
      },
      a, right));
}
