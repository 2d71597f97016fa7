// Systems, inverses and determinants of one matrix factorize it once, and give what they give alone.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/linalg.hpp"

#include <kroton/runtime.hpp>

#include <sstream>

using namespace reference;
using linalg_test::regular;

namespace {

constexpr auto apart = kt::mode::fast_run.excluding<"shared_factors">();

/// Everything that LU factors serve, of a matrix and its transpose, with gradients.
constexpr auto of_one_matrix = [](auto a, auto b, auto v) {
  auto const [sign, size] = slogdet(a);
  auto const x = solve(a, b);
  auto const y = solve(a.T(), v);
  auto const cost = sum(real(x)) + sum(real(y * v)) + size + real(det(a));
  return std::tuple(x, y, solve(a, v), solve(a.T(), b), matrix_inverse(a), det(a.T()) + det(a), sign, size, cost, grad(cost, a), grad(cost, b));
};

template <class F>
int count_of(F const& f, std::string const& op) {
  std::ostringstream text;
  kt::debugprint(f, text);
  std::string const all = text.str(), steps = all.substr(all.rfind("steps"));
  int count = 0;
  for (std::size_t at = 0; (at = steps.find(". " + op + "\n", at)) != std::string::npos; ++at) ++count;
  return count;
}

template <class A, class B>
void compare(A const& with, B const& without, double tolerance) {
  auto check = [&](std::size_t k, auto const& x, auto const& y) {
    CAPTURE(k);
    if constexpr (requires { x.shape(); }) {
      REQUIRE(x.shape() == y.shape());
      double most = 1e-300, off = 0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        most = std::max<double>(most, std::abs(y.flat(i)));
        off = std::max<double>(off, std::abs(x.flat(i) - y.flat(i)));
      }
      CHECK(off <= tolerance * most);
    } else {
      CHECK(std::abs(x - y) <= tolerance * (1 + std::abs(y)));
    }
  };
  [&]<std::size_t... K>(std::index_sequence<K...>) {
    (check(K, std::get<K>(with), std::get<K>(without)), ...);
  }(std::make_index_sequence<std::tuple_size_v<A>>{});
}

}  // namespace

TEST_CASE("one matrix is factorized once", "[linalg]") {
  auto const f = kt::function<kt::dmatrix, kt::dmatrix, kt::dvector>(of_one_matrix);
  auto const g = kt::function<kt::dmatrix, kt::dmatrix, kt::dvector>(of_one_matrix, apart);
  auto const h = kt::function<kt::dmatrix, kt::dmatrix, kt::dvector>(of_one_matrix, kt::mode::interpret);
  if (runs_compiled) CHECK((count_of(f, "lu") == 1 && count_of(f, "solve") == 0 && count_of(f, "det") == 0 && count_of(g, "lu") == 0));
  for (std::size_t n : {1u, 2u, 5u, 40u}) {
    CAPTURE(n);
    auto const a = regular<double>(n, 7);
    auto const b = matrix<double>(n, 3, 8);
    auto const v = numbers<double>(n, 9);
    auto const apart_values = g(a, b, v);
    compare(f(a, b, v), apart_values, 1e-11);
    compare(f(xt::transpose(mat<double>(xt::transpose(a))), b, v), apart_values, 1e-11);  // another layout
    compare(h(a, b, v), apart_values, 1e-11);
  }
  auto const none = f(matrix<double>(0, 0), matrix<double>(0, 3), numbers<double>(0));
  CHECK((std::get<0>(none).shape()[1] == 3 && std::get<5>(none) == 2. && std::get<7>(none) == 0.));
}

TEST_CASE("one complex matrix is factorized once", "[linalg]") {
  using c = std::complex<double>;
  auto const f = kt::function<kt::zmatrix, kt::zmatrix, kt::zvector>(of_one_matrix);
  auto const g = kt::function<kt::zmatrix, kt::zmatrix, kt::zvector>(of_one_matrix, apart);
  std::size_t const n = 6;
  mat<c> a = mat<c>::from_shape({n, n}), b = mat<c>::from_shape({n, 2});
  vec<c> v = vec<c>::from_shape({n});
  auto const re = regular<double>(n, 3), im = matrix<double>(n, n, 4);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) a(i, j) = {re(i, j), 0.3 * im(i, j)};
    b(i, 0) = {im(i, 0), 1}, b(i, 1) = {2, im(i, 1)}, v(i) = {re(0, i), im(1, i)};
  }
  compare(f(a, b, v), g(a, b, v), 1e-11);
}

