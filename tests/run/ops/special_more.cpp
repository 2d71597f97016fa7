// Inverse error functions, gamma, beta and Bessel functions of variables: values, broadcasting and
// derivatives.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/gradients.hpp"

using namespace gradients;

TEST_CASE("derivatives of inverse error functions") {
  auto const f = kt::function([](kt::dvector x) {
    return derivatives(x, [](auto v) { return erfinv(v); }, [](auto v) { return erfcinv(1 + v); });
  });
  check(f, -0.75, 0.75);
}

TEST_CASE("derivatives of the gamma function") {
  auto const f =
      kt::function([](kt::dvector x) { return derivatives(x, [](auto v) { return gamma(v); }); });
  check(f, 0.5, 4);
  check(f, -0.8, -0.3, 1e-6);
}

TEST_CASE("beta functions broadcast, and derivatives by both operands") {
  auto const f = kt::function([](kt::dvector a, kt::dvector b) {
    return std::pair(betaln(a(kt::slice(), kt::newaxis), b), beta(a, 2));
  });
  auto const [all, few] = f(vec<double>{0.5, 3}, vec<double>{0.5, 1, 1e10});
  REQUIRE(all.shape() == std::array<std::size_t, 2>{2, 3});
  CHECK(all(0, 0) == Approx(std::log(std::acos(-1.))));
  CHECK(all(0, 1) == Approx(std::log(2.)));
  CHECK(all(1, 2) == Approx(std::log(2.) - 30 * std::log(10.)).epsilon(1e-9));
  CHECK(few(1) == Approx(1 / 12.).epsilon(1e-14));
  CHECK(kt::verify_grad([](kt::dvector a, kt::dvector b) { return sum(betaln(a, b) + beta(a, b)); },
                        vec<double>{0.3, 2, 12}, vec<double>{1.5, 0.7, 20}));
}

TEST_CASE("special functions of floats and integers") {
  auto const f = kt::function([](kt::fvector x, kt::lvector k) {
    return std::tuple(erfinv(x), gamma(x), gamma(k), erfcinv(x));
  });
  xt::xtensor<std::int64_t, 1> const k{1, 5, 20};
  auto const [inverse, values, factorials, complements] = f(vec<float>{0.5f, -0.25f, 0.875f}, k);
  CHECK(inverse(0) == Approx(0.47693627620446987).epsilon(1e-7));
  CHECK(values(1) == Approx(-4.901666809860711).epsilon(1e-7));
  CHECK(factorials(1) == 24);
  CHECK(factorials(2) == 121645100408832000.0);
  CHECK(std::isnan(complements(1)));
}

TEST_CASE("derivatives of Bessel functions") {
  auto const modified = kt::function([](kt::dvector x) {
    return derivatives(
        x, [](auto v) { return i0(v); }, [](auto v) { return i1(v); },
        [](auto v) { return i0e(v); }, [](auto v) { return i1e(v); });
  });
  check(modified, 0.3, 10);
  check(modified, -4, -0.1);
  auto const oscillating = kt::function([](kt::dvector x) {
    return derivatives(x, [](auto v) { return j0(v); }, [](auto v) { return j1(v); });
  });
  check(oscillating, -3, 3);
  check(oscillating, 6, 20);
}

TEST_CASE("derivatives of Bessel functions at 0") {
  auto const f = kt::function([](kt::dvector x) {
    auto const both = [&](auto y) {
      auto const g = grad(sum(y), x);
      return std::pair(g, grad(sum(g), x));
    };
    return std::tuple(both(i0(x)), both(i1(x)), both(j0(x)), both(j1(x)),
                      grad(sum(i0e(x) + i1e(x)), x));
  });
  auto const [even, even2, odd, odd2, even_j, even_j2, odd_j, odd_j2, scaled] =
      f(vec<double>{0, -0.0});
  for (I i = 0; i < 2; ++i) {
    CHECK(even(i) == 0);
    CHECK(even2(i) == 0.5);
    CHECK(odd(i) == 0.5);
    CHECK(odd2(i) == 0);
    CHECK(even_j(i) == 0);
    CHECK(even_j2(i) == -0.5);
    CHECK(odd_j(i) == 0.5);
    CHECK(odd_j2(i) == 0);
    CHECK(scaled(i) == 0.5);
  }
}
