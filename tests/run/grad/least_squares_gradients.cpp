// Gradients of least squares: of tall, wide and rank-deficient matrices, real and complex, in any order and mode.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/complex_linalg.hpp"

using namespace complex_linalg_tests;

namespace {

// Something that weighs every element differently, so that no gradient is lost in a sum.
constexpr auto weigh = [](auto x) {
  auto const row = sin(cast<double>(arange(x.shape(0))) + 1);
  auto const parts = real(x) + 2 * imag(x) + abs(x) * abs(x);
  if constexpr (kt::rank_of<decltype(x)> == 1) return sum(row * parts);
  else return sum(row(kt::slice(), kt::newaxis) * parts * cos(2 * cast<double>(arange(x.shape(1)))));
};

constexpr auto fit = [](kt::dmatrix a, kt::dvector b) { return weigh(lstsq(a, b)); };
constexpr auto fits = [](kt::dmatrix a, kt::dmatrix b) { return weigh(lstsq(a, b)); };
// A product stays of the rank of its factors when they change.
constexpr auto of_rank = [](kt::dmatrix l, kt::dmatrix r, kt::dvector b) { return weigh(lstsq(dot(l, r), b)); };
constexpr auto complex_fit = [](kt::zmatrix a, kt::zvector b) { return weigh(lstsq(a, b)); };
constexpr auto complex_fits = [](kt::zmatrix l, kt::zmatrix r, kt::zmatrix b) { return weigh(lstsq(dot(l, r), b)); };
constexpr auto slopes = [](kt::dmatrix a, kt::dvector b) {
  auto [ga, gb] = grad(fit(a, b), a, b);
  return weigh(ga) + weigh(gb);
};
constexpr auto curvatures = [](kt::dmatrix a, kt::dvector b) { return weigh(grad(slopes(a, b), a)); };
constexpr auto stacked = [](kt::dtensor3 a, kt::dmatrix b) { return weigh(kt::vmap<0, 1>([](kt::dmatrix a, kt::dvector b) { return lstsq(a, b); })(a, b)); };

template <class T>
vec<T> column(std::size_t n, unsigned seed) {
  vec<T> v(std::array<std::size_t, 1>{n});
  for (std::size_t i = 0; i < n; ++i) {
    double const angle = 1.3 * static_cast<double>(i) + seed;
    if constexpr (kt::core::is_complex_number<T>) v(i) = {std::sin(angle), std::cos(2 * angle)};
    else v(i) = std::sin(angle);
  }
  return v;
}

}  // namespace

TEST_CASE("the gradient of least squares is that of the normal equations") {
  auto const f = kt::function([](kt::dmatrix a, kt::dvector b) {
    auto const by_normal_equations = weigh(solve(dot(a.T(), a), dot(a.T(), b)));
    return std::tuple_cat(grad(fit(a, b), a, b), grad(by_normal_equations, a, b));
  });
  auto const [ga, gb, na, nb] = f(reference::matrix<double>(5, 3, 11), column<double>(5, 12));
  CHECK(linalg_test::almost(ga, na, 1e-9));
  for (std::size_t i = 0; i < 5; ++i) CHECK(gb(i) == Approx(nb(i)));
}

TEST_CASE("the gradient of least squares next to another path counts both") {
  auto const f = kt::function([](kt::dmatrix a, kt::dvector b) {
    return std::tuple(grad(sum(lstsq(a, b)) + sum(a), a), grad(sum(lstsq(a, b)), a));
  });
  auto const [both, one] = f(reference::matrix<double>(4, 2, 1), column<double>(4, 2));
  CHECK(linalg_test::almost(both, mat<double>(one + 1), 1e-13));
  CHECK(std::abs(one(0, 0)) > 1e-3);
}

TEST_CASE("gradients of least squares are those of finite differences") {
  auto const tall = reference::matrix<double>(5, 3, 21), wide = reference::matrix<double>(2, 4, 22);
  CHECK(kt::verify_grad(fit, tall, column<double>(5, 23)));
  CHECK(kt::verify_grad(fit, wide, column<double>(2, 24)));
  CHECK(kt::verify_grad(fits, tall, reference::matrix<double>(5, 2, 25)));
  CHECK(kt::verify_grad(fits, wide, reference::matrix<double>(2, 3, 26)));
  CHECK(kt::verify_grad(of_rank, reference::matrix<double>(5, 2, 27), reference::matrix<double>(2, 4, 28), column<double>(5, 29)));
  CHECK(kt::verify_grad(complex_fit, complex_tests::matrix<double>(4, 3, 30), column<c128>(4, 31)));
  CHECK(kt::verify_grad(complex_fits, complex_tests::matrix<double>(4, 2, 32), complex_tests::matrix<double>(2, 3, 33), complex_tests::matrix<double>(4, 2, 34)));
  xt::xtensor<double, 3> several({2, 4, 3});
  for (std::size_t i = 0; i < several.size(); ++i) several.flat(i) = std::sin(1.7 * static_cast<double>(i)) + (i % 4 == 0 ? 2 : 0);
  CHECK(kt::verify_grad(stacked, several, reference::matrix<double>(2, 4, 35)));
}

TEST_CASE("least squares has gradients of gradients, and forward mode") {
  auto const tall = reference::matrix<double>(4, 2, 41), wide = reference::matrix<double>(2, 3, 42);
  CHECK(kt::verify_grad(slopes, tall, column<double>(4, 43)));
  CHECK(kt::verify_grad(slopes, wide, column<double>(2, 44)));
  CHECK(kt::verify_grad(curvatures, tall, column<double>(4, 45)));

  auto const f = kt::function([](kt::dmatrix a, kt::dvector b, kt::dmatrix da) { return std::tuple(lstsq(a, b), rop(lstsq(a, b), a, da)); });
  auto const da = reference::matrix<double>(4, 2, 46);
  auto const b = column<double>(4, 47);
  double const h = 1e-5;
  auto const [x, along] = f(tall, b, da);
  auto const [up, unused] = f(mat<double>(tall + h * da), b, da);
  auto const [down, unused_too] = f(mat<double>(tall - h * da), b, da);
  for (std::size_t i = 0; i < 2; ++i) CHECK(along(i) == Approx((up(i) - down(i)) / (2 * h)).epsilon(1e-7));
}
