// Decompositions by mode, norms and conditions by order, logarithms of matrices.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/linalg_recorded.hpp"

using namespace linalg_test;
using shape2 = std::array<std::size_t, 2>;
using terms = std::vector<kt::term>;

namespace {

bool is_orthogonal(mat<double> const& q) {
  return almost(product(transposed(q), q), identity(q.shape()[1]), 1e-13);
}
mat<double> first_rows(mat<double> const& a, std::size_t n) { return xt::view(a, xt::range(std::size_t{0}, n), xt::all()); }

constexpr auto of_complete = [](auto a) {
  auto const [q, r] = qr(a, kt::qr_mode::complete);
  return weighed(q) + weighed(r);
};
constexpr auto of_full = [](auto a) {
  auto const [u, s, vt] = svd(a, kt::full_matrices<true>);
  return weighed(s) + sum(sqr(dot(u, vt)) * arange(a.shape(1)));
};
constexpr auto of_r = [](auto a) { return weighed(qr(a, kt::qr_mode::r)) + weighed(std::get<1>(qr(a, kt::qr_mode::complete))); };
constexpr auto again = [](auto cost) { return [=](auto a) { return weighed(grad(cost(a), a)); }; };

}  // namespace

TEST_CASE("factors by mode and singular vectors of full matrices", "[linalg]") {
  auto const f = [](auto a) {
    auto const [q, r] = qr(a, kt::qr_mode::complete);
    auto const [q1, r1] = qr(a, kt::qr_mode::reduced);
    auto const [u, s, vt] = svd(a, kt::full_matrices<true>);
    auto const [u1, s1, vt1] = svd(a, kt::full_matrices<false>);
    return terms{q, r, q1, r1, qr(a, kt::qr_mode::r), u, s, vt, u1, vt1, svd(a, kt::compute_uv<false>),
                 svd(a, kt::full_matrices<true>, kt::compute_uv<false>)};
  };
  for (auto [m, n] : {shape2{3, 3}, {5, 3}, {3, 5}, {1, 4}, {4, 1}, {3, 0}, {0, 2}}) {
    CAPTURE(m, n);
    auto const a = m * n == 0 ? mat<double>(shape2{m, n}) : matrix<double>(m, n, 3);
    std::size_t const k = std::min(m, n);
    auto const y = made_by(f, a);
    REQUIRE(y[0].shape() == shape2{m, m});
    REQUIRE(y[1].shape() == shape2{m, n});
    CHECK(is_orthogonal(y[0]));
    CHECK(almost(product(y[0], y[1]), a, 1e-13));
    CHECK(almost(first_rows(y[1], k), y[3], 1e-13));
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = 0; j < std::min(i, n); ++j) CHECK(y[1](i, j) == 0);
    CHECK((y[4] == y[3]));
    REQUIRE(y[5].shape() == shape2{m, m});
    REQUIRE(y[7].shape() == shape2{n, n});
    CHECK((is_orthogonal(y[5]) && is_orthogonal(y[7])));
    CHECK(almost(y[6], y[10], 1e-13));
    CHECK((y[11] == y[10]));
    mat<double> scaled(shape2{m, n}, 0.0);
    for (std::size_t i = 0; i < k; ++i) scaled(i, i) = y[6](0, i);
    CHECK(almost(product(product(y[5], scaled), y[7]), a, 1e-13));
    CHECK(y[8].shape() == shape2{m, k});
    CHECK(y[9].shape() == shape2{k, n});
  }
  mat<std::complex<double>> const complex{{{1, 2}, {0, 1}}, {{3, 0}, {1, -1}}, {{0, -2}, {2, 2}}};
  auto const y = made_by(
      [](auto a) {
        auto const [q, r] = qr(a, kt::qr_mode::complete);
        auto const [u, s, vt] = svd(a, kt::full_matrices<true>);
        auto const side = kt::eye<double>(3);
        return terms{abs(dot(q, r) - a), abs(dot(conj(q.T()), q)) - side, abs(dot(conj(u.T()), u)) - side};
      },
      complex);
  for (auto const& x : y) CHECK(almost(x, mat<double>(x.shape(), 0.0), 1e-14));
}
TEST_CASE("gradients of factors by mode", "[linalg]") {
  auto const square = matrix<double>(3, 3, 4), tall = matrix<double>(4, 3, 5), wide = matrix<double>(2, 4, 6);
  for (auto const& a : {square, wide}) CHECK(has_gradient(of_complete, a));
  CHECK(has_gradient(of_full, square));
  for (auto const& a : {square, wide, tall}) CHECK(has_gradient(of_r, a));
  CHECK(has_gradient(again(of_r), tall, 1e-5));
  CHECK(has_gradient(again(of_complete), wide, 1e-5));
  CHECK(has_gradient(again(of_full), square, 1e-5));
  CHECK(has_gradient([](auto a) { return weighed(std::get<1>(svd(a, kt::full_matrices<true>))); }, tall));
  CHECK(has_gradient([](auto a) { return weighed(sqr(std::get<0>(svd(a, kt::full_matrices<true>)))); }, wide));
  CHECK(said<kt::value_error>([&] { has_gradient(of_complete, tall); }) ==
        "qr: q of a matrix with more rows than columns, completed, has no gradient");
  CHECK(said<kt::value_error>([&] { has_gradient([](auto a) { return weighed(sqr(std::get<0>(svd(a, kt::full_matrices<true>)))); }, tall); }) ==
        "svd: vectors of full matrices without a singular value have no gradient");
}
TEST_CASE("eigenvalues by either triangle", "[linalg]") {
  mat<double> const a{{4, 1, not_a_number}, {1, 3, 1}, {not_a_number, 1, 2}};
  auto const f = [](auto x) {
    auto const lower = tril(x), upper = triu(x);
    auto const [w, v] = eigh(upper, kt::upper);
    auto const [w1, v1] = eigh(lower, kt::lower);
    auto const [w2, v2] = eigh(lower);
    return terms{w, abs(v), w1, abs(v1), w2, abs(v2), eigvalsh(upper, kt::upper), grad(sum(w * w), x)};
  };
  auto const y = made_by(f, mat<double>{{4, 1, 0.5}, {1, 3, 1}, {0.5, 1, 2}});
  for (int k : {2, 4, 6}) CHECK(almost(y[0], y[std::size_t(k)], 1e-14));
  for (int k : {3, 5}) CHECK(almost(y[1], y[std::size_t(k)], 1e-14));
  // The gradient of the sum of all squares is that of the elements above the diagonal, twice.
  CHECK(almost(y[7], mat<double>{{8, 4, 2}, {0, 6, 4}, {0, 0, 4}}, 1e-13));
  mat<std::complex<double>> const h{{2, {1, 3}}, {{-7, 5}, -1}};
  auto const z = made_by([](auto x) { return terms{eigvalsh(x, kt::upper)}; }, h);
  double const root = std::sqrt(2.25 + 10);
  CHECK(almost(z[0], mat<double>{{0.5 - root, 0.5 + root}}, 1e-14));
}
TEST_CASE("norms and conditions by order are NumPy's", "[linalg]") {
  auto const norms = [](auto a) {
    return terms{norm(a, 1), norm(a, -1), norm(a, 2), norm(a, -2), norm(a, infinity), norm(a, -infinity), norm(a, kt::fro), norm(a, kt::nuc)};
  };
  mat<double> const a{{1, 2, -3}, {0.5, -1, 4}, {2, 0, 1.5}}, b{{1, 2, -3}, {0.5, -1, 4}};
  std::vector<double> const of_a{8.5, 3, 5.5814457140052065, 0.5082448247944196, 6, 3.5, 6.123724356957945, 8.557311040352207},
      of_b{7, 1.5, 5.405779241637475, 1.42392092149858, 6, 5.5, 5.5901699437494745, 6.829700163136055};
  auto const x = made_by(norms, a), y = made_by(norms, b);
  for (std::size_t i = 0; i < x.size(); ++i) CHECK((x[i](0, 0) == Approx(of_a[i]) && y[i](0, 0) == Approx(of_b[i])));
  mat<std::complex<double>> const z{{{3, 4}, 0}, {0, {0, -2}}};
  auto const of_z = made_by(norms, z);
  CHECK((of_z[0](0, 0) == Approx(5) && of_z[3](0, 0) == Approx(2) && of_z[7](0, 0) == Approx(7)));
  auto const of_vectors = [](auto x) {
    auto const v = x(0);
    return terms{norm(v, 0), norm(v, 1), norm(v, 2), norm(v, 3), norm(v, 0.5), norm(v, -1), norm(v, infinity), norm(v, -infinity),
                 norm(x, 3, kt::axis<1>), norm(x, infinity, kt::axis<0>, kt::keepdims), norm(x, 1, kt::axis<-1, 0>, kt::keepdims),
                 norm(x.T(), 2, kt::axis<0, 1>, kt::keepdims), norm(kt::cast<int>(x), 1)};
  };
  auto const v = made_by(of_vectors, mat<double>{{3, 0, -4, 0.5}});
  std::vector<double> const known{3, 7.5, 5.024937810560445, 4.5, 19.706120097804877, 0, 4, 0, 4.5};
  for (std::size_t i = 0; i < known.size(); ++i) CHECK(v[i](0, 0) == Approx(known[i]));
  CHECK((v[9] == mat<double>{{3, 0, 4, 0.5}}));
  CHECK((v[10] == mat<double>{{7.5}} && v[11](0, 0) == Approx(5.024937810560445) && v[12](0, 0) == 4));
  auto const conditions = [](auto a) {
    return terms{cond(a, 1), cond(a, -1), cond(a, 2), cond(a, -2), cond(a, infinity), cond(a, -infinity), cond(a, kt::fro), cond(a, kt::nuc)};
  };
  auto const c = made_by(conditions, a);
  std::vector<double> const of_c{17.607142857142854, 4.607142857142857, 10.981805306650886, 0.09105970940810362,
                                 17.357142857142854, 4, 12.35050916078411, 21.837996313267602};
  for (std::size_t i = 0; i < c.size(); ++i) CHECK(c[i](0, 0) == Approx(of_c[i]));
  // Hilbert's matrix.
  CHECK(made_by(conditions, mat<double>{{1, 1 / 2., 1 / 3.}, {1 / 2., 1 / 3., 1 / 4.}, {1 / 3., 1 / 4., 1 / 5.}})[0](0, 0) == Approx(748));
  auto const singular = made_by(conditions, mat<double>{{1, 2}, {2, 4}});
  for (std::size_t k : {0u, 1u, 4u, 6u}) CHECK(singular[k](0, 0) == infinity);
  CHECK(has_gradient([](auto a) { return norm(a, 1) + norm(a, -2) + norm(a, kt::nuc) + sum(norm(a, 3, kt::axis<0>)); }, a));
  CHECK(has_gradient([](auto a) { return cond(a, 1) + cond(a, kt::fro); }, a, 1e-5));
  auto const at_zero = made_by([](auto x) { return terms{grad(norm(x(0), 3), x), grad(norm(x(0), 1), x), grad(norm(x, kt::fro), x)}; },
                               mat<double>{{0, 0}});
  for (auto const& g : at_zero) CHECK((g == mat<double>{{0, 0}}));
}
TEST_CASE("logarithms of matrices", "[linalg]") {
  auto const f = [](auto a) { return terms{logm(a), expm(logm(a))}; };
  auto const log_of = [&](mat<double> const& a) { return made_by(f, a)[0]; };
  CHECK(log_of(mat<double>(shape2{0, 0})).size() == 0);
  CHECK(almost(log_of(identity(3)), mat<double>(shape2{3, 3}, 0.0), 0));
  double const pi = 3.14159265358979323846;
  // Rotations, and triangles that differ from the identity by a lot and by little.
  for (double t : {1e-9, 0.1, 1.0, 3.0, 3.14})
    CHECK(almost(log_of({{std::cos(t), -std::sin(t)}, {std::sin(t), std::cos(t)}}), mat<double>{{0, -t}, {t, 0}}, 1e-15 / (pi - t) + 1e-15));
  for (double t : {1e-12, 1.0, 1e6, 1e300}) {
    CAPTURE(t);
    CHECK(almost(log_of({{1, t}, {0, 1}}), mat<double>{{0, t}, {0, 0}}, 1e-15 * t));
    CHECK(almost(log_of({{1, t, 0}, {0, 1, 2}, {0, 0, 1}}), mat<double>{{0, t, -t}, {0, 0, 2}, {0, 0, 0}}, 3e-15 * t));
    CHECK(almost(log_of({{2, t}, {0, 3}}), mat<double>{{std::log(2), t * std::log(1.5)}, {0, std::log(3)}}, 3e-15 * (1 + t)));
  }
  double const near = 1 + 0x1p-40;
  CHECK(almost(log_of({{1, 1}, {0, near}}), mat<double>{{0, 1 - 0x1p-41}, {0, 0x1p-40}}, 3e-16));
  CHECK(almost(log_of({{1e-100, 1}, {0, 1e100}}), mat<double>{{-100 * std::log(10), 200e-100 * std::log(10)}, {0, 100 * std::log(10)}}, 1e-12));
  // By mpmath.
  CHECK(almost(log_of({{4, 1, 0}, {1, 3, 1}, {0, 1, 2}}), mat<double>{{1.3436302507825281, 0.31259548013244578, -0.067577518018027397}, {0.31259548013244578, 0.9634572526320549, 0.44775051616850057}, {-0.067577518018027397, 0.44775051616850057, 0.58328425448158172}}, 1e-14));
  for (unsigned seed : {1u, 2u, 3u}) {
    mat<double> const a = product(regular<double>(9, seed), regular<double>(9, seed));
    CHECK(almost(made_by(f, a)[1], a, 1e-11));
    mat<double> const small = 0.1 * matrix<double>(7, 7, seed);
    CHECK(almost(made_by([](auto x) { return terms{logm(expm(x))}; }, small)[0], small, 1e-14));
  }
  CHECK(almost(made_by(f, mat<float>{{2, 3}, {0, 4}})[0], log_of({{2, 3}, {0, 4}}), 1e-6));
  mat<std::complex<double>> const turned{{-1, 1}, {0, {0, 2}}};
  auto const y = made_by([](auto x) { return terms{abs(expm(logm(x)) - x), imag(logm(x))}; }, turned);
  CHECK(almost(y[0], mat<double>(shape2{2, 2}, 0.0), 1e-14));
  CHECK((y[1](0, 0) == Approx(pi) && y[1](1, 1) == Approx(pi / 2)));
  CHECK(said<kt::linalg_error>([&] { log_of({{2, 0}, {0, -1}}); }).find("logm: an eigenvalue is not positive, so that the logarithm is complex") == 0);
  CHECK(said<kt::linalg_error>([&] { log_of({{0, 1}, {0, 0}}); }) == "logm: the matrix is singular and has no logarithm");
  CHECK(said<kt::linalg_error>([&] { log_of({{infinity}}); }) == "logm: an element of the matrix is not finite");
  auto const cost = [](auto a) { return weighed(logm(a)); };
  mat<double> const regular_one{{3, 1, -0.5}, {0.25, 2, 1}, {0.5, -1, 4}};
  CHECK(has_gradient(cost, regular_one));
  CHECK(has_gradient(again(cost), regular_one, 1e-5));
  CHECK(has_gradient(cost, mat<double>{{1, 1e-3}, {0, 1}}));
}
