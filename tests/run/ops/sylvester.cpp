// Equations of matrices with a factor on either side of the unknown, against what they say, closed
// forms, and SciPy's values.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/linalg.hpp"

#include <kroton/runtime.hpp>

using namespace reference;
using c128 = std::complex<double>;

namespace {

template <class T>
mat<T> grid(std::size_t m, std::size_t n, double shift) {
  mat<T> a(std::array<std::size_t, 2>{m, n});
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      double const x = std::sin(1.0 + 3 * double(i) + 5 * double(j)) + (i == j ? shift : 0);
      if constexpr (kt::core::is_complex_number<T>) a(i, j) = T(x, std::cos(double(i) - 2 * double(j)));
      else a(i, j) = T(x);
    }
  return a;
}
template <class T>
bool almost(mat<T> const& a, mat<T> const& b, double close) {
  double most = 0, size = 1;
  for (std::size_t i = 0; i < a.size(); ++i) {
    most = std::max(most, double(std::abs(a.data()[i] - b.data()[i])));
    size = std::max(size, double(std::abs(b.data()[i])));
  }
  return a.shape() == b.shape() && most <= close * size;
}
template <class T>
mat<T> product(mat<T> const& a, mat<T> const& b) {
  mat<T> c(std::array<std::size_t, 2>{a.shape()[0], b.shape()[1]});
  for (std::size_t i = 0; i < a.shape()[0]; ++i)
    for (std::size_t j = 0; j < b.shape()[1]; ++j) {
      T sum(0);
      for (std::size_t k = 0; k < b.shape()[0]; ++k) sum += a(i, k) * b(k, j);
      c(i, j) = sum;
    }
  return c;
}
template <class T>
mat<T> adjoint(mat<T> const& a) {
  mat<T> c(std::array<std::size_t, 2>{a.shape()[1], a.shape()[0]});
  for (std::size_t i = 0; i < c.shape()[0]; ++i)
    for (std::size_t j = 0; j < c.shape()[1]; ++j) {
      if constexpr (kt::core::is_complex_number<T>) c(i, j) = std::conj(a(j, i));
      else c(i, j) = a(j, i);
    }
  return c;
}

template <class T>
void check_type(double close) {
  using matrix = kt::variable<T, 2>;
  auto const f = kt::function([](matrix a, matrix b, matrix q) {
    return std::tuple(kt::solve_sylvester(a, b, q), kt::solve_sylvester(a.T(), b, q),
                      kt::solve_continuous_lyapunov(a, dot(q, q.T())),
                      kt::solve_discrete_lyapunov(a / 8, dot(q, q.T())));
  });
  for (auto [m, n] : {std::pair<std::size_t, std::size_t>{1, 1}, {3, 3}, {5, 2}, {1, 4}, {6, 7}}) {
    CAPTURE(m, n);
    mat<T> const a = grid<T>(m, m, 4), b = grid<T>(n, n, 2), q = grid<T>(m, n, 0);
    auto const [x, turned, continuous, discrete] = f(a, b, q);
    mat<T> const at = xt::transpose(a), eighth = a / T(8),
                 noise = product<T>(q, xt::transpose(q));
    CHECK(almost(mat<T>(product<T>(a, x) + product<T>(x, b)), q, close));
    CHECK(almost(mat<T>(product<T>(at, turned) + product<T>(turned, b)), q, close));
    CHECK(almost(mat<T>(product<T>(a, continuous) + product<T>(continuous, adjoint(a))), noise, close));
    CHECK(almost(mat<T>(product<T>(product<T>(eighth, discrete), adjoint(eighth)) + noise), discrete, close));
  }
}

constexpr auto weigh = [](auto x) {
  auto const rows = cast<double>(arange(x.shape(0)));
  return sum(x * sin(rows(kt::slice(), kt::newaxis) + 1) * cos(2.0 * cast<double>(arange(x.shape(1))) + x));
};
constexpr auto cost = [](kt::dmatrix a, kt::dmatrix b, kt::dmatrix q) {
  return weigh(kt::solve_sylvester(a, b, q)) + weigh(kt::solve_continuous_lyapunov(a, dot(q, q.T()))) +
         weigh(kt::solve_discrete_lyapunov(a / 8, dot(q, q.T())));
};

}  // namespace

