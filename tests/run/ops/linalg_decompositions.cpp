// Decompositions: what they are made of gives the matrix back; shapes, layouts, element types, and what is refused.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/linalg.hpp"

#include <kroton/runtime.hpp>

using namespace reference;
using linalg_test::almost;
using linalg_test::identity;
using linalg_test::product;
using linalg_test::said;
using linalg_test::transposed;
using shape2 = std::array<std::size_t, 2>;

namespace {

constexpr auto of_any = [](auto a, auto b) { return std::tuple_cat(qr(a), svd(a), std::tuple(lstsq(a, b))); };
constexpr auto of_symmetric = [](auto a) { return std::tuple_cat(std::tuple(cholesky(a)), eigh(a)); };

template <class A>
bool is_upper(A const& r) {
  for (std::size_t i = 0; i < r.shape()[0]; ++i)
    for (std::size_t j = 0; j < i && j < r.shape()[1]; ++j)
      if (r(i, j) != 0) return false;
  return true;
}

template <class F, class A>
void check(F& f, A const& a, double e) {
  std::size_t const m = a.shape()[0], n = a.shape()[1], k = std::min(m, n);
  CAPTURE(m, n);
  auto const b = matrix<double>(m, 2, 17);
  auto const [q, r, u, s, vt, x] = f(a, b);
  REQUIRE(q.shape() == shape2{m, k});
  REQUIRE(r.shape() == shape2{k, n});
  CHECK(almost(product(q, r), a, e));
  CHECK(almost(product(transposed(q), q), identity(k), e));
  CHECK(is_upper(r));
  REQUIRE(u.shape() == shape2{m, k});
  REQUIRE(vt.shape() == shape2{k, n});
  CHECK(almost(product(product(u, linalg_test::diagonal(s)), vt), a, e));
  CHECK(almost(product(transposed(u), u), identity(k), e));
  CHECK(almost(product(vt, transposed(vt)), identity(k), e));
  for (std::size_t i = 0; i < k; ++i) CHECK((s(i) >= 0 && (i == 0 || s(i - 1) >= s(i))));
  // What is left of b is orthogonal to all columns, and the solution lies in the space of the rows.
  REQUIRE(x.shape() == shape2{n, 2});
  mat<double> const left = product(a, x) - b;
  CHECK(almost(product(transposed(a), left), mat<double>(shape2{n, 2}, 0.0), 10 * e));
  CHECK(almost(product(product(transposed(vt), vt), x), x, 10 * e));
}

template <class F, class A>
void check_symmetric(F& f, A const& a, double e) {
  std::size_t const n = a.shape()[0];
  CAPTURE(n);
  mat<double> lower = a;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i + 1; j < n; ++j) lower(i, j) = not_a_number;  // not read
  auto const [l, w, v] = f(lower);
  CHECK(almost(product(l, transposed(l)), a, e));
  CHECK(is_upper(transposed(l)));
  CHECK(almost(product(a, v), product(v, linalg_test::diagonal(w)), e));
  CHECK(almost(product(transposed(v), v), identity(n), e));
  for (std::size_t i = 1; i < n; ++i) CHECK(w(i - 1) <= w(i));
}

template <class T>
mat<double> positive(std::size_t n, unsigned seed) {
  auto const a = linalg_test::regular<T>(n, seed);
  return product(a, transposed(a));
}

}  // namespace