TEST_CASE("a matrix that is factorized for several may be singular for some", "[linalg]") {
  auto const f = kt::function([](kt::fmatrix a, kt::fvector b) { return std::tuple(solve(a, b), det(a)); });
  auto const g = kt::function([](kt::fmatrix a) { return std::tuple(matrix_inverse(a), det(a)); });
  auto const h = kt::function([](kt::fmatrix a) {
    auto const [sign, size] = slogdet(a);
    return std::tuple(det(a), sign, size);
  });
  mat<float> const singular{{1, 2}, {2, 4}};
  CHECK(sentence<kt::linalg_error>([&] { f(singular, vec<float>{1, 2}); }) == "solve: the matrix is singular: pivot 2 of 2 is 0");
  CHECK(sentence<kt::linalg_error>([&] { g(singular); }) == "matrix_inverse: the matrix is singular: pivot 2 of 2 is 0");
  auto const [det, sign, size] = h(singular);
  CHECK((det == 0 && sign == 0 && size == -std::numeric_limits<float>::infinity()));
  auto const [x, d] = f(mat<float>{{0, 2}, {1, 0}}, vec<float>{4, 3});
  CHECK((x == vec<float>{3, 2}));
  CHECK(d == -2);
}

TEST_CASE("a branch that is not taken factorizes nothing", "[linalg]") {
  auto const f = kt::function([](kt::dscalar c, kt::dscalar d, kt::dmatrix a, kt::dvector b) {
    return ifelse(c > 0, det(a), 0.) + ifelse(d > 0, sum(solve(a, b)), 0.);
  });
  if (runs_compiled) CHECK(count_of(f, "lu") == 0);
  mat<double> const a{{2, 0}, {0, 4}};
  vec<double> const b{2, 4};
  CHECK((f(1, 1, a, b) == 10 && f(1, -1, a, b) == 8 && f(-1, 1, a, b) == 2 && f(-1, -1, a, b) == 0));
}

TEST_CASE("either output of an LU factorization may be the only one", "[linalg]") {
  mat<double> const m{{1, 2, 3}, {4, 5, 7}, {7, 8, 1}};
  kt::runtime::graph g;
  kt::term const a = g.input<double, 2>("a"), factors{a.of, a.of->apply<kt::op::lu>({a.id})}, pivots = kt::core::output_of(factors, 1);
  auto of = [&](std::vector<kt::term> const& outputs) { return g.function(std::vector<kt::term>{a}, outputs)(m); };
  auto const both = of({factors, pivots}), first = of({factors}), second = of({pivots});
  for (int i = 0; i < 9; ++i) CHECK(first[0].data<double>()[i] == both[0].data<double>()[i]);
  for (int i = 0; i < 3; ++i) CHECK(second[0].data<std::int32_t>()[i] == both[1].data<std::int32_t>()[i]);
}

TEST_CASE("matrices of a batch are factorized once", "[shared]") {
  constexpr auto f = [](kt::dtensor3 a, kt::dmatrix b) {
    auto const one = [](kt::dmatrix a, kt::dvector b) {
      auto const [sign, size] = kt::slogdet(a.T());
      return std::tuple(kt::solve(a, b), kt::solve(a.T(), b), kt::matrix_inverse(a),
                        kt::det(a) + sign * size, kt::grad(kt::det(a), a));
    };
    auto const [x, y, z, d, c] = kt::vmap<0, 1>(one)(a, b);
    auto const cost = sum(sqr(x)) + sum(y * b) + sum(sin(d));
    return std::tuple(x, y, z, d, c, grad(cost, a), grad(cost, b));
  };
  auto together = kt::function(f);
  auto each = kt::function(f, apart);
  CHECK(count_of(together, "each lu{1,1,1}") == 1);
  for (std::size_t n : {1, 3, 6, 10}) {
    CAPTURE(n);
    xt::xtensor<double, 3> a({20, n, n});
    mat<double> b({20, n});
    for (std::size_t s = 0; s < 20; ++s)
      for (std::size_t i = 0; i < n; ++i) {
        b(s, i) = std::sin(static_cast<double>(s + 2 * i));
        for (std::size_t j = 0; j < n; ++j)
          a(s, i, j) = std::cos(static_cast<double>(s * s + 3 * i * j + i)) + (i == j ? 3 : 0);
      }
    compare(together(a, b), each(a, b), 1e-9);
  }
}