TEST_CASE("Sylvester's and Lyapunov's equations", "[linalg]") {
  check_type<double>(1e-13);
  check_type<float>(1e-4);
  check_type<c128>(1e-13);
  check_type<std::complex<float>>(1e-4);
}
TEST_CASE("Sylvester's equation as SciPy solves it", "[linalg]") {
  // The example of scipy.linalg.solve_sylvester's documentation.
  auto const f = kt::function([](kt::dmatrix a, kt::dmatrix b, kt::dmatrix q) { return kt::solve_sylvester(a, b, q); });
  CHECK(almost(f(mat<double>{{-3, -2, 0}, {-1, -1, 3}, {3, -5, -1}}, mat<double>{{1}}, mat<double>{{1}, {2}, {3}}),
               mat<double>{{0.0625}, {-0.5625}, {0.6875}}, 1e-14));
  // x' = -x with noise of variance 2 has the stationary variance 1, x[t + 1] = x[t] / 2 with 3 has 4.
  auto const g = kt::function([](kt::dmatrix a, kt::dmatrix q) {
    return std::tuple(kt::solve_continuous_lyapunov(a, q), kt::solve_discrete_lyapunov(a, q));
  });
  CHECK(std::get<0>(g(mat<double>{{-0.5}}, mat<double>{{-1}}))(0, 0) == 1);
  CHECK_THROWS_AS(g(mat<double>{{-1}}, mat<double>{{1}}), kt::linalg_error);
  CHECK_THROWS_AS(g(mat<double>{{1}}, mat<double>{{1}}), kt::linalg_error);
  CHECK(std::get<1>(g(mat<double>{{0.5}}, mat<double>{{3}}))(0, 0) == Approx(4).epsilon(1e-15));
}
TEST_CASE("Sylvester's equation of integers and of other element types", "[linalg]") {
  auto const f = kt::function([](kt::imatrix a, kt::fmatrix b, kt::zmatrix q) {
    auto x = kt::solve_sylvester(a, b, q);
    static_assert(std::is_same_v<decltype(x), kt::zmatrix>);
    return x;
  });
  CHECK(almost(f(mat<int>{{2}}, mat<float>{{2}}, mat<c128>{{{4, 8}}}), mat<c128>{{{1, 2}}}, 1e-15));
  auto const g = kt::function([](kt::dmatrix a, kt::dmatrix b, kt::dmatrix q) { return kt::solve_sylvester(a, b, q); });
  std::array<std::size_t, 2> const none{0, 0}, wide{0, 2};
  CHECK(g(mat<double>(none), mat<double>{{1, 0}, {0, 1}}, mat<double>(wide)).size() == 0);
}
TEST_CASE("Sylvester's equation without a unique solution", "[linalg]") {
  auto const f = kt::function([](kt::dmatrix a, kt::dmatrix b, kt::dmatrix q) { return kt::solve_sylvester(a, b, q); });
  mat<double> const one{{1, 0}, {0, 2}};
  CHECK_THROWS_WITH(f(one, mat<double>{{-2}}, mat<double>{{1}, {1}}),
                    Catch::Contains("solve_sylvester: an eigenvalue of the first matrix is the negative of one of the second, up to rounding, so that the solution is not unique"));
  CHECK_THROWS_AS(f(one, mat<double>{{1, 0}}, mat<double>{{1}, {1}}), kt::shape_error);
  CHECK_THROWS_AS(f(one, mat<double>{{1}}, mat<double>{{1}, {1}, {1}}), kt::shape_error);
  CHECK_THROWS_AS(f(mat<double>{{1, NAN}, {0, 1}}, mat<double>{{1}}, mat<double>{{1}, {1}}), kt::linalg_error);
}
TEST_CASE("gradients of Sylvester's equation", "[linalg]") {
  CHECK(kt::verify_grad(cost, grid<double>(3, 3, 4), grid<double>(2, 2, 2), grid<double>(3, 2, 0)));
  CHECK(kt::verify_grad([](kt::dmatrix a, kt::dmatrix b, kt::dmatrix q) { return weigh(grad(cost(a, b, q), a)); },
                        grid<double>(2, 2, 4), grid<double>(2, 2, 2), grid<double>(2, 2, 0)));
  CHECK(kt::verify_grad([](kt::zmatrix a, kt::zmatrix b, kt::zmatrix q) {
    auto x = kt::solve_sylvester(a, b, q) + kt::solve_discrete_lyapunov(a / 8, dot(q, b));
    return weigh(real(x)) + weigh(sin(imag(x)));
  }, grid<c128>(2, 2, 4), grid<c128>(2, 2, 2), grid<c128>(2, 2, 0)));
}
TEST_CASE("Sylvester's equation in forward mode, slice by slice, and as a graph", "[linalg]") {
  auto const f = kt::function([](kt::dmatrix a, kt::dmatrix b, kt::dtensor3 q) {
    auto each = kt::vmap<0>([a, b](kt::dmatrix q) { return kt::solve_sylvester(a, b, q); })(q);
    auto one = [a, b](kt::dmatrix q) { return kt::solve_sylvester(a, b, q); };
    return std::tuple(each, one(q(0)), rop(kt::solve_sylvester(a, b, q(0)), a, b.T()), kt::solve_sylvester(a, b, -q(0)));
  });
  mat<double> const a = grid<double>(2, 2, 4), b = grid<double>(2, 2, 2);
  xt::xtensor<double, 3> q(std::array<std::size_t, 3>{3, 2, 2});
  for (std::size_t i = 0; i < q.size(); ++i) q.data()[i] = std::sin(double(i));
  auto const [each, first, along, minus] = f(a, b, q);
  CHECK(almost(mat<double>(xt::view(each, 0)), first, 1e-14));
  CHECK(almost(mat<double>(-minus), first, 1e-14));
  // dot(a, dx) + dot(dx, b) = -dot(da, x)
  mat<double> const change = product<double>(a, along) + product<double>(along, b), bt = xt::transpose(b);
  CHECK(almost(change, mat<double>(-product<double>(bt, first)), 1e-13));

  auto const interpreted = kt::function([](kt::dmatrix a, kt::dmatrix b, kt::dmatrix q) {
    return grad(cost(a, b, q), a);
  }, kt::mode::interpret);
  auto const compiled = kt::function([](kt::dmatrix a, kt::dmatrix b, kt::dmatrix q) { return grad(cost(a, b, q), a); });
  CHECK(almost(interpreted(a, b, b), compiled(a, b, b), 1e-13));
}