TEST_CASE("QR factors, singular values and least squares of square, tall and wide matrices", "[linalg]") {
  auto f = kt::function<kt::dmatrix, kt::dmatrix>(of_any);
  for (auto [m, n] : {shape2{1, 1}, {3, 3}, {5, 3}, {3, 5}, {1, 4}, {4, 1}, {30, 20}, {20, 30}}) check(f, matrix<double>(m, n, 3), 1e-12);
  auto const at = matrix<double>(4, 6, 5), wide = matrix<double>(10, 9, 6);
  check(f, xt::transpose(at), 1e-12);
  check(f, xt::view(wide, xt::range(9, xt::placeholders::_, -2), xt::range(0, 9, 3)), 1e-12);
  // A matrix without full rank has a shortest solution too.
  check(f, product(matrix<double>(5, 2, 7), matrix<double>(2, 4, 8)), 1e-12);
}
TEST_CASE("Cholesky factors and eigenvalues read the lower triangle", "[linalg]") {
  auto f = kt::function<kt::dmatrix>(of_symmetric);
  for (std::size_t n : {1u, 2u, 5u, 33u}) check_symmetric(f, positive<double>(n, 3), 1e-9);
  auto const [l, w, v] = f(mat<double>{{4, 0}, {2, 5}});
  CHECK((l == mat<double>{{2, 0}, {1, 2}}));
  CHECK(w(0) == Approx(4.5 - std::sqrt(4.25)));
  CHECK(w(1) == Approx(4.5 + std::sqrt(4.25)));
}
TEST_CASE("decompositions of floats, of integers, and of nothing", "[linalg]") {
  auto f = kt::function<kt::fmatrix, kt::fmatrix>(of_any);
  auto const a = matrix<float>(4, 3, 2);
  auto const r = f(a, matrix<float>(4, 1, 3));
  static_assert(std::is_same_v<std::tuple_element_t<3, std::remove_cvref_t<decltype(r)>>, vec<float>>);
  CHECK(almost(product(std::get<0>(r), std::get<1>(r)), a, 1e-5));
  CHECK(almost(product(product(std::get<2>(r), linalg_test::diagonal(std::get<3>(r))), std::get<4>(r)), a, 1e-5));
  auto g = kt::function<kt::lmatrix>(of_symmetric);
  CHECK((std::get<0>(g(mat<std::int64_t>{{4, 2}, {2, 5}})) == mat<double>{{2, 0}, {1, 2}}));
  auto const none = g(mat<std::int64_t>(shape2{0, 0}));
  CHECK((std::get<0>(none).size() == 0 && std::get<1>(none).size() == 0 && std::get<2>(none).size() == 0));
  auto const thin = f(mat<float>(shape2{3, 0}), matrix<float>(3, 2));
  CHECK(std::get<0>(thin).shape() == shape2{3, 0});
  CHECK(std::get<1>(thin).shape() == shape2{0, 0});
  CHECK(std::get<5>(thin).shape() == shape2{0, 2});
  auto const flat = f(mat<float>(shape2{0, 3}), mat<float>(shape2{0, 2}));
  CHECK((std::get<5>(flat) == mat<float>(shape2{3, 2}, 0.0f)));
}
TEST_CASE("outputs that nobody asks for are not computed", "[linalg]") {
  auto values = kt::function([](kt::dmatrix a) { return std::tuple(std::get<1>(svd(a)), std::get<0>(eigh(dot(a, a.T())))); });
  auto rest = kt::function([](kt::dmatrix a) { return std::tuple(std::get<2>(svd(a)), std::get<1>(qr(a)), std::get<1>(eigh(dot(a, a.T())))); });
  auto const a = matrix<double>(3, 5, 1);
  auto const [s, w] = values(a);
  for (std::size_t i = 0; i < 3; ++i) CHECK(s(2 - i) * s(2 - i) == Approx(w(i)));
  auto const [vt, r, v] = rest(a);
  CHECK(almost(product(vt, transposed(vt)), identity(3), 1e-12));
  CHECK(almost(product(transposed(r), r), product(transposed(a), a), 1e-12));
  CHECK(almost(product(v, transposed(v)), identity(3), 1e-12));
}
TEST_CASE("what cannot be decomposed is refused in words", "[linalg]") {
  auto f = kt::function<kt::dmatrix>(of_symmetric);
  auto g = kt::function<kt::dmatrix, kt::dmatrix>(of_any);
  auto const b = matrix<double>(2, 1);
  CHECK(said<kt::linalg_error>([&] { f(mat<double>{{1, 0, 0}, {0, 2, 0}, {0, 0, -1}}); }) == "cholesky: the leading minor of order 3 is not positive");
  CHECK(said<kt::linalg_error>([&] { f(mat<double>{{0, 0}, {0, 0}}); }) == "cholesky: the leading minor of order 1 is not positive");
  CHECK(said<kt::linalg_error>([&] { g(mat<double>{{1, not_a_number}, {2, 3}}, b); }).find(": an element of the matrix is not finite") != std::string::npos);
  CHECK(said<kt::shape_error>([&] { f(matrix<double>(2, 3)); }).find("is 3") != std::string::npos);
  CHECK(said<kt::shape_error>([&] { g(matrix<double>(3, 3), b); }).find("lstsq: ") == 0);
  auto eigenvalues = kt::function([](kt::dmatrix a) { return std::get<0>(eigh(a)); });
  auto singular = kt::function([](kt::dmatrix a) { return std::get<1>(svd(a)); });
  CHECK(said<kt::linalg_error>([&] { singular(mat<double>{{1, not_a_number}, {2, 3}}); }) == "svd: an element of the matrix is not finite");
  CHECK(said<kt::linalg_error>([&] { eigenvalues(mat<double>{{1, 0}, {infinity, 1}}); }) == "eigh: an element of the matrix is not finite");
}
TEST_CASE("the interpreter decomposes too", "[linalg]") {
  auto f = kt::function<kt::dmatrix, kt::dmatrix>(of_any, kt::mode::interpret);
  check(f, matrix<double>(4, 3, 3), 1e-12);
  auto g = kt::function<kt::dmatrix>(of_symmetric, kt::mode::interpret);
  check_symmetric(g, positive<double>(3, 3), 1e-9);
}

TEST_CASE("diagonals are taken and made", "[linalg]") {
  auto f = kt::function([](kt::imatrix a, kt::dvector v) {
    return std::tuple(diag(a), diag(a, 1), diag(a, -2), trace(a), diag(v), diag(v, 1), diag(v, -2), diag(2 * diag(v, 1), 1));
  });
  mat<int> const a{{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}};
  auto const r = f(a, vec<double>{1, 2});
  CHECK((std::get<0>(r) == vec<int>{1, 6, 11}));
  CHECK((std::get<1>(r) == vec<int>{2, 7, 12}));
  CHECK((std::get<2>(r) == vec<int>{9}));
  CHECK(std::get<3>(r) == 18);
  CHECK((std::get<4>(r) == mat<double>{{1, 0}, {0, 2}}));
  CHECK((std::get<5>(r) == mat<double>{{0, 1, 0}, {0, 0, 2}, {0, 0, 0}}));
  CHECK((std::get<6>(r) == mat<double>{{0, 0, 0, 0}, {0, 0, 0, 0}, {1, 0, 0, 0}, {0, 2, 0, 0}}));
  CHECK((std::get<7>(r) == vec<double>{2, 4}));
  auto const t = f(xt::transpose(a), vec<double>(std::array<std::size_t, 1>{0}));
  CHECK((std::get<1>(t) == vec<int>{5, 10}));
  CHECK(std::get<4>(t).shape() == shape2{0, 0});
  CHECK(std::get<5>(t).shape() == shape2{1, 1});
  auto const far = f(mat<int>(shape2{1, 0}), vec<double>{1, 2});
  CHECK((std::get<0>(far).size() == 0 && std::get<2>(far).size() == 0 && std::get<3>(far) == 0));
}
