// Gradients of functions of matrices against finite differences, of gradients, in forward mode, and
// slice by slice.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/linalg.hpp"

#include <kroton/runtime.hpp>

using namespace reference;
using linalg_test::almost;
using linalg_test::regular;
using c128 = std::complex<double>;

namespace {

// Something that weighs every element differently, so that no gradient is lost in a sum.
constexpr auto weigh = [](auto x) {
  auto const rows = cast<double>(arange(x.shape(0)));
  if constexpr (kt::rank_of<decltype(x)> == 1) return sum(x * sin(rows + 1));
  else
    return sum(x * sin(rows(kt::slice(), kt::newaxis) + 1) *
               cos(2.0 * cast<double>(arange(x.shape(1))) + x));
};
constexpr auto parts = [](auto x) { return weigh(real(x)) + weigh(sin(imag(x))); };

constexpr auto pseudoinverse = [](kt::dmatrix a) {
  return weigh(pinv(a)) + weigh(svdvals(a)) + sin(cond(a));
};
constexpr auto factors = [](kt::dmatrix a) {
  auto [p, l, u] = kt::lu(a);
  return weigh(l) + weigh(u) + weigh(dot(p, l));
};
constexpr auto of_square = [](kt::dmatrix a) {
  auto [w, v] = eig(a);
  // Costs that depend neither on the order nor on the phases.
  auto const rows = cast<double>(arange(a.shape(0)))(kt::slice(), kt::newaxis);
  auto const of_vectors =
      sum(sqr(abs(v)) * sin(rows + real(w))) + weigh(real(dot(v * exp(w / 3), matrix_inverse(v))));
  return weigh(expm(a)) + weigh(sqrtm(dot(a, a.T()) + kt::identity_like(a))) +
         sum(real(w * w * w)) + sum(real(sin(eigvals(a)))) + of_vectors;
};
constexpr auto of_complex = [](kt::zmatrix a, kt::zmatrix b) {
  auto [w, v] = eig(a);
  auto [p, l, u] = kt::lu(b);
  auto const rows = cast<double>(arange(a.shape(0)))(kt::slice(), kt::newaxis);
  return parts(expm(a)) + parts(sqrtm(a)) + parts(logm(a)) + sum(imag(w * w * w)) +
         sum(sqr(abs(v)) * sin(rows + real(w))) + parts(pinv(b)) + parts(l) + parts(u);
};

// A gradient along a direction, whose own gradient is the Hessian's product with it.
constexpr auto second = [](kt::dmatrix a) {
  auto [p, l, u] = kt::lu(a);
  auto const [w, v] = eig(a);
  auto const positive = dot(a, a.T()) + kt::identity_like(a);
  auto const cost = weigh(expm(a)) + weigh(sqrtm(positive)) + weigh(logm(positive)) +
                    weigh(pinv(a(kt::slice(), kt::slice(1)))) + weigh(l) + weigh(u) +
                    sum(real(w * w * w)) + weigh(real(dot(v * exp(w / 3), matrix_inverse(v))));
  return weigh(grad(cost, a));
};

mat<c128> numbers_of(std::size_t m, std::size_t n, unsigned seed) {
  auto const re = matrix<double>(m, n, seed), im = matrix<double>(m, n, seed + 1);
  mat<c128> a(re.shape());
  for (std::size_t i = 0; i < a.size(); ++i) a.data()[i] = c128(re.data()[i], im.data()[i]);
  return a;
}

}  // namespace

TEST_CASE("gradients of functions of matrices", "[linalg]") {
  CHECK(kt::verify_grad(pseudoinverse, matrix<double>(4, 3, 4)));
  CHECK(kt::verify_grad(pseudoinverse, matrix<double>(2, 4, 5)));
  CHECK(kt::verify_grad(pseudoinverse, regular<double>(3, 6)));
  CHECK(kt::verify_grad(factors, matrix<double>(3, 3, 4)));
  CHECK(kt::verify_grad(factors, matrix<double>(5, 3, 4)));
  CHECK(kt::verify_grad(factors, matrix<double>(2, 4, 5)));
  CHECK(kt::verify_grad(of_square, matrix<double>(4, 4, 4)));
  CHECK(kt::verify_grad(of_square, mat<double>{{0, -2}, {2.5, 0.5}}));
  CHECK(kt::verify_grad(of_square, mat<double>{{3, 1, 0}, {0.5, 1, 0}, {0.25, 1, -2}}));
}
TEST_CASE("gradients of functions of complex matrices", "[linalg]") {
  CHECK(kt::verify_grad(of_complex, numbers_of(3, 3, 4), numbers_of(4, 2, 5)));
  CHECK(kt::verify_grad(of_complex, numbers_of(2, 2, 6), numbers_of(2, 3, 7)));
}
TEST_CASE("gradients of gradients of functions of matrices", "[linalg]") {
  CHECK(kt::verify_grad(second, matrix<double>(3, 3, 2)));
}
TEST_CASE("gradients of functions of matrices, whatever the cost is multiplied by", "[linalg]") {
  auto const each = [](auto x, auto k) {
    return std::tuple(grad(k * sum(sqrtm(x)), x) / k, grad(k * sum(expm(x)), x) / k);
  };
  auto f = kt::function<kt::dmatrix, kt::dscalar>(each);
  auto g = kt::function<kt::fmatrix, kt::fscalar>(each);
  mat<double> const a{{3, .4}, {.5, 2}};
  auto const [root, exponential] = f(a, 1.0);
  CHECK(root(0, 0) == Approx(0.2653298).epsilon(1e-6));
  for (double k : {1e-300, 1e-100, 1e-12, 1e10, 1e14, 1e100, 1e300, -1e5}) {
    CAPTURE(k);
    auto const [r, e] = f(a, k);
    CHECK(almost(r, root, 1e-14));
    CHECK(almost(e, exponential, 1e-12));
  }
  for (float k : {1e-20f, 1e-5f, 1e3f, 1e5f, 1e20f}) {
    CAPTURE(k);
    auto const [r, e] = g(mat<float>(a), k);
    CHECK(almost(r, root, 1e-6));
    CHECK(almost(e, exponential, 1e-4));
  }
  // Directions and matrices of zeros.
  auto const [r, e] = f(mat<double>{{1, 0}, {0, 1}}, 1.0);
  CHECK(almost(r, mat<double>{{.5, .5}, {.5, .5}}, 1e-15));
  auto h = kt::function([](kt::dmatrix a, kt::dscalar k) { return grad(k * sum(expm(a)), a); });
  CHECK(almost(h(mat<double>{{0, 0}, {0, 0}}, 1e20), mat<double>{{1e20, 1e20}, {1e20, 1e20}}, 1e6));
  CHECK((h(a, 0.0) == mat<double>{{0, 0}, {0, 0}}));
  CHECK(h(mat<double>(std::array<std::size_t, 2>{0, 0}), 1.0).size() == 0);
}
TEST_CASE("gradients of roots and logarithms of matrices of high condition", "[linalg]") {
  auto const f = kt::function([](kt::dmatrix a, kt::dmatrix w) {
    return std::tuple(grad(sum(w * sqrtm(a)), a), grad(sum(w * logm(a)), a));
  });
  // Of q diag(values) q' the gradient is q (d * q'wq) q', where d are divided differences.
  mat<double> const w{{1, -2, 3}, {.5, .25, -1}, {2, 1, 4}}, q{{.6, .64, .48}, {-.8, .48, .36}, {0, -.6, .8}};
  auto const turned = [](mat<double> const& q, mat<double> const& x, bool back) {
    mat<double> y(x.shape());
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) {
        double sum = 0;
        for (std::size_t k = 0; k < 3; ++k)
          for (std::size_t l = 0; l < 3; ++l)
            sum += back ? q(i, k) * x(k, l) * q(j, l) : q(k, i) * x(k, l) * q(l, j);
        y(i, j) = sum;
      }
    return y;
  };
  for (double least : {1e-2, 1e-6, 1e-8, 1e-10, 1e-13}) {
    CAPTURE(least);
    double const values[] = {1, least, 2};
    mat<double> diagonal{{1, 0, 0}, {0, least, 0}, {0, 0, 2}}, root = turned(q, w, false), logarithm = root;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) {
        double const x = values[i], y = values[j];
        root(i, j) /= std::sqrt(x) + std::sqrt(y);
        logarithm(i, j) *= i == j ? 1 / x : std::log(x / y) / (x - y);
      }
    auto const [r, l] = f(turned(q, diagonal, true), w);
    // The matrix itself has its smallest eigenvalue only to the rounding of the largest.
    CHECK(almost(r, turned(q, root, true), 1e-15 / std::sqrt(least) / least + 1e-13));
    CHECK(almost(l, turned(q, logarithm, true), 1e-15 / least / least + 1e-13));
  }
}
TEST_CASE("functions of matrices in forward mode, and slice by slice", "[linalg]") {
  auto f = kt::function([](kt::dmatrix a, kt::dmatrix d, kt::dtensor3 t) {
    auto const cost = of_square(a) + pseudoinverse(a) + factors(a);
    auto const each = kt::vmap<0>([](kt::dmatrix a) {
      return std::tuple(expm(a), pinv(a), std::get<2>(kt::lu(a)), real(eigvals(a)), of_square(a));
    })(t);
    return std::tuple_cat(
        std::tuple(rop(cost, a, d), sum(grad(cost, a) * d)), each,
        std::tuple(expm(a), pinv(a), std::get<2>(kt::lu(a)), real(eigvals(a)), of_square(a),
                   grad(of_square(a), a), grad(sum(std::get<4>(each)), t)));
  });
  xt::xtensor<double, 3> t(std::array<std::size_t, 3>{2, 3, 3});
  auto const a = matrix<double>(3, 3, 4), b = matrix<double>(3, 3, 5);
  xt::view(t, 0, xt::all(), xt::all()) = b;
  xt::view(t, 1, xt::all(), xt::all()) = a;
  auto const r = f(a, matrix<double>(3, 3, 8), t);
  CHECK(std::get<0>(r) == Approx(std::get<1>(r)));
  auto const same = [](auto const& slices, auto const& x) {
    return almost(xt::view(slices, 1, xt::all(), xt::all()), x, 1e-11);
  };
  CHECK(same(std::get<2>(r), std::get<7>(r)));
  CHECK(same(std::get<3>(r), std::get<8>(r)));
  CHECK(same(std::get<4>(r), std::get<9>(r)));
  CHECK(std::get<5>(r)(1, 2) == Approx(std::get<10>(r)(2)));
  CHECK(std::get<6>(r)(1) == Approx(std::get<11>(r)));
  CHECK(same(std::get<13>(r), std::get<12>(r)));
}
